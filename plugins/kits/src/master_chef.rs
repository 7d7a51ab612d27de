//! MasterChef: one contract with many numbered pools, each of which pays a share of one emission to its stakers.
//!
//! Sushi's three kinds, their forks and Beethoven X' own; what forks rename (the pending view), what it returns or what they claim with is
//! data; `settings.rs` has its keys. It answers claimables, including what rewarders pay beside the chef, and farming
//! positions. Invariant: a pool that misbehaves costs its own rows, and the answer says so.

mod contracts;
mod native_bonus;
mod owed;
mod pending;
mod pools;
mod reward;
mod rewarder;
mod rows;
mod settings;

use std::borrow::Cow;
use std::sync::Arc;

use portolan_plugin_api::{Address, Chain, Claim, Claimable, Position, Question, U256};

use crate::boxed::Boxed;
use crate::events::Source;
use crate::kit::{Deployed, Labels};
use crate::try_each::try_each;
use contracts::claims::{depositCall, harvestCall, leaveStakingCall, withdrawCall};

/// The pending view of Sushi's own contracts.
const PENDING: &str = "pendingSushi";

/// The chefs of a plugin: the answer's `vaultType` and `type`, by kind.
#[derive(Clone, Copy, Debug)]
pub struct MasterChefs {
    /// The name for `MasterChef`.
    pub v1: &'static str,
    /// The name for `MasterChefV2`.
    pub v2: &'static str,
    /// The name for `MiniChefV2`.
    pub mini: &'static str,
}

/// The pools of one chef.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MasterChef {
    chef: Address,
    kind: Kind,
    pending: Cow<'static, str>,
    returns: Returns,
    claim: ClaimCall,
    reward_token: Option<Address>,
    getter: Option<Cow<'static, str>>,
    has_single_stake: bool,
    is_funded: bool,
    vault_type: &'static str,
}

/// The contract that a chef is a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `MasterChef`: pools in an array of structs, whose first two members are the staked token and its points.
    V1,
    /// `MasterChefV2`: staked tokens and rewarders in lists of their own.
    V2,
    /// `MiniChefV2`: the same, paid by the second.
    Mini,
    /// `BeethovenxMasterChef`: as `MasterChefV2`, with its lists under other names and its points first. Named as that.
    Beets,
}

/// The call that pays what is pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimCall {
    /// `deposit(pid, 0)`.
    Deposit,
    /// `withdraw(pid, 0)`.
    Withdraw,
    /// `harvest(pid, account)`.
    Harvest,
}

/// What the pending view returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// The amount of the chef's token.
    Amount,
    /// That, and one bonus: its token, symbol and amount. Trader Joe's.
    Bonus,
    /// That, and lists of bonuses: tokens, symbols and amounts. Wombat's.
    Bonuses,
    /// Lists of all that is paid: tokens, symbols, decimals and amounts, the chef's own first. Alien Base's, whose pools
    /// may have an interval between two harvests.
    Lists,
}

/// A pool in which the account has something, or whose rewarder owes it something still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pool {
    pid: U256,
    /// Pays other tokens with the same claim.
    rewarder: Option<Address>,
}

impl MasterChefs {
    /// A chef as Sushi deployed it.
    pub const fn chef(&self, chef: Address, kind: Kind) -> MasterChef {
        self.renamed(chef, kind, PENDING, kind.claim())
    }

    /// A chef whose pending view and claim call are others.
    pub const fn renamed(&self, chef: Address, kind: Kind, pending: &'static str, claim: ClaimCall) -> MasterChef {
        self.deployed(chef, kind, pending, claim, None)
    }

    /// One whose getters are not named after its pending view: `getter` returns the token, and with `PerSecond` added to
    /// its name the rate.
    pub const fn with_getter(
        &self,
        chef: Address,
        kind: Kind,
        pending: &'static str,
        claim: ClaimCall,
        getter: &'static str,
    ) -> MasterChef {
        self.deployed(chef, kind, pending, claim, Some(Cow::Borrowed(getter)))
    }

    const fn deployed(
        &self,
        chef: Address,
        kind: Kind,
        pending: &'static str,
        claim: ClaimCall,
        getter: Option<Cow<'static, str>>,
    ) -> MasterChef {
        let (pending, vault_type) = (Cow::Borrowed(pending), self.vault_type(kind));
        MasterChef {
            chef,
            kind,
            pending,
            returns: Returns::Amount,
            claim,
            reward_token: None,
            getter,
            has_single_stake: false,
            is_funded: false,
            vault_type,
        }
    }

    const fn vault_type(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::V1 => self.v1,
            Kind::V2 | Kind::Beets => self.v2,
            Kind::Mini => self.mini,
        }
    }
}

impl MasterChef {
    /// One that does not say itself which token it pays.
    pub const fn paying(mut self, token: Address) -> Self {
        self.reward_token = Some(token);
        self
    }

    /// One whose pending view returns more than an amount.
    pub const fn returning(mut self, returns: Returns) -> Self {
        self.returns = returns;
        self
    }

    /// One that is given what it pays beforehand: where it holds less than is pending, it pays what it holds.
    pub const fn funded(mut self) -> Self {
        self.is_funded = true;
        self
    }

    /// One whose pool 0 takes the chef's own token, as PancakeSwap's does: it is claimed by a function of its own.
    pub const fn with_single_stake(mut self) -> Self {
        self.has_single_stake = true;
        self
    }
}

impl Kind {
    /// The claim of Sushi's own contracts.
    const fn claim(self) -> ClaimCall {
        match self {
            Self::V1 => ClaimCall::Withdraw,
            Self::V2 | Self::Mini | Self::Beets => ClaimCall::Harvest,
        }
    }
}

impl Deployed for MasterChef {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(self.clone())
    }

    fn contracts(&self) -> Vec<Address> {
        vec![self.chef]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    fn emitters(&self) -> Option<Source> {
        Some(Source::of(&["chef"]).contracts([self.chef]))
    }

    /// Answers what is pending in each pool: a claim for each, which pays all of its tokens.
    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let (token, count) = cx.join((reward::token(cx, self), pools::count(cx, self))).await?;
            let owing = pools::owing(cx, self, labels.market, count, account).await?;
            let rows = owing.into_iter().map(|pool| rows::claimable(cx, self, labels, token, pool, account));
            Ok(try_each(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Answers what the account has staked: a row for each pool.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
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
            let stakes = async { Ok(try_each(cx, stakes).await.or_report(cx, labels.market)) };
            let staked_tokens = pools::staked_tokens(cx, self, count);
            let (staked_tokens, emission, stakes) =
                cx.join((staked_tokens, reward::emission(cx, self), stakes)).await?;
            let stakes = stakes.into_iter().filter(|stake| !stake.amount.is_zero());
            let rows = stakes.map(|stake| {
                let alone = pools::stands_alone(&staked_tokens, stake.token);
                rows::position(cx, self, labels, stake, rows::Emitted { token, emission, alone }, account)
            });
            Ok(try_each(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl MasterChef {
    /// The call that claims what a pool owes.
    fn claim(&self, cx: &Chain, pid: U256, account: Address) -> Claim {
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
