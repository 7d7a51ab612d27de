//! A filter of replies by their network and their source.

use alloy::primitives::Address;
use serde::{Deserialize, Serialize};

/// A filter of stored replies; every part that is set must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct StoredReplyFilter {
    pub chain_id: Option<u64>,
    /// Host and port.
    pub endpoint: Option<String>,
    pub contract: Option<Address>,
}

impl StoredReplyFilter {
    /// Returns true if a reply matches.
    pub(crate) fn is_it(&self, chain_id: u64, endpoint: Option<&str>, contract: Address) -> bool {
        self.chain_id.is_none_or(|own| own == chain_id)
            && self.endpoint.as_deref().is_none_or(|own| Some(own) == endpoint)
            && self.contract.is_none_or(|own| own == contract)
    }
}
