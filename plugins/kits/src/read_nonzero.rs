//! Finds the contracts in which an account has something.

use portolan_plugin_api::{Address, Error, JobContext, SolCall, U256};

use crate::kit::ZERO_STANDS_S;
use crate::partial::with_each;

/// Returns the parts whose calls return a nonzero amount (stakes, balances, rewards), with that amount. A failed part
/// is reported and loses only itself; a missing contract counts as zero.
///
/// # Errors
/// The first error, if every part failed.
pub(crate) async fn read_nonzero<P, C: SolCall<Return = U256>>(
    cx: &JobContext,
    market: &str,
    parts: Vec<P>,
    call: impl Fn(&P) -> (Address, C),
) -> Result<Vec<(P, U256)>, Error> {
    let amounts = cx.call_each(parts.iter().map(call)).zero_within(ZERO_STANDS_S);
    let mut amounts = with_each(parts, amounts).await.or_none_where_gone(cx, market)?;
    amounts.retain(|(_, amount)| !amount.is_zero());
    Ok(amounts)
}
