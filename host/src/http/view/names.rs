//! Names and the addresses that they resolve to.

use portolan_assets::names::{CoinType, DetailValue, NameDetails, ResolvedBy};
use portolan_base::sanitize::web_url::WebUrl;
use serde::Serialize;

use super::Shape;
use super::parts::lower;
use crate::gateway::answer::NameRecord;

#[derive(Serialize)]
pub(super) struct NameView<'a> {
    name: &'a str,
    address: String,
    #[serde(flatten)]
    extra: Option<NameExtra<'a>>,
}

/// Members with `detail=full`. Those that are absent or could not be read are null; the report names the latter.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NameExtra<'a> {
    resolver: String,
    resolved_by: &'static str,
    coin_type: u64,
    via_gateway: bool,
    /// Unix seconds.
    expiry: Option<u64>,
    avatar: Option<&'a WebUrl>,
    addresses: Vec<CoinAddress>,
}

/// An address of another coin, in its binary form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CoinAddress {
    coin_type: u64,
    address: String,
}

impl<'a> NameView<'a> {
    pub(super) fn of(record: &'a NameRecord, shape: Shape) -> Self {
        let resolved = &record.resolved;
        let extra = |details: &'a NameDetails| NameExtra {
            resolver: lower(resolved.resolver),
            resolved_by: match record.resolved_by {
                ResolvedBy::UniversalResolver => "universal-resolver",
                ResolvedBy::Registry => "registry",
            },
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

fn known<T>(value: &DetailValue<T>) -> Option<&T> {
    value.as_ref().ok()?.as_ref()
}

fn address((coin, value): &(CoinType, DetailValue<alloy::primitives::Bytes>)) -> Option<CoinAddress> {
    Some(CoinAddress { coin_type: coin.number(), address: known(value)?.to_string() })
}
