//! Arithmetic on values of contracts: fixed-point numbers with 18 decimals, and products that may overflow.

use std::fmt::Display;

use portolan_plugin_api::{Error, U256};

/// 1 with 18 decimals.
pub(crate) const WAD: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);
/// 1 with 27 decimals.
pub(crate) const RAY: U256 = U256::from_limbs([11_515_845_246_265_065_472, 54_210_108, 0, 0]);

/// Seconds of a year of 365 days.
const SECONDS_A_YEAR: u64 = 31_536_000;
/// A ray has nine decimals more than a wad.
const RAY_PER_WAD: u64 = 1_000_000_000;

/// Multiplies two numbers.
///
/// # Errors
/// If the product overflows.
pub(crate) fn product(one: U256, other: U256) -> Result<U256, Error> {
    one.checked_mul(other).ok_or_else(too_large)
}

/// Multiplies two numbers and divides by a third, rounding down.
///
/// # Errors
/// If the product overflows, as in contracts, or the divisor is zero.
pub(crate) fn mul_div(one: U256, other: U256, divisor: U256) -> Result<U256, Error> {
    product(one, other)?.checked_div(divisor).ok_or_else(|| Error::new("a ratio has no divisor"))
}

/// Returns the smallest units of one whole token.
///
/// # Errors
/// If no number has so many decimals; it names the token.
pub(crate) fn whole(token: impl Display, decimals: U256) -> Result<U256, Error> {
    let units = U256::from(10).checked_pow(decimals);
    units.ok_or_else(|| Error::new(format!("{token}: {decimals} decimals")))
}

/// Converts a rate per second to one per year.
///
/// # Errors
/// If the rate overflows.
pub(crate) fn yearly(rate: U256) -> Result<U256, Error> {
    product(rate, U256::from(SECONDS_A_YEAR))
}

/// Converts a rate with 18 decimals to one with 27.
///
/// # Errors
/// If the rate overflows.
pub(crate) fn ray_of_wad(rate_wad: U256) -> Result<U256, Error> {
    product(rate_wad, U256::from(RAY_PER_WAD))
}

/// Converts a rate per second with 18 decimals to a rate per year with 27.
///
/// # Errors
/// If the rate overflows.
pub(crate) fn ray_a_year(rate_wad: U256) -> Result<U256, Error> {
    yearly(ray_of_wad(rate_wad)?)
}

/// Error of an overflow.
pub(crate) fn too_large() -> Error {
    Error::new("a value is too large")
}

#[cfg(test)]
mod tests {
    use super::{RAY, U256};

    #[test]
    fn a_ray_has_27_decimals() {
        assert_eq!(RAY, U256::from(10).pow(U256::from(27)));
    }
}
