//! The veNFTs of an account, with their amounts and unlock times.

use portolan_plugin_api::{Address, Error, JobContext, Leg, LegRole, Lock, Nft, Position, PositionKind, U256, symbol};

use super::contracts::{
    ESCROW_TYPE_DEPOSITED, balanceOfCall, escrowTypeCall, first, lockedCall, lockedReturn, ownerToNFTokenIdListCall,
    tokenCall,
};
use super::{Solidly, ZERO_STANDS_S};
use crate::kit::Labels;
use crate::partial::join_partial;

/// Locks of one account that are read; anyone can send it more.
const LOCKS_MAX: usize = 500;

/// Returns a locked position per veNFT.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let Some(escrow) = of.contracts.escrow else { return Ok(Vec::new()) };
    let held = held(cx, of, labels, escrow, account).await?;
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let locks = held.into_iter().map(|id| async move { Ok((id, locked(cx, of, escrow, id).await?)) });
    let locks = async { join_partial(cx, locks).await.fail_if_none(cx, labels.market) };
    let (token, locks) = cx.join((cx.call(escrow, tokenCall {}).immutable(), locks)).await?;
    let rows = locks
        .into_iter()
        .map(|(id, lock)| position(cx, of, labels, Nft { collection: escrow, token_id: id }, token, lock));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

/// Returns the ids of the account's veNFTs.
pub(super) async fn held(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    escrow: Address,
    account: Address,
) -> Result<Vec<U256>, Error> {
    let count = cx.call(escrow, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
    let read = usize::try_from(count).unwrap_or(usize::MAX).min(LOCKS_MAX);
    if count > U256::from(read) {
        cx.report_not_covered(format!("{}: {read} of {count} locks are read", labels.market));
    }
    let ids = (0..read).map(U256::from).map(|index| match of.generation.has_second_locks() {
        true => cx.call(escrow, ownerToNFTokenIdListCall { owner: account, index }),
        false => cx.call(escrow, first::tokenOfOwnerByIndexCall { owner: account, index }),
    });
    cx.join(ids).await
}

/// Reads the amount and end of a lock.
pub(super) async fn locked(cx: &JobContext, of: &Solidly, escrow: Address, id: U256) -> Result<lockedReturn, Error> {
    if of.generation.has_second_locks() {
        return cx.call(escrow, lockedCall { tokenId: id }).await;
    }
    let first::lockedReturn { amount, end } = cx.call(escrow, first::lockedCall { tokenId: id }).await?;
    Ok(lockedReturn { amount, end, isPermanent: false })
}

/// Returns the position of a lock; `None` if it is empty.
async fn position(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    nft: Nft,
    token: Address,
    lock: lockedReturn,
) -> Result<Option<Position>, Error> {
    let (escrow, id) = (nft.collection, nft.token_id);
    if lock.amount == 0 {
        if of.generation.has_second_locks()
            && cx.try_call(escrow, escrowTypeCall { tokenId: id }).await? == Ok(ESCROW_TYPE_DEPOSITED)
        {
            return Err(Error::new(format!("lock {id} is deposited in a managed one, whose part of it is not read")));
        }
        return Ok(None);
    }
    let amount = u128::try_from(lock.amount).map_err(|_| Error::new(format!("lock {id} has less than nothing")))?;
    let end = u64::try_from(lock.end).map_err(|_| Error::new(format!("lock {id} ends at {}", lock.end)))?;
    let until = Lock { unlocks_at: (!lock.isPermanent).then_some(end), is_permanent: Some(lock.isPermanent) };
    let position = Position::new(PositionKind::LOCKED, labels.market, escrow).mechanism(of.types.lock);
    let position = position.named(format!("{} lock", symbol(token)));
    let position = position.leg(Leg::new(LegRole::LOCKED, token, U256::from(amount)));
    Ok(Some(Position { nft: Some(nft), lock: Some(until), ..position }))
}
