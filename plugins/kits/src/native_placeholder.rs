//! Placeholder address that many contracts use for the native token.

use portolan_plugin_api::{Address, NATIVE, address};

const PLACEHOLDER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

/// Replaces the placeholder by the native token's address in findings.
pub(crate) fn named_token(token: Address) -> Address {
    if token == PLACEHOLDER { NATIVE } else { token }
}
