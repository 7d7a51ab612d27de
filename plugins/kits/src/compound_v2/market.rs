//! The markets of a comptroller, and those of them in which the account has or owes something.

use portolan_plugin_api::{Address, Chain, Error, NATIVE, U256};

use super::contracts::{balanceOfCall, borrowBalanceStoredCall, getAllMarketsCall, underlyingCall};
use super::{CompoundV2, ZERO_STANDS_S};
use crate::try_each::try_each;

/// Seconds that the list of markets may be cached: a new one shows at most this much later.
pub(super) const LIST_STANDS_S: u32 = 300;
/// More markets than any known comptroller has, five times over.
const MARKETS_MAX: usize = 500;

/// A market in which the account has or owes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) market: Address,
    /// What the account has of the market's own token.
    pub(super) shares: U256,
    /// What it owes, as it stood when the market was last used.
    pub(super) debt: U256,
}

/// The markets in which the account has or owes something.
pub(super) async fn held(cx: &Chain, of: &CompoundV2, market: &str, account: Address) -> Result<Vec<Held>, Error> {
    let comptroller = of.contracts.comptroller;
    let markets = cx.call(comptroller, getAllMarketsCall {}).within(LIST_STANDS_S).await?;
    if markets.len() > MARKETS_MAX {
        return Err(Error::new(format!("{comptroller}: lists {} markets, more than {MARKETS_MAX}", markets.len())));
    }
    let each = markets.into_iter().map(|market| async move {
        let shares = cx.call(market, balanceOfCall { account }).zero_within(ZERO_STANDS_S);
        let debt = cx.call(market, borrowBalanceStoredCall { account }).zero_within(ZERO_STANDS_S);
        let (shares, debt) = cx.join((shares, debt)).await?;
        Ok(Held { market, shares, debt })
    });
    let mut held = try_each(cx, each).await.or_err_if_all(cx, market)?;
    held.retain(|held| !held.shares.is_zero() || !held.debt.is_zero());
    Ok(held)
}

/// The token that a market lends.
pub(super) async fn underlying(cx: &Chain, of: &CompoundV2, market: Address) -> Result<Address, Error> {
    if of.contracts.native_market == Some(market) {
        return Ok(NATIVE);
    }
    cx.call(market, underlyingCall {}).immutable().await
}
