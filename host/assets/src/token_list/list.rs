//! One token list, reduced to the networks that the gateway serves.
//!
//! Invariant: each (network, address) is in it once, the native token is not, and its texts have no control or
//! direction characters. `schema` validates the document.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_base::sanitize::text::Text;
use portolan_networks::is_native;
use serde::{Serialize, Serializer};

use crate::token::TEXT_CHARS_MAX;

/// A token as a list describes it; the contract's own name, symbol and decimals take precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedToken {
    pub(crate) name: Text,
    pub(crate) symbol: Text,
    pub(crate) decimals: u8,
    /// An `http` or `https` URL.
    pub(crate) logo: Option<Box<str>>,
}

impl ListedToken {
    /// Creates a description with cleaned texts.
    pub(super) fn new(name: &str, symbol: &str, decimals: u8, logo: Option<Box<str>>) -> Arc<Self> {
        let text = |text: &str| Text::clean(text, TEXT_CHARS_MAX);
        Arc::new(Self { name: text(name), symbol: text(symbol), decimals, logo })
    }
}

/// `version` of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListVersion {
    pub(super) major: u64,
    pub(super) minor: u64,
    pub(super) patch: u64,
}

impl Serialize for ListVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for ListVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// A token of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListEntry {
    pub(super) chain_id: u64,
    pub(super) token: Address,
    pub(super) listed: Arc<ListedToken>,
}

/// A list's tokens on the networks of the gateway.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TokenList {
    pub(super) version: ListVersion,
    pub(super) entries: Vec<ListEntry>,
}

/// Collects the entries of a list.
pub(super) struct ListBuilder<'a> {
    chain_ids: &'a BTreeSet<u64>,
    seen: BTreeSet<(u64, Address)>,
    entries: Vec<ListEntry>,
}

impl<'a> ListBuilder<'a> {
    /// A builder for the networks with these chain ids.
    pub(super) fn new(chain_ids: &'a BTreeSet<u64>) -> Self {
        Self { chain_ids, seen: BTreeSet::new(), entries: Vec::new() }
    }

    /// Adds an entry; the first one of a token counts. Addresses that stand for the native token are skipped: their
    /// balance is the account's native balance, which would be counted twice.
    pub(super) fn push(&mut self, chain_id: u64, token: Address, listed: &Arc<ListedToken>) {
        let is_wanted = self.chain_ids.contains(&chain_id) && !is_native(chain_id, token);
        if is_wanted && self.seen.insert((chain_id, token)) {
            self.entries.push(ListEntry { chain_id, token, listed: Arc::clone(listed) });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn into_list(self, version: ListVersion) -> TokenList {
        TokenList { version, entries: self.entries }
    }
}

/// Parses `0x` and 40 hex digits in any letter case, as published lists do not all have valid checksums.
pub(super) fn evm_address(text: &str) -> Option<Address> {
    text.strip_prefix("0x").filter(|digits| digits.len() == 40)?.parse().ok()
}
