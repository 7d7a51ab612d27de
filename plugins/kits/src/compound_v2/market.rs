//! Markets of a comptroller, and those in which the account has or owes something.

use portolan_plugin_api::{Address, Error, JobContext, NATIVE, U256};

use super::contracts::{balanceOfCall, borrowBalanceStoredCall, getAllMarketsCall, underlyingCall};
use super::{CompoundV2, ZERO_STANDS_S};
use crate::partial::with_both;

/// Cache time of the list of markets, in seconds; a new one shows at most this much later.
pub(super) const LIST_STANDS_S: u32 = 300;
/// Five times the markets of the largest known comptroller.
const MARKETS_MAX: usize = 500;

/// A market in which the account has or owes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) market: Address,
    /// Balance of the market's own token.
    pub(super) shares: U256,
    /// Debt as of the market's last use.
    pub(super) debt: U256,
}

/// Returns the markets in which the account has or owes something.
pub(super) async fn held(cx: &JobContext, of: &CompoundV2, market: &str, account: Address) -> Result<Vec<Held>, Error> {
    let comptroller = of.contracts.comptroller;
    let markets = cx.call(comptroller, getAllMarketsCall {}).within(LIST_STANDS_S).await?;
    if markets.len() > MARKETS_MAX {
        return Err(Error::new(format!("{comptroller}: lists {} markets, more than {MARKETS_MAX}", markets.len())));
    }
    let shares = cx.call_each(markets.iter().map(|market| (*market, balanceOfCall { account })));
    let debts = cx.call_each(markets.iter().map(|market| (*market, borrowBalanceStoredCall { account })));
    let held = with_both(markets, shares.zero_within(ZERO_STANDS_S), debts.zero_within(ZERO_STANDS_S)).await;
    let held = held.fail_if_none(cx, market)?.into_iter();
    let held = held.map(|(market, shares, debt)| Held { market, shares, debt });
    Ok(held.filter(|held| !held.shares.is_zero() || !held.debt.is_zero()).collect())
}

/// Returns the token that a market lends.
pub(super) async fn underlying(cx: &JobContext, of: &CompoundV2, market: Address) -> Result<Address, Error> {
    if of.contracts.native_market == Some(market) {
        return Ok(NATIVE);
    }
    cx.call(market, underlyingCall {}).immutable().await
}
