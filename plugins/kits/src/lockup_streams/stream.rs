//! One stream: what it has released and what it has not.

use portolan_plugin_api::{
    Address, Claim, Claimable, Error, JobContext, Leg, LegRole, Nft, Position, PositionKind, U256, Vesting, symbol,
};

use super::{
    Lockup, LockupStreamsKit, calculateMinFeeWeiCall, getAssetCall, getCliffTimeCall, getDepositedAmountCall,
    getEndTimeCall, getRefundedAmountCall, getStartTimeCall, getUnderlyingTokenCall, getWithdrawnAmountCall,
    withdrawMaxCall, withdrawableAmountOfCall,
};
use crate::kit::Labels;

/// Cache time of a stream's token, in seconds. It never changes, but only `within` also caches that a view is missing.
const TOKEN_STANDS_S: u32 = 86_400;

/// Returns the claim of what a stream has released.
pub(super) async fn claimable(
    cx: &JobContext,
    types: LockupStreamsKit,
    labels: Labels<'_>,
    lockup: Lockup,
    id: U256,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let released = cx.call(lockup.address, withdrawableAmountOfCall { streamId: id });
    let (released, token) = cx.join((released, token(cx, lockup, id))).await?;
    if released == 0 {
        return Ok(None);
    }
    let claim = withdrawal(cx, lockup, id, account).await?;
    let row = Claimable::new(labels.market, lockup.address, claim).mechanism(types.stream).numbered(id);
    Ok(Some(row.named(format!("{} stream", symbol(token))).pays(token, U256::from(released))))
}

/// Returns the claim, with the fee where there is one.
async fn withdrawal(cx: &JobContext, lockup: Lockup, id: U256, account: Address) -> Result<Claim, Error> {
    let claim = cx.claim(lockup.address, &withdrawMaxCall { streamId: id, to: account });
    if !lockup.has_fee {
        return Ok(claim);
    }
    let fee = cx.call(lockup.address, calculateMinFeeWeiCall { streamId: id }).await?;
    // The template with a fee is the next one; both are of one function.
    Ok(Claim { template: claim.template.saturating_add(1), ..claim }.with_fee(fee))
}

/// Returns what a stream has not released yet; `None` if that is nothing.
pub(super) async fn position(
    cx: &JobContext,
    types: LockupStreamsKit,
    labels: Labels<'_>,
    lockup: Lockup,
    id: U256,
) -> Result<Option<Position>, Error> {
    let at = lockup.address;
    let deposited = cx.call(at, getDepositedAmountCall { streamId: id });
    let withdrawn = cx.call(at, getWithdrawnAmountCall { streamId: id });
    let refunded = cx.call(at, getRefundedAmountCall { streamId: id });
    let released = cx.call(at, withdrawableAmountOfCall { streamId: id });
    let start = cx.call(at, getStartTimeCall { streamId: id });
    let end = cx.call(at, getEndTimeCall { streamId: id });
    let cliff = cx.try_call(at, getCliffTimeCall { streamId: id });
    let amounts = cx.join((deposited, withdrawn, refunded, released));
    let ((deposited, withdrawn, refunded, released), (start, end, cliff), token) =
        cx.join((amounts, cx.join((start, end, cliff)), token(cx, lockup, id))).await?;
    let [deposited, withdrawn, refunded, released] = [deposited, withdrawn, refunded, released].map(U256::from);
    let gone = withdrawn.saturating_add(refunded).saturating_add(released);
    let rest = deposited.checked_sub(gone);
    let rest = rest.ok_or_else(|| Error::new(format!("{at}: stream {id} pays more than it holds")))?;
    if rest.is_zero() {
        return Ok(None);
    }
    let schedule = Vesting {
        start: Some(start.to()),
        cliff: cliff.ok().map(|cliff| cliff.to()).filter(|cliff| *cliff > 0),
        end: Some(end.to()),
        releasable: Some(released),
    };
    let row = Position::new(PositionKind::VESTING, labels.market, at).mechanism(types.stream).numbered(id);
    let row = row.named(format!("{} stream", symbol(token))).leg(Leg::new(LegRole::VESTING, token, rest));
    Ok(Some(Position { vesting: Some(schedule), nft: Some(Nft { collection: at, token_id: id }), ..row }))
}

/// Returns the token of a stream, whose view was renamed.
async fn token(cx: &JobContext, lockup: Lockup, id: U256) -> Result<Address, Error> {
    let renamed = cx.try_call(lockup.address, getUnderlyingTokenCall { streamId: id }).within(TOKEN_STANDS_S);
    let old = cx.try_call(lockup.address, getAssetCall { streamId: id }).within(TOKEN_STANDS_S);
    let (renamed, old) = cx.join((renamed, old)).await?;
    let token = renamed.or(old).ok().filter(|token| !token.is_zero());
    token.ok_or_else(|| Error::new(format!("{}: stream {id} has no token", lockup.address)))
}
