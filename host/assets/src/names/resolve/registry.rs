//! The registry and its resolvers, by ENSIP-1 and ENSIP-10. <https://docs.ens.domains/ensip/10>

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
/// The interface of extended resolvers (ENSIP-10), which take whole names, also those below their own.
const EXTENDED: FixedBytes<4> = FixedBytes([0x90, 0x61, 0xb9, 0x23]);
/// Maximum entries; each is a hash, an address and a flag.
const CACHE_MAX: usize = 10_000;

/// The resolvers that names had at their last lookup.
#[derive(Debug)]
pub(super) struct ResolverCache {
    resolvers: Cache<B256, NameResolver>,
}

/// The resolver of a name, with a flag whether it is set for the name itself or for a parent.
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
    /// The reads whose outcomes [`NameResolver::from_outcomes`] takes: the resolvers of the name and of all its
    /// parents.
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

    /// Reads whether the resolver is extended, and the records in both ways, so that neither waits for the other.
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

    /// Interprets the outcomes of [`NameResolver::calls`].
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
            // A plain resolver of a parent would answer for every name below it.
            (false, false) => SearchState::Failed(Absence::NoResolver.into()),
        }
    }
}

/// Unwraps the result of `resolve(bytes,bytes)`, which is that of the resolver's function. Resolvers with off-chain
/// lookups are extended; old resolvers, which revert without data in unknown functions, are not.
pub(super) fn unwrap_extended(call: &ContractCall) -> Result<Bytes, NameFailure> {
    match call.outcome()? {
        Outcome::Reverted(data) if data.is_empty() && !call.via_gateway => Err(NameFailure::BareRevert),
        outcome => Bytes::abi_decode(returned(outcome)?).map_err(|_| Absence::BadRecord.into()),
    }
}

pub(super) fn unwrap_plain(call: &ContractCall) -> Result<Bytes, NameFailure> {
    Ok(returned(call.outcome()?)?.clone())
}
