//! Addresses that a job's claims may call and name.
//!
//! Invariant: an address is allowed only if the catalogue lists it for the job's protocol and network, or a declared
//! view returned it; and only for that use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::map::{Catalogue, Deployment};

use crate::lineage::{Given, Lineages, Use};

/// Addresses that the views of a job may return; a factory with 10,000 markets returns two for each.
const GIVEN_MAX: usize = 50_000;

/// Depth of views on contracts that views returned, if a batch has them in the worst order.
const NESTING_MAX: usize = 8;

/// A call of a view, and its reply.
#[derive(Clone, Copy, Debug)]
pub struct ViewReply<'a> {
    /// Called contract.
    pub contract: Address,
    /// Selector and arguments.
    pub data: &'a [u8],
    /// Returned bytes.
    pub reply: &'a [u8],
}

/// Addresses that a job's claims may call and name.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    contracts: BTreeSet<Address>,
    /// Contracts named by the operator's settings.
    of_settings: BTreeSet<Address>,
    tokens: BTreeSet<Address>,
    given: BTreeMap<(Use, Address), Arc<str>>,
}

/// Origin of a claim's target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSource {
    /// A deployment that the plugin ships.
    Listed,
    /// A deployment of the operator's settings.
    Settings,
    /// This view returned it at the answer's block; a view of a contract of the catalogue, or of one that such a view
    /// returned.
    View(Arc<str>),
}

impl Addresses {
    /// Creates the set that the catalogue lists for a protocol on a network; `is_of_settings` marks rows of the
    /// operator.
    pub fn listed(
        catalogue: &Catalogue,
        protocol: &str,
        chain_id: u64,
        is_of_settings: impl Fn(&Deployment) -> bool,
    ) -> Self {
        let rows = || catalogue.deployments.iter().filter(|row| row.protocol == protocol && row.chain_id == chain_id);
        Self {
            contracts: rows().flat_map(|row| &row.contracts).copied().collect(),
            of_settings: rows().filter(|row| is_of_settings(row)).flat_map(|row| &row.contracts).copied().collect(),
            tokens: rows().flat_map(|row| row.tokens.iter().flatten()).copied().collect(),
            given: BTreeMap::new(),
        }
    }

    /// Returns true if the catalogue lists it as a contract.
    pub fn is_listed(&self, contract: Address) -> bool {
        self.contracts.contains(&contract)
    }

    /// Returns true if a view returned it as a contract, whose own views may return more.
    pub fn is_given_contract(&self, contract: Address) -> bool {
        [Use::Target, Use::Market].into_iter().any(|usable_as| self.given.contains_key(&(usable_as, contract)))
    }

    /// Returns true if a view returned it for this use.
    pub fn is_given(&self, usable_as: Use, address: Address) -> bool {
        self.given.contains_key(&(usable_as, address))
    }

    /// Adds the replies of these views at the answer's block, in any order. Returns the indices of ignored ones, whose
    /// contract is neither listed nor returned by a view.
    pub fn give_all(&mut self, lineages: &Lineages, views: &[ViewReply<'_>]) -> Vec<usize> {
        let mut open: Vec<usize> = (0..views.len()).collect();
        for _ in 0..NESTING_MAX {
            let count = open.len();
            open.retain(|place| !views.get(*place).is_some_and(|view| self.give(lineages, view)));
            if open.len() == count {
                break;
            }
        }
        open
    }

    /// Adds the addresses of a reply. Returns true if the contract of the view is known, so that the reply counts.
    fn give(&mut self, lineages: &Lineages, view: &ViewReply<'_>) -> bool {
        let is_listed = self.is_listed(view.contract);
        let counts = is_listed || self.is_given_contract(view.contract);
        for Given { usable_as, address, view } in lineages.given(is_listed, view.data, view.reply).filter(|_| counts) {
            if self.given.len() >= GIVEN_MAX {
                break;
            }
            self.given.entry((usable_as, address)).or_insert(view);
        }
        counts
    }

    /// Returns the number of addresses that views returned.
    pub fn count_given(&self) -> usize {
        self.given.len()
    }

    /// Returns the origin of a target; `None` if no claim may call it.
    pub(crate) fn target_source(&self, address: Address) -> Option<TargetSource> {
        if self.is_listed(address) {
            let is_of_settings = self.of_settings.contains(&address);
            return Some(if is_of_settings { TargetSource::Settings } else { TargetSource::Listed });
        }
        self.given.get(&(Use::Target, address)).map(|view| TargetSource::View(Arc::clone(view)))
    }

    /// Returns true if a claim may name it as a contract.
    pub(crate) fn is_market(&self, address: Address) -> bool {
        self.is_listed(address) || self.is_given_contract(address)
    }

    /// Returns true if the catalogue lists it or a view returned it, so that what it says of the account counts.
    pub fn is_known(&self, contract: Address) -> bool {
        self.is_market(contract) || self.is_token(contract)
    }

    /// Returns true if a claim may name it as a token.
    pub(crate) fn is_token(&self, address: Address) -> bool {
        self.is_listed(address) || self.is_token_alone(address)
    }

    /// Returns true if it is listed or returned as a token. Unlike in `is_token`, a listed contract does not suffice.
    pub(crate) fn is_token_alone(&self, address: Address) -> bool {
        self.tokens.contains(&address) || self.is_given(Use::Token, address)
    }
}
