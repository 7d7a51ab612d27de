//! The addresses that a job's claims may go to and name.
//!
//! Invariant: an address is there only because the catalogue lists it for the job's protocol and network, or because a
//! declared view gave it; and only for the use that it was given for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::map::{Catalogue, Deployment};

use crate::lineage::{Given, Lineages, Use};

/// Addresses that the views of a job give; a factory with 10,000 markets gives two each.
const GIVEN_MAX: usize = 50_000;

/// Views of contracts that views gave go so deep, where one batch has them in the order that helps least.
const NESTING_MAX: usize = 8;

/// A call of a view, and what it returned.
#[derive(Clone, Copy, Debug)]
pub struct ViewReply<'a> {
    /// The contract.
    pub contract: Address,
    /// Selector and arguments.
    pub data: &'a [u8],
    /// What it returned.
    pub reply: &'a [u8],
}

/// What a job's claims may go to and name.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    contracts: BTreeSet<Address>,
    /// Those of the contracts that the operator's settings named.
    of_settings: BTreeSet<Address>,
    tokens: BTreeSet<Address>,
    given: BTreeMap<(Use, Address), Arc<str>>,
}

/// Where a claim's target comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSource {
    /// The catalogue has it, in a deployment that the plugin ships.
    Listed,
    /// The catalogue has it, in a deployment of the operator's settings.
    Settings,
    /// This view of a contract of the catalogue, or of one that such a view gave, returned it at the answer's block.
    View(Arc<str>),
}

impl Addresses {
    /// Those that the catalogue lists for a protocol on a network; `is_of_settings` where the operator named a row.
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

    /// Whether the catalogue lists it as a contract.
    pub fn is_listed(&self, contract: Address) -> bool {
        self.contracts.contains(&contract)
    }

    /// Whether a view gave it as a contract, so that views of its own may give further ones.
    pub fn is_given_contract(&self, contract: Address) -> bool {
        [Use::Target, Use::Market].into_iter().any(|usable_as| self.given.contains_key(&(usable_as, contract)))
    }

    /// Whether a view gave it for this use.
    pub fn is_given(&self, usable_as: Use, address: Address) -> bool {
        self.given.contains_key(&(usable_as, address))
    }

    /// Adds what these views returned at the answer's block, in whatever order they stand. Returns the places of those that
    /// do not count, because neither the catalogue lists their contract nor a view gave it.
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

    /// Whether the contract of the view is known, so that what it returned counts.
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

    /// How many were given.
    pub fn count_given(&self) -> usize {
        self.given.len()
    }

    /// Where a target comes from; `None` where no claim may go there.
    pub(crate) fn target_source(&self, address: Address) -> Option<TargetSource> {
        if self.is_listed(address) {
            let is_of_settings = self.of_settings.contains(&address);
            return Some(if is_of_settings { TargetSource::Settings } else { TargetSource::Listed });
        }
        self.given.get(&(Use::Target, address)).map(|view| TargetSource::View(Arc::clone(view)))
    }

    /// Whether a claim may name it as a contract.
    pub(crate) fn is_market(&self, address: Address) -> bool {
        self.is_listed(address) || self.is_given_contract(address)
    }

    /// Whether a claim may name it as a token.
    pub(crate) fn is_token(&self, address: Address) -> bool {
        self.is_listed(address) || self.is_token_alone(address)
    }

    /// Whether it is known as a token, and not as a contract that claims go to.
    pub(crate) fn is_token_alone(&self, address: Address) -> bool {
        self.tokens.contains(&address) || self.is_given(Use::Token, address)
    }
}
