//! Contracts trusted about the makeup of tokens: those in the plugins' catalogues, and the token lists.
//!
//! Invariant: a token's own claim makes no contract an issuer. The code that derives a price reads the issuer's
//! confirmation.

use std::collections::HashSet;

use alloy::primitives::Address;

use crate::token_list::TokenIndex;

/// The trusted contracts on one network, fixed for one answer.
#[derive(Clone, Copy, Debug)]
pub struct Issuers<'a> {
    chain_id: u64,
    /// Contracts in the plugins' catalogues.
    catalogued: Option<&'a HashSet<Address>>,
    index: &'a TokenIndex,
}

impl<'a> Issuers<'a> {
    pub fn new(chain_id: u64, catalogued: Option<&'a HashSet<Address>>, index: &'a TokenIndex) -> Self {
        Self { chain_id, catalogued, index }
    }

    pub(crate) fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// Returns true if a plugin serves the contract.
    pub(crate) fn catalogues(&self, contract: Address) -> bool {
        self.catalogued.is_some_and(|catalogued| catalogued.contains(&contract))
    }

    /// The tokens of the lists.
    pub(crate) fn index(&self) -> &'a TokenIndex {
        self.index
    }

    /// Returns true if a token list names the token.
    pub(crate) fn lists(&self, token: Address) -> bool {
        self.index.get(self.chain_id, token).is_some()
    }
}
