//! Stakes in all gauges of a voter, and what those owe, whatever kind a gauge is of.

use portolan_plugin_api::{Address, Chain, Claimable, Error, Position};

use super::gauges::gauges;
use super::{Solidly, reward_lists, single_rewards};
use crate::kit::Labels;

/// What the account has earned, a claim for each gauge.
pub(super) async fn claimables(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let gauges = gauges(cx, of, labels).await?;
    if of.generation.has_reward_lists() {
        reward_lists::claimables(cx, of, labels, gauges, account).await
    } else {
        single_rewards::claimables(cx, of, labels, gauges, account).await
    }
}

/// What the account has staked, a position for each gauge.
pub(super) async fn positions(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let gauges = gauges(cx, of, labels).await?;
    if of.generation.has_reward_lists() {
        reward_lists::positions(cx, of, labels, gauges, account).await
    } else {
        single_rewards::positions(cx, of, labels, gauges, account).await
    }
}
