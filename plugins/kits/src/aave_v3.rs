//! Aave v3 and v2: pools in which reserves are lent and borrowed, and the controllers that reward it.
//!
//! A deployment is a pool, its data provider, and a rewards controller where there is one; settings keys `pool`,
//! `data_provider` and `rewards_controller`. It answers lending positions (debts as such, with the health factor) and
//! claimable rewards. Invariant: a reserve or an asset that misbehaves costs its own rows, and the answer says so.
//! Modes of a position (e-mode, isolation) change no amount and no rate, and are not read.

mod contracts;
mod incentives;
mod lending;
mod reserve;
mod rewards;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Keys, Lineage, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::events::Source;
use crate::kit::{Deployed, Kit, Labels, ZERO_STANDS_S};
use contracts::{claimRewardsCall, getReserveTokensAddressesCall, getRewardsByAssetCall, v2};

/// What differs between versions: the order of a reserve's members, and controllers, which know one reward token in v2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AaveVersion {
    /// `LendingPool` and `IncentivesController`.
    V2,
    /// `Pool` and `RewardsController`.
    V3,
}

/// The pools of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AavePools {
    /// Their version.
    pub version: AaveVersion,
    /// The answer's `type` of claimable rewards.
    pub reward_type: &'static str,
}

/// The contracts of one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AaveV3 {
    /// `Pool`.
    pub pool: Address,
    /// `AaveProtocolDataProvider`, of any version: only the tokens of reserves are read from it.
    pub data_provider: Address,
    /// `RewardsController`; without it there is nothing to claim.
    pub rewards_controller: Option<Address>,
    /// Its version, and the words for what it answers.
    pub pools: AavePools,
}

impl Kit for AavePools {
    fn keys(&self) -> &'static [&'static str] {
        &["pool", "data_provider", "rewards_controller"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        let contracts = AaveV3 {
            pool: keys.address("pool")?,
            data_provider: keys.address("data_provider")?,
            rewards_controller: keys.address_opt("rewards_controller")?,
            pools: *self,
        };
        Ok(Some(contracts.shared()))
    }

    /// The controller pays whom the call names, from what its sender has earned: so the account has to send it, and has
    /// to be named.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let (assets, all) = (Role::array(Role::MARKET), Role::constant(&rewards::ALL));
        vec![match self.version {
            AaveVersion::V2 => ClaimTemplate::new::<v2::claimRewardsCall>([assets, all, Role::ACCOUNT]),
            AaveVersion::V3 => ClaimTemplate::new::<claimRewardsCall>([assets, all, Role::ACCOUNT, Role::TOKEN]),
        }]
    }

    /// Claims name tokens of the data provider's replies, as assets, and rewards of the controller's.
    fn lineages(&self) -> Vec<Lineage> {
        let assets = (0..3).map(|word| Lineage::markets::<getReserveTokensAddressesCall>().at(word));
        let rewards = (self.version == AaveVersion::V3).then(|| Lineage::tokens::<getRewardsByAssetCall>().list());
        assets.chain(rewards).collect()
    }
}

impl Deployed for AaveV3 {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(*self)
    }

    /// Claims go to the controller.
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

    /// Answers what the account has earned and not claimed: a row for each reward token.
    ///
    /// Each row's claim pays that token alone, from all assets in which the account has earned it, so that no two rows
    /// claim the same amount.
    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let Some(controller) = self.rewards_controller else { return Ok(Vec::new()) };
            let tokens = reserve::tokens(cx, labels.market, *self).await?;
            match self.pools.version {
                AaveVersion::V2 => incentives::claimables(cx, *self, labels, controller, tokens, account).await,
                AaveVersion::V3 => rewards::claimables(cx, *self, labels, controller, tokens, account).await,
            }
        })
    }

    /// Answers what the account has lent and what it owes: a leg for each aToken and debt token of which it has any.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
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
