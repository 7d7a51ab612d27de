//! Whether anybody answers for a vault.
//!
//! Anyone can make a vault whose debts nobody will pay, and send its shares to others. A vault to which nobody owes
//! anything has all that its shares redeem to, whoever made it.
//!
//! Source: <https://github.com/euler-xyz/evk-periphery/tree/master/src/Perspectives>.

use portolan_plugin_api::{Address, Chain, Error};

use super::Euler;
use super::contracts::isVerifiedCall;

/// Seconds that may be cached what a perspective says of a vault.
const LIST_STANDS_S: u32 = 300;

/// Whether one of the perspectives verifies the vault. Where none of them is there, as at a block before they were made,
/// or where the deployment has none, all vaults count.
pub(super) async fn is_verified(cx: &Chain, of: &Euler, vault: Address) -> Result<bool, Error> {
    let asked = of.contracts.perspectives.iter();
    let asked = asked.map(|at| cx.try_call(*at, isVerifiedCall { vault }).within(LIST_STANDS_S));
    let said = cx.join(asked).await?;
    Ok(said.iter().all(Result::is_err) || said.contains(&Ok(true)))
}
