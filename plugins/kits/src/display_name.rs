//! Display names of staked tokens: both tokens of a constant-product pair, otherwise the token's own symbol.

use portolan_plugin_api::{Address, Error, JobContext, Revert, symbol};

portolan_plugin_api::sol! {
    function token0() external view returns (address);
    function token1() external view returns (address);
}

/// Cache time of a pair's tokens, in seconds. They never change, but only `within` also caches that a token is not a
/// pair.
const TOKENS_STAND_S: u32 = 86_400;

/// Returns the display name of a staked token; a token with unexpected replies is shown by its own symbol.
pub(crate) async fn display_name(cx: &JobContext, token: Address) -> Result<String, Error> {
    let token0 = cx.try_call(token, token0Call {}).within(TOKENS_STAND_S);
    let token1 = cx.try_call(token, token1Call {}).within(TOKENS_STAND_S);
    let (token0, token1) = cx.join((token0, token1)).await?;
    Ok(pair_name(token0, token1).unwrap_or_else(|| symbol(token)))
}

fn pair_name(token0: Result<Address, Revert>, token1: Result<Address, Revert>) -> Option<String> {
    let (token0, token1) = (token0.ok()?, token1.ok()?);
    (!token0.is_zero() && !token1.is_zero()).then(|| format!("{}/{}", symbol(token0), symbol(token1)))
}
