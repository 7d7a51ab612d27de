//! ENS names of accounts, in both directions: <https://docs.ens.domains>.
//!
//! Invariant: an account's claimed name counts only if that name resolves to the account, and nothing that could not
//! be read or queried counts as absent. All reads are at the block that the caller pinned on Ethereum, where the
//! registry is. Many names take as many round trips as one.

mod call;
mod ccip;
mod coin;
mod contracts;
mod details;
mod name;
mod resolve;

use std::sync::Arc;

use alloy::primitives::{Address, Bytes, address};
use alloy::sol_types::{SolCall, SolValue};
use portolan_base::net::outgoing_budget::OutgoingBudget;
use portolan_reader::{ReadFailure, Session};

pub use self::ccip::{GatewayError, GatewayHost};
pub use self::coin::CoinType;
use self::contracts::Resolver;
pub use self::details::{DetailLevel, DetailValue, NameDetails};
pub use self::name::Name;
use self::resolve::{Record, RecordQuery, Resolution};

/// Chain id of the network with the ENS registry.
pub const MAINNET: u64 = portolan_networks::ETHEREUM;

/// The proxy of the ENS DAO, at the same address on Ethereum and its testnets.
/// <https://docs.ens.domains/resolvers/universal>
pub const UNIVERSAL_RESOLVER: Address = address!("eEeEEEeE14D718C2B47D9923Deab1335E144EeEe");

/// An operator's settings for names.
#[derive(Clone, Debug, Default)]
pub struct NameSettings {
    /// Called first; the registry is read if it does not answer. `None` to use the registry only.
    pub universal_resolver: Option<Address>,
    /// Gateways that may be queried over http and in private networks.
    pub gateway_hosts: Vec<GatewayHost>,
}

/// Resolves names.
#[derive(Debug)]
pub struct Names {
    resolution: Resolution,
}

/// The chain, coin and level of detail of a lookup.
#[derive(Debug)]
pub struct LookupContext<'a> {
    /// A session of [`MAINNET`].
    pub session: Arc<Session>,
    pub coin: CoinType,
    pub detail: DetailLevel<'a>,
    /// The answer's budget of requests to gateways.
    pub outgoing: &'a OutgoingBudget,
}

/// The way that the resolver was found; the later variant is the fallback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResolvedBy {
    UniversalResolver,
    Registry,
}

/// A name and the address that it resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedName {
    pub name: Name,
    pub address: Address,
    pub coin: CoinType,
    pub resolver: Address,
    pub resolved_by: ResolvedBy,
    /// True if the address came from a gateway and the resolver verified it.
    pub via_gateway: bool,
    /// `None` unless they were requested.
    pub details: Option<NameDetails>,
}

/// The primary name of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimaryName {
    /// The name, resolved back to the account.
    pub resolved: ResolvedName,
    pub(crate) reverse_resolver: Address,
    /// The fallback if either direction used it.
    pub resolved_by: ResolvedBy,
    /// True if the name came from a gateway and the reverse resolver verified it.
    pub via_gateway: bool,
}

/// Reason why a name has no address, or an account no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameFailure {
    /// The chain shows that there is none.
    #[error("{0}")]
    Absent(#[from] Absence),
    #[error("{0}")]
    Unread(#[from] ReadFailure),
    #[error("{0}")]
    Gateway(#[from] GatewayError),
    /// An off-chain lookup is a revert too, and some nodes drop its data.
    #[error("the name's resolver reverts without data, in which an off-chain lookup would be")]
    BareRevert,
}

/// The reason why a record is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    #[error("no resolver is set for the name")]
    NoResolver,
    #[error("the name's resolver is not a contract")]
    NoContract,
    #[error("the name's resolver has no such record")]
    NoRecord,
    #[error("the name's resolver refuses to answer")]
    Refused,
    #[error("the name's resolver does not return a valid address or text")]
    BadRecord,
    #[error("the account's name is not normalised by ENSIP-15")]
    NotNormalized,
    #[error("the account's name does not lead back to the account")]
    Unverified,
}

impl NameFailure {
    /// Returns true if there was not enough time.
    pub fn is_timeout(self) -> bool {
        matches!(self, Self::Unread(ReadFailure::Timeout) | Self::Gateway(GatewayError::Timeout))
    }

    /// Returns true if the answer's budget was used up.
    pub fn is_over_budget(self) -> bool {
        match self {
            Self::Unread(failure) => failure == ReadFailure::OverBudget,
            Self::Gateway(error) => error.is_over_budget(),
            Self::Absent(_) | Self::BareRevert => false,
        }
    }
}

impl Names {
    pub fn new(settings: NameSettings) -> Self {
        let gateways = ccip::Gateways::new(settings.gateway_hosts, settings.universal_resolver);
        Self { resolution: Resolution::new(settings.universal_resolver, gateways) }
    }

    /// Resolves names to addresses, in their order.
    pub async fn addresses(
        &self,
        lookup: &LookupContext<'_>,
        names: &[Name],
    ) -> Vec<Result<ResolvedName, NameFailure>> {
        let query = |name: &Name| {
            let mut records = vec![lookup.coin.record(name)];
            records.extend(lookup.detail.records(name));
            RecordQuery { name: name.clone(), records }
        };
        let queries: Vec<RecordQuery> = names.iter().map(query).collect();
        let (answers, expiries) = tokio::join!(
            self.resolution.resolve(&lookup.session, lookup.outgoing, &queries),
            lookup.detail.expiries(&lookup.session, names)
        );
        let mut resolved = Vec::with_capacity(names.len());
        for ((name, answer), expiry) in names.iter().zip(answers).zip(expiries) {
            let mut records = answer.records.into_iter();
            let address = records.next().unwrap_or(Err(Absence::NoRecord.into()));
            resolved.push(address.and_then(|Record { data, via_gateway }| {
                Ok(ResolvedName {
                    name: name.clone(),
                    address: lookup.coin.address(&data)?,
                    coin: lookup.coin,
                    resolver: answer.resolver.ok_or(Absence::NoResolver)?,
                    resolved_by: answer.resolved_by,
                    via_gateway,
                    details: lookup.detail.details(records, expiry),
                })
            }));
        }
        resolved
    }

    /// Resolves accounts to their primary names (ENSIP-19), in their order.
    pub async fn names(
        &self,
        lookup: &LookupContext<'_>,
        accounts: &[Address],
    ) -> Vec<Result<PrimaryName, NameFailure>> {
        let query = |account: &Address| {
            let name = lookup.coin.reverse(*account);
            RecordQuery { records: vec![Resolver::nameCall { node: name.node() }.abi_encode()], name }
        };
        let queries: Vec<RecordQuery> = accounts.iter().map(query).collect();
        let answers = self.resolution.resolve(&lookup.session, lookup.outgoing, &queries).await;
        let claims: Vec<Result<ClaimedName, NameFailure>> = answers.into_iter().map(ClaimedName::of).collect();
        let claimed: Vec<Name> = claims.iter().flatten().map(|claim| claim.name.clone()).collect();
        let mut led = self.addresses(lookup, &claimed).await.into_iter();
        let verified = |(account, claim): (&Address, Result<ClaimedName, NameFailure>)| {
            let claim = claim?;
            match led.next().unwrap_or(Err(Absence::Unverified.into())) {
                Ok(resolved) if resolved.address == *account => Ok(PrimaryName {
                    resolved_by: claim.resolved_by.max(resolved.resolved_by),
                    resolved,
                    reverse_resolver: claim.reverse_resolver,
                    via_gateway: claim.via_gateway,
                }),
                Ok(_) | Err(NameFailure::Absent(_)) => Err(Absence::Unverified.into()),
                Err(failure) => Err(failure),
            }
        };
        accounts.iter().zip(claims).map(verified).collect()
    }
}

/// The name that an account claims, not yet verified.
struct ClaimedName {
    name: Name,
    reverse_resolver: Address,
    resolved_by: ResolvedBy,
    via_gateway: bool,
}

impl ClaimedName {
    fn of(answer: resolve::NameRecords) -> Result<Self, NameFailure> {
        let Record { data, via_gateway } =
            answer.records.into_iter().next().unwrap_or(Err(Absence::NoRecord.into()))?;
        // A string is encoded like bytes, and need not be UTF-8.
        let text = Bytes::abi_decode(&data).map_err(|_| Absence::BadRecord)?;
        let text = std::str::from_utf8(&text).map_err(|_| Absence::BadRecord)?;
        if text.is_empty() {
            return Err(Absence::NoRecord.into());
        }
        // Otherwise the name shown would differ from the name resolved.
        let name = Name::parse(text).ok().filter(|name| name.as_str() == text).ok_or(Absence::NotNormalized)?;
        let reverse_resolver = answer.resolver.ok_or(Absence::NoResolver)?;
        Ok(Self { name, reverse_resolver, resolved_by: answer.resolved_by, via_gateway })
    }
}

#[cfg(test)]
mod tests;
