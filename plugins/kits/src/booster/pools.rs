//! Pools of a booster, and those in which the account has something.
//!
//! Invariant: the list of pools is a fact list; the target of a claim is read from the booster again.

use std::ops::Range;

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::{balanceOfCall, earnedCall, lockRewardsCall, poolInfoCall, poolLengthCall, stakingTokenCall};
use super::{Booster, Minting, ZERO_STANDS_S};
use crate::boxed::Boxed;
use crate::kit::COUNT_STANDS_S;
use crate::partial::{join_partial, with_both};

/// Key of the list of pools among a deployment's fact lists.
const LIST: &str = "pools";

/// A staked token, and the contract that counts and rewards it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RewardPool {
    /// Pool id; absent for stakes of the token that represents the booster's lock.
    pid: Option<U256>,
    pub(super) staked: Address,
    pub(super) rewards: Address,
}

/// Stake of the account in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PoolStake {
    pub(super) pool: RewardPool,
    pub(super) amount: U256,
    /// Earned amount of the pool's own reward, as its contract counts it.
    pub(super) earned: U256,
}

/// Returns the pools in which the account has a stake or a reward.
///
/// Not covered: extra rewards of a withdrawn stake whose own reward was claimed without them. That takes reading all
/// extra rewards of every pool.
pub(super) async fn held(
    cx: &JobContext,
    of: &Booster,
    market: &str,
    account: Address,
) -> Result<Vec<PoolStake>, Error> {
    let parts: [Boxed<'_, Vec<RewardPool>>; 2] = [Box::pin(listed(cx, of, market)), Box::pin(locked(cx, of))];
    let pools = join_partial(cx, parts).await.fail_if_none(cx, market)?;
    let pools = pools.concat();
    let amounts = cx.call_each(pools.iter().map(|pool| (pool.rewards, balanceOfCall { account })));
    let earned = cx.call_each(pools.iter().map(|pool| (pool.rewards, earnedCall { account })));
    let held = with_both(pools, amounts.zero_within(ZERO_STANDS_S), earned.zero_within(ZERO_STANDS_S)).await;
    let held = held.fail_if_none(cx, market)?.into_iter();
    let held = held.map(|(pool, amount, earned)| PoolStake { pool, amount, earned });
    Ok(held.filter(|held| !held.amount.is_zero() || !held.earned.is_zero()).collect())
}

/// Returns the known pools of the booster, including those that are shut down, which still pay.
async fn listed(cx: &JobContext, of: &Booster, market: &str) -> Result<Vec<RewardPool>, Error> {
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, of.booster, place)));
    let count = cx.call(of.booster, poolLengthCall {}).within(COUNT_STANDS_S);
    let entries: Vec<(Address, Address)> = cx.facts(market, LIST, count, walk).await?;
    let pools = (0_u64..).zip(entries);
    Ok(pools.map(|(pid, (staked, rewards))| RewardPool { pid: Some(U256::from(pid)), staked, rewards }).collect())
}

async fn entry(cx: &JobContext, booster: Address, place: u64) -> Result<(Address, Address), Error> {
    let info = cx.call(booster, poolInfoCall { pid: U256::from(place) }).await?;
    Ok((info.lptoken, info.crvRewards))
}

/// Returns the stakes of the token that represents the booster's lock (cvxCRV, auraBAL).
async fn locked(cx: &JobContext, of: &Booster) -> Result<Vec<RewardPool>, Error> {
    if of.minting == Minting::AuraLite {
        return Ok(Vec::new());
    }
    let rewards = cx.call(of.booster, lockRewardsCall {}).immutable().await?;
    if rewards.is_zero() {
        return Ok(Vec::new());
    }
    let staked = cx.call(rewards, stakingTokenCall {}).immutable().await?;
    Ok(vec![RewardPool { pid: None, staked, rewards }])
}

/// Checks that the booster still names the pool's reward contract.
pub(super) async fn check(cx: &JobContext, of: &Booster, pool: RewardPool) -> Result<(), Error> {
    let named = match pool.pid {
        Some(pid) => cx.call(of.booster, poolInfoCall { pid }).await?.crvRewards,
        None => cx.call(of.booster, lockRewardsCall {}).await?,
    };
    if named == pool.rewards {
        return Ok(());
    }
    Err(Error::new(format!("{}: is a reward contract of the booster no more", pool.rewards)))
}
