//! How many cliffs a token of the steeper rule has passed, where no view returns it.
//!
//! The token leaves out of its emission what its minter made beside, and keeps that number to itself. But it multiplies
//! what it is asked to mint by the cliff's share, and fails where the product has no room: so whether it mints
//! `MAX / share` says whether its share is that one or less. These are calls that nobody sends.
//!
//! Source: <https://github.com/aurafinance/aura-contracts/blob/main/contracts/core/Aura.sol>

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::contracts::mintCall;
use crate::fixed_point::product;

/// Cliffs that are probed at once: 500 of them take two batches.
const PROBES: u64 = 24;

/// The token, and whom it lets mint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CliffToken {
    pub(super) token: Address,
    pub(super) by: Address,
}

/// The number of cliffs that are passed, of so many, and at most `most`.
///
/// # Errors
/// Where the token does not answer, or where no number of cliffs would have it answer so.
pub(super) async fn passed(cx: &Chain, of: CliffToken, cliffs: u64, most: u64) -> Result<u64, Error> {
    let (mut low, mut high) = (0, most.min(cliffs));
    let (is_last, is_first) = cx.join((has_passed(cx, of, cliffs, high), has_passed(cx, of, cliffs, low))).await?;
    if !is_first {
        return Err(Error::new(format!("{}: mints by another rule", of.token)));
    }
    // Mostly its minter has made nothing, or too little to matter.
    if is_last {
        return Ok(high);
    }
    // At least `low` are passed, and less than `high`.
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

/// Whether the token has passed so many cliffs: its share is then the one after these, or less. After the last it mints
/// nothing, and multiplies nothing.
async fn has_passed(cx: &Chain, of: CliffToken, cliffs: u64, passed: u64) -> Result<bool, Error> {
    let share = steep_share(U256::from(cliffs.saturating_sub(passed)))?;
    let amount = U256::MAX.checked_div(share).unwrap_or(U256::MAX);
    let call = mintCall { to: of.by, amount };
    Ok(cx.try_call(of.token, call).from(of.by).isolated().await?.is_ok())
}

/// What is minted for so many rewards, in parts of as many as there are cliffs, where so many are left.
pub(super) fn steep_share(left: U256) -> Result<U256, Error> {
    Ok(product(left, U256::from(5))? / U256::from(2) + U256::from(700))
}
