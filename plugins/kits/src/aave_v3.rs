//! Aave v3 and v2: pools that lend and borrow reserves, and the controllers that reward both.
//!
//! A deployment is a pool, its data provider, and a rewards controller if it has one; settings keys `pool`,
//! `data_provider` and `rewards_controller`. Answers lending positions (debts with the health factor) and claimable
//! rewards. Invariant: a failing reserve or asset loses only its own rows, and the answer reports it. E-mode and
//! isolation change no amount or rate, and are not read.

mod contracts;
mod incentives;
mod lending;
mod reserve;
mod rewards;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, JobContext, Keys, Lineage, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::events::Source;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use contracts::{claimRewardsCall, getReserveTokensAddressesCall, getRewardsByAssetCall, v2};

/// Version of the contracts. They differ in the order of a reserve's members, and in controllers, which have one reward
/// token in v2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AaveVersion {
    /// `LendingPool` and `IncentivesController`.
    V2,
    /// `Pool` and `RewardsController`.
    V3,
}

/// The kit, with a plugin's version of the pools and word for their rewards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AaveV3Kit {
    /// Version of the pools.
    pub version: AaveVersion,
    /// `type` of claimable rewards in the answer.
    pub reward_type: &'static str,
}

/// Contracts of one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AaveV3 {
    /// `Pool`.
    pub pool: Address,
    /// `AaveProtocolDataProvider` of any version; only the tokens of reserves are read from it.
    pub data_provider: Address,
    /// `RewardsController`; without it, nothing is claimable.
    pub rewards_controller: Option<Address>,
    /// Version, and words for the findings.
    pub pools: AaveV3Kit,
}

impl AaveV3Kit {
    /// Keys of a row for a pool of Aave v3 or v2, or of a fork:
    /// - `pool` (address): the `Pool`, or `LendingPool` of v2
    /// - `data_provider` (address): the `AaveProtocolDataProvider`, or `ProtocolDataProvider` of v2; any version will
    ///   do, since only the tokens of the reserves are read from it
    /// - `rewards_controller` (address, optional): the `RewardsController`, or incentives controller of v2; without it
    ///   there are no claimables
    pub const KEYS: &'static [&'static str] = &["pool", "data_provider", "rewards_controller"];
}

impl Kit for AaveV3Kit {
    fn keys(&self) -> &'static [&'static str] {
        &["pool", "data_provider", "rewards_controller"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let contracts = AaveV3 {
            pool: keys.address("pool")?,
            data_provider: keys.address("data_provider")?,
            rewards_controller: keys.address_opt("rewards_controller")?,
            pools: *self,
        };
        Ok(Some(contracts.shared()))
    }

    /// The controller pays the receiver in the call from the sender's rewards, so the account must be both.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let (assets, all) = (Role::array(Role::MARKET), Role::constant(&rewards::ALL));
        vec![match self.version {
            AaveVersion::V2 => ClaimTemplate::new::<v2::claimRewardsCall>([assets, all, Role::ACCOUNT]),
            AaveVersion::V3 => ClaimTemplate::new::<claimRewardsCall>([assets, all, Role::ACCOUNT, Role::TOKEN]),
        }]
    }

    /// Claims name tokens from the data provider's replies as assets, and rewards from the controller's.
    fn lineages(&self) -> Vec<Lineage> {
        let assets = (0..3).map(|word| Lineage::markets::<getReserveTokensAddressesCall>().at(word));
        let rewards = (self.version == AaveVersion::V3).then(|| Lineage::tokens::<getRewardsByAssetCall>().list());
        assets.chain(rewards).collect()
    }
}

impl DeploymentReader for AaveV3 {
    /// Returns all contracts; claims call only the controller.
    fn contracts(&self) -> Vec<Address> {
        [self.pool, self.data_provider].into_iter().chain(self.rewards_controller).collect()
    }

    fn questions(&self) -> Vec<Question> {
        let claimables = self.rewards_controller.map(|_| Question::CLAIMABLES);
        claimables.into_iter().chain([Question::LENDING, Question::EVENTS]).collect()
    }

    fn emitters(&self) -> Option<Source> {
        Some(Source::of(&["pool", "rewards"]).contracts(self.contracts()))
    }

    /// Returns a row per reward token with unclaimed rewards.
    ///
    /// Each claim pays only that token, from all assets in which the account earned it, so no two rows claim the same
    /// amount.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let Some(controller) = self.rewards_controller else { return Ok(Vec::new()) };
            let tokens = reserve::tokens(cx, labels.market, *self).await?;
            match self.pools.version {
                AaveVersion::V2 => incentives::claimables(cx, *self, labels, controller, tokens, account).await,
                AaveVersion::V3 => rewards::claimables(cx, *self, labels, controller, tokens, account).await,
            }
        })
    }

    /// Returns what the account lent and owes: a leg per aToken and debt token that it has.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let tokens = reserve::tokens(cx, labels.market, *self).await?;
            lending::positions(cx, *self, labels, tokens, account).await
        })
    }
}
