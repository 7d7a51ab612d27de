//! Resolves records: finds the contract that knows a name, and reads the name's records from it.
//!
//! Invariant: records come from the contracts at the pinned block. The cached resolver of a name is a guess that
//! saves a round trip: it is verified in the same batch, and a wrong guess costs another. Many names take as many
//! round trips as one.

mod registry;
mod universal;

use std::ops::Range;

use alloy::primitives::{Address, Bytes};
use portolan_base::net::outgoing_budget::OutgoingBudget;
use portolan_reader::{Outcome, Read, Session};

use self::registry::{NameResolver, ResolverCache};
use self::universal::UniversalContract;
use super::call::{self, ContractCall};
use super::ccip::{GatewayError, Gateways};
use super::name::Name;
use super::{Absence, NameFailure, ResolvedBy};

/// The records requested of one name.
#[derive(Debug)]
pub(super) struct RecordQuery {
    pub(super) name: Name,
    /// Calldata for the resolver's functions.
    pub(super) records: Vec<Vec<u8>>,
}

/// The records of one name.
#[derive(Debug)]
pub(super) struct NameRecords {
    pub(super) resolver: Option<Address>,
    pub(super) resolved_by: ResolvedBy,
    /// One per requested record, in the order of the query.
    pub(super) records: Vec<Result<Record, NameFailure>>,
}

/// The bytes that the resolver's function returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) data: Bytes,
    pub(super) via_gateway: bool,
}

/// Finds records.
#[derive(Debug)]
pub(super) struct Resolution {
    universal: Option<UniversalContract>,
    resolvers: ResolverCache,
    gateways: Gateways,
}

/// The state of the search for one name.
enum SearchState {
    Start,
    FoundResolver(NameResolver),
    /// The calls whose results are the records.
    Calling(RecordSource, Vec<ContractCall>),
    Failed(NameFailure),
}

/// The contract that was called, which determines how its return value is wrapped.
#[derive(Clone, Copy)]
enum RecordSource {
    Universal,
    /// A resolver's `resolve(bytes,bytes)`.
    Extended(Address),
    /// A resolver's own function.
    Plain(Address),
}

impl Resolution {
    pub(super) fn new(universal: Option<Address>, gateways: Gateways) -> Self {
        Self { universal: universal.map(UniversalContract::new), resolvers: ResolverCache::new(), gateways }
    }

    /// Resolves the queries in at most two round trips, or in one if the resolvers are cached or there is a Universal
    /// Resolver. A gateway, or a wrong cached resolver, takes more.
    pub(super) async fn resolve(
        &self,
        session: &Session,
        outgoing: &OutgoingBudget,
        queries: &[RecordQuery],
    ) -> Vec<NameRecords> {
        let mut searches = self.first_batch(session, queries).await;
        self.find_resolvers(session, queries, &mut searches).await;
        self.call(session, queries, &mut searches).await;
        let calls = searches.iter_mut().flat_map(|search| match search {
            SearchState::Calling(_, calls) => calls.iter_mut(),
            _ => [].iter_mut(),
        });
        call::complete_lookups(session, &self.gateways, outgoing, calls.collect()).await;
        searches.into_iter().zip(queries).map(|(search, query)| search.answer(query)).collect()
    }

    /// Makes all reads that are possible at once. These include the registry's until the Universal Resolver is known
    /// to exist.
    async fn first_batch(&self, session: &Session, queries: &[RecordQuery]) -> Vec<SearchState> {
        let universal = self.universal.as_ref();
        let reads_registry = universal.is_none_or(|universal| !universal.has_answered());
        let mut batch = ReadBatch::default();
        let reads: Vec<_> = queries
            .iter()
            .map(|query| {
                let by_universal = universal.map(|universal| (universal, batch.add(universal.calls(query))));
                let found = reads_registry.then(|| batch.add(NameResolver::reads(&query.name)));
                let cached = found.as_ref().and_then(|_| self.resolvers.get(&query.name));
                let cached = cached.map(|resolver| (resolver, batch.add(resolver.calls(query))));
                (by_universal, found, cached)
            })
            .collect();
        let outcomes = batch.send(session).await;
        let search = |(query, (by_universal, found, cached)): (&RecordQuery, (Option<_>, Option<_>, Option<_>))| {
            if let Some((universal, place)) = by_universal
                && let Some(calls) = UniversalContract::answer(universal, query, &outcomes[place])
            {
                return SearchState::Calling(RecordSource::Universal, calls);
            }
            let Some(found) = found else { return SearchState::Start };
            match (NameResolver::from_outcomes(&outcomes[found]), cached) {
                (Ok(resolver), Some((cached, place))) if resolver == cached => {
                    self.called(query, resolver, &outcomes[place])
                }
                (Ok(resolver), _) => SearchState::FoundResolver(resolver),
                (Err(failure), _) => SearchState::Failed(failure),
            }
        };
        queries.iter().zip(reads).map(search).collect()
    }

    /// Reads the resolvers of names that a Universal Resolver, although known, did not answer.
    async fn find_resolvers(&self, session: &Session, queries: &[RecordQuery], searches: &mut [SearchState]) {
        let mut batch = ReadBatch::default();
        let open = searches.iter_mut().zip(queries).filter(|(search, _)| matches!(search, SearchState::Start));
        let reads: Vec<_> = open.map(|(search, query)| (search, batch.add(NameResolver::reads(&query.name)))).collect();
        let outcomes = batch.send(session).await;
        for (search, place) in reads {
            *search = NameResolver::from_outcomes(&outcomes[place])
                .map_or_else(SearchState::Failed, SearchState::FoundResolver);
        }
    }

    async fn call(&self, session: &Session, queries: &[RecordQuery], searches: &mut [SearchState]) {
        let mut batch = ReadBatch::default();
        let open = searches.iter_mut().zip(queries).filter_map(|(search, query)| match search {
            SearchState::FoundResolver(resolver) => Some((*resolver, search, query)),
            _ => None,
        });
        let reads: Vec<_> =
            open.map(|(resolver, search, query)| (resolver, search, query, batch.add(resolver.calls(query)))).collect();
        let outcomes = batch.send(session).await;
        for (resolver, search, query, place) in reads {
            *search = self.called(query, resolver, &outcomes[place]);
        }
    }

    fn called(&self, query: &RecordQuery, resolver: NameResolver, outcomes: &[Outcome]) -> SearchState {
        self.resolvers.insert(&query.name, resolver);
        resolver.called(query, outcomes)
    }
}

impl SearchState {
    fn answer(self, query: &RecordQuery) -> NameRecords {
        let failed = |failure: NameFailure| NameRecords {
            resolver: None,
            resolved_by: ResolvedBy::Registry,
            records: query.records.iter().map(|_| Err(failure)).collect(),
        };
        match self {
            Self::Failed(failure) => failed(failure),
            // Every search is in `Calling` by now.
            Self::Start | Self::FoundResolver(_) => failed(Absence::NoResolver.into()),
            Self::Calling(source, calls) => {
                let mut resolver = source.resolver();
                let record = |call: ContractCall| {
                    let (data, own_resolver) = match source.unwrap(&call) {
                        // The gateway is at fault, and may succeed another time.
                        Err(NameFailure::Absent(Absence::Refused)) if call.via_gateway => {
                            return Err(GatewayError::Rejected.into());
                        }
                        unwrapped => unwrapped?,
                    };
                    resolver = own_resolver;
                    Ok(Record { data, via_gateway: call.via_gateway })
                };
                let records = calls.into_iter().map(record).collect();
                NameRecords { resolver, resolved_by: source.resolved_by(), records }
            }
        }
    }
}

impl RecordSource {
    fn resolver(self) -> Option<Address> {
        match self {
            Self::Universal => None,
            Self::Extended(resolver) | Self::Plain(resolver) => Some(resolver),
        }
    }

    fn resolved_by(self) -> ResolvedBy {
        match self {
            Self::Universal => ResolvedBy::UniversalResolver,
            Self::Extended(_) | Self::Plain(_) => ResolvedBy::Registry,
        }
    }

    /// Returns the bytes that the resolver's function returned, and the resolver.
    fn unwrap(self, call: &ContractCall) -> Result<(Bytes, Option<Address>), NameFailure> {
        let (data, resolver) = match self {
            Self::Universal => UniversalContract::unwrap(call)?,
            Self::Extended(resolver) => (registry::unwrap_extended(call)?, resolver),
            Self::Plain(resolver) => (registry::unwrap_plain(call)?, resolver),
        };
        if data.is_empty() { Err(Absence::NoRecord.into()) } else { Ok((data, Some(resolver))) }
    }
}

/// The reads of one batch; each name has a range of it.
#[derive(Default)]
struct ReadBatch(Vec<Read>);

impl ReadBatch {
    fn add(&mut self, reads: Vec<Read>) -> Range<usize> {
        let start = self.0.len();
        self.0.extend(reads);
        start..self.0.len()
    }

    async fn send(self, session: &Session) -> Vec<Outcome> {
        call::read(session, self.0).await
    }
}
