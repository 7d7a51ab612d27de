//! Checks that a vault is verified.
//!
//! Anyone can create a vault with debts that nobody will pay, and send its shares to others. A vault without debts has
//! everything that its shares redeem to, whoever created it.
//!
//! Source: <https://github.com/euler-xyz/evk-periphery/tree/master/src/Perspectives>.

use portolan_plugin_api::{Address, Error, JobContext};

use super::Euler;
use super::contracts::isVerifiedCall;

/// Cache time of a perspective's reply, in seconds.
const LIST_STANDS_S: u32 = 300;

/// Returns true if a perspective verifies the vault. Without perspectives, or at a block before they existed, all
/// vaults count.
pub(super) async fn is_verified(cx: &JobContext, of: &Euler, vault: Address) -> Result<bool, Error> {
    let asked = of.contracts.perspectives.iter();
    let asked = asked.map(|at| cx.try_call(*at, isVerifiedCall { vault }).within(LIST_STANDS_S));
    let said = cx.join(asked).await?;
    Ok(said.iter().all(Result::is_err) || said.contains(&Ok(true)))
}
