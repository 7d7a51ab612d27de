//! MasterChef: one contract with many numbered pools, which share one emission among their stakers.
//!
//! Covers Sushi's three versions, their forks and Beethoven X. Renamed views, return values and claim calls of forks
//! are data; `settings.rs` has the keys. Answers claimables, including rewards of rewarders, and farming positions.
//! Invariant: a failing pool loses only its own rows, and the answer reports it.

mod contracts;
mod native_bonus;
mod owed;
mod pending;
mod pools;
mod reward;
mod rewarder;
mod rows;
mod settings;

use portolan_plugin_api::{Address, Claim, Claimable, JobContext, Position, Question, U256};

use crate::boxed::Boxed;
use crate::events::Source;
use crate::kit::{DeploymentReader, Labels};
use crate::partial::join_partial;
use contracts::claims::{depositCall, harvestCall, leaveStakingCall, withdrawCall};

/// Pending view of Sushi's own contracts.
const PENDING: &str = "pendingSushi";

/// The kit, with a plugin's names for `vaultType` and `type`, by kind.
#[derive(Clone, Copy, Debug)]
pub struct MasterChefKit {
    /// Name for `MasterChef`.
    pub v1: &'static str,
    /// Name for `MasterChefV2`.
    pub v2: &'static str,
    /// Name for `MiniChefV2`.
    pub mini: &'static str,
}

/// A chef and its pools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MasterChef {
    chef: Address,
    kind: Kind,
    pending: String,
    returns: Returns,
    claim: ClaimCall,
    reward_token: Option<Address>,
    getter: Option<String>,
    has_single_stake: bool,
    is_funded: bool,
    vault_type: &'static str,
}

/// Contract that a chef is a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `MasterChef`: pools are structs in an array; their first members are the staked token and the points.
    V1,
    /// `MasterChefV2`: staked tokens and rewarders are separate lists.
    V2,
    /// `MiniChefV2`: like `MasterChefV2`, but emits per second.
    Mini,
    /// `BeethovenxMasterChef`: like `MasterChefV2`, with renamed lists and the points first. Shares its name.
    Beets,
}

/// Call that pays the pending rewards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimCall {
    /// `deposit(pid, 0)`.
    Deposit,
    /// `withdraw(pid, 0)`.
    Withdraw,
    /// `harvest(pid, account)`.
    Harvest,
}

/// Return values of the pending view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Amount of the chef's token.
    Amount,
    /// The amount, and a bonus with token, symbol and amount (Trader Joe).
    Bonus,
    /// The amount, and lists of bonus tokens, symbols and amounts (Wombat).
    Bonuses,
    /// Lists of tokens, symbols, decimals and amounts, the chef's own token first (Alien Base). Pools may require an
    /// interval between two harvests.
    Lists,
}

/// A pool in which the account has something, or whose rewarder owes it something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pool {
    pid: U256,
    /// Pays other tokens with the same claim.
    rewarder: Option<Address>,
}

impl MasterChefKit {
    const fn vault_type(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::V1 => self.v1,
            Kind::V2 | Kind::Beets => self.v2,
            Kind::Mini => self.mini,
        }
    }
}

impl Kind {
    /// Returns the claim call of Sushi's own contracts.
    const fn claim(self) -> ClaimCall {
        match self {
            Self::V1 => ClaimCall::Withdraw,
            Self::V2 | Self::Mini | Self::Beets => ClaimCall::Harvest,
        }
    }
}

impl DeploymentReader for MasterChef {
    fn contracts(&self) -> Vec<Address> {
        vec![self.chef]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    fn emitters(&self) -> Option<Source> {
        Some(Source::of(&["chef"]).contracts([self.chef]))
    }

    /// Returns a claim per pool with pending rewards, which pays all of its tokens.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let (token, count) = cx.join((reward::token(cx, self), pools::count(cx, self))).await?;
            let owing = pools::owing(cx, self, labels.market, count, account).await?;
            let rows = owing.into_iter().map(|pool| rows::claimable(cx, self, labels, token, pool, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns a position per pool with a stake.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let (token, count) = cx.join((reward::token(cx, self), pools::count(cx, self))).await?;
            let held = pools::held(cx, self, labels.market, count, account).await?;
            if held.is_empty() {
                return Ok(Vec::new());
            }
            let stakes = held.into_iter().map(|pid| pools::stake(cx, self, pid, account));
            let stakes = async { Ok(join_partial(cx, stakes).await.or_report(cx, labels.market)) };
            let staked_tokens = pools::staked_tokens(cx, self, count);
            let (staked_tokens, emission, stakes) =
                cx.join((staked_tokens, reward::emission(cx, self), stakes)).await?;
            let stakes = stakes.into_iter().filter(|stake| !stake.amount.is_zero());
            let rows = stakes.map(|stake| {
                let alone = pools::stands_alone(&staked_tokens, stake.token);
                rows::position(cx, self, labels, stake, rows::Emitted { token, emission, alone }, account)
            });
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl MasterChef {
    /// Returns the call that claims a pool's rewards.
    fn claim(&self, cx: &JobContext, pid: U256, account: Address) -> Claim {
        if self.has_single_stake && pid.is_zero() {
            return cx.claim(self.chef, &leaveStakingCall { amount: U256::ZERO });
        }
        match self.claim {
            ClaimCall::Deposit => cx.claim(self.chef, &depositCall { pid, amount: U256::ZERO }),
            ClaimCall::Withdraw => cx.claim(self.chef, &withdrawCall { pid, amount: U256::ZERO }),
            ClaimCall::Harvest => cx.claim(self.chef, &harvestCall { pid, to: account }),
        }
    }
}
