//! Resolves names to addresses, and accounts to names.
//!
//! Invariant: all reads are at one block of Ethereum, where ENS is deployed.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_assets::names::{
    CoinType, DetailLevel, LookupContext, MAINNET, Name, NameDetails, NameFailure, PrimaryName, ResolvedName,
};
use portolan_base::network::Network;
use portolan_reader::{ReadFailure, Session};

use crate::gateway::answer::{Answer, Items, MissingEntry, NameRecord};
use crate::gateway::context::Context;
use crate::gateway::problem::{Problem, quoted};
use crate::gateway::query::Lookup;
use crate::gateway::work::Work;
use crate::jobs::failure::Reason;

/// Subject of missing entries, in the place of a protocol's slug.
const SUBJECT: &str = "names";

/// Lookup of one name or one account.
pub(in crate::gateway) struct NameLookup {
    query: NameQuery,
    lookup: Lookup,
}

enum NameQuery {
    AddressOf(Name),
    NameOf(Address),
}

impl NameLookup {
    pub(in crate::gateway) fn address_of(name: Name, lookup: Lookup) -> Self {
        Self { query: NameQuery::AddressOf(name), lookup }
    }

    pub(in crate::gateway) fn name_of(account: Address, lookup: Lookup) -> Self {
        Self { query: NameQuery::NameOf(account), lookup }
    }

    async fn record(&self, context: &Context) -> Result<NameRecord, Problem> {
        let mainnet = mainnet(context)?;
        let record = context.read(&mainnet, |session| self.look_up(context, session)).await;
        record.unwrap_or_else(|failure| Err(failure.into())).map_err(|failure| self.problem(failure))
    }

    async fn look_up(&self, context: &Context, session: Arc<Session>) -> Result<NameRecord, NameFailure> {
        let (names, coins) = (&context.sources.names, self.other_coins(context));
        let detail = if self.lookup.full { DetailLevel::Full(&coins) } else { DetailLevel::Address };
        let outgoing = &context.budget.outgoing;
        let at = LookupContext { session, coin: self.lookup.coin, detail, outgoing };
        let record = match &self.query {
            NameQuery::AddressOf(name) => {
                let resolved = names.addresses(&at, std::slice::from_ref(name)).await.pop();
                resolved.map(|resolved| resolved.map(NameRecord::from))
            }
            NameQuery::NameOf(account) => {
                let named = names.names(&at, &[*account]).await.pop();
                named.map(|named| named.map(NameRecord::from))
            }
        };
        record.unwrap_or(Err(ReadFailure::Upstream.into()))
    }

    /// The coins of all known networks except the one that the query is about.
    fn other_coins(&self, context: &Context) -> Vec<CoinType> {
        let known = context.networks().iter().filter_map(|network| CoinType::of_chain(network.chain_id));
        known.filter(|coin| self.lookup.full && *coin != self.lookup.coin).collect()
    }

    fn problem(&self, failure: NameFailure) -> Problem {
        match &self.query {
            NameQuery::AddressOf(name) => problem(name.as_str(), failure),
            NameQuery::NameOf(account) => problem(&format!("{account:#x}"), failure),
        }
    }
}

/// Returns the problem to send if this name or account cannot be looked up.
pub(in crate::gateway) fn problem(subject: &str, failure: NameFailure) -> Problem {
    let detail = format!("{}: {failure}", quoted(subject));
    match failure {
        NameFailure::Absent(_) => Problem::NameNotFound(detail),
        NameFailure::Unread(ReadFailure::NotConfigured) => {
            Problem::NetworkNotConfigured("names stand on ethereum, which has no endpoint here".into())
        }
        NameFailure::Unread(ReadFailure::OverBudget) => Problem::OverBudget(detail),
        NameFailure::Unread(ReadFailure::UnknownBlock) => Problem::UnknownBlock(detail),
        NameFailure::Unread(ReadFailure::NoState) => Problem::StateUnavailable(detail),
        failure if failure.is_timeout() => Problem::Deadline(detail),
        _ => Problem::Upstream(detail),
    }
}

/// Returns the entry for a name that is not resolved, in an answer about several accounts.
pub(in crate::gateway) fn missing(context: &Context, failure: NameFailure) -> MissingEntry {
    let reason = match failure {
        NameFailure::Absent(_) => Reason::NameNotFound,
        NameFailure::Unread(failure) => failure.into(),
        failure if failure.is_timeout() => Reason::Timeout,
        failure if failure.is_over_budget() => Reason::OverBudget,
        _ => Reason::Upstream,
    };
    let network = context.networks().with_chain_id(MAINNET).cloned();
    MissingEntry { subject: SUBJECT.to_owned(), network, reason, count: None }
}

impl Work for NameLookup {
    fn networks(&self, context: &Context) -> Vec<Arc<Network>> {
        mainnet(context).into_iter().collect()
    }

    async fn answer(self, context: Context) -> Result<Answer, Problem> {
        let record = self.record(&context).await?;
        let missing = record.resolved.details.as_ref().and_then(first_missing);
        let missing = missing.map(|reason| MissingEntry {
            subject: SUBJECT.to_owned(),
            network: context.networks().with_chain_id(MAINNET).cloned(),
            reason,
            count: None,
        });
        let mut answer = context.answer(Items::Name(record), Vec::new());
        answer.missing.extend(missing);
        Ok(answer)
    }
}

/// Resolves the account name in a query's path. Pins the block of Ethereum that it is read at for the whole context.
///
/// # Errors
/// Returns [`Problem::NameNotFound`] if the name is known to have no address, otherwise why that is unknown.
pub(in crate::gateway) async fn account(context: &Context, name: Name) -> Result<Address, Problem> {
    context.open([&mainnet(context)?]).await;
    let lookup = Lookup { coin: CoinType::ETHEREUM, full: false };
    let record = NameLookup::address_of(name, lookup).record(context).await?;
    Ok(record.resolved.address)
}

/// Resolves names to their accounts, in order; as many take as many round trips as one. Pins the block of Ethereum that
/// they are read at for the whole context.
pub(in crate::gateway) async fn accounts(context: &Context, names: &[Name]) -> Vec<Result<Address, NameFailure>> {
    let all = |failure: ReadFailure| names.iter().map(|_| Err(failure.into())).collect();
    let Ok(mainnet) = mainnet(context) else { return all(ReadFailure::NotConfigured) };
    context.open([&mainnet]).await;
    let resolve = async |session| {
        let (coin, outgoing) = (CoinType::ETHEREUM, &context.budget.outgoing);
        let at = LookupContext { session, coin, detail: DetailLevel::Address, outgoing };
        context.sources.names.addresses(&at, names).await
    };
    match context.read(&mainnet, resolve).await {
        Ok(resolved) => resolved.into_iter().map(|resolved| resolved.map(|name| name.address)).collect(),
        Err(failure) => all(failure),
    }
}

pub(in crate::gateway) fn mainnet(context: &Context) -> Result<Arc<Network>, Problem> {
    let mainnet = context.networks().with_chain_id(MAINNET).cloned();
    mainnet.ok_or_else(|| Problem::Internal("ethereum is not among the networks".into()))
}

/// Returns why a value could not be read, for the first such value.
fn first_missing(details: &NameDetails) -> Option<Reason> {
    let addresses = details.addresses.iter().map(|(_, address)| address.as_ref().err());
    let missing = [details.expires_s.as_ref().err(), details.avatar.as_ref().err()].into_iter().chain(addresses);
    missing.flatten().next().map(|failure| match failure {
        failure if failure.is_timeout() => Reason::Timeout,
        failure if failure.is_over_budget() => Reason::OverBudget,
        _ => Reason::Upstream,
    })
}

impl From<ResolvedName> for NameRecord {
    fn from(resolved: ResolvedName) -> Self {
        Self { resolved_by: resolved.resolved_by, via_gateway: resolved.via_gateway, resolved }
    }
}

impl From<PrimaryName> for NameRecord {
    fn from(PrimaryName { resolved, resolved_by, via_gateway, .. }: PrimaryName) -> Self {
        Self { resolved_by, via_gateway: via_gateway || resolved.via_gateway, resolved }
    }
}
