//! Convex on networks other than Ethereum: a booster whose pools count stakes themselves, each in a contract that
//! claims its gauge's rewards on request.
//!
//! A deployment is one booster; settings key `side_booster`. Answers claimables and staked positions, also of pools
//! that are shut down. Invariant: rewards are what the pool's own `earned` returns, which claims from the gauge first.
//! A failing pool loses only its own rows, and the answer reports it. A claim calls a contract only if the booster
//! names it at the answer's block.
//!
//! Source: <https://github.com/convex-eth/sidechain-platform/tree/main/contracts/contracts>, `Booster.sol` and
//! `ConvexRewardPool.sol`.

use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, with_both};

portolan_plugin_api::sol! {
    struct EarnedData {
        address token;
        uint256 amount;
    }

    // Booster.sol
    function poolLength() external view returns (uint256);
    // The id, token and reward contract of a pool never change.
    function poolInfo(uint256 pid) external view
        returns (address lptoken, address gauge, address rewards, bool shutdown, address factory);

    // ConvexRewardPool.sol
    function crv() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    // Earned up to the last change of the stake, and not paid.
    function claimable_reward(address token, address account) external view returns (uint256);
    function rewardRedirect(address account) external view returns (address);
    // Changes state.
    function earned(address account) external returns (EarnedData[] claimable);
    function getReward(address account) external;
}

/// Key of the list of pools among a deployment's fact lists.
const LIST: &str = "side-pools";
/// Gas of `earned`: it claims from a gauge, the minter and hooks, and sums up to twelve rewards.
const EARNED_GAS: u32 = 5_000_000;
/// Rewards of a pool that are reported; a pool allows no more.
const REWARDS_MAX: usize = 12;
/// Word of `poolInfo` with the reward contract.
const REWARDS_WORD: u32 = 2;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideBoosterKit {
    /// `type` of rewards and `vaultType` of stakes in the answer.
    pub pool: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideBooster {
    booster: Address,
    types: SideBoosterKit,
}

/// A pool of the booster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SidePool {
    pid: U256,
    staked: Address,
    rewards: Address,
    /// Reward that every pool has.
    crv: Address,
}

/// A pool in which the account has a stake, or a reward of a withdrawn one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SideStake {
    pool: SidePool,
    amount: U256,
}

impl SideBoosterKit {
    /// Keys of a row for Convex on a network other than Ethereum, or a fork:
    /// - `side_booster` (address): the booster
    pub const KEYS: &'static [&'static str] = &["side_booster"];

    /// Creates a deployment of a booster's pools.
    fn of(self, booster: Address) -> SideBooster {
        SideBooster { booster, types: self }
    }
}

impl Kit for SideBoosterKit {
    fn keys(&self) -> &'static [&'static str] {
        &["side_booster"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("side_booster")?.map(|booster| self.of(booster).shared()))
    }

    /// Whoever sends the call, it pays the account that it names.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT]).by_anyone()]
    }

    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<poolInfoCall>().at(REWARDS_WORD)]
    }
}

impl DeploymentReader for SideBooster {
    fn contracts(&self) -> Vec<Address> {
        vec![self.booster]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per pool with rewards, which pays all of its tokens.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|held| self.claimable(cx, labels, held.pool, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
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
            let mut held = self.held(cx, labels, account).await?;
            held.retain(|held| !held.amount.is_zero());
            let rows = held.into_iter().map(|held| self.position(cx, labels, held, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl SideBooster {
    /// Returns the pools in which the account has a stake or an unpaid first reward.
    async fn held(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<SideStake>, Error> {
        let pools = self.pools(cx, labels).await?;
        let amounts = cx.call_each(pools.iter().map(|pool| (pool.rewards, balanceOfCall { account })));
        let owed = |pool: &SidePool| (pool.rewards, claimable_rewardCall { token: pool.crv, account });
        let owed = cx.call_each(pools.iter().map(owed)).zero_within(ZERO_STANDS_S);
        let held = with_both(pools, amounts.zero_within(ZERO_STANDS_S), owed).await;
        let held = held.fail_if_none(cx, labels.market)?.into_iter();
        let held = held.filter(|(_, amount, owed)| !amount.is_zero() || !owed.is_zero());
        Ok(held.map(|(pool, amount, _)| SideStake { pool, amount }).collect())
    }

    async fn pools(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Vec<SidePool>, Error> {
        let walk = |places: Range<u64>| cx.join(places.map(move |place| self.entry(cx, place)));
        let count = cx.call(self.booster, poolLengthCall {}).within(COUNT_STANDS_S);
        let entries: Vec<(Address, Address, Address)> = cx.facts(labels.market, LIST, count, walk).await?;
        let pool = |(pid, (staked, rewards, crv)): (u64, _)| SidePool { pid: U256::from(pid), staked, rewards, crv };
        Ok((0_u64..).zip(entries).map(pool).collect())
    }

    async fn entry(&self, cx: &JobContext, place: u64) -> Result<(Address, Address, Address), Error> {
        let info = cx.call(self.booster, poolInfoCall { pid: U256::from(place) }).await?;
        Ok((info.lptoken, info.rewards, cx.call(info.rewards, crvCall {}).await?))
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: SidePool,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let named = cx.call(self.booster, poolInfoCall { pid: pool.pid });
        let redirect = cx.call(pool.rewards, rewardRedirectCall { account });
        let (named, redirect, owed) = cx.join((named, redirect, earned(cx, labels, pool, account))).await?;
        if named.rewards != pool.rewards {
            return Err(Error::new(format!("{}: is a reward contract of the booster no more", pool.rewards)));
        }
        if !redirect.is_zero() && redirect != account {
            return Err(Error::new(format!("{}: pays the account's rewards to {redirect}", pool.rewards)));
        }
        let claim = cx.claim(pool.rewards, &getRewardCall { account });
        let row = Claimable::new(labels.market, pool.rewards, claim).mechanism(self.types.pool);
        let row = row.named(format!("{} rewards", symbol(pool.staked)));
        let owed = owed.into_iter().filter(|reward| !reward.amount.is_zero());
        let row = owed.fold(row, |row, reward| row.pays(reward.token, reward.amount));
        Ok((!row.payments.is_empty()).then_some(row))
    }

    /// Returns the stake with its rewards. Rates are unknown: no view returns what a gauge will pay the booster.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        held: SideStake,
        account: Address,
    ) -> Result<Position, Error> {
        let SideStake { pool, amount } = held;
        let (total, owed) =
            cx.join((cx.call(pool.rewards, totalSupplyCall {}), earned(cx, labels, pool, account))).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, pool.rewards).mechanism(self.types.pool);
        let position = position.named(format!("{} pool", symbol(pool.staked)));
        let position = position.leg(Leg::new(LegRole::STAKED, pool.staked, amount).of_total(total));
        let legs = owed.iter().filter(|reward| !reward.amount.is_zero());
        let position = position.legs(legs.map(|owed| Leg::new(LegRole::REWARD_OWED, owed.token, owed.amount)));
        Ok(owed.iter().fold(position, |position, reward| position.reward(Reward::new(reward.token, None))))
    }
}

/// Returns the rewards of a pool, without empty slots of removed rewards.
async fn earned(
    cx: &JobContext,
    labels: Labels<'_>,
    pool: SidePool,
    account: Address,
) -> Result<Vec<EarnedData>, Error> {
    let mut owed = cx.call(pool.rewards, earnedCall { account }).isolated().gas_cap(EARNED_GAS).await?;
    owed.retain(|reward| !reward.token.is_zero());
    if owed.len() > REWARDS_MAX {
        let count = owed.len();
        cx.report_not_covered(format!(
            "{}: {REWARDS_MAX} of {count} rewards of {} are reported",
            labels.market, pool.rewards
        ));
        owed.truncate(REWARDS_MAX);
    }
    Ok(owed)
}
