//! Names of accounts, both ways, as the documentation of ENS has them: <https://docs.ens.domains>.
//!
//! Invariant: an account has the name that it claims only if that name leads back to the account, and nothing that
//! could not be read or asked is taken for absent. All is read at the block that the caller pinned on Ethereum, where
//! the registry of names is; many names are as many round trips as one.

mod chain;
mod coin;
mod contracts;
mod facts;
mod gateway;
mod name;
mod resolve;

use std::sync::Arc;

use alloy::primitives::{Address, Bytes};
use alloy::sol_types::{SolCall, SolValue};
use portolan_reader::{ReadFailure, Session};

use self::chain::Chain;
pub(crate) use self::coin::CoinType;
use self::contracts::Resolver;
pub(crate) use self::facts::{Detail, Fact, Facts};
pub(crate) use self::gateway::{GatewayFault, GatewayHost};
pub(crate) use self::name::Name;
use self::resolve::{Question, Record, Resolution};

/// The chain id of the network that names live on.
pub(crate) const MAINNET: u64 = portolan_networks::ETHEREUM;
/// What an operator may say of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSettings {
    /// Asked first; the registry is asked where it does not answer.
    pub(crate) universal_resolver: Option<Address>,
    /// Gateways that may be asked over http and in the own network.
    pub(crate) gateway_hosts: Vec<GatewayHost>,
}

/// Resolves names.
#[derive(Debug)]
pub(crate) struct Names {
    resolution: Resolution,
}

/// Where, for which chain, and in how much detail names are looked up.
pub(crate) struct At<'a> {
    /// Of [`MAINNET`].
    pub(crate) session: Arc<Session>,
    pub(crate) coin: CoinType,
    pub(crate) detail: Detail<'a>,
}

/// A name and the address that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub(crate) name: Name,
    pub(crate) address: Address,
    pub(crate) coin: CoinType,
    pub(crate) resolver: Address,
    /// Whether the address came from a gateway, checked by the resolver.
    pub(crate) via_gateway: bool,
    /// Where they were asked for.
    pub(crate) facts: Option<Facts>,
}

/// The primary name of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The name, led back to the account.
    pub(crate) resolved: Resolved,
    pub(crate) reverse_resolver: Address,
    /// Whether the name came from a gateway, checked by the reverse resolver.
    pub(crate) via_gateway: bool,
}

/// Why a name has no address, or an account no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NameFailure {
    /// It was read that there is none.
    #[error("{0}")]
    Absent(#[from] Absence),
    #[error("{0}")]
    Unread(#[from] ReadFailure),
    #[error("{0}")]
    Gateway(#[from] GatewayFault),
}

/// What is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Absence {
    #[error("no resolver is set for the name")]
    NoResolver,
    #[error("the name's resolver is no contract")]
    NoContract,
    #[error("the name's resolver has no such record")]
    NoRecord,
    #[error("the name's resolver refuses to answer")]
    Refused,
    #[error("the name's resolver answers what is no address or text")]
    BadRecord,
    #[error("the account's name is not normalised by ENSIP-15")]
    NotNormalized,
    #[error("the account's name does not lead back to the account")]
    Unverified,
}

impl NameFailure {
    /// Whether there was not enough time.
    pub(crate) fn is_timeout(self) -> bool {
        matches!(self, Self::Unread(ReadFailure::Timeout) | Self::Gateway(GatewayFault::Timeout))
    }
}

impl Names {
    pub(crate) fn new(settings: NameSettings) -> Self {
        let gateways = gateway::Gateways::new(settings.gateway_hosts);
        Self { resolution: Resolution::new(settings.universal_resolver, gateways) }
    }

    /// The addresses that names lead to, in their order.
    pub(crate) async fn addresses(&self, at: &At<'_>, names: &[Name]) -> Vec<Result<Resolved, NameFailure>> {
        let chain = at.chain();
        let question = |name: &Name| {
            let mut records = vec![at.coin.record(name)];
            records.extend(at.detail.records(name));
            Question { name: name.clone(), records }
        };
        let questions: Vec<Question> = names.iter().map(question).collect();
        let (answers, expiries) =
            tokio::join!(self.resolution.resolve(&chain, &questions), at.detail.expiries(&chain, names));
        let mut resolved = Vec::with_capacity(names.len());
        for ((name, answer), expiry) in names.iter().zip(answers).zip(expiries) {
            let mut records = answer.records.into_iter();
            let address = records.next().unwrap_or(Err(Absence::NoRecord.into()));
            resolved.push(address.and_then(|Record { data, via_gateway }| {
                Ok(Resolved {
                    name: name.clone(),
                    address: at.coin.address(&data)?,
                    coin: at.coin,
                    resolver: answer.resolver.ok_or(Absence::NoResolver)?,
                    via_gateway,
                    facts: at.detail.facts(records, expiry),
                })
            }));
        }
        resolved
    }

    /// The primary names of accounts, in their order, by ENSIP-19.
    pub(crate) async fn names(&self, at: &At<'_>, accounts: &[Address]) -> Vec<Result<Named, NameFailure>> {
        let question = |account: &Address| {
            let name = at.coin.reverse(*account);
            Question { records: vec![Resolver::nameCall { node: name.node() }.abi_encode()], name }
        };
        let questions: Vec<Question> = accounts.iter().map(question).collect();
        let answers = self.resolution.resolve(&at.chain(), &questions).await;
        let claims: Vec<Result<Claim, NameFailure>> = answers.into_iter().map(Claim::of).collect();
        let claimed: Vec<Name> = claims.iter().flatten().map(|claim| claim.name.clone()).collect();
        let mut led = self.addresses(at, &claimed).await.into_iter();
        let verified = |(account, claim): (&Address, Result<Claim, NameFailure>)| {
            let claim = claim?;
            match led.next().unwrap_or(Err(Absence::Unverified.into())) {
                Ok(resolved) if resolved.address == *account => {
                    Ok(Named { resolved, reverse_resolver: claim.reverse_resolver, via_gateway: claim.via_gateway })
                }
                Ok(_) | Err(NameFailure::Absent(_)) => Err(Absence::Unverified.into()),
                Err(failure) => Err(failure),
            }
        };
        accounts.iter().zip(claims).map(verified).collect()
    }
}

/// What an account says that its name is.
struct Claim {
    name: Name,
    reverse_resolver: Address,
    via_gateway: bool,
}

impl Claim {
    fn of(answer: resolve::Answer) -> Result<Self, NameFailure> {
        let Record { data, via_gateway } =
            answer.records.into_iter().next().unwrap_or(Err(Absence::NoRecord.into()))?;
        // A string is encoded as bytes are, and need not be UTF-8.
        let text = Bytes::abi_decode(&data).map_err(|_| Absence::BadRecord)?;
        let text = std::str::from_utf8(&text).map_err(|_| Absence::BadRecord)?;
        if text.is_empty() {
            return Err(Absence::NoRecord.into());
        }
        // Another name would be shown than the one that is looked up.
        let name = Name::parse(text).ok().filter(|name| name.as_str() == text).ok_or(Absence::NotNormalized)?;
        let reverse_resolver = answer.resolver.ok_or(Absence::NoResolver)?;
        Ok(Self { name, reverse_resolver, via_gateway })
    }
}

impl At<'_> {
    fn chain(&self) -> Chain<'_> {
        Chain { session: &self.session }
    }
}

#[cfg(test)]
mod tests;
