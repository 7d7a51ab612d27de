//! Arithmetic on what contracts say: fixed-point numbers of 18 decimals, and products that may not fit.

use portolan_plugin_api::{Error, U256};

/// One.
pub(crate) const WAD: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

/// Seconds of a year of 365 days.
const SECONDS_A_YEAR: u64 = 31_536_000;
/// A ray has nine decimals more than a wad.
const RAY_PER_WAD: u64 = 1_000_000_000;

/// The product.
///
/// # Errors
/// Where it does not fit.
pub(crate) fn product(one: U256, other: U256) -> Result<U256, Error> {
    one.checked_mul(other).ok_or_else(too_large)
}

/// The product over a divisor, rounded down.
///
/// # Errors
/// Where the product does not fit, as in contracts, or where there is no divisor.
pub(crate) fn mul_div(one: U256, other: U256, divisor: U256) -> Result<U256, Error> {
    product(one, other)?.checked_div(divisor).ok_or_else(|| Error::new("a ratio has no divisor"))
}

/// A rate of a second with 18 decimals as one of a year with 27.
///
/// # Errors
/// Where it does not fit.
pub(crate) fn ray_a_year(rate_wad: U256) -> Result<U256, Error> {
    product(rate_wad, U256::from(SECONDS_A_YEAR) * U256::from(RAY_PER_WAD))
}

/// The error of a value that does not fit.
pub(crate) fn too_large() -> Error {
    Error::new("a value is too large")
}
