//! Finds the number of passed cliffs of a token with the steeper rule, which no view returns.
//!
//! The token excludes what its minter created from its emission, and does not expose that number. But it multiplies the
//! amount to mint by the cliff's share, and reverts on overflow. So minting `MAX / share` succeeds only if the token's
//! share is at most that one. These calls are never sent.
//!
//! Source: <https://github.com/aurafinance/aura-contracts/blob/main/contracts/core/Aura.sol>

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::mintCall;
use crate::fixed_point::product;

/// Cliffs probed at once; 500 cliffs take two batches.
const PROBES: u64 = 24;

/// The token, and the address that may mint it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CliffToken {
    pub(super) token: Address,
    pub(super) by: Address,
}

/// Returns the number of passed cliffs, at most `most`.
///
/// # Errors
/// If the token does not reply, or no number of cliffs explains its replies.
pub(super) async fn passed(cx: &JobContext, of: CliffToken, cliffs: u64, most: u64) -> Result<u64, Error> {
    let (mut low, mut high) = (0, most.min(cliffs));
    let (is_last, is_first) = cx.join((has_passed(cx, of, cliffs, high), has_passed(cx, of, cliffs, low))).await?;
    if !is_first {
        return Err(Error::new(format!("{}: mints by another rule", of.token)));
    }
    // Mostly its minter has created nothing, or too little to matter.
    if is_last {
        return Ok(high);
    }
    // At least `low` cliffs are passed, and fewer than `high`.
    while high.saturating_sub(low) > 1 {
        let step = (high - low).div_ceil(PROBES + 1).max(1);
        let at = |probe: u64| low.saturating_add(probe.saturating_mul(step));
        let probed: Vec<u64> = (1..=PROBES).map(at).take_while(|probe| *probe < high).collect();
        let answers = cx.join(probed.iter().map(|probe| has_passed(cx, of, cliffs, *probe))).await?;
        let is_passed = probed.into_iter().zip(answers);
        (low, high) = is_passed.fold((low, high), |(low, high), (probe, is_passed)| match is_passed {
            true => (low.max(probe), high),
            false => (low, high.min(probe)),
        });
    }
    Ok(low)
}

/// Returns true if the token has passed this many cliffs: its share is then the one after these, or less. After the
/// last cliff it mints nothing, and multiplies nothing.
async fn has_passed(cx: &JobContext, of: CliffToken, cliffs: u64, passed: u64) -> Result<bool, Error> {
    let share = steep_share(U256::from(cliffs.saturating_sub(passed)))?;
    let amount = U256::MAX.checked_div(share).unwrap_or(U256::MAX);
    let call = mintCall { to: of.by, amount };
    Ok(cx.try_call(of.token, call).from(of.by).isolated().await?.is_ok())
}

/// Returns the share that is minted per reward when this many cliffs are left, in units of one over the number of
/// cliffs.
pub(super) fn steep_share(left: U256) -> Result<U256, Error> {
    Ok(product(left, U256::from(5))? / U256::from(2) + U256::from(700))
}
