//! Token symbols in the names of findings.

use alloy::primitives::Address;

/// Returns a placeholder for a token's symbol in the name of a finding; the host replaces it.
///
/// ```
/// use portolan_plugin_api::{address, symbol};
/// let quick = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
/// assert_eq!(symbol(quick), "{0xb5c064f955d8e7f38fe0460c556a72987494ee17}");
/// ```
pub fn symbol(token: Address) -> String {
    format!("{{{token:#x}}}")
}
