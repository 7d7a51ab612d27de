//! The Dragon's Lair: QUICK goes in, dQUICK shares come out, and each share is worth more and more QUICK.

use portolan_kits::share_vault::ShareVault;
use portolan_plugin_api::{Address, Chain, Error, FarmingPosition};

use crate::contracts::QUICKBalanceCall;

/// The answer's `vaultType`.
const VAULT_TYPE: &str = "quickswap-dquick";

/// The account's shares, and what they redeem to.
pub(crate) async fn farming(
    lair: &ShareVault,
    cx: &Chain,
    market: &str,
    account: Address,
) -> Result<Vec<FarmingPosition>, Error> {
    let shares = lair.shares(cx, account).await?;
    if shares.is_zero() {
        // The lair divides by its supply, so an empty one cannot be asked what nothing is worth.
        return Ok(Vec::new());
    }
    let quick = cx.call(lair.address, QUICKBalanceCall { account }).await?;
    Ok(vec![lair.position(market, VAULT_TYPE, shares, quick)])
}
