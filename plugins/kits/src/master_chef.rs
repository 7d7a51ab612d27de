//! MasterChef: one contract with many numbered pools, each of which pays a share of one emission to its stakers.
//!
//! Sushi's three kinds and their forks; what forks rename (the pending view) or claim with is data. Settings keys
//! `kind`, `chef`, `pending`, `claim`, `reward_token`. Answers claimables, also what rewarders pay beside the chef,
//! and farming positions. Invariant: a pool that misbehaves costs its own rows, and the answer says so.

mod contracts;
mod found;
mod pools;
mod reward;
mod rewarder;

use std::borrow::Cow;

use portolan_plugin_api::{
    Address, Chain, Claim, ClaimTemplate, Claimable, Error, FarmingPosition, Keys, Mechanism, Role, SettingsError, U256,
};

use crate::both::both;
use crate::each::each;
use contracts::claims::{depositCall, harvestCall, withdrawCall};
use found::Labels;

/// The pending view of Sushi's own contracts.
const PENDING: &str = "pendingSushi";
/// The pools of one chef.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MasterChef {
    chef: Address,
    kind: Kind,
    pending: Cow<'static, str>,
    claim: ClaimCall,
    reward_token: Option<Address>,
}

/// What a chef is a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `MasterChef`: pools in an array of structs, whose first two members are the staked token and its points.
    V1,
    /// `MasterChefV2`: staked tokens and rewarders in lists of their own.
    V2,
    /// `MiniChefV2`: the same, paid by the second.
    Mini,
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

impl MasterChef {
    /// A chef as Sushi deployed it.
    pub const fn new(chef: Address, kind: Kind) -> Self {
        Self::renamed(chef, kind, PENDING, kind.claim())
    }

    /// A chef whose pending view and claim call are others.
    pub const fn renamed(chef: Address, kind: Kind, pending: &'static str, claim: ClaimCall) -> Self {
        Self { chef, kind, pending: Cow::Borrowed(pending), claim, reward_token: None }
    }

    /// What it is a copy of.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// What the catalogue lists.
    pub fn contracts(&self) -> [Address; 1] {
        [self.chef]
    }

    /// What is pending in each pool: a row for each token that the pool's claim pays, all of `vault_type`.
    ///
    /// # Errors
    /// Where the chef does not tell its reward token or its number of pools, or no pool answers.
    pub async fn claimables(
        &self,
        cx: &Chain,
        market: &str,
        vault_type: &str,
        account: Address,
    ) -> Result<Vec<Claimable>, Error> {
        let labels = Labels { market, vault_type };
        let (token, count) = both(reward::token(cx, self), pools::count(cx, self)).await?;
        let held = pools::held(cx, self, market, count, account).await?;
        let rows = held.into_iter().map(|pool| found::claimables(cx, self, labels, token, pool, account));
        Ok(each(cx, rows).await.or_told(cx, market).into_iter().flatten().collect())
    }

    /// What the account has staked: a row for each pool, all of `vault_type`.
    ///
    /// # Errors
    /// As [`MasterChef::claimables`].
    pub async fn farming(
        &self,
        cx: &Chain,
        market: &str,
        vault_type: &str,
        account: Address,
    ) -> Result<Vec<FarmingPosition>, Error> {
        let labels = Labels { market, vault_type };
        let (token, count) = both(reward::token(cx, self), pools::count(cx, self)).await?;
        let held = pools::held(cx, self, market, count, account).await?;
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let stakes = held.into_iter().map(|pool| pools::stake(cx, self, pool, account));
        let stakes = async { Ok(each(cx, stakes).await.or_told(cx, market)) };
        let common = both(pools::staked_tokens(cx, self, count), reward::emission(cx, self));
        let ((staked_tokens, emission), stakes) = both(common, stakes).await?;
        let stakes = stakes.into_iter().filter(|stake| !stake.amount.is_zero());
        let rows = stakes.map(|stake| {
            let alone = pools::stands_alone(&staked_tokens, stake.token);
            found::position(cx, self, labels, stake, found::Paid { token, emission, alone }, account)
        });
        Ok(each(cx, rows).await.or_told(cx, market))
    }

    /// The call that claims what a pool owes.
    fn claim(&self, cx: &Chain, pid: U256, account: Address) -> Claim {
        match self.claim {
            ClaimCall::Deposit => cx.claim(self.chef, &depositCall { pid, amount: U256::ZERO }),
            ClaimCall::Withdraw => cx.claim(self.chef, &withdrawCall { pid, amount: U256::ZERO }),
            ClaimCall::Harvest => cx.claim(self.chef, &harvestCall { pid, to: account }),
        }
    }
}

impl Kind {
    /// The claim of Sushi's own contracts.
    const fn claim(self) -> ClaimCall {
        match self {
            Self::V1 => ClaimCall::Withdraw,
            Self::V2 | Self::Mini => ClaimCall::Harvest,
        }
    }
}

/// The claims that [`MasterChef::claimables`] answers with; the catalogue declares them.
pub fn claim_templates() -> [ClaimTemplate; 3] {
    let nothing = || Role::constant(&U256::ZERO);
    [
        ClaimTemplate::new::<depositCall>([Role::NUMBER, nothing()]),
        ClaimTemplate::new::<withdrawCall>([Role::NUMBER, nothing()]),
        ClaimTemplate::new::<harvestCall>([Role::NUMBER, Role::ACCOUNT]),
    ]
}

impl Mechanism for MasterChef {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        let kind = match keys.text("kind")? {
            Some("master-chef-v1") => Kind::V1,
            Some("master-chef-v2") => Kind::V2,
            Some("mini-chef") => Kind::Mini,
            other => return Err(unknown("kind", other, "`master-chef-v1`, `master-chef-v2` or `mini-chef`")),
        };
        let claim = match keys.text("claim")? {
            None => kind.claim(),
            Some("deposit") => ClaimCall::Deposit,
            Some("withdraw") => ClaimCall::Withdraw,
            Some("harvest") => ClaimCall::Harvest,
            other => return Err(unknown("claim", other, "`deposit`, `withdraw` or `harvest`")),
        };
        let pending = keys.function("pending")?.unwrap_or(PENDING);
        Ok(Self {
            chef: keys.address("chef")?,
            kind,
            pending: Cow::Owned(pending.to_owned()),
            claim,
            reward_token: keys.address_opt("reward_token")?,
        })
    }
}

fn unknown(key: &str, value: Option<&str>, known: &str) -> SettingsError {
    let what = value.map_or_else(|| "missing".to_owned(), |value| format!("{value:?} is unknown"));
    SettingsError::new(format!("{what}; give {known}")).at(key)
}
