//! Rebases, which protect locks from dilution. A claim adds the amount to the lock; for an expired lock it pays the
//! owner or reverts.

use portolan_plugin_api::{Address, Claimable, Error, JobContext, PaidTo, Payment, U256, symbol};

use super::Solidly;
use super::contracts::{
    ESCROW_TYPE_DEPOSITED, activePeriodCall, claimCall, claimManyCall, claimableCall, escrowTypeCall, first,
    minterCall, tokenCall,
};
use super::locks::locked;
use crate::kit::Labels;
use crate::partial::{join_partial, with_both};

/// Changes of a lock that one claim of the first generation processes: the rounds of its loop.
const CHANGES_OF_ONE_CLAIM: U256 = U256::from_limbs([50, 0, 0, 0]);

/// Length of a period in seconds; periods start at its multiples.
const WEEK_S: u64 = 7 * 86_400;

/// A claimable rebase and its destination.
#[derive(Clone, Copy, Debug)]
struct Rebase {
    lock: U256,
    amount: U256,
    paid_to: PaidTo,
}

/// Returns a claim per lock with a rebase.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    escrow: Address,
    held: &[U256],
) -> Result<Vec<Claimable>, Error> {
    let Some(distributor) = of.contracts.distributor else { return Ok(Vec::new()) };
    let rebases = held.iter().map(|lock| rebase(cx, of, escrow, distributor, *lock));
    let rebases = async { join_partial(cx, rebases).await.fail_if_none(cx, labels.market) };
    let (rebases, ()) = cx.join((rebases, report_changes(cx, of, labels, escrow, distributor, held))).await?;
    let rebases: Vec<Rebase> = rebases.into_iter().flatten().collect();
    if rebases.is_empty() {
        return Ok(Vec::new());
    }
    let token = cx.call(escrow, tokenCall {}).immutable();
    let (token, is_open) = cx.join((token, is_open(cx, of, distributor))).await?;
    if !is_open {
        return Err(Error::new("rebases cannot be claimed until the minter begins this week's period"));
    }
    let row = |Rebase { lock, amount, paid_to }| {
        let merged = match of.generation.has_second_locks() {
            true => cx.claim(distributor, &claimManyCall { tokenIds: vec![lock] }),
            false => cx.claim(distributor, &first::claim_manyCall { tokenIds: vec![lock] }),
        };
        let claim = cx.claim(distributor, &claimCall { tokenId: lock }).mergeable_as(merged);
        let claimable = Claimable::new(labels.market, distributor, claim).mechanism(of.types.rebase).numbered(lock);
        let payment = Payment { token, amount, paid_to, name: None };
        claimable.named(format!("{} rebase", symbol(token))).payment(payment)
    };
    Ok(rebases.into_iter().map(row).collect())
}

/// Returns a lock's claimable rebase. The distributor pays nothing to a lock deposited in a managed one.
async fn rebase(
    cx: &JobContext,
    of: &Solidly,
    escrow: Address,
    distributor: Address,
    lock: U256,
) -> Result<Option<Rebase>, Error> {
    let reads = (
        cx.call(distributor, claimableCall { tokenId: lock }),
        locked(cx, of, escrow, lock),
        is_deposited(cx, of, escrow, lock),
    );
    let (amount, locked, is_deposited) = cx.join(reads).await?;
    if amount.is_zero() || is_deposited {
        return Ok(None);
    }
    let now = U256::from(cx.block().timestamp);
    let to_owner = of.generation.over_pays().to_owner(now, locked.end, locked.isPermanent);
    let paid_to = to_owner.map(|to_owner| if to_owner { PaidTo::ACCOUNT } else { PaidTo::LOCK });
    Ok(paid_to.map(|paid_to| Rebase { lock, amount, paid_to }))
}

/// Reports locks with more changes than one claim processes: the claim and the view miss the last weeks.
async fn report_changes(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    escrow: Address,
    distributor: Address,
    held: &[U256],
) -> Result<(), Error> {
    if of.generation.has_second_locks() {
        return Ok(());
    }
    let changes = cx.try_call_each(held.iter().map(|lock| (escrow, first::user_point_epochCall { tokenId: *lock })));
    let counted = cx.try_call_each(held.iter().map(|lock| (distributor, first::user_epoch_ofCall { tokenId: *lock })));
    let read = with_both(held.to_vec(), changes, counted).await.or_report(cx, labels.market);
    for (lock, changes, counted) in read {
        let (changes, counted) = (changes.unwrap_or_default(), counted.unwrap_or_default());
        if changes.saturating_sub(counted) > CHANGES_OF_ONE_CLAIM {
            cx.report_not_covered(format!(
                "{}: lock {lock} was changed {changes} times, of which a claim of its rebase counts {CHANGES_OF_ONE_CLAIM}",
                labels.market
            ));
        }
    }
    Ok(())
}

async fn is_deposited(cx: &JobContext, of: &Solidly, escrow: Address, lock: U256) -> Result<bool, Error> {
    if !of.generation.has_second_locks() {
        return Ok(false);
    }
    Ok(cx.call(escrow, escrowTypeCall { tokenId: lock }).await? == ESCROW_TYPE_DEPOSITED)
}

/// Returns true if the minter has begun the week's period. Before, every claim of Velodrome v2 reverts; older
/// generations do not check.
async fn is_open(cx: &JobContext, of: &Solidly, distributor: Address) -> Result<bool, Error> {
    if !of.generation.has_second_locks() {
        return Ok(true);
    }
    let minter = cx.call(distributor, minterCall {}).immutable().await?;
    let begun = cx.call(minter, activePeriodCall {}).await?;
    let now = cx.block().timestamp;
    Ok(begun >= U256::from(now - now % WEEK_S))
}
