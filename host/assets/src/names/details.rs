//! Further details of a name in a full answer: its expiry, its avatar, and its addresses on other chains.
//!
//! Invariant: details are read only if requested, and one that could not be read affects no other.

use alloy::primitives::{Address, Bytes, U256, address, keccak256};
use alloy::sol_types::{SolCall, SolValue};
use portolan_base::sanitize::web_url::WebUrl;
use portolan_reader::{Read, Session};

use super::call::{self, returned};
use super::coin::CoinType;
use super::contracts::{BaseRegistrar, Resolver};
use super::name::Name;
use super::resolve::Record;
use super::{Absence, NameFailure};

/// <https://docs.ens.domains/learn/deployments>
const BASE_REGISTRAR: Address = address!("57f1887a8BF19b14fC0dF6Fd9B2acc9Af147eA85");
/// Maximum bytes of an address; no chain has longer ones.
const ADDRESS_BYTES_MAX: usize = 128;

/// The requested level of detail.
#[derive(Clone, Copy, Debug)]
pub enum DetailLevel<'a> {
    Address,
    /// Includes the addresses for these coins.
    Full(&'a [CoinType]),
}

/// `Ok(None)` if there is no value; an error if it could not be read.
pub type DetailValue<T> = Result<Option<T>, NameFailure>;

/// The details of a name in a full answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameDetails {
    /// Unix seconds at which the registration below `.eth` expires; `None` for names elsewhere.
    pub expires_s: DetailValue<u64>,
    /// The URL in the name's record; `None` if it is not a URL.
    pub avatar: DetailValue<WebUrl>,
    /// Addresses in the binary form of their chain, in the order of the requested coins.
    pub addresses: Vec<(CoinType, DetailValue<Bytes>)>,
}

impl DetailLevel<'_> {
    fn coins(&self) -> &[CoinType] {
        match self {
            Self::Address => &[],
            Self::Full(coins) => coins,
        }
    }

    fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// The calls to the name's resolver, besides the one for the address.
    pub(super) fn records(&self, name: &Name) -> Vec<Vec<u8>> {
        if !self.is_full() {
            return Vec::new();
        }
        let avatar = Resolver::textCall { node: name.node(), key: "avatar".to_owned() }.abi_encode();
        let addresses = self.coins().iter().map(|coin| coin.record(name));
        std::iter::once(avatar).chain(addresses).collect()
    }

    /// The expiry of each name, in their order.
    pub(super) async fn expiries(&self, session: &Session, names: &[Name]) -> Vec<DetailValue<u64>> {
        let label = |name: &Name| name.registered_label().filter(|_| self.is_full()).map(keccak256);
        let labels: Vec<Option<_>> = names.iter().map(label).collect();
        let call =
            |label: &alloy::primitives::B256| BaseRegistrar::nameExpiresCall { id: (*label).into() }.abi_encode();
        let reads = labels.iter().flatten().map(|label| Read::call(BASE_REGISTRAR, call(label))).collect();
        let mut outcomes = call::read(session, reads).await.into_iter();
        let expiry = |label: Option<_>| {
            let Some(outcome) = label.and_then(|_| outcomes.next()) else { return Ok(None) };
            detail(returned(&outcome).and_then(|bytes| {
                let expiry = U256::abi_decode(bytes).map_err(|_| Absence::BadRecord)?;
                // Zero means that the name is not registered.
                Ok(u64::try_from(expiry).ok().filter(|expiry| *expiry != 0).ok_or(Absence::NoRecord)?)
            }))
        };
        labels.into_iter().map(expiry).collect()
    }

    /// Decodes the resolver's replies to [`DetailLevel::records`].
    pub(super) fn details(
        &self,
        mut records: impl Iterator<Item = Result<Record, NameFailure>>,
        expires_s: DetailValue<u64>,
    ) -> Option<NameDetails> {
        if !self.is_full() {
            return None;
        }
        let mut next = || records.next().unwrap_or(Err(Absence::NoRecord.into()));
        let avatar = detail(next().and_then(|record| Ok(avatar(&record.data)?)));
        let address = |coin: CoinType, record: Record| {
            let bytes = coin.bytes(&record.data)?;
            if bytes.len() > ADDRESS_BYTES_MAX { Err(Absence::BadRecord) } else { Ok(bytes) }
        };
        let addresses = self.coins().iter();
        let addresses = addresses.map(|coin| (*coin, detail(next().and_then(|record| Ok(address(*coin, record)?)))));
        Some(NameDetails { expires_s, avatar, addresses: addresses.collect() })
    }
}

fn avatar(returned: &[u8]) -> Result<WebUrl, Absence> {
    // A string is encoded like bytes, and need not be UTF-8.
    let text = Bytes::abi_decode(returned).map_err(|_| Absence::BadRecord)?;
    std::str::from_utf8(&text).ok().and_then(WebUrl::parse).ok_or(Absence::NoRecord)
}

fn detail<T>(found: Result<T, NameFailure>) -> DetailValue<T> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(NameFailure::Absent(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}
