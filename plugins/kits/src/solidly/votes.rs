//! Fees and bribes that a lock's votes have earned, in pools that it votes for or has voted for.
//!
//! Invariant: claims call the voter and name a lock of the account; they pay only its owner.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join;
use portolan_plugin_api::{Address, Claim, Claimable, Error, JobContext, U256};

use super::contracts::gaugesCall;
use super::contracts::votes::{
    claimBribesCall, claimFeesCall, earnedCall, gaugeToBribeCall, gaugeToFeesCall, poolVoteCall, usedWeightsCall,
};
use super::past_votes;
use super::reward_lists::{Listed, tokens_of_each};
use super::{Solidly, ZERO_STANDS_S};
use crate::display_name::display_name;
use crate::kit::Labels;
use crate::partial::{join_partial, or_default, with_both, with_each};
use crate::read_nonzero::read_nonzero;

/// Locks of one account whose votes are read; anyone can send it more.
const VOTING_MAX: usize = 100;
/// Pools of one lock that are read; the voter allows 30.
const POOLS_MAX: usize = 40;

/// Source of a vote's rewards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaidFrom {
    Fees,
    Bribes,
}

/// A contract that pays votes for a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Paying {
    pool: Address,
    from: PaidFrom,
    address: Address,
}

/// Returns a claim per lock and contract with rewards.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    held: &[U256],
) -> Result<Vec<Claimable>, Error> {
    if held.len() > VOTING_MAX {
        cx.report_not_covered(format!("{}: votes of {VOTING_MAX} of {} locks are read", labels.market, held.len()));
    }
    let votes = votes(cx, of, labels, held.get(..VOTING_MAX).unwrap_or(held)).await?;
    let pools: BTreeSet<Address> = votes.iter().map(|(_, pool)| *pool).collect();
    let paying = paying(cx, of, labels, pools.into_iter().collect()).await?;
    let contracts = paying.values().flatten().map(|paying| paying.address).collect();
    let tokens: BTreeMap<Address, Vec<Listed>> = tokens_of_each(cx, of, labels, contracts).await?.into_iter().collect();
    let owing = votes.iter().flat_map(|(lock, pool)| {
        let paying = paying.get(pool).into_iter().flatten();
        paying.flat_map(|paying| tokens.get(&paying.address).into_iter().flatten().map(|of| (*lock, *paying, of.token)))
    });
    let earned = |(lock, paying, token): &(U256, Paying, Address)| {
        (paying.address, earnedCall { token: *token, tokenId: *lock })
    };
    let owed = read_nonzero(cx, labels.market, owing.collect(), earned).await?;
    let of_one = owed.chunk_by(|((lock, paying, _), _), ((next, other, _), _)| (lock, paying) == (next, other));
    let rows = of_one.filter_map(|owed| {
        let ((lock, paying, _), _) = owed.first()?;
        let owed = owed.iter().map(|((.., token), amount)| (*token, *amount)).collect();
        Some(claimable(cx, of, labels, *lock, *paying, owed))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the locks, each with a pool that may owe it something.
async fn votes(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    locks: &[U256],
) -> Result<BTreeSet<(U256, Address)>, Error> {
    if locks.is_empty() {
        return Ok(BTreeSet::new());
    }
    let now = async { join_partial(cx, locks.iter().map(|lock| voted(cx, of, labels, *lock))).await };
    let (now, before) = join(now, past_votes::pools(cx, of, labels, locks)).await;
    let before = or_default(cx, format_args!("{}: votes that have moved or ended", labels.market), before);
    Ok(now.fail_if_none(cx, labels.market)?.into_iter().flatten().chain(before).collect())
}

/// Returns the lock with each pool that it votes for now.
async fn voted(cx: &JobContext, of: &Solidly, labels: Labels<'_>, lock: U256) -> Result<Vec<(U256, Address)>, Error> {
    let voter = of.contracts.voter;
    let weight = cx.call(voter, usedWeightsCall { tokenId: lock }).zero_within(ZERO_STANDS_S).await?;
    if weight.is_zero() {
        return Ok(Vec::new());
    }
    // There is no view of the number of pools: reads beyond the last one revert.
    let places = (0..POOLS_MAX).map(U256::from);
    let pools = cx.join(places.map(|index| cx.try_call(voter, poolVoteCall { tokenId: lock, index }))).await?;
    let pools: Vec<(U256, Address)> = pools.into_iter().map_while(Result::ok).map(|pool| (lock, pool)).collect();
    if pools.len() == POOLS_MAX {
        cx.report_not_covered(format!("{}: {POOLS_MAX} pools of lock {lock} are read", labels.market));
    }
    Ok(pools)
}

/// Returns the contracts that pay votes, by pool.
async fn paying(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    pools: Vec<Address>,
) -> Result<BTreeMap<Address, Vec<Paying>>, Error> {
    let voter = of.contracts.voter;
    let gauges = cx.call_each(pools.iter().map(|pool| (voter, gaugesCall { pool: *pool }))).immutable();
    let gauges = with_each(pools, gauges).await.or_report(cx, labels.market);
    let fees = cx.call_each(gauges.iter().map(|(_, gauge)| (voter, gaugeToFeesCall { gauge: *gauge })));
    let bribes = cx.call_each(gauges.iter().map(|(_, gauge)| (voter, gaugeToBribeCall { gauge: *gauge })));
    let both = with_both(gauges, fees.immutable(), bribes.immutable()).await.or_report(cx, labels.market);
    let of_pool = both.into_iter().map(|((pool, _), fees, bribes)| {
        let both = [(PaidFrom::Fees, fees), (PaidFrom::Bribes, bribes)];
        let both = both.into_iter().filter(|(_, address)| !address.is_zero());
        (pool, both.map(|(from, address)| Paying { pool, from, address }).collect())
    });
    Ok(of_pool.collect())
}

/// Returns the claim of a contract's rewards for a lock.
async fn claimable(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    lock: U256,
    paying: Paying,
    owed: Vec<(Address, U256)>,
) -> Result<Claimable, Error> {
    let (of_type, what) = match paying.from {
        PaidFrom::Fees => (of.types.fees, "fees"),
        PaidFrom::Bribes => (of.types.bribe, "bribe"),
    };
    let name = format!("{} {what}", display_name(cx, paying.pool).await?);
    let claim = claim(cx, of, lock, paying, owed.iter().map(|(token, _)| *token).collect());
    let claimable = Claimable::new(labels.market, paying.address, claim).mechanism(of_type).numbered(lock).named(name);
    Ok(owed.into_iter().fold(claimable, |row, (token, amount)| row.pays(token, amount)))
}

/// Returns the voter's call for these tokens, which can merge several contracts of one lock.
fn claim(cx: &JobContext, of: &Solidly, lock: U256, paying: Paying, tokens: Vec<Address>) -> Claim {
    let (voter, tokens) = (of.contracts.voter, vec![tokens]);
    let call = || match paying.from {
        PaidFrom::Fees => {
            cx.claim(voter, &claimFeesCall { fees: vec![paying.address], tokens: tokens.clone(), tokenId: lock })
        }
        PaidFrom::Bribes => {
            cx.claim(voter, &claimBribesCall { bribes: vec![paying.address], tokens: tokens.clone(), tokenId: lock })
        }
    };
    call().mergeable_as(call())
}
