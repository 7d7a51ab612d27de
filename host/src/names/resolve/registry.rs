//! The registry and the resolvers that it names, by ENSIP-1 and ENSIP-10. <https://docs.ens.domains/ensip/10>

use alloy::primitives::{Address, B256, Bytes, FixedBytes, address};
use alloy::sol_types::{SolCall, SolValue};
use portolan_reader::{Outcome, Read};
use quick_cache::sync::Cache;

use super::{RecordQuery, RecordSource, SearchState};
use crate::names::call::{ContractCall, returned};
use crate::names::name::Name;
use crate::names::{Absence, NameFailure, contracts};

/// <https://docs.ens.domains/learn/deployments>
const REGISTRY: Address = address!("00000000000C2E074eC69A0dFb2997BA6C7d2e1e");
/// The interface of resolvers that take whole names, those below their own among them (ENSIP-10).
const EXTENDED: FixedBytes<4> = FixedBytes([0x90, 0x61, 0xb9, 0x23]);
/// Each is a hash, an address and a flag.
const CACHE_MAX: usize = 10_000;

/// The resolvers that names had when they were last looked up.
#[derive(Debug)]
pub(super) struct ResolverCache {
    resolvers: Cache<B256, NameResolver>,
}

/// The resolver of a name, and whether it is the name's own or of one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameResolver {
    resolver: Address,
    is_own: bool,
}

impl ResolverCache {
    pub(super) fn new() -> Self {
        Self { resolvers: Cache::new(CACHE_MAX) }
    }

    pub(super) fn get(&self, name: &Name) -> Option<NameResolver> {
        self.resolvers.get(&name.node())
    }

    pub(super) fn insert(&self, name: &Name, resolver: NameResolver) {
        self.resolvers.insert(name.node(), resolver);
    }
}

impl NameResolver {
    /// The reads that [`NameResolver::from_outcomes`] takes the outcomes of: the resolvers of the name and of all above it.
    pub(super) fn reads(name: &Name) -> Vec<Read> {
        let call = |node: &B256| contracts::Registry::resolverCall { node: *node }.abi_encode();
        name.nodes().iter().map(|node| Read::call(REGISTRY, call(node))).collect()
    }

    pub(super) fn from_outcomes(outcomes: &[Outcome]) -> Result<Self, NameFailure> {
        for (height, outcome) in outcomes.iter().enumerate() {
            let resolver = Address::abi_decode(returned(outcome)?).map_err(|_| Absence::BadRecord)?;
            if !resolver.is_zero() {
                return Ok(Self { resolver, is_own: height == 0 });
            }
        }
        Err(Absence::NoResolver.into())
    }

    /// Reads whether it is an extended resolver, and the records in both ways, so that nothing waits for the former.
    pub(super) fn calls(self, query: &RecordQuery) -> Vec<Read> {
        let call = |data: Vec<u8>| Read::call(self.resolver, data);
        let is_extended = contracts::Resolver::supportsInterfaceCall { interfaceId: EXTENDED }.abi_encode();
        let extended = |record: &Vec<u8>| contracts::Resolver::resolveCall {
            name: query.name.dns().clone(),
            data: record.clone().into(),
        };
        let mut calls = vec![call(is_extended)];
        calls.extend(query.records.iter().map(|record| call(extended(record).abi_encode())));
        if self.is_own {
            calls.extend(query.records.iter().map(|record| call(record.clone())));
        }
        calls
    }

    /// Takes the outcomes of [`NameResolver::calls`].
    pub(super) fn called(self, query: &RecordQuery, outcomes: &[Outcome]) -> SearchState {
        let Some((is_extended, records)) = outcomes.split_first() else {
            return SearchState::Failed(Absence::NoResolver.into());
        };
        if let Outcome::Failed(failure) = is_extended {
            return SearchState::Failed((*failure).into());
        }
        let is_extended =
            matches!(is_extended, Outcome::Ok(bytes) if bytes.get(..32).is_some_and(|word| word != [0; 32]));
        let (extended, plain) = records.split_at(query.records.len().min(records.len()));
        let calls =
            |outcomes: &[Outcome]| outcomes.iter().map(|each| ContractCall::new(self.resolver, each.clone())).collect();
        match (is_extended, self.is_own) {
            (true, _) => SearchState::Calling(RecordSource::Extended(self.resolver), calls(extended)),
            (false, true) => SearchState::Calling(RecordSource::Plain(self.resolver), calls(plain)),
            // Such a resolver would answer for every name below its own.
            (false, false) => SearchState::Failed(Absence::NoResolver.into()),
        }
    }
}

/// `resolve(bytes,bytes)` returns what the resolver's function would have returned. Resolvers that look up off-chain are
/// of this kind, and old ones, which revert without data where they have no such function, are not.
pub(super) fn unwrap_extended(call: &ContractCall) -> Result<Bytes, NameFailure> {
    match call.outcome()? {
        Outcome::Reverted(data) if data.is_empty() && !call.via_gateway => Err(NameFailure::BareRevert),
        outcome => Bytes::abi_decode(returned(outcome)?).map_err(|_| Absence::BadRecord.into()),
    }
}

pub(super) fn unwrap_plain(call: &ContractCall) -> Result<Bytes, NameFailure> {
    Ok(returned(call.outcome()?)?.clone())
}
