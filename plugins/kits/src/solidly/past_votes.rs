//! Pools that a lock has ever voted for: rewards earned there stay owed after its votes have moved.
//!
//! Invariant: a lock that voted for a pool keeps a checkpoint in both contracts that pay its votes. If a contract has
//! no view of checkpoints, every lock may have voted for its pool.

use std::ops::Range;

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::Solidly;
use super::contracts::votes::{gaugeToBribeCall, gaugeToFeesCall, numCheckpointsCall};
use super::contracts::{lengthCall, poolsCall};
use super::gauges::gauge;
use crate::kit::{COUNT_STANDS_S, Labels};
use crate::partial::with_each;

/// Key of the list of pools and their paying contracts among a deployment's fact lists.
const LIST: &str = "votes";
/// Cache time of a missing vote, in seconds. Current votes are read at the answer's block. They earn nothing before
/// their week ends, and none moves in the first hour of a week.
const NEVER_VOTED_STANDS_S: u32 = 3_600;
/// Pairs of lock and pool that are checked: twenty locks with 2,000 pools. A third of a job's reads.
const PAIRS_MAX: usize = 40_000;
/// Pairs without a view of checkpoints that are read. Each costs a read for every token of two contracts.
const UNKNOWN_MAX: usize = 1_000;

/// A listed pool, and a contract with a checkpoint of each of its votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Voted {
    pool: Address,
    by: Address,
}

/// Returns each of these locks with the pools that it voted for, or may have.
pub(super) async fn pools(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    locks: &[U256],
) -> Result<Vec<(U256, Address)>, Error> {
    let listed = listed(cx, of, labels).await?;
    let fitting = PAIRS_MAX.checked_div(listed.len()).unwrap_or(usize::MAX).min(locks.len());
    if fitting < locks.len() {
        cx.report_not_covered(format!(
            "{}: votes that have moved or ended are looked for by {fitting} of {} locks",
            labels.market,
            locks.len()
        ));
    }
    let pairs: Vec<(U256, Voted)> =
        locks.iter().take(fitting).flat_map(|lock| listed.iter().map(|voted| (*lock, *voted))).collect();
    let calls = pairs.iter().map(|(lock, voted)| (voted.by, numCheckpointsCall { tokenId: *lock }));
    let counts = cx.try_call_each(calls).zero_within(NEVER_VOTED_STANDS_S);
    let counted = with_each(pairs, counts).await.fail_if_none(cx, labels.market)?;
    let mut unknown = 0;
    let voted = counted.into_iter().filter(|(_, count)| match count {
        Ok(count) => !count.is_zero(),
        Err(_) => {
            unknown += 1;
            unknown <= UNKNOWN_MAX
        }
    });
    let voted = voted.map(|((lock, voted), _)| (lock, voted.pool)).collect();
    if unknown > UNKNOWN_MAX {
        cx.report_not_covered(format!(
            "{}: votes that have moved or ended are read of {UNKNOWN_MAX} of {unknown} pools without checkpoints",
            labels.market
        ));
    }
    Ok(voted)
}

/// Returns the known pools of the voter whose votes are paid.
async fn listed(cx: &JobContext, of: &Solidly, labels: Labels<'_>) -> Result<Vec<Voted>, Error> {
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, of, place)));
    let count = cx.call(of.contracts.voter, lengthCall {}).within(COUNT_STANDS_S);
    let entries: Vec<(Address, Address)> = cx.facts(labels.market, LIST, count, walk).await?;
    Ok(entries.into_iter().filter(|(_, by)| !by.is_zero()).map(|(pool, by)| Voted { pool, by }).collect())
}

/// Reads an entry of the voter's list: the pool, and a contract that pays its votes. Either of the two will do, since
/// the voter writes a checkpoint in both. Zero if votes are not paid, or the voter lacks these views.
async fn entry(cx: &JobContext, of: &Solidly, place: u64) -> Result<(Address, Address), Error> {
    let voter = of.contracts.voter;
    let pool = cx.call(voter, poolsCall { index: U256::from(place) }).await?;
    let gauge = gauge(cx, of, pool).await?;
    let fees = cx.try_call(voter, gaugeToFeesCall { gauge });
    let both = cx.join((fees, cx.try_call(voter, gaugeToBribeCall { gauge }))).await?;
    let paying = [both.0, both.1].into_iter().filter_map(Result::ok).find(|paying| !paying.is_zero());
    Ok((pool, paying.unwrap_or_default()))
}
