//! Pools of one token each, whose `harvest()` pays the caller: LooksRare's first staking, and the chefs of PlutusDAO.
//!
//! Settings keys `harvest_pools`, `harvest_kind`, `harvest_stake` and `harvest_rewards`. Answers claimables and farming
//! positions. Invariant: a claim that its pool refuses is not answered but reported. A failing pool loses only its own
//! rows.
//!
//! Sources: <https://github.com/LooksRare/contracts-token-staking>, `FeeSharingSystem.sol` and
//! `StakingPoolForUniswapV2Tokens.sol`; <https://github.com/Zapper-fi/studio/tree/main/src/apps/plutus/contracts/abis>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, Reward,
    SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    // The stake, or shares of it; more words follow, which differ.
    function userInfo(address user) external view returns (uint256 staked);
    // Pays the sender.
    function harvest() external;
}

/// LooksRare's own.
mod looksrare {
    portolan_plugin_api::sol! {
        function calculateSharesValueInLOOKS(address user) external view returns (uint256);
        function calculatePendingRewards(address user) external view returns (uint256);
    }
}

/// What a chef of PlutusDAO owes, by the number of its rewards.
mod plutus {
    pub(super) mod one {
        portolan_plugin_api::sol! {
            function pendingRewards(address user) external view returns (uint256);
        }
    }

    pub(super) mod four {
        portolan_plugin_api::sol! {
            function pendingRewards(address user) external view returns (uint256[4] amounts);
        }
    }

    pub(super) mod five {
        portolan_plugin_api::sol! {
            function pendingRewards(address user) external view returns (uint256[5] amounts);
        }
    }

    pub(super) mod six {
        portolan_plugin_api::sol! {
            function pendingRewards(address user) external view returns (uint256[6] amounts);
        }
    }
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HarvestPoolsKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
}

/// Pools of one deployment, with the same tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarvestPools {
    pools: Vec<Address>,
    kind: PoolKind,
    stake: Address,
    rewards: Vec<Address>,
    types: HarvestPoolsKit,
}

/// The contract that a pool is a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PoolKind {
    /// `FeeSharingSystem`: stakes are shares.
    Sharing,
    /// `StakingPoolForUniswapV2Tokens`.
    Pool,
    /// `PlsJonesPlutusChef` and its like.
    Plutus,
}

/// The kinds by their names in settings.
const KINDS: [(&str, PoolKind); 3] =
    [("fee-sharing", PoolKind::Sharing), ("staking-pool", PoolKind::Pool), ("plutus", PoolKind::Plutus)];

impl HarvestPoolsKit {
    /// Keys of a row for pools of one token, whose `harvest()` pays the caller:
    /// - `harvest_pools` (array of addresses): the pools
    /// - `harvest_kind` (text): the contract that they are copies of: LooksRare's `fee-sharing` or `staking-pool`, or
    ///   `plutus`
    /// - `harvest_stake` (address): the token that is staked
    /// - `harvest_rewards` (array of addresses): the tokens that are paid, in the order of the pool's view: one, or of
    ///   a chef of PlutusDAO also four, five or six
    pub const KEYS: &'static [&'static str] = &["harvest_pools", "harvest_kind", "harvest_stake", "harvest_rewards"];
}

impl Kit for HarvestPoolsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["harvest_pools"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let pools = keys.addresses("harvest_pools")?;
        if pools.is_empty() {
            return Ok(None);
        }
        let name = keys.text("harvest_kind")?.unwrap_or_default();
        let Some((_, kind)) = KINDS.into_iter().find(|(known, _)| *known == name) else {
            let known = KINDS.map(|(known, _)| format!("`{known}`")).join(", ");
            return Err(SettingsError::new(format!("is one of {known}")).at("harvest_kind"));
        };
        let (stake, rewards) = (keys.address("harvest_stake")?, keys.addresses("harvest_rewards")?);
        let known: &[usize] = if kind == PoolKind::Plutus { &[1, 4, 5, 6] } else { &[1] };
        if !known.contains(&rewards.len()) {
            return Err(SettingsError::new("no such pool pays so many tokens").at("harvest_rewards"));
        }
        Ok(Some(HarvestPools { pools, kind, stake, rewards, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<harvestCall>([])]
    }
}

impl DeploymentReader for HarvestPools {
    fn contracts(&self) -> Vec<Address> {
        self.pools.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per pool with rewards. Whoever leaves is paid, but may leave fees behind, which are not
    /// searched.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|(pool, _)| self.claimable(cx, labels, pool, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|(pool, staked)| self.position(cx, labels, pool, staked, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl HarvestPools {
    async fn held(&self, cx: &JobContext, labels: Labels<'_>, user: Address) -> Result<Vec<(Address, U256)>, Error> {
        read_nonzero(cx, labels.market, self.pools.clone(), |pool| (*pool, userInfoCall { user })).await
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: Address,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let owed = self.owed(cx, pool, account).await?;
        if owed.is_empty() {
            return Ok(None);
        }
        cx.call(pool, harvestCall {}).from(account).isolated().await?;
        let row = Claimable::new(labels.market, pool, cx.claim(pool, &harvestCall {})).mechanism(self.types.stake);
        let row = row.named(format!("{} pool rewards", symbol(self.stake)));
        Ok(Some(owed.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))))
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: Address,
        staked: U256,
        account: Address,
    ) -> Result<Position, Error> {
        let (staked, owed) = cx.join((self.value(cx, pool, staked, account), self.owed(cx, pool, account))).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, pool).mechanism(self.types.stake);
        let position = position.named(format!("{} pool", symbol(self.stake)));
        let position = position.leg(Leg::new(LegRole::STAKED, self.stake, staked));
        // No view that all of them have returns a rate.
        let position = self.rewards.iter().fold(position, |position, token| position.reward(Reward::new(*token, None)));
        Ok(position.legs(owed.into_iter().map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount))))
    }

    /// Returns the value of the stake in the token.
    async fn value(&self, cx: &JobContext, pool: Address, staked: U256, user: Address) -> Result<U256, Error> {
        match self.kind {
            PoolKind::Sharing => cx.call(pool, looksrare::calculateSharesValueInLOOKSCall { user }).await,
            PoolKind::Pool | PoolKind::Plutus => Ok(staked),
        }
    }

    /// Returns the nonzero amounts that a claim pays.
    async fn owed(&self, cx: &JobContext, pool: Address, user: Address) -> Result<Vec<(Address, U256)>, Error> {
        let amounts = match (self.kind, self.rewards.len()) {
            (PoolKind::Plutus, 1) => vec![cx.call(pool, plutus::one::pendingRewardsCall { user }).await?],
            (PoolKind::Plutus, 4) => cx.call(pool, plutus::four::pendingRewardsCall { user }).await?.to_vec(),
            (PoolKind::Plutus, 5) => cx.call(pool, plutus::five::pendingRewardsCall { user }).await?.to_vec(),
            (PoolKind::Plutus, _) => cx.call(pool, plutus::six::pendingRewardsCall { user }).await?.to_vec(),
            _ => vec![cx.call(pool, looksrare::calculatePendingRewardsCall { user }).await?],
        };
        let owed = self.rewards.iter().copied().zip(amounts);
        Ok(owed.filter(|(_, amount)| !amount.is_zero()).collect())
    }
}
