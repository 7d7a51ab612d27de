//! Findings of a stake.

use futures_util::future::join;
use portolan_plugin_api::{
    Claim, Claimable, Error, JobContext, Leg, LegRole, Lock, Position, PositionKind, Reward, U256,
};

use super::contracts::{getStakingPositionCall, getStakingPositionReturn, isUnlockedCall, pendingRewardsCall};
use super::pool::NftStake;
use crate::display_name::display_name;
use crate::kit::Labels;

/// Stake of an NFT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StakeTerms {
    pub(super) amount: U256,
    /// Display name of the token.
    pub(super) name: String,
    pub(super) lock: Option<Lock>,
}

/// Returns the claim of a stake; `None` if it pays nothing.
pub(super) async fn claimable(
    cx: &JobContext,
    mechanism: &str,
    labels: Labels<'_>,
    stake: NftStake,
    claim: Claim,
) -> Result<Option<Claimable>, Error> {
    let (pool, token_id) = (stake.pool, stake.token_id);
    let pending = cx.call(pool.address, pendingRewardsCall { tokenId: token_id });
    let (pending, staked) = join(pending, display_name(cx, pool.staked)).await;
    let (pending, staked) = (pending?, staked?);
    let split = pool.split(pending);
    let split =
        split.ok_or_else(|| Error::new(format!("{}: {pending} pending is not a valid amount", pool.address)))?;
    if pending.is_zero() {
        return Ok(None);
    }
    let claimable = Claimable::new(labels.market, pool.address, claim).mechanism(mechanism);
    let claimable = claimable.named(format!("{staked} reward")).numbered(token_id);
    let paid = split.into_iter().filter(|(_, amount)| !amount.is_zero());
    Ok(Some(paid.fold(claimable, |claimable, (token, amount)| claimable.pays(token, amount))))
}

/// Returns the position of a stake; `None` if it is empty.
pub(super) async fn position(
    cx: &JobContext,
    mechanism: &str,
    labels: Labels<'_>,
    stake: NftStake,
) -> Result<Option<Position>, Error> {
    let Some(StakeTerms { amount, name, lock }) = staked(cx, stake).await? else { return Ok(None) };
    let pool = stake.pool;
    let leg = Leg::new(LegRole::STAKED, pool.staked, amount).of_total(pool.supply);
    let row = Position::new(PositionKind::STAKED, labels.market, pool.address).mechanism(mechanism);
    let row = row.named(format!("{name} position")).numbered(stake.token_id).leg(leg);
    // Boosts and locks weight stakes, so the rate does not follow from the amount.
    let row = pool.tokens().into_iter().fold(row, |row, token| row.reward(Reward::new(token, None)));
    Ok(Some(Position { lock, ..row }))
}

/// Returns the stake of an NFT; `None` if it is empty.
pub(super) async fn staked(cx: &JobContext, stake: NftStake) -> Result<Option<StakeTerms>, Error> {
    let (pool, token_id) = (stake.pool, stake.token_id);
    let read = cx.call(pool.address, getStakingPositionCall { tokenId: token_id });
    let read = cx.join((read, cx.call(pool.address, isUnlockedCall {})));
    let (read, name) = join(read, display_name(cx, pool.staked)).await;
    let ((position, is_unlocked), name) = (read?, name?);
    if position.amount.is_zero() {
        return Ok(None);
    }
    let lock = if is_unlocked { None } else { lock(cx, &position) };
    Ok(Some(StakeTerms { amount: position.amount, name, lock }))
}

/// Returns the lock while it lasts.
fn lock(cx: &JobContext, position: &getStakingPositionReturn) -> Option<Lock> {
    let ends_s = position.startLockTime.checked_add(position.lockDuration)?;
    let is_on = ends_s > U256::from(cx.block().timestamp);
    is_on.then(|| Lock { unlocks_at: u64::try_from(ends_s).ok(), is_permanent: None })
}
