//! Listed contracts that jobs found without code: logged once, and shown in `/plugins`.
//!
//! Invariant: memory is bounded, and a contract that answers again is removed.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use parking_lot::Mutex;
use portolan_base::network::Network;
use serde::Serialize;

/// Maximum number of contracts. More than a handful indicates a list for another network.
const CONTRACTS_MAX: usize = 64;

/// The contracts of one instance.
#[derive(Debug, Default)]
pub struct WithoutCode(Mutex<BTreeMap<(u64, Address), WithoutCodeStatus>>);

/// A row of a plugin's `withoutCode` in `/plugins`. The serialized names are stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WithoutCodeStatus {
    /// Slug of the protocol whose job found it last.
    protocol: String,
    network: String,
    address: String,
    /// Block of the job that found it last.
    block: u64,
}

/// Contracts that a job on one network called.
#[derive(Clone, Copy, Debug)]
pub struct MetContracts<'a> {
    pub plugin: &'a str,
    pub protocol: &'a str,
    pub network: &'a Network,
    pub block: u64,
    pub without_code: &'a BTreeSet<Address>,
    pub with_code: &'a BTreeSet<Address>,
}

impl WithoutCode {
    /// Records which listed contracts had no code, and which answered.
    pub fn note(&self, met: MetContracts<'_>) {
        let MetContracts { plugin, protocol, network, block, without_code, with_code } = met;
        let mut known = self.0.lock();
        known.retain(|(chain_id, address), _| *chain_id != network.chain_id || !with_code.contains(address));
        for address in without_code {
            let key = (network.chain_id, *address);
            if !known.contains_key(&key) {
                if known.len() >= CONTRACTS_MAX {
                    continue;
                }
                let network = network.slug.as_str();
                tracing::warn!(plugin, protocol, network, %address, block, "a listed contract has no code");
            }
            let (protocol, network) = (protocol.to_owned(), network.slug.clone());
            known.insert(key, WithoutCodeStatus { protocol, network, address: format!("{address:#x}"), block });
        }
    }

    /// The contracts on a network.
    pub fn on(&self, chain_id: u64) -> BTreeSet<Address> {
        self.0.lock().keys().filter(|(on, _)| *on == chain_id).map(|(_, address)| *address).collect()
    }

    /// The rows, ordered by network and address.
    pub(crate) fn status(&self) -> Vec<WithoutCodeStatus> {
        self.0.lock().values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use portolan_base::network::Networks;

    use super::*;

    const MAINNET: u64 = 1;

    fn told(known: &WithoutCode, without: &[u8], with: &[u8]) -> Vec<String> {
        let networks = Networks::new([]);
        let set = |bytes: &[u8]| bytes.iter().map(|byte| Address::with_last_byte(*byte)).collect::<BTreeSet<_>>();
        let network = networks.with_chain_id(MAINNET).unwrap();
        let (without_code, with_code) = (&set(without), &set(with));
        known.note(MetContracts { plugin: "acme", protocol: "acme", network, block: 7, without_code, with_code });
        known.status().into_iter().map(|row| row.address[40..].to_owned()).collect()
    }

    #[test]
    fn a_contract_is_told_of_until_it_answers() {
        let known = WithoutCode::default();
        assert_eq!(told(&known, &[1, 2], &[3]), ["01", "02"]);
        assert_eq!(told(&known, &[1], &[]), ["01", "02"], "who was not asked is as before");
        assert_eq!(told(&known, &[], &[2]), ["01"]);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(told(&WithoutCode::default(), &all, &[]).len(), CONTRACTS_MAX);
    }
}
