//! A chain with a registry of names and contracts that answer as a test says, and a count of what was asked.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, address};
use alloy::sol_types::{SolCall, SolError, SolValue};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_reader::{
    Block, Freshness, Outcome, Read, ReadFailure, ReadSet, Reader, Reply, ReplySet, TransactionLookup,
};
use tokio::time::Instant;

use crate::names::Name;
use crate::names::contracts::{OffchainLookup, Registry, Resolver};

const REGISTRY: Address = address!("00000000000C2E074eC69A0dFb2997BA6C7d2e1e");

pub(super) const BLOCK: Block = Block {
    number: 21_000_000,
    hash: B256::repeat_byte(1),
    parent: B256::repeat_byte(2),
    timestamp: 1_700_000_000,
    evm_number: 21_000_000,
};

/// What a contract does with calldata.
pub(super) type Contract = Arc<dyn Fn(&[u8]) -> Outcome + Send + Sync>;

/// A copy counts with the original.
#[derive(Clone, Default)]
pub(super) struct World {
    registry: HashMap<B256, Address>,
    contracts: HashMap<Address, Contract>,
    lost: Option<ReadFailure>,
    waves: Arc<Mutex<Vec<Vec<Read>>>>,
}

pub(super) fn ok(returned: impl SolValue) -> Outcome {
    Outcome::Ok(returned.abi_encode().into())
}

pub(super) fn reverted() -> Outcome {
    Outcome::Reverted(Bytes::new())
}

/// A call by its selector.
pub(super) fn call<C: SolCall>(data: &[u8]) -> Option<C> {
    C::abi_decode(data).ok()
}

pub(super) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// A resolver of ENSIP-1 with what its functions return, by calldata.
pub(super) fn plain(records: Vec<(Vec<u8>, Vec<u8>)>) -> Contract {
    let records: HashMap<Vec<u8>, Vec<u8>> = records.into_iter().collect();
    Arc::new(move |data| match call::<Resolver::supportsInterfaceCall>(data) {
        Some(_) => ok(false),
        None => records.get(data).map_or_else(reverted, |returned| Outcome::Ok(returned.clone().into())),
    })
}

/// The same with Ethereum addresses alone.
pub(super) fn addresses(of: &[(&str, Address)]) -> Contract {
    let record = |(text, address): &(&str, Address)| {
        (Resolver::addr_0Call { node: name(text).node() }.abi_encode(), address.abi_encode())
    };
    plain(of.iter().map(record).collect())
}

/// A resolver of ENSIP-10: what it does with a name as DNS writes it and a record's calldata. Other calls come with an
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

/// What `resolve(bytes,bytes)` returns where the record's own function would return an address.
pub(super) fn wrapped(address: Address) -> Outcome {
    ok(Bytes::from(address.abi_encode()))
}

pub(super) const CALLBACK: [u8; 4] = *b"back";

/// The revert that asks for a lookup.
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

/// The gateway's answer and the extra data, where a call is the callback.
pub(super) fn callback(data: &[u8]) -> Option<(Bytes, Bytes)> {
    <(Bytes, Bytes)>::abi_decode_params(data.strip_prefix(&CALLBACK)?).ok()
}

impl World {
    pub(super) fn resolver(&mut self, of: &str, resolver: Address) -> &mut Self {
        // Reverse names are no names that people write, but are normalised.
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

    /// Round trips so far.
    pub(super) fn round_trips(&self) -> usize {
        self.waves.lock().len()
    }

    /// Whether a function of a contract was called.
    pub(super) fn was_called(&self, to: Address, selector: [u8; 4]) -> bool {
        self.waves.lock().iter().flatten().any(|read| read.to == to && read.data.starts_with(&selector))
    }

    fn outcome(&self, read: &Read) -> Outcome {
        assert_eq!(read.freshness, Freshness::Pinned, "an address is told of the answer's block");
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

impl Reader for World {
    fn is_usable(&self, _: Instant) -> BoxFuture<'_, bool> {
        async { true }.boxed()
    }

    fn pin(&self, _: u64, _: Instant) -> BoxFuture<'_, Result<Block, ReadFailure>> {
        async { Ok(BLOCK) }.boxed()
    }

    fn cached(&self, _: u64, _: &Block, _: &ReadSet) -> Vec<(usize, Reply)> {
        Vec::new()
    }

    fn chunk_reads(&self, _: u64) -> usize {
        500
    }

    fn linger(&self, _: u64) -> Duration {
        Duration::from_millis(2)
    }

    fn fetch(&self, chain_id: u64, block: Block, reads: ReadSet, _: Instant) -> BoxFuture<'_, ReplySet> {
        assert_eq!((chain_id, block), (1, BLOCK));
        let replies = reads.iter().map(|read| Reply::fresh(self.outcome(&read))).collect();
        self.waves.lock().push(reads.iter().collect());
        async move { replies }.boxed()
    }

    fn transaction(&self, _: u64, _: B256, _: Instant) -> BoxFuture<'_, Result<TransactionLookup, ReadFailure>> {
        async { Err(ReadFailure::NotConfigured) }.boxed()
    }
}
