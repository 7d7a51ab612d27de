//! Contracts that a job found without code, and contracts known to have had none that replied now.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_reader::{Outcome, Reply};
use portolan_validation::Addresses;

use crate::jobs::plan::JobPlan;

/// Code seen by a job's reads of its own network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MetCode {
    /// Number of the block; 0 if nothing was read.
    pub(crate) block: u64,
    pub(crate) without: BTreeSet<Address>,
    pub(crate) with: BTreeSet<Address>,
    /// Contracts known to have had no code.
    watched: BTreeSet<Address>,
}

impl MetCode {
    pub(super) fn new(plan: &JobPlan) -> Self {
        Self { watched: plan.instance.without_code.on(plan.network.chain_id), ..Self::default() }
    }

    pub(super) fn note(&mut self, to: Address, reply: &Reply) {
        match reply.outcome {
            Outcome::NoCode => {
                self.without.insert(to);
            }
            Outcome::Ok(_) if self.watched.contains(&to) => {
                self.with.insert(to);
            }
            _ => {}
        }
    }

    /// Sets the block, and retains only contracts that the catalogue lists or that its views returned.
    pub(super) fn of_known(mut self, addresses: &Addresses, block: u64) -> Self {
        self.without.retain(|contract| addresses.is_listed(*contract) || addresses.is_given_contract(*contract));
        Self { block, ..self }
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Bytes;
    use portolan_abi::map::{Catalogue, Deployment};

    use super::*;

    const LISTED: Address = Address::repeat_byte(1);
    const WATCHED: Address = Address::repeat_byte(2);
    const OF_AN_ACCOUNT: Address = Address::repeat_byte(3);

    #[test]
    fn only_what_the_protocol_lists_is_told_of() {
        let mut met = MetCode { watched: BTreeSet::from([WATCHED]), ..MetCode::default() };
        for contract in [LISTED, WATCHED, OF_AN_ACCOUNT] {
            met.note(contract, &Reply::fresh(Outcome::NoCode));
        }
        for contract in [LISTED, WATCHED] {
            met.note(contract, &Reply::fresh(Outcome::Ok(Bytes::new())));
        }
        let row = Deployment {
            protocol: "acme".to_owned(),
            chain_id: 1,
            contracts: vec![LISTED, WATCHED],
            ..Deployment::default()
        };
        let catalogue = Catalogue { deployments: vec![row], ..Catalogue::default() };
        let met = met.of_known(&Addresses::listed(&catalogue, "acme", 1, |_| false), 7);
        assert_eq!((met.block, met.without), (7, BTreeSet::from([LISTED, WATCHED])));
        assert_eq!(met.with, BTreeSet::from([WATCHED]), "nobody asks whether the others answered");
    }
}
