//! StakingRewards: Synthetix-style farms that stream one or two reward tokens to their stakers by share.
//!
//! A deployment is a factory that lists its farms, or a list of farms; settings keys `factory` or `farms`, and `dual`
//! for two reward tokens. Answers claimables and farming positions. Invariant: a failing farm loses only its own rows,
//! and the answer reports it. Farms outside of factories and lists are not found.

mod contracts;
mod factory;
mod farm;
mod rows;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, JobContext, Keys, Lineage, Position, Question, SettingsError,
};

use crate::boxed::Boxed;
use crate::events;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;
use contracts::{balanceOfCall, getRewardCall, stakingRewardsInfoByStakingTokenCall};
use farm::Farm;

/// The kit, with a plugin's words for farms by their number of reward tokens.
#[derive(Clone, Copy, Debug)]
pub struct StakingRewardsKit {
    /// Farms with one reward token.
    pub single: FarmTypes,
    /// Farms with two reward tokens.
    pub dual: FarmTypes,
}

/// A plugin's words for farms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FarmTypes {
    /// `type` of claimables in the answer.
    pub reward_type: &'static str,
    /// `vaultType` of stakes in the answer.
    pub vault_type: &'static str,
}

/// Farms of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StakingRewards {
    farms: Farms,
    rewards: Rewards,
    types: FarmTypes,
}

/// Origin of the farms.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Farms {
    /// A `StakingRewardsFactory`, with one farm per staking token.
    Factory(Address),
    /// Listed farms.
    Listed(Vec<Address>),
    /// Farms that a factory lists.
    Resolved(Vec<Farm>),
}

/// Number of reward tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewards {
    /// `StakingRewards`: one token.
    Single,
    /// `StakingDualRewards`: two tokens, paid by one claim.
    Dual,
}

impl StakingRewardsKit {
    /// Keys of a row for farms like Synthetix' StakingRewards:
    /// - `factory` (address): a `StakingRewardsFactory`, which lists the farms
    /// - `farms` (array of addresses, instead of `factory`): the farms
    /// - `dual` (boolean, optional): true if the farms pay two tokens
    pub const KEYS: &'static [&'static str] = &["factory", "farms", "dual"];

    const fn types(&self, rewards: Rewards) -> FarmTypes {
        match rewards {
            Rewards::Single => self.single,
            Rewards::Dual => self.dual,
        }
    }
}

impl Kit for StakingRewardsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["factory", "farms"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let (factory, farms) = (keys.address_opt("factory")?, keys.addresses("farms")?);
        let rewards = if keys.flag("dual")? { Rewards::Dual } else { Rewards::Single };
        let twice = |place: usize| farms.iter().skip(place + 1).any(|other| *other == farms[place]);
        if let Some(place) = (0..farms.len()).find(|place| twice(*place)) {
            return Err(SettingsError::new(format!("{} appears twice", farms[place])).at("farms"));
        }
        let farms = match (factory, farms.is_empty()) {
            (Some(factory), true) => Farms::Factory(factory),
            (None, false) => Farms::Listed(farms),
            (Some(_), false) => {
                return Err(SettingsError::new("is given beside `factory`; give one of them").at("farms"));
            }
            (None, true) => return Err(SettingsError::new("missing; give `factory` or `farms`").at("factory")),
        };
        Ok(Some(StakingRewards { farms, rewards, types: self.types(rewards) }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([])]
    }

    /// Returns the view that gives the farms of a factory.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<stakingRewardsInfoByStakingTokenCall>()]
    }
}

impl DeploymentReader for StakingRewards {
    /// Returns the factory or the farms.
    fn contracts(&self) -> Vec<Address> {
        match &self.farms {
            Farms::Factory(factory) => vec![*factory],
            Farms::Listed(farms) => farms.to_vec(),
            Farms::Resolved(farms) => farms.iter().map(|farm| farm.address).collect(),
        }
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    fn emitters(&self) -> Option<events::Source> {
        let source = events::Source::of(&["staking_rewards"]);
        Some(match &self.farms {
            Farms::Factory(factory) => source.registry_by(*factory, "stakingRewardsInfoByStakingToken", "stakingToken"),
            Farms::Listed(_) | Farms::Resolved(_) => source.contracts(self.contracts()),
        })
    }

    /// Reads the farms of a factory. The number of batches depends on the factory; most replies are cached.
    fn resolve<'a>(&'a self, cx: &'a JobContext, market: &'a str) -> Boxed<'a, Option<Arc<dyn DeploymentReader>>> {
        Box::pin(async move {
            let Farms::Factory(factory) = self.farms else { return Ok(None) };
            let farms = Farms::Resolved(factory::farms(cx, market, factory).await?);
            Ok(Some(Self { farms, ..self.clone() }.shared()))
        })
    }

    /// Returns a claim per farm with unclaimed rewards, which pays all of its reward tokens.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let earned = self.farms().into_iter().flat_map(|farm| {
                farm::slots(self.rewards).iter().map(move |slot| async move {
                    let amount = slot.earned(cx, farm.address, account).zero_within(ZERO_STANDS_S).await?;
                    Ok((farm, *slot, amount))
                })
            });
            let mut owed = join_partial(cx, earned).await.or_none_where_gone(cx, labels.market)?;
            owed.retain(|(_, _, amount)| !amount.is_zero());
            let rows = owed.chunk_by(|(farm, ..), (next, ..)| farm == next);
            let rows = rows.map(|owed| rows::claimable(cx, self, labels, owed));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns a position per farm with a stake.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let balance = |farm: &Farm| (farm.address, balanceOfCall { account });
            let held = read_nonzero(cx, labels.market, self.farms(), balance).await?;
            let rows = held.into_iter().map(|(farm, amount)| rows::position(cx, self, labels, farm, amount));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl StakingRewards {
    /// Returns the farms; empty for a factory that is not resolved.
    fn farms(&self) -> Vec<Farm> {
        match &self.farms {
            Farms::Factory(_) => Vec::new(),
            Farms::Listed(farms) => farms.iter().map(|address| Farm { address: *address, staked: None }).collect(),
            Farms::Resolved(farms) => farms.clone(),
        }
    }
}
