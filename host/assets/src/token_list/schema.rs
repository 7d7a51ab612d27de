//! Parses a document of the token list standard, <https://uniswap.org/tokenlist.schema.json> (of
//! `@uniswap/token-lists` 1.0.0-beta.35).
//!
//! Invariant: a document that violates a rule is refused as a whole, with one line that names the place and the rule.
//! Members that the gateway does not use (keywords, tags, other extensions) are ignored.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use portolan_base::sanitize;
use serde::Deserialize;
use serde_json::value::RawValue;
use toml::value::Datetime;

use super::list::{ListBuilder, ListVersion, ListedToken, TokenList, evm_address};
use super::logo;

/// The longest public lists have 2 MiB.
pub(super) const DOCUMENT_BYTES_MAX: usize = 16 << 20;
/// Maximum tokens, bridged addresses included. The standard says 10,000, which published lists of all tokens exceed.
const TOKENS_MAX: usize = 100_000;

const LIST_NAME_CHARS_MAX: usize = 30;
const NAME_CHARS_MAX: usize = 60;
const SYMBOL_CHARS_MAX: usize = 20;
/// Characters of an address outside the EVM: base58 of 32 bytes.
const BASE58_CHARS: std::ops::RangeInclusive<usize> = 32..=44;
/// Maximum characters of an error's text; a parser's text may repeat a value.
const RULE_CHARS_MAX: usize = 200;

/// The violated rule and its place in the document; always one line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub(crate) struct SchemaError {
    place: String,
    rule: String,
}

impl SchemaError {
    fn new(place: impl Into<String>, rule: impl AsRef<str>) -> Self {
        let rule = sanitize::cut(&sanitize::single_line(rule.as_ref()), RULE_CHARS_MAX);
        Self { place: sanitize::cut(&place.into(), RULE_CHARS_MAX), rule }
    }
}

#[derive(Deserialize)]
struct ListDocument<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    version: VersionFields,
    #[serde(borrow)]
    tokens: Vec<TokenFields<'a>>,
}

#[derive(Deserialize)]
struct VersionFields {
    major: u64,
    minor: u64,
    patch: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenFields<'a> {
    chain_id: u64,
    #[serde(borrow)]
    address: Cow<'a, str>,
    decimals: u8,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    symbol: Cow<'a, str>,
    #[serde(borrow, rename = "logoURI")]
    logo: Option<Cow<'a, str>>,
    #[serde(borrow)]
    extensions: Option<Extensions<'a>>,
}

/// The standard leaves extensions to vendors: any that is not a bridge is ignored, not an error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extensions<'a> {
    /// Bridges by chain id, if valid. Kept unparsed, because a tree of arbitrary JSON would take many times the
    /// memory.
    #[serde(borrow)]
    bridge_info: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bridge<'a> {
    #[serde(borrow)]
    token_address: Cow<'a, str>,
}

/// Parses the list in `document`, reduced to the networks with these chain ids.
pub(super) fn read(document: &[u8], chain_ids: &BTreeSet<u64>) -> Result<TokenList, SchemaError> {
    if document.len() > DOCUMENT_BYTES_MAX {
        return Err(SchemaError::new("the list", format!("has more than {DOCUMENT_BYTES_MAX} bytes")));
    }
    let fields = parse(document)?;
    check_head(&fields)?;
    let mut entries = ListBuilder::new(chain_ids);
    let mut bridged = Vec::new();
    for (place, token) in fields.tokens.iter().enumerate() {
        check_token(place, token)?;
        let listed = ListedToken::new(&token.name, &token.symbol, token.decimals, logo::of_list(token.logo.as_deref()));
        if let Some(address) = evm_address(&token.address) {
            entries.push(token.chain_id, address, &listed);
        }
        bridged.push(listed);
    }
    // A list's own row of an address takes precedence over a bridged address of another row.
    for (token, listed) in fields.tokens.iter().zip(&bridged) {
        bridges(token).for_each(|(chain_id, address)| entries.push(chain_id, address, listed));
    }
    if entries.len() > TOKENS_MAX {
        return Err(SchemaError::new("tokens", format!("are more than {TOKENS_MAX} with their bridged addresses")));
    }
    let VersionFields { major, minor, patch } = fields.version;
    Ok(entries.into_list(ListVersion { major, minor, patch }))
}

fn parse(document: &[u8]) -> Result<ListDocument<'_>, SchemaError> {
    let mut json = serde_json::Deserializer::from_slice(document);
    let document = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let place = error.path().to_string();
        SchemaError::new(if place == "." { "the list".to_owned() } else { place }, error.inner().to_string())
    })?;
    json.end().map_err(|error| SchemaError::new("the list", error.to_string()))?;
    Ok(document)
}

fn check_head(document: &ListDocument<'_>) -> Result<(), SchemaError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ';
    if document.name.is_empty()
        || document.name.chars().count() > LIST_NAME_CHARS_MAX
        || !document.name.chars().all(is_word)
    {
        let rule = format!("is not 1 to {LIST_NAME_CHARS_MAX} letters, digits, _ and spaces");
        return Err(SchemaError::new("name", rule));
    }
    // TOML's dates are those of RFC 3339; the standard requires date, time and offset.
    let is_whole =
        |timestamp: Datetime| timestamp.date.is_some() && timestamp.time.is_some() && timestamp.offset.is_some();
    if !Datetime::from_str(&document.timestamp).is_ok_and(is_whole) {
        return Err(SchemaError::new(
            "timestamp",
            "is not an RFC 3339 date and time, for example 2026-01-31T12:00:00Z",
        ));
    }
    if document.tokens.is_empty() || document.tokens.len() > TOKENS_MAX {
        return Err(SchemaError::new("tokens", format!("are {}, not 1 to {TOKENS_MAX}", document.tokens.len())));
    }
    Ok(())
}

fn check_token(place: usize, token: &TokenFields<'_>) -> Result<(), SchemaError> {
    let check = |member: &str, holds: bool, rule: &dyn Fn() -> String| {
        if holds { Ok(()) } else { Err(SchemaError::new(format!("tokens[{place}].{member}"), rule())) }
    };
    let fits = |text: &str, chars_max: usize| text.chars().count() <= chars_max;
    let is_address = evm_address(&token.address).is_some() || is_base58(&token.address);
    check("chainId", token.chain_id >= 1, &|| "is 0".into())?;
    check("address", is_address, &|| "is not 0x and 40 hex digits".into())?;
    check("name", fits(&token.name, NAME_CHARS_MAX), &|| format!("has more than {NAME_CHARS_MAX} characters"))?;
    let is_spaced = token.name.chars().all(|c| c == ' ' || !c.is_whitespace());
    check("name", is_spaced, &|| "has white space other than spaces".into())?;
    check("symbol", fits(&token.symbol, SYMBOL_CHARS_MAX), &|| format!("has more than {SYMBOL_CHARS_MAX} characters"))?;
    check("symbol", !token.symbol.contains(char::is_whitespace), &|| "has white space".into())
}

/// Such addresses belong to networks that this gateway cannot serve; they do not invalidate the list.
fn is_base58(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l');
    BASE58_CHARS.contains(&text.len()) && text.bytes().all(is_digit)
}

/// The token's addresses on other networks.
fn bridges<'a>(token: &'a TokenFields<'_>) -> impl Iterator<Item = (u64, alloy::primitives::Address)> + use<'a> {
    let bridges = token.extensions.as_ref().and_then(|extensions| extensions.bridge_info);
    let bridges =
        bridges.and_then(|bridges| serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(bridges.get()).ok());
    bridges.into_iter().flatten().filter_map(|(chain_id, bridge)| {
        let Bridge { token_address } = serde_json::from_str(bridge.get()).ok()?;
        Some((chain_id.parse().ok()?, evm_address(&token_address)?))
    })
}

#[cfg(test)]
mod tests;
