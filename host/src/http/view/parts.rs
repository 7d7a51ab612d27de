//! The parts of rows on the wire: networks, protocols, tokens, numbers and addresses.

use alloy::hex;
use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use portolan_assets::token::{DecimalsSource, Token};
use portolan_base::network::Network;
use portolan_base::sanitize::text::Text;
use portolan_base::sanitize::web_url::WebUrl;
use portolan_plugins::protocol::Protocol;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::Shape;
use crate::http::view::number;

/// A JSON number of any length, written verbatim.
#[derive(Debug)]
pub(super) struct Number(pub(super) String);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0).map_err(S::Error::custom)?.serialize(serializer)
    }
}

pub(super) fn lower(address: Address) -> String {
    hex::encode_prefixed(address)
}

pub(super) fn amount(raw: U256, token: &Token) -> Number {
    Number(number::amount(raw, token.decimals))
}

pub(super) fn raw_text(raw: U256, shape: Shape) -> Option<String> {
    shape.full.then(|| raw.to_string())
}

/// Formats a rate, a ratio or a price.
pub(super) fn fraction(value: &BigDecimal) -> Number {
    Number(number::rounded(value))
}

/// A row of `/networks`.
#[derive(Serialize)]
pub(super) struct NetworkEntry<'a> {
    name: &'a str,
    logo: &'a str,
    slug: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caip2: Option<String>,
}

impl<'a> NetworkEntry<'a> {
    pub(super) fn of(network: &'a Network, shape: Shape) -> Self {
        Self { name: &network.name, logo: &network.logo, slug: &network.slug, caip2: caip2(network, shape) }
    }
}

/// A network within a row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NetworkView<'a> {
    name: &'a str,
    logo: &'a str,
    chain_id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    caip2: Option<String>,
}

/// Returns the CAIP-2 id of a network for `detail=full`.
fn caip2(network: &Network, shape: Shape) -> Option<String> {
    shape.full.then(|| network.caip2())
}

impl<'a> NetworkView<'a> {
    pub(super) fn of(network: &'a Network, shape: Shape) -> Self {
        let Network { name, logo, chain_id, .. } = network;
        Self { name, logo, chain_id: *chain_id, caip2: caip2(network, shape) }
    }
}

#[derive(Serialize)]
pub(super) struct ProtocolView<'a> {
    name: &'a Text,
    logo: &'a WebUrl,
    slug: &'a str,
    primitives: &'a [String],
    website: &'a WebUrl,
    #[serde(skip_serializing_if = "Option::is_none")]
    company: Option<Company<'a>>,
}

#[derive(Serialize)]
struct Company<'a> {
    name: &'a Text,
    slug: &'a Text,
}

impl<'a> ProtocolView<'a> {
    /// The form in `/protocols` and claimables.
    pub(super) fn with_company(protocol: &'a Protocol) -> Self {
        let company = Company { name: &protocol.company_name, slug: &protocol.company_slug };
        Self { company: Some(company), ..Self::of(protocol) }
    }

    /// The form in positions.
    pub(super) fn of(protocol: &'a Protocol) -> Self {
        Self {
            name: &protocol.name,
            logo: &protocol.logo,
            slug: &protocol.slug,
            primitives: &protocol.primitives,
            website: &protocol.website,
            company: None,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenView<'a> {
    address: String,
    name: &'a Text,
    symbol: &'a Text,
    decimals: u8,
    logo: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_supply: Option<Number>,
    #[serde(flatten)]
    origin: Option<Origin<'a>>,
    #[serde(flatten)]
    listing: Option<Listing>,
}

/// Members with `detail=full`: facts of token lists, and the underlying tokens.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    listed: bool,
    /// True if it is on no list, but has the symbol of a listed token or of the native token.
    lookalike: bool,
    /// CAIP-19 id; null for a native token whose coin type is not certain, and for contracts without amounts of their
    /// own, such as collections.
    caip19: Option<String>,
    /// Set only if the decimals come from a token list, not from the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    decimals_source: Option<&'static str>,
    /// Empty if there are none or [`Origin`] has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    underlying_tokens: Vec<String>,
}

/// Further members of tokens in the aggregate answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Origin<'a> {
    network: NetworkView<'a>,
    underlying_tokens: Vec<String>,
    /// Always null: no source knows which protocol issued a token.
    protocol: (),
}

/// Formats the underlying tokens in lower case.
fn underlying(token: &Token) -> Vec<String> {
    token.underlying.iter().copied().map(lower).collect()
}

impl<'a> TokenView<'a> {
    /// The form in positions.
    pub(super) fn of(token: &'a Token, shape: Shape) -> Self {
        Self {
            address: if token.kind == "NATIVE" { "0x0".into() } else { lower(token.address) },
            name: &token.name,
            symbol: &token.symbol,
            decimals: token.decimals,
            logo: token.logo.as_deref(),
            kind: &token.kind,
            total_supply: None,
            origin: None,
            listing: shape.full.then(|| Listing {
                listed: token.is_listed,
                lookalike: token.is_lookalike,
                caip19: token.network.caip19(token.address),
                decimals_source: (token.decimals_source == DecimalsSource::List).then_some("list"),
                underlying_tokens: underlying(token),
            }),
        }
    }

    /// The form of contracts that are not ERC-20 tokens.
    pub(super) fn without_asset_id(mut self) -> Self {
        self.listing.iter_mut().for_each(|listing| listing.caip19 = None);
        self
    }

    /// The form in claimables.
    pub(super) fn with_supply(token: &'a Token, shape: Shape) -> Self {
        let total_supply = Some(Number(number::integer(token.total_supply)));
        let mut view = Self { total_supply, ..Self::of(token, shape) };
        if shape.aggregate {
            let underlying_tokens = underlying(token);
            view.origin =
                Some(Origin { network: NetworkView::of(&token.network, shape), underlying_tokens, protocol: () });
            // `origin` has them already.
            view.listing.iter_mut().for_each(|listing| listing.underlying_tokens.clear());
        }
        view
    }
}
