//! The registry and the resolvers that it names, by ENSIP-1 and ENSIP-10. <https://docs.ens.domains/ensip/10>

use alloy::primitives::{Address, B256, Bytes, FixedBytes, address};
use alloy::sol_types::{SolCall, SolValue};
use portolan_reader::{Outcome, Read};
use quick_cache::sync::Cache;

use super::{Question, Search, Source};
use crate::names::chain::{Called, returned};
use crate::names::name::Name;
use crate::names::{Absence, NameFailure, contracts};

/// <https://docs.ens.domains/learn/deployments>
const REGISTRY: Address = address!("00000000000C2E074eC69A0dFb2997BA6C7d2e1e");
/// A contract that resolves names which it is asked for as a whole, those below its own among them.
const EXTENDED: FixedBytes<4> = FixedBytes([0x90, 0x61, 0xb9, 0x23]);
/// Each is a hash, an address and a number.
const GUESSES_MAX: usize = 10_000;

/// The resolvers that names had when they were last asked for.
#[derive(Debug)]
pub(super) struct Registry {
    guesses: Cache<B256, Seat>,
}

/// The resolver of a name, and whether it is the name's own or of one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    resolver: Address,
    is_own: bool,
}

impl Registry {
    pub(super) fn new() -> Self {
        Self { guesses: Cache::new(GUESSES_MAX) }
    }

    pub(super) fn guess(&self, name: &Name) -> Option<Seat> {
        self.guesses.get(&name.node())
    }

    pub(super) fn found(&self, name: &Name, seat: Seat) {
        self.guesses.insert(name.node(), seat);
    }

    /// The reads that tell the seat: the resolvers of the name and of all above it.
    pub(super) fn seats(name: &Name) -> Vec<Read> {
        let call = |node: &B256| contracts::Registry::resolverCall { node: *node }.abi_encode();
        name.nodes().iter().map(|node| Read::call(REGISTRY, call(node))).collect()
    }
}

impl Seat {
    /// By the outcomes of [`Registry::seats`].
    pub(super) fn of(outcomes: &[Outcome]) -> Result<Self, NameFailure> {
        for (height, outcome) in outcomes.iter().enumerate() {
            let resolver = Address::abi_decode(returned(outcome)?).map_err(|_| Absence::BadRecord)?;
            if !resolver.is_zero() {
                return Ok(Self { resolver, is_own: height == 0 });
            }
        }
        Err(Absence::NoResolver.into())
    }

    /// Whether it is an extended resolver, and the records in both ways, so that there is no waiting to know.
    pub(super) fn calls(self, question: &Question) -> Vec<Read> {
        let call = |data: Vec<u8>| Read::call(self.resolver, data);
        let is_extended = contracts::Resolver::supportsInterfaceCall { interfaceId: EXTENDED }.abi_encode();
        let extended = |record: &Vec<u8>| contracts::Resolver::resolveCall {
            name: question.name.dns().clone(),
            data: record.clone().into(),
        };
        let mut calls = vec![call(is_extended)];
        calls.extend(question.records.iter().map(|record| call(extended(record).abi_encode())));
        if self.is_own {
            calls.extend(question.records.iter().map(|record| call(record.clone())));
        }
        calls
    }

    /// By the outcomes of [`Seat::calls`].
    pub(super) fn called(self, question: &Question, outcomes: &[Outcome]) -> Search {
        let Some((is_extended, records)) = outcomes.split_first() else {
            return Search::Failed(Absence::NoResolver.into());
        };
        if let Outcome::Failed(failure) = is_extended {
            return Search::Failed((*failure).into());
        }
        let is_extended =
            matches!(is_extended, Outcome::Ok(bytes) if bytes.get(..32).is_some_and(|word| word != [0; 32]));
        let (extended, plain) = records.split_at(question.records.len().min(records.len()));
        let calls =
            |outcomes: &[Outcome]| outcomes.iter().map(|each| Called::new(self.resolver, each.clone())).collect();
        match (is_extended, self.is_own) {
            (true, _) => Search::Calling(Source::Extended(self.resolver), calls(extended)),
            (false, true) => Search::Calling(Source::Plain(self.resolver), calls(plain)),
            // Such a resolver would answer for every name below its own.
            (false, false) => Search::Failed(Absence::NoResolver.into()),
        }
    }
}

/// What `resolve(bytes,bytes)` returned is what the resolver's function would have.
pub(super) fn unwrap_extended(call: &Called) -> Result<Bytes, NameFailure> {
    Bytes::abi_decode(returned(call.outcome()?)?).map_err(|_| Absence::BadRecord.into())
}

pub(super) fn unwrap_plain(call: &Called) -> Result<Bytes, NameFailure> {
    Ok(returned(call.outcome()?)?.clone())
}
