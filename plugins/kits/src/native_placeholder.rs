//! The address that many contracts name where they mean the network's native token.

use portolan_plugin_api::{Address, NATIVE, address};

const PLACEHOLDER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

/// A token as findings name it.
pub(crate) fn named_token(token: Address) -> Address {
    if token == PLACEHOLDER { NATIVE } else { token }
}
