//! Placeholder addresses that contracts use for the native token.

use portolan_plugin_api::{Address, NATIVE, address};

const PLACEHOLDER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

/// The placeholder of Equilibria's contracts.
pub(crate) const PLATFORM_TOKEN: Address = address!("0xefefefefefefefefefefefefefefefefefefefef");

/// Replaces a placeholder by the native token's address in findings.
pub(crate) fn named_token(token: Address) -> Address {
    if token == PLACEHOLDER || token == PLATFORM_TOKEN { NATIVE } else { token }
}
