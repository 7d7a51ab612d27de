//! A chain with a registry of names and scripted contracts, which counts round trips.

use std::collections::HashMap;
use std::sync::Arc;

use alloy::primitives::{Address, B256, Bytes, address};
use alloy::sol_types::{SolCall, SolError, SolValue};
use portolan_reader::testing::{ScriptedChain, is_pinned};
use portolan_reader::{Outcome, Read, ReadFailure, Session};
use tokio::time::Instant;

use crate::names::Name;
use crate::names::contracts::{OffchainLookup, Registry, Resolver};

const REGISTRY: Address = address!("00000000000C2E074eC69A0dFb2997BA6C7d2e1e");

/// The outcome of a call with this calldata.
pub(super) type Contract = Arc<dyn Fn(&[u8]) -> Outcome + Send + Sync>;

/// Clones share their counts.
#[derive(Clone, Default)]
pub(super) struct World {
    chain: ScriptedChain,
    registry: HashMap<B256, Address>,
    contracts: HashMap<Address, Contract>,
    lost: Option<ReadFailure>,
}

pub(super) fn ok(returned: impl SolValue) -> Outcome {
    Outcome::Ok(returned.abi_encode().into())
}

pub(super) fn reverted() -> Outcome {
    Outcome::Reverted(Bytes::new())
}

/// A revert with data, as from a resolver that gives a reason.
pub(super) fn refused() -> Outcome {
    Outcome::Reverted(b"no such record".into())
}

/// Decodes a call by its selector.
pub(super) fn call<C: SolCall>(data: &[u8]) -> Option<C> {
    C::abi_decode(data).ok()
}

pub(super) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// A resolver of ENSIP-1: return values by calldata.
pub(super) fn plain(records: Vec<(Vec<u8>, Vec<u8>)>) -> Contract {
    let records: HashMap<Vec<u8>, Vec<u8>> = records.into_iter().collect();
    Arc::new(move |data| match call::<Resolver::supportsInterfaceCall>(data) {
        Some(_) => ok(false),
        None => records.get(data).map_or_else(reverted, |returned| Outcome::Ok(returned.clone().into())),
    })
}

/// A resolver of ENSIP-1 with only Ethereum addresses.
pub(super) fn addresses(of: &[(&str, Address)]) -> Contract {
    let record = |(text, address): &(&str, Address)| {
        (Resolver::addr_0Call { node: name(text).node() }.abi_encode(), address.abi_encode())
    };
    plain(of.iter().map(record).collect())
}

/// A resolver of ENSIP-10: `resolve` takes the DNS-encoded name and a record's calldata. Other calls come with an
/// empty name.
pub(super) fn extended(resolve: impl Fn(&[u8], &[u8]) -> Outcome + Send + Sync + 'static) -> Contract {
    Arc::new(move |data| {
        if let Some(asked) = call::<Resolver::supportsInterfaceCall>(data) {
            return ok(asked.interfaceId.0 == [0x90, 0x61, 0xb9, 0x23]);
        }
        match call::<Resolver::resolveCall>(data) {
            Some(asked) => resolve(&asked.name, &asked.data),
            None => resolve(&[], data),
        }
    })
}

/// The result of `resolve(bytes,bytes)` for a record function that returns this address.
pub(super) fn wrapped(address: Address) -> Outcome {
    ok(Bytes::from(address.abi_encode()))
}

pub(super) const CALLBACK: [u8; 4] = *b"back";

/// The revert that requests a lookup.
pub(super) fn lookup(sender: Address, urls: &[String], data: &[u8], extra: &[u8]) -> Outcome {
    let lookup = OffchainLookup {
        sender,
        urls: urls.to_vec(),
        callData: Bytes::copy_from_slice(data),
        callbackFunction: CALLBACK.into(),
        extraData: Bytes::copy_from_slice(extra),
    };
    Outcome::Reverted(lookup.abi_encode().into())
}

/// The gateway's answer and the extra data, if the call is the callback.
pub(super) fn callback(data: &[u8]) -> Option<(Bytes, Bytes)> {
    <(Bytes, Bytes)>::abi_decode_params(data.strip_prefix(&CALLBACK)?).ok()
}

impl World {
    pub(super) fn resolver(&mut self, of: &str, resolver: Address) -> &mut Self {
        // Reverse names are normalised already.
        self.registry.insert(name(of).node(), resolver);
        self
    }

    pub(super) fn contract(&mut self, at: Address, contract: Contract) -> &mut Self {
        self.contracts.insert(at, contract);
        self
    }

    pub(super) fn lose(&mut self, failure: ReadFailure) -> &mut Self {
        self.lost = Some(failure);
        self
    }

    /// Opens a session at a new block, at which nothing is cached yet.
    pub(super) fn session(&self, deadline: Instant) -> Arc<Session> {
        let world = self.clone();
        self.chain.next_block();
        self.chain.clone().otherwise(move |read| world.outcome(read)).session(deadline)
    }

    /// Round trips so far.
    pub(super) fn round_trips(&self) -> usize {
        self.chain.requests().len()
    }

    /// Returns true if this function of the contract was called.
    pub(super) fn was_called(&self, to: Address, selector: [u8; 4]) -> bool {
        self.chain.requests().iter().flatten().any(|read| read.to == to && read.data.starts_with(&selector))
    }

    fn outcome(&self, read: &Read) -> Outcome {
        assert!(is_pinned(read), "an address is told of the answer's block");
        if let Some(failure) = self.lost {
            return Outcome::Failed(failure);
        }
        if read.to == REGISTRY {
            let node = call::<Registry::resolverCall>(&read.data).unwrap().node;
            return ok(self.registry.get(&node).copied().unwrap_or_default());
        }
        self.contracts.get(&read.to).map_or(Outcome::NoCode, |contract| contract(&read.data))
    }
}
