//! Pools in the manner of Synthetix' whose views do not name their tokens, or name them otherwise: the row does (The
//! Sandbox', LooksRare's second staking).
//!
//! Settings keys `earning_pools`, `earning_stake` and `earning_reward`. Answers claimables and farming positions.
//! Invariant: a claim that its pool refuses, such as one that was made too early, is not answered but reported.
//!
//! Source: <https://github.com/thesandboxgame/sandbox-smart-contracts>,
//! `packages/core/src/solc_0.6/LiquidityMining/LandWeightedSANDRewardPool.sol` and
//! `packages/core/src/solc_0.8/defi/ERC20RewardPool.sol`.

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
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function earned(address account) external view returns (uint256);
    // Pays the sender.
    function getReward() external;
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarningPoolsKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
}

/// Pools of one deployment, with the same tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarningPools {
    pools: Vec<Address>,
    stake: Address,
    reward: Address,
    types: EarningPoolsKit,
}

impl EarningPoolsKit {
    /// Keys of a row for pools like Synthetix' StakingRewards that do not name their tokens:
    /// - `earning_pools` (array of addresses): the pools
    /// - `earning_stake` (address): the token that is staked
    /// - `earning_reward` (address): the token that is paid
    pub const KEYS: &'static [&'static str] = &["earning_pools", "earning_stake", "earning_reward"];
}

impl Kit for EarningPoolsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["earning_pools"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let pools = keys.addresses("earning_pools")?;
        if pools.is_empty() {
            return Ok(None);
        }
        let (stake, reward) = (keys.address("earning_stake")?, keys.address("earning_reward")?);
        Ok(Some(EarningPools { pools, stake, reward, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([])]
    }
}

impl DeploymentReader for EarningPools {
    fn contracts(&self) -> Vec<Address> {
        self.pools.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let earned = |pool: &Address| (*pool, earnedCall { account });
            let owed = read_nonzero(cx, labels.market, self.pools.clone(), earned).await?;
            let rows = owed.into_iter().map(async |(pool, owed)| {
                cx.call(pool, getRewardCall {}).from(account).isolated().await?;
                let row = Claimable::new(labels.market, pool, cx.claim(pool, &getRewardCall {}));
                let row = row.mechanism(self.types.stake).named(format!("{} pool reward", symbol(self.stake)));
                Ok(row.pays(self.reward, owed))
            });
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
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
            let balance = |pool: &Address| (*pool, balanceOfCall { account });
            let held = read_nonzero(cx, labels.market, self.pools.clone(), balance).await?;
            let rows = held.into_iter().map(|(pool, amount)| self.position(cx, labels, pool, amount, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl EarningPools {
    /// Returns the stake with what it has earned. Shares of the reward are weighted, so there is no rate.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: Address,
        amount: U256,
        account: Address,
    ) -> Result<Position, Error> {
        let total = cx.call(pool, totalSupplyCall {});
        let (total, owed) = cx.join((total, cx.call(pool, earnedCall { account }))).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, pool).mechanism(self.types.stake);
        let position = position.named(format!("{} pool", symbol(self.stake)));
        let position = position.leg(Leg::new(LegRole::STAKED, self.stake, amount).of_total(total));
        let owed = (!owed.is_zero()).then(|| Leg::new(LegRole::REWARD_OWED, self.reward, owed));
        Ok(position.reward(Reward::new(self.reward, None)).legs(owed))
    }
}
