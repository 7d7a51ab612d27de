//! Payments of a pool: its own reward, extra rewards counted by other contracts, and the minted token.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::{
    baseTokenCall, earnedCall, extraRewardsCall, extraRewardsLengthCall, periodFinishCall, rewardPoolCall,
    rewardRateCall, rewardTokenCall, tokenCall,
};
use crate::token_sums;

/// Extra rewards of a pool that are read; no known pool has half as many.
const EXTRAS_MAX: usize = 32;
/// Cache time of a pool's list of extra rewards, in seconds.
const EXTRAS_STAND_S: u32 = 300;
/// Cache time of the token that a reward's token wraps, in seconds. It never changes, but only `within` also caches
/// that it wraps nothing.
const TOKEN_STANDS_S: u32 = 86_400;

/// An extra reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extra {
    /// Contract that counts it.
    pub(super) at: Address,
    /// Token that it pays.
    pub(super) token: Address,
    pub(super) owed: U256,
}

/// Returns the contracts of a pool's extra rewards.
pub(super) async fn extras(cx: &JobContext, market: &str, pool: Address) -> Result<Vec<Address>, Error> {
    let count = cx.call(pool, extraRewardsLengthCall {}).within(EXTRAS_STAND_S).await?;
    let read = usize::try_from(count).unwrap_or(usize::MAX).min(EXTRAS_MAX);
    if count > U256::from(read) {
        cx.report_not_covered(format!("{market}: {read} of {count} extra rewards of {pool} are read"));
    }
    let extra = |index| cx.call(pool, extraRewardsCall { index: U256::from(index) }).within(EXTRAS_STAND_S);
    cx.join((0..read).map(extra)).await
}

/// Returns the token and owed amount of an extra reward.
pub(super) async fn extra(cx: &JobContext, at: Address, account: Address) -> Result<Extra, Error> {
    let token = async { paid(cx, at, cx.call(at, rewardTokenCall {}).immutable().await?).await };
    let (token, owed) = cx.join((token, cx.call(at, earnedCall { account }))).await?;
    Ok(Extra { at, token, owed })
}

/// Returns the token that is paid: newer extra rewards are counted in a wrapper, which only their contract can
/// transfer, and which pays the wrapped token.
async fn paid(cx: &JobContext, at: Address, token: Address) -> Result<Address, Error> {
    let wrapped_for = cx.try_call(token, rewardPoolCall {}).within(TOKEN_STANDS_S);
    let wrapped = cx.try_call(token, tokenCall {}).within(TOKEN_STANDS_S);
    let base = cx.try_call(token, baseTokenCall {}).within(TOKEN_STANDS_S);
    let (wrapped_for, wrapped, base) = cx.join((wrapped_for, wrapped, base)).await?;
    if wrapped_for != Ok(at) {
        return Ok(token);
    }
    wrapped.or(base).map_err(|revert| Error::reverted::<baseTokenCall>(token, revert))
}

/// Returns the rate of a reward contract to all stakers, per second.
pub(super) async fn rate(cx: &JobContext, at: Address) -> Result<U256, Error> {
    let (rate, finish) = cx.join((cx.call(at, rewardRateCall {}), cx.call(at, periodFinishCall {}))).await?;
    let is_over = U256::from(cx.block().timestamp) >= finish;
    Ok(if is_over { U256::ZERO } else { rate })
}

/// Returns the nonzero amounts, summed per token: an extra reward may be the minted token.
pub(super) fn by_token(amounts: impl IntoIterator<Item = (Address, U256)>) -> Result<Vec<(Address, U256)>, Error> {
    let mut sums: Vec<(Address, U256)> = Vec::new();
    for (token, amount) in amounts.into_iter().filter(|(_, amount)| !amount.is_zero()) {
        token_sums::add_in_order(&mut sums, token, amount)?;
    }
    Ok(sums)
}
