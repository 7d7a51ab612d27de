//! Stakes and rewards in all gauges of a voter, of any kind.

use portolan_plugin_api::{Address, Claimable, Error, JobContext, Position};

use super::gauges::gauges;
use super::{Solidly, concentrated, reward_lists, single_rewards};
use crate::boxed::Boxed;
use crate::kit::Labels;
use crate::liquidity_pairs;
use crate::partial::join_partial;

/// Returns a claim per gauge, and per position staked in one, with rewards.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let gauges = gauges(cx, of, labels).await?;
    let staking: Boxed<'_, Vec<Claimable>> = if of.generation.has_reward_lists() {
        Box::pin(reward_lists::claimables(cx, of, labels, gauges.staking, account))
    } else {
        Box::pin(single_rewards::claimables(cx, of, labels, gauges.staking, account))
    };
    let concentrated = Box::pin(concentrated::claimables(cx, of, labels, gauges.concentrated, account));
    let found = join_partial(cx, [staking, concentrated]).await.fail_if_none(cx, labels.market)?;
    Ok(found.into_iter().flatten().collect())
}

/// Returns a position per gauge, and per position staked in one.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let gauges = gauges(cx, of, labels).await?;
    let staking: Boxed<'_, Vec<Position>> = if of.generation.has_reward_lists() {
        Box::pin(reward_lists::positions(cx, of, labels, gauges.staking, account))
    } else {
        Box::pin(single_rewards::positions(cx, of, labels, gauges.staking, account))
    };
    let concentrated = Box::pin(concentrated::positions(cx, of, labels, gauges.concentrated, account));
    let found = join_partial(cx, [staking, concentrated]).await.fail_if_none(cx, labels.market)?;
    Ok(found.into_iter().flatten().collect())
}

/// Returns a position per pool of which the account holds shares itself. Concentrated pools have none.
pub(super) async fn unstaked(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let pools = gauges(cx, of, labels).await?.staking.into_iter().map(|gauge| gauge.pool).collect();
    liquidity_pairs::positions(cx, labels, of.types.pool, None, pools, account).await
}
