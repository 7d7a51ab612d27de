//! Names of spenders: contracts of the deployments that are served here, and a few that are the same on all networks.
//!
//! Invariant: a name is never taken from a contract, which could call itself anything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::{Address, address};
use portolan_plugins::Snapshot;
use portolan_plugins::protocol::Protocol;

use crate::gateway::answer::Spender;

/// Contracts that have the same address and code on every network, since a factory made them by CREATE2.
const EVERYWHERE: [(Address, &str); 1] = [
    // https://github.com/Uniswap/permit2
    (address!("000000000022d473030f116ddee9f6b43ac78ba3"), "Permit2"),
];

/// The protocols of some spenders.
pub(super) struct Spenders(BTreeMap<Address, Arc<Protocol>>);

impl Spenders {
    /// Finds the protocols that these spenders belong to on a network.
    pub(super) fn of(snapshot: &Snapshot, chain_id: u64, spenders: impl Iterator<Item = Address>) -> Self {
        let wanted: BTreeSet<Address> = spenders.collect();
        let mut known: BTreeMap<Address, Arc<Protocol>> = BTreeMap::new();
        for served in snapshot.iter() {
            let own = served.deployments().filter(|row| row.chain_id == chain_id).flat_map(|row| &row.contracts);
            for contract in own.filter(|contract| wanted.contains(*contract)) {
                known.entry(*contract).or_insert_with(|| Arc::clone(&served.protocol));
            }
        }
        Self(known)
    }

    pub(super) fn get(&self, address: Address) -> Spender {
        let protocol = self.0.get(&address).cloned();
        let name = EVERYWHERE.iter().find(|(known, _)| *known == address).map(|(_, name)| *name);
        Spender { address, name, protocol }
    }
}
