//! The SushiBar: SUSHI goes in, xSUSHI shares come out, and each share is worth more and more SUSHI.

use portolan_kits::both;
use portolan_kits::share_vault::ShareVault;
use portolan_plugin_api::{Address, Chain, Error, FarmingPosition};

use crate::contracts::{balanceOfCall, totalSupplyCall};

/// The answer's `vaultType`.
const VAULT_TYPE: &str = "xsushi";

/// The account's shares, and what they redeem to: that part of the bar's SUSHI, rounded down as the bar does.
pub(crate) async fn farming(
    bar: &ShareVault,
    cx: &Chain,
    market: &str,
    account: Address,
) -> Result<Vec<FarmingPosition>, Error> {
    let shares = bar.shares(cx, account).await?;
    if shares.is_zero() {
        return Ok(Vec::new());
    }
    let supply = cx.call(bar.address, totalSupplyCall {});
    let sushi = cx.call(bar.staked_token, balanceOfCall { account: bar.address });
    let (supply, sushi) = both(supply, sushi).await?;
    let redeemed = shares.checked_mul(sushi).and_then(|product| product.checked_div(supply));
    let redeemed = redeemed
        .ok_or_else(|| Error::new(format!("{}: {shares} shares of {supply} in {sushi} are no amount", bar.address)))?;
    Ok(vec![bar.position(market, VAULT_TYPE, shares, redeemed)])
}
