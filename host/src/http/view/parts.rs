//! The parts of rows on the wire: networks, protocols, tokens, numbers and addresses.

use std::borrow::Cow;

use alloy::hex;
use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use portolan_assets::token::{DecimalsSource, Token};
use portolan_base::network::Network;
use portolan_base::sanitize::text::Text;
use portolan_base::sanitize::web_url::WebUrl;
use portolan_plugins::protocol::Protocol;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::Shape;
use super::schema::{AddressText, Caip2, Caip19, TokenAddress};
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
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NetworkRow")]
pub(super) struct NetworkEntry<'a> {
    /// Name in capitals.
    name: &'a str,
    /// URL of the logo.
    logo: &'a str,
    /// Slug, by which requests name it.
    slug: &'a str,
    /// CAIP-2 id (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Caip2")]
    caip2: Option<String>,
}

impl<'a> NetworkEntry<'a> {
    pub(super) fn of(network: &'a Network, shape: Shape) -> Self {
        Self { name: &network.name, logo: &network.logo, slug: &network.slug, caip2: caip2(network, shape) }
    }
}

/// A network within a row.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Network")]
pub(super) struct NetworkView<'a> {
    /// Name in capitals.
    name: &'a str,
    /// URL of the logo.
    logo: &'a str,
    /// Chain id.
    chain_id: u64,
    /// CAIP-2 id (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Caip2")]
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

/// A protocol.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Protocol")]
pub(super) struct ProtocolView<'a> {
    /// Name.
    name: &'a Text,
    /// URL of the logo.
    logo: &'a WebUrl,
    /// Slug, by which requests name it.
    slug: &'a str,
    /// What it offers, such as `LENDING`.
    primitives: &'a [String],
    /// URL of its site.
    website: &'a WebUrl,
    /// Who runs it; only in `/protocols`, claimables and groups of positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Company<'a>")]
    company: Option<Company<'a>>,
}

/// Who runs a protocol.
#[derive(Serialize, JsonSchema)]
struct Company<'a> {
    /// Name.
    name: &'a Text,
    /// Slug.
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

/// A token.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Token")]
pub(super) struct TokenView<'a> {
    /// `0x0` for the native token.
    #[schemars(with = "TokenAddress")]
    address: String,
    /// Name, as the contract says.
    name: &'a Text,
    /// Symbol, as the contract says.
    symbol: &'a Text,
    /// Decimals of an amount.
    decimals: u8,
    /// URL of the logo.
    logo: Option<&'a str>,
    /// The kind of token, such as `SINGLE` or `NATIVE`.
    #[serde(rename = "type")]
    kind: &'a str,
    /// Supply in smallest units; only in claimables, balances and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Number")]
    total_supply: Option<Number>,
    #[serde(flatten)]
    origin: Option<Origin<'a>>,
    #[serde(flatten)]
    listing: Option<Listing>,
}

/// Members with `detail=full`: facts of token lists, and the underlying tokens.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Listing {
    /// True if a token list has it (`detail=full`).
    listed: bool,
    /// True if it is on no list, but has the symbol of a listed token or of the native token (`detail=full`).
    lookalike: bool,
    /// CAIP-19 id; null for a native token whose coin type is not certain, and for contracts without amounts of their
    /// own, such as collections (`detail=full`).
    #[schemars(with = "Option<Caip19>")]
    caip19: Option<String>,
    /// Set only if the decimals come from a token list, not from the contract (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'static str")]
    decimals_source: Option<&'static str>,
    /// The tokens that it redeems to: in claimables over all protocols and in events, and if there are any, with
    /// `detail=full`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<AddressText>")]
    underlying_tokens: Vec<String>,
}

/// Further members of tokens in the aggregate answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Origin<'a> {
    /// The network of the token; only in claimables over all protocols and in events.
    network: NetworkView<'a>,
    /// The tokens that it redeems to.
    #[schemars(with = "Vec<AddressText>")]
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

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "string"],
            "description": "An exact number of any length. With `amounts=string`, a string of the same digits.",
            "pattern": "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(E[+-][0-9]+)?$",
        })
    }
}
