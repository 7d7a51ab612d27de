//! How a staked token is shown: shares of a constant-product pair by both tokens, any other by its own symbol.

use portolan_plugin_api::{Address, Chain, Error, Revert, symbol};

use crate::both::both;

portolan_plugin_api::sol! {
    function token0() external view returns (address);
    function token1() external view returns (address);
}

/// Seconds that a pair's tokens may stand. They never change, but that a token is no pair is kept only of a slow fact.
const TOKENS_STAND_S: u32 = 86_400;

/// The text for a staked token; one that answers anything odd is shown by its own symbol.
pub(crate) async fn shown(cx: &Chain, token: Address) -> Result<String, Error> {
    let token0 = cx.try_call(token, token0Call {}).within(TOKENS_STAND_S);
    let token1 = cx.try_call(token, token1Call {}).within(TOKENS_STAND_S);
    Ok(pair_name(both(token0, token1).await?).unwrap_or_else(|| symbol(token)))
}

fn pair_name((token0, token1): (Result<Address, Revert>, Result<Address, Revert>)) -> Option<String> {
    let (token0, token1) = (token0.ok()?, token1.ok()?);
    (!token0.is_zero() && !token1.is_zero()).then(|| format!("{}/{}", symbol(token0), symbol(token1)))
}
