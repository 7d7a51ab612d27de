//! The text that stands for a staked token: both tokens of a constant-product pair, or else the token's own symbol.

use portolan_plugin_api::{Address, Chain, Error, Revert, symbol};

portolan_plugin_api::sol! {
    function token0() external view returns (address);
    function token1() external view returns (address);
}

/// Seconds that a pair's tokens may be cached. They never change; but that a token is no pair can only be cached as a
/// slow fact.
const TOKENS_STAND_S: u32 = 86_400;

/// The text for a staked token; one that returns anything unexpected is shown by its own symbol.
pub(crate) async fn display_name(cx: &Chain, token: Address) -> Result<String, Error> {
    let token0 = cx.try_call(token, token0Call {}).within(TOKENS_STAND_S);
    let token1 = cx.try_call(token, token1Call {}).within(TOKENS_STAND_S);
    let (token0, token1) = cx.join((token0, token1)).await?;
    Ok(pair_name(token0, token1).unwrap_or_else(|| symbol(token)))
}

fn pair_name(token0: Result<Address, Revert>, token1: Result<Address, Revert>) -> Option<String> {
    let (token0, token1) = (token0.ok()?, token1.ok()?);
    (!token0.is_zero() && !token1.is_zero()).then(|| format!("{}/{}", symbol(token0), symbol(token1)))
}
