//! What an account has in each of many contracts, where it has anything.

use portolan_plugin_api::{Address, Chain, Error, SolCall, U256};

use crate::kit::ZERO_STANDS_S;
use crate::try_each::with_each;

/// The parts whose calls give more than zero (stakes, balances, rewards), and what they give. A part that fails costs
/// itself alone, and is reported; a contract that is gone has nothing.
///
/// # Errors
/// The first error, where every part failed.
pub(crate) async fn nonzero<P, C: SolCall<Return = U256>>(
    cx: &Chain,
    market: &str,
    parts: Vec<P>,
    call: impl Fn(&P) -> (Address, C),
) -> Result<Vec<(P, U256)>, Error> {
    let amounts = cx.call_each(parts.iter().map(call)).zero_within(ZERO_STANDS_S);
    let mut amounts = with_each(parts, amounts).await.or_none_where_gone(cx, market)?;
    amounts.retain(|(_, amount)| !amount.is_zero());
    Ok(amounts)
}
