//! StakingRewards: farms in the manner of Synthetix, which stream one or two reward tokens to their stakers by share.
//!
//! A deployment is a factory that lists its farms, or a list of farms; settings keys `factory` or `farms`, and `dual`
//! for farms with two reward tokens. Answers claimables and farming positions. Invariant: a farm that misbehaves
//! costs its own rows, and the answer says so. It does not look for farms that neither a factory nor a list names.

mod contracts;
mod farm;
mod found;
mod source;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Error, FarmingPosition, Keys, Mechanism, SettingsError,
};

use crate::each::each;
use crate::events;
use contracts::{balanceOfCall, getRewardCall};
use farm::Farm;
use found::Labels;

/// Seconds that "nothing earned" and "nothing staked" may stand: most accounts have nothing in most farms, so that
/// most reads are saved; a first stake shows at most this much later.
const ZERO_STANDS_S: u32 = 30;

/// The farms of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StakingRewards {
    source: Source,
    rewards: Rewards,
}

/// Where the farms come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// A `StakingRewardsFactory`: one farm for each of its staking tokens.
    Factory(Address),
    /// These.
    Farms(Vec<Address>),
}

/// How many reward tokens the farms pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewards {
    /// `StakingRewards`: one.
    Single,
    /// `StakingDualRewards`: two, with one claim for both.
    Dual,
}

impl StakingRewards {
    /// The farms of a factory.
    pub const fn of_factory(factory: Address, rewards: Rewards) -> Self {
        Self { source: Source::Factory(factory), rewards }
    }

    /// Farms that no factory lists.
    pub fn of_farms(farms: impl IntoIterator<Item = Address>, rewards: Rewards) -> Self {
        Self { source: Source::Farms(farms.into_iter().collect()), rewards }
    }

    /// How many reward tokens the farms pay.
    pub const fn rewards(&self) -> Rewards {
        self.rewards
    }

    /// What the catalogue lists: the contracts that name or are the farms.
    pub fn contracts(&self) -> Vec<Address> {
        match &self.source {
            Source::Factory(factory) => vec![*factory],
            Source::Farms(farms) => farms.clone(),
        }
    }

    /// Where the farms' events come from, which [`tables::STAKING_REWARDS`](events::tables::STAKING_REWARDS) tells.
    pub fn emitters(&self) -> events::Source {
        let source = events::Source::of(&["staking_rewards"]);
        match &self.source {
            Source::Factory(factory) => {
                source.registry_by(*factory, "stakingRewardsInfoByStakingToken", "stakingToken")
            }
            Source::Farms(farms) => source.contracts(farms.iter().copied()),
        }
    }

    /// The farms, for [`StakingRewards::claimables`] and [`StakingRewards::farming`].
    ///
    /// How many steps it takes depends on the factory, and mostly on replies that the host has kept. A plugin with
    /// several factories awaits all their lists first, so that what it asks of the account leaves in one wave.
    ///
    /// # Errors
    /// Where the factory does not list its farms.
    pub async fn list(&self, cx: &Chain, market: &str) -> Result<Farms, Error> {
        Ok(Farms(match &self.source {
            Source::Factory(factory) => source::farms(cx, market, *factory).await?,
            Source::Farms(farms) => farms.iter().map(|address| Farm { address: *address, staked: None }).collect(),
        }))
    }

    /// What the account has earned and not claimed: a row for each farm and reward token, all of `vault_type`.
    ///
    /// # Errors
    /// Where no farm answers.
    pub async fn claimables(
        &self,
        cx: &Chain,
        market: &str,
        vault_type: &str,
        farms: Farms,
        account: Address,
    ) -> Result<Vec<Claimable>, Error> {
        let labels = Labels { market, vault_type };
        let earned = farms.0.into_iter().flat_map(|farm| {
            farm::slots(self.rewards).iter().map(move |slot| async move {
                let amount = slot.earned(cx, farm.address, account).zero_within(ZERO_STANDS_S).await?;
                Ok((farm, *slot, amount))
            })
        });
        let earned = each(cx, earned).await.or_fail(cx, market)?;
        let owed = earned.into_iter().filter(|(_, _, amount)| !amount.is_zero());
        let rows = each(cx, owed.map(|(farm, slot, amount)| found::claimable(cx, labels, farm, slot, amount)));
        Ok(rows.await.or_told(cx, market))
    }

    /// What the account has staked: a row for each farm, all of `vault_type`.
    ///
    /// # Errors
    /// As [`StakingRewards::claimables`].
    pub async fn farming(
        &self,
        cx: &Chain,
        market: &str,
        vault_type: &str,
        farms: Farms,
        account: Address,
    ) -> Result<Vec<FarmingPosition>, Error> {
        let labels = Labels { market, vault_type };
        let staked = farms.0.into_iter().map(|farm| async move {
            let amount = cx.call(farm.address, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            Ok((farm, amount))
        });
        let staked = each(cx, staked).await.or_fail(cx, market)?;
        let held = staked.into_iter().filter(|(_, amount)| !amount.is_zero());
        let rows = each(cx, held.map(|(farm, amount)| found::position(cx, labels, farm, self.rewards, amount)));
        Ok(rows.await.or_told(cx, market))
    }
}

/// The farms of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Farms(Vec<Farm>);

/// The claims that [`StakingRewards::claimables`] answers with; the catalogue declares them.
pub fn claim_templates() -> [ClaimTemplate; 1] {
    [ClaimTemplate::new::<getRewardCall>([])]
}

impl Mechanism for StakingRewards {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        let (factory, farms) = (keys.address_opt("factory")?, keys.addresses("farms")?);
        let rewards = if keys.flag("dual")? { Rewards::Dual } else { Rewards::Single };
        let twice = |place: usize| farms.iter().skip(place + 1).any(|other| *other == farms[place]);
        if let Some(place) = (0..farms.len()).find(|place| twice(*place)) {
            return Err(SettingsError::new(format!("{} stands twice", farms[place])).at("farms"));
        }
        let source = match (factory, farms.is_empty()) {
            (Some(factory), true) => Source::Factory(factory),
            (None, false) => Source::Farms(farms),
            (Some(_), false) => return Err(SettingsError::new("stands beside `factory`; give one of them").at("farms")),
            (None, true) => return Err(SettingsError::new("missing; give `factory` or `farms`").at("factory")),
        };
        Ok(Self { source, rewards })
    }
}
