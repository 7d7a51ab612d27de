//! Names and the addresses that they resolve to.

use std::borrow::Cow;

use portolan_assets::names::{CoinType, DetailValue, NameDetails, ResolvedBy};
use portolan_base::sanitize::web_url::WebUrl;
use schemars::JsonSchema;
use serde::Serialize;

use super::Shape;
use super::parts::lower;
use super::schema::{AddressText, HexData, Word, WordSet, borrowed};
use crate::gateway::answer::NameRecord;

/// A name and the address that it resolves to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NameRecord")]
pub(super) struct NameView<'a> {
    /// The name, normalized by ENSIP-15.
    name: &'a str,
    /// The account.
    #[schemars(with = "AddressText")]
    address: String,
    #[serde(flatten)]
    extra: Option<NameExtra<'a>>,
}

/// Members with `detail=full`. Those that are absent or could not be read are null; the report names the latter.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NameExtra<'a> {
    /// The contract that resolved it (`detail=full`).
    #[schemars(with = "AddressText")]
    resolver: String,
    /// How the resolver was found (`detail=full`).
    #[schemars(with = "Word<ResolvedBy>")]
    resolved_by: &'static str,
    /// SLIP-44 or ENSIP-11 coin type of the address (`detail=full`).
    coin_type: u64,
    /// True if a gateway off the chain answered (CCIP-Read) (`detail=full`).
    via_gateway: bool,
    /// End of the registration in Unix seconds (`detail=full`).
    expiry: Option<u64>,
    /// URL of the picture (`detail=full`).
    avatar: Option<&'a WebUrl>,
    /// Addresses of further coins (`detail=full`).
    addresses: Vec<CoinAddress>,
}

/// An address of another coin, in its binary form.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CoinAddress {
    /// SLIP-44 or ENSIP-11 coin type.
    coin_type: u64,
    /// In hex.
    #[schemars(with = "HexData")]
    address: String,
}

impl<'a> NameView<'a> {
    pub(super) fn of(record: &'a NameRecord, shape: Shape) -> Self {
        let resolved = &record.resolved;
        let extra = |details: &'a NameDetails| NameExtra {
            resolver: lower(resolved.resolver),
            resolved_by: resolved_by(record.resolved_by),
            coin_type: resolved.coin.number(),
            via_gateway: record.via_gateway,
            expiry: known(&details.expires_s).copied(),
            avatar: known(&details.avatar),
            addresses: details.addresses.iter().filter_map(address).collect(),
        };
        Self {
            name: resolved.name.as_str(),
            address: lower(resolved.address),
            extra: resolved.details.as_ref().filter(|_| shape.full).map(extra),
        }
    }
}

pub(super) fn resolved_by(way: ResolvedBy) -> &'static str {
    match way {
        ResolvedBy::UniversalResolver => "universal-resolver",
        ResolvedBy::Registry => "registry",
    }
}

fn known<T>(value: &DetailValue<T>) -> Option<&T> {
    value.as_ref().ok()?.as_ref()
}

fn address((coin, value): &(CoinType, DetailValue<alloy::primitives::Bytes>)) -> Option<CoinAddress> {
    Some(CoinAddress { coin_type: coin.number(), address: known(value)?.to_string() })
}

impl WordSet for ResolvedBy {
    const NAME: &str = "ResolvedBy";
    const ABOUT: &str = "How the resolver of a name was found.";

    fn words() -> Vec<Cow<'static, str>> {
        borrowed([Self::UniversalResolver, Self::Registry].map(resolved_by))
    }
}
