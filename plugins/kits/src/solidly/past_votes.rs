//! The pools that a lock has voted for at any time: what its votes earned there stays owed when they have moved on.
//!
//! Invariant: whoever has voted for a pool has a checkpoint with each of the two contracts that pay its votes, for ever.
//! Where a contract has no view of them, every lock may have voted for its pool.

use std::ops::Range;

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::Solidly;
use super::contracts::votes::{gaugeToBribeCall, gaugeToFeesCall, numCheckpointsCall};
use super::contracts::{lengthCall, poolsCall};
use super::gauges::gauge;
use crate::kit::{COUNT_STANDS_S, Labels};
use crate::try_each::with_each;

/// The name of the list of pools with what pays their votes, among a deployment's facts.
const LIST: &str = "votes";
/// Seconds that may be cached that a lock has never voted for a pool. Votes that it has now are read at the answer's
/// block, they earn nothing before their week is over, and none moves in the first hour of a week.
const NEVER_VOTED_STANDS_S: u32 = 3_600;
/// Locks times pools that are looked at: the twenty locks of an account, with 2,000 pools. A third of a job's reads.
const PAIRS_MAX: usize = 40_000;
/// Pairs of a lock and a pool without a view of checkpoints that are read: each costs a read for every token of two
/// contracts.
const UNKNOWN_MAX: usize = 1_000;

/// A pool of the voter's list, and a contract that has a checkpoint for each of its votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Voted {
    pool: Address,
    by: Address,
}

/// Each of these locks beside a pool that it voted for at some time, or may have.
pub(super) async fn pools(
    cx: &Chain,
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
    let counted = with_each(pairs, counts).await.or_err_if_all(cx, labels.market)?;
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

/// The pools of the voter whose votes are paid, as far as they are known.
async fn listed(cx: &Chain, of: &Solidly, labels: Labels<'_>) -> Result<Vec<Voted>, Error> {
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, of, place)));
    let count = cx.call(of.contracts.voter, lengthCall {}).within(COUNT_STANDS_S);
    let entries: Vec<(Address, Address)> = cx.facts(labels.market, LIST, count, walk).await?;
    Ok(entries.into_iter().filter(|(_, by)| !by.is_zero()).map(|(pool, by)| Voted { pool, by }).collect())
}

/// The pool at a place of the voter's list, and what pays its votes: either of the two contracts, as the voter writes a
/// checkpoint in both. Zero where votes are not paid, as by a voter that does not have these views.
async fn entry(cx: &Chain, of: &Solidly, place: u64) -> Result<(Address, Address), Error> {
    let voter = of.contracts.voter;
    let pool = cx.call(voter, poolsCall { index: U256::from(place) }).await?;
    let gauge = gauge(cx, of, pool).await?;
    let fees = cx.try_call(voter, gaugeToFeesCall { gauge });
    let both = cx.join((fees, cx.try_call(voter, gaugeToBribeCall { gauge }))).await?;
    let paying = [both.0, both.1].into_iter().filter_map(Result::ok).find(|paying| !paying.is_zero());
    Ok((pool, paying.unwrap_or_default()))
}
