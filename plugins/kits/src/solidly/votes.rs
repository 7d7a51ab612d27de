//! Fees and bribes: what a lock's votes earn, of the pools that it votes for.
//!
//! Invariant: claims go to the voter and name a lock of the account, whose owner alone they pay. Only pools that a lock
//! votes for now are known; what it has left with others is not.

use std::collections::BTreeSet;

use portolan_plugin_api::{Address, Chain, Claim, Claimable, Error, U256};

use super::contracts::gaugesCall;
use super::contracts::votes::{
    claimBribesCall, claimFeesCall, earnedCall, gaugeToBribeCall, gaugeToFeesCall, poolVoteCall, usedWeightsCall,
};
use super::reward_lists::{Listed, tokens};
use super::{Solidly, ZERO_STANDS_S};
use crate::display_name::display_name;
use crate::kit::Labels;
use crate::nonzero::nonzero;
use crate::try_each::try_each;

/// Locks of one account whose votes are read; anyone can give it more.
const VOTING_MAX: usize = 100;
/// Pools of one lock that are read; the voter's own bound is 30.
const POOLS_MAX: usize = 40;

/// What a contract pays votes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaidFrom {
    Fees,
    Bribes,
}

/// A contract that pays votes for a pool, and its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Paying {
    pool: Address,
    from: PaidFrom,
    address: Address,
    tokens: Vec<Listed>,
}

/// What votes have earned: a claim for each lock and each contract that owes it anything.
pub(super) async fn claimables(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    held: &[U256],
) -> Result<Vec<Claimable>, Error> {
    if held.len() > VOTING_MAX {
        cx.report_missing(format!("{}: votes of {VOTING_MAX} of {} locks are read", labels.market, held.len()));
    }
    let votes =
        held.iter().take(VOTING_MAX).map(|lock| async move { Ok((*lock, voted(cx, of, labels, *lock).await?)) });
    let votes: Vec<(U256, Vec<Address>)> = try_each(cx, votes).await.or_err_if_all(cx, labels.market)?;
    let pools: BTreeSet<Address> = votes.iter().flat_map(|(_, pools)| pools).copied().collect();
    let paying = pools.into_iter().map(|pool| paying(cx, of, labels, pool));
    let paying: Vec<Paying> = try_each(cx, paying).await.or_report(cx, labels.market).into_iter().flatten().collect();
    let rows = votes.iter().flat_map(|(lock, pools)| {
        let of_lock = paying.iter().filter(|paying| pools.contains(&paying.pool));
        of_lock.map(|paying| claimable(cx, of, labels, *lock, paying))
    });
    Ok(try_each(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

/// The pools that a lock votes for.
async fn voted(cx: &Chain, of: &Solidly, labels: Labels<'_>, lock: U256) -> Result<Vec<Address>, Error> {
    let voter = of.contracts.voter;
    let weight = cx.call(voter, usedWeightsCall { tokenId: lock }).zero_within(ZERO_STANDS_S).await?;
    if weight.is_zero() {
        return Ok(Vec::new());
    }
    // There is no view of how many there are: what is beyond the last one reverts.
    let places = (0..POOLS_MAX).map(U256::from);
    let pools = cx.join(places.map(|index| cx.try_call(voter, poolVoteCall { tokenId: lock, index }))).await?;
    let pools: Vec<Address> = pools.into_iter().map_while(Result::ok).collect();
    if pools.len() == POOLS_MAX {
        cx.report_missing(format!("{}: {POOLS_MAX} pools of lock {lock} are read", labels.market));
    }
    Ok(pools)
}

/// The contracts that pay votes for a pool.
async fn paying(cx: &Chain, of: &Solidly, labels: Labels<'_>, pool: Address) -> Result<Vec<Paying>, Error> {
    let voter = of.contracts.voter;
    let gauge = cx.call(voter, gaugesCall { pool }).immutable().await?;
    let fees = cx.call(voter, gaugeToFeesCall { gauge }).immutable();
    let (fees, bribes) = cx.join((fees, cx.call(voter, gaugeToBribeCall { gauge }).immutable())).await?;
    let both = [(PaidFrom::Fees, fees), (PaidFrom::Bribes, bribes)];
    let both = both.into_iter().filter(|(_, address)| !address.is_zero()).map(|(from, address)| async move {
        let tokens = tokens(cx, of, labels, address).await?;
        Ok(Paying { pool, from, address, tokens })
    });
    try_each(cx, both).await.or_err_if_all(cx, labels.market)
}

/// The claim of what a contract owes a lock; nothing where that is nothing.
async fn claimable(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    lock: U256,
    paying: &Paying,
) -> Result<Option<Claimable>, Error> {
    let tokens = paying.tokens.iter().map(|listed| listed.token).collect();
    let earned = |token: &Address| (paying.address, earnedCall { token: *token, tokenId: lock });
    let owed = nonzero(cx, labels.market, tokens, earned).await?;
    if owed.is_empty() {
        return Ok(None);
    }
    let (of_type, what) = match paying.from {
        PaidFrom::Fees => (of.types.fees, "fees"),
        PaidFrom::Bribes => (of.types.bribe, "bribe"),
    };
    let name = format!("{} {what}", display_name(cx, paying.pool).await?);
    let claim = claim(cx, of, lock, paying, owed.iter().map(|(token, _)| *token).collect());
    let claimable = Claimable::new(labels.market, paying.address, claim).of(of_type).numbered(lock).named(name);
    Ok(Some(owed.into_iter().fold(claimable, |row, (token, amount)| row.pays(token, amount))))
}

/// The voter's call for these tokens, which also claims for several contracts of one lock.
fn claim(cx: &Chain, of: &Solidly, lock: U256, paying: &Paying, tokens: Vec<Address>) -> Claim {
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
