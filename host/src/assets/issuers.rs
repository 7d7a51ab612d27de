//! Who is believed about what a token is made of: the contracts of the plugins' catalogues, and the token lists.
//!
//! Invariant: a token's own word makes nobody an issuer. What an issuer returns about a token is read by whoever
//! derives a price from it.

use std::collections::HashSet;

use alloy::primitives::Address;

use crate::assets::token_list::TokenIndex;

/// The contracts that are known on one network, as one answer sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issuers<'a> {
    chain_id: u64,
    /// The contracts of the plugins' catalogues.
    catalogued: Option<&'a HashSet<Address>>,
    index: &'a TokenIndex,
}

impl<'a> Issuers<'a> {
    pub(crate) fn new(chain_id: u64, catalogued: Option<&'a HashSet<Address>>, index: &'a TokenIndex) -> Self {
        Self { chain_id, catalogued, index }
    }

    pub(crate) fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// Whether a plugin serves the contract.
    pub(crate) fn catalogues(&self, contract: Address) -> bool {
        self.catalogued.is_some_and(|catalogued| catalogued.contains(&contract))
    }

    /// Whether a token list names the token.
    pub(crate) fn lists(&self, token: Address) -> bool {
        self.index.get(self.chain_id, token).is_some()
    }
}
