//! Arithmetic on what contracts say: fixed-point numbers of 18 decimals, and products that may not fit.

use portolan_plugin_api::{Error, U256};

/// One.
pub(crate) const WAD: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

/// The product.
///
/// # Errors
/// Where it does not fit.
pub(crate) fn product(one: U256, other: U256) -> Result<U256, Error> {
    one.checked_mul(other).ok_or_else(too_large)
}

/// The error of a value that does not fit.
pub(crate) fn too_large() -> Error {
    Error::new("a value is too large")
}
