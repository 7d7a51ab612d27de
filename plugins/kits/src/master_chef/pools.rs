//! Pools of a chef, and those in which the account has something.
//!
//! A chef may have 600 pools and the account stakes in three. Those pools are found with one cacheable read each;
//! amounts are then read only for them, at the answer's block.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use portolan_plugin_api::{Address, Error, JobContext, Revert, U256};

use super::contracts::{beets, chef, v1, v2};
use super::{Kind, MasterChef, Pool, rewarder};
use crate::partial::with_each;

/// Eight times the pools of the largest known chef.
const POOLS_MAX: u64 = 5_000;
/// Cache time of the number of pools and their rewarders, in seconds; a new one shows at most this much later.
const LIST_STANDS_S: u32 = 300;
/// Cache time of an account's stakes, in seconds; a first stake shows at most this much later. Only a filter: no amount
/// is taken from it.
const HELD_STANDS_S: u32 = 30;
/// Cache time of a pool's staked token, in seconds. It changes only if the owner migrates the pool, which moves every
/// stake to the new token at once.
const TOKEN_STANDS_S: u32 = 3_600;

/// Stake of the account in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stake {
    pub(super) pool: Pool,
    pub(super) token: Address,
    pub(super) amount: U256,
    /// Points of the pool. Its share of the emission is this over the points of all pools.
    pub(super) points: U256,
}

/// Returns the pools in which the account has something, and those whose rewarders owe it something.
pub(super) async fn owing(
    cx: &JobContext,
    of: &MasterChef,
    market: &str,
    count: u64,
    account: Address,
) -> Result<Vec<Pool>, Error> {
    if of.kind == Kind::V1 {
        let held = held(cx, of, market, count, account).await?;
        return Ok(held.into_iter().map(|pid| Pool { pid, rewarder: None }).collect());
    }
    let known = OnceLock::new();
    let held = async {
        let held = held(cx, of, market, count, account).await?;
        Ok(known.get_or_init(|| held))
    };
    let rewarded = async {
        let rewarders = rewarders(cx, of, market, count).await?;
        // If the rewarders are cached, all are called in the batch that reads the stakes. Otherwise the stakes are
        // known by then, and only rewarders of pools without a stake are called.
        let is_held = |pid| known.get().is_some_and(|held: &BTreeSet<U256>| held.contains(pid));
        let asked = rewarders.iter().filter(|(pid, _)| !is_held(pid));
        let asked = asked.filter_map(|(pid, rewarder)| Some((*pid, (*rewarder)?))).collect();
        let indebted = rewarder::indebted(cx, asked, account).await;
        Ok((rewarders, indebted))
    };
    let (held, (rewarders, indebted)) = cx.join((held, rewarded)).await?;
    let pools: BTreeSet<U256> = held.iter().copied().chain(indebted).collect();
    Ok(pools.into_iter().filter_map(|pid| Some(Pool { pid, rewarder: *rewarders.get(&pid)? })).collect())
}

/// Returns the pools in which the account has something.
pub(super) async fn held(
    cx: &JobContext,
    of: &MasterChef,
    market: &str,
    count: u64,
    account: Address,
) -> Result<BTreeSet<U256>, Error> {
    let pids: Vec<U256> = (0..count).map(U256::from).collect();
    if of.kind == Kind::V1 {
        // The first version pays out with every move, so without a stake nothing is pending.
        let users = cx.call_each(pids.iter().map(|pid| (of.chef, v1::userInfoCall { pid: *pid, account })));
        let users = with_each(pids, users.within(HELD_STANDS_S)).await.fail_if_none(cx, market)?;
        return Ok(users.into_iter().filter(|(_, amount)| !amount.is_zero()).map(|(pid, _)| pid).collect());
    }
    let users = cx.call_each(pids.iter().map(|pid| (of.chef, v2::userInfoCall { pid: *pid, account })));
    let users = with_each(pids, users.within(HELD_STANDS_S)).await.fail_if_none(cx, market)?.into_iter();
    // Rewards not harvested before the whole stake was withdrawn remain as a negative debt.
    let held = users.filter(|(_, user)| !user.amount.is_zero() || !user.rewardDebt.is_zero());
    Ok(held.map(|(pid, _)| pid).collect())
}

/// Returns the number of pools.
pub(super) async fn count(cx: &JobContext, of: &MasterChef) -> Result<u64, Error> {
    let count = cx.call(of.chef, chef::poolLengthCall {}).within(LIST_STANDS_S).await?;
    match u64::try_from(count) {
        Ok(count) if count <= POOLS_MAX => Ok(count),
        _ => Err(Error::new(format!("{}: lists {count} pools, more than {POOLS_MAX}", of.chef))),
    }
}

/// Returns the rewarder of each pool; pools whose rewarder cannot be read are left out.
async fn rewarders(
    cx: &JobContext,
    of: &MasterChef,
    market: &str,
    count: u64,
) -> Result<BTreeMap<U256, Option<Address>>, Error> {
    let pids: Vec<U256> = (0..count).map(U256::from).collect();
    let read = cx.try_call_each(pids.iter().map(|pid| (of.chef, v2::rewarderCall { pid: *pid })));
    let read = with_each(pids, read.within(LIST_STANDS_S)).await.fail_if_none(cx, market)?;
    Ok(read.into_iter().map(|(pid, read)| (pid, named(read))).collect())
}

/// Returns the rewarder of a pool.
async fn rewarder(cx: &JobContext, of: &MasterChef, pid: U256) -> Result<Option<Address>, Error> {
    if of.kind == Kind::V1 {
        return Ok(None);
    }
    Ok(named(cx.try_call(of.chef, v2::rewarderCall { pid }).within(LIST_STANDS_S).await?))
}

/// Chefs without the function have no rewarders.
fn named(read: Result<Address, Revert>) -> Option<Address> {
    read.ok().filter(|rewarder| !rewarder.is_zero())
}

/// Returns the staked token of a pool.
pub(super) async fn staked_token(cx: &JobContext, of: &MasterChef, pid: U256) -> Result<Address, Error> {
    match of.kind {
        Kind::V1 => Ok(cx.call(of.chef, v1::poolInfoCall { pid }).within(TOKEN_STANDS_S).await?.lpToken),
        Kind::V2 | Kind::Mini => cx.call(of.chef, v2::lpTokenCall { pid }).within(TOKEN_STANDS_S).await,
        Kind::Beets => cx.call(of.chef, beets::lpTokensCall { pid }).within(TOKEN_STANDS_S).await,
    }
}

/// Returns the staked tokens of all pools; `None` for those that cannot be read.
pub(super) async fn staked_tokens(cx: &JobContext, of: &MasterChef, count: u64) -> Result<Vec<Option<Address>>, Error> {
    cx.join((0..count).map(async |pid| Ok(staked_token(cx, of, U256::from(pid)).await.ok()))).await
}

/// Returns true if only one pool has this staked token, so that the chef's balance is that pool's total.
pub(super) fn stands_alone(tokens: &[Option<Address>], token: Address) -> bool {
    tokens.iter().all(Option::is_some) && tokens.iter().filter(|other| **other == Some(token)).count() == 1
}

/// Returns the account's stake in a pool, at the answer's block.
pub(super) async fn stake(cx: &JobContext, of: &MasterChef, pid: U256, account: Address) -> Result<Stake, Error> {
    let own = cx.join((amount(cx, of, pid, account), points(cx, of, pid)));
    let ((amount, points), token, rewarder) = cx.join((own, staked_token(cx, of, pid), rewarder(cx, of, pid))).await?;
    Ok(Stake { pool: Pool { pid, rewarder }, amount, points, token })
}

async fn amount(cx: &JobContext, of: &MasterChef, pid: U256, account: Address) -> Result<U256, Error> {
    match of.kind {
        Kind::V1 => cx.call(of.chef, v1::userInfoCall { pid, account }).await,
        Kind::V2 | Kind::Mini | Kind::Beets => Ok(cx.call(of.chef, v2::userInfoCall { pid, account }).await?.amount),
    }
}

async fn points(cx: &JobContext, of: &MasterChef, pid: U256) -> Result<U256, Error> {
    match of.kind {
        Kind::V1 => Ok(cx.call(of.chef, v1::poolInfoCall { pid }).await?.allocPoint),
        Kind::V2 | Kind::Mini => Ok(cx.call(of.chef, v2::poolInfoCall { pid }).await?.allocPoint),
        Kind::Beets => Ok(cx.call(of.chef, beets::poolInfoCall { pid }).await?.allocPoint),
    }
}
