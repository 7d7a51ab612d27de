//! Formats the parts of a sentence: amounts, tokens, protocols and lists, each of bounded length.
//!
//! Invariant: a symbol is used only if it cannot be mistaken for anything else: it has plain letters, and its token
//! does not imitate a listed one. Otherwise the token's address is used.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::RoundingMode;
use portolan_assets::amount::decimal;
use portolan_assets::resolve::Tokens;
use portolan_assets::token::{NATIVE, Token};
use portolan_base::network::Networks;
use portolan_events::Asset;
use portolan_plugins::protocol::Protocol;

use crate::events::movements::MovedAsset;

/// Decimals of every native token.
const NATIVE_DECIMALS: u8 = 18;
/// Digits shown of an amount; more if the integer part is longer.
const SIGNIFICANT_DIGITS: NonZeroU64 = NonZeroU64::MIN.saturating_add(5);
/// Minimum number of decimal places shown of a large amount.
const FRACTION_DIGITS_MIN: i64 = 2;
/// Maximum digits before the point, or zeros after it, without an exponent: a quadrillion, a wei.
const PLAIN_DIGITS_MAX: i64 = 17;
/// Maximum length of a symbol; the longest honest ones are those of pool shares.
const SYMBOL_CHARS_MAX: usize = 32;
/// Maximum members of a list; further ones are counted.
const LIST_MAX: usize = 4;
/// Maximum digits of a token id: those of a 64-bit number.
const TOKEN_ID_DIGITS_MAX: usize = 20;
/// Maximum characters of an ENS name that are shown.
const NAME_CHARS_MAX: usize = 64;

/// Formats amounts, tokens, protocols and networks in words.
#[derive(Clone, Copy)]
pub(crate) struct SummaryFormatter<'a> {
    pub(crate) tokens: &'a Tokens,
    /// Protocols that events name, by slug.
    pub(crate) protocols: &'a BTreeMap<String, Arc<Protocol>>,
    pub(crate) networks: &'a Networks,
    /// Symbol of the network's native token.
    pub(crate) native: &'a str,
}

impl SummaryFormatter<'_> {
    /// Formats an amount; `None` without a token address.
    pub(super) fn amount(&self, asset: Asset) -> Option<String> {
        let token = asset.token?;
        if token == NATIVE {
            return Some(format!("{} {}", number(asset.raw, NATIVE_DECIMALS), self.native));
        }
        Some(match self.tokens.get(token) {
            Ok(known) => match symbol(known) {
                Some(symbol) => format!("{} {symbol}", number(asset.raw, known.decimals)),
                None => format!("{} of the token {token:#x}", number(asset.raw, known.decimals)),
            },
            Err(_) => format!("an unknown amount of the token {token:#x}"),
        })
    }

    /// Formats an amount of a token, or a token id of a collection.
    pub(super) fn moved(&self, moved: MovedAsset, raw: U256) -> String {
        let Some(token_id) = moved.token_id else {
            return self.amount(Asset { token: Some(moved.token), raw }).unwrap_or_default();
        };
        let count = if raw == U256::ONE { String::new() } else { format!("{} of ", number(raw, 0)) };
        format!("{count}{}", self.nft(moved.token, token_id))
    }

    pub(super) fn nft(&self, collection: Address, token_id: U256) -> String {
        let digits = token_id.to_string();
        let id = if digits.len() <= TOKEN_ID_DIGITS_MAX { format!(" #{digits}") } else { String::new() };
        match self.symbol(collection) {
            Some(symbol) => format!("{symbol}{id}"),
            None => format!("a piece{id} of the collection {collection:#x}"),
        }
    }

    pub(super) fn token(&self, token: Address) -> String {
        self.symbol(token).map_or_else(|| format!("the token {token:#x}"), ToOwned::to_owned)
    }

    pub(super) fn vault(&self, vault: Address) -> String {
        self.symbol(vault).map_or_else(|| format!("the vault {vault:#x}"), ToOwned::to_owned)
    }

    fn symbol(&self, token: Address) -> Option<&str> {
        self.tokens.named(token).ok().and_then(|token| symbol(token))
    }

    /// Returns the display name of a protocol.
    pub(super) fn protocol(&self, slug: Option<&str>) -> Option<String> {
        Some(display_name(self.protocols.get(slug?)?))
    }

    pub(super) fn network(&self, chain_id: u64) -> String {
        match self.networks.with_chain_id(chain_id) {
            Some(network) => title(&network.name),
            None => format!("the chain {chain_id}"),
        }
    }
}

/// Formats `raw` smallest units with thousands separators, rounded half-even.
pub(super) fn number(raw: U256, decimals: u8) -> String {
    if raw.is_zero() {
        return "0".into();
    }
    let value = decimal(raw, i64::from(decimals));
    let whole = i64::try_from(raw.to_string().len()).unwrap_or(i64::MAX) - i64::from(decimals);
    if !(-PLAIN_DIGITS_MAX..=PLAIN_DIGITS_MAX).contains(&whole) {
        let (digits, scale) =
            value.with_precision_round(SIGNIFICANT_DIGITS, RoundingMode::HalfEven).into_bigint_and_scale();
        let digits = digits.to_string();
        let exponent = i64::try_from(digits.len()).unwrap_or(i64::MAX) - 1 - scale;
        let (first, rest) = digits.split_at(1);
        let rest = rest.trim_end_matches('0');
        return format!("{first}{}{rest}e{exponent}", if rest.is_empty() { "" } else { "." });
    }
    let rounded = if whole > 0 {
        let significant = i64::try_from(SIGNIFICANT_DIGITS.get()).unwrap_or(i64::MAX);
        value.with_scale_round((significant - whole).max(FRACTION_DIGITS_MIN), RoundingMode::HalfEven)
    } else {
        value.with_precision_round(SIGNIFICANT_DIGITS, RoundingMode::HalfEven)
    };
    let plain = rounded.normalized().to_plain_string();
    let (integer, fraction) = plain.split_once('.').map_or((plain.as_str(), ""), |(integer, part)| (integer, part));
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction}", grouped(integer))
}

fn grouped(digits: &str) -> String {
    let separated = |(place, digit): (usize, char)| {
        let is_end_of_group = place > 0 && (digits.len() - place).is_multiple_of(3);
        [is_end_of_group.then_some(','), Some(digit)].into_iter().flatten()
    };
    digits.chars().enumerate().flat_map(separated).collect()
}

/// Returns the symbol, unless it could be mistaken for anything else.
fn symbol(token: &Token) -> Option<&str> {
    let symbol = token.symbol.as_str();
    let is_plain =
        |c: char| c.is_ascii_graphic() && !matches!(c, ',' | ';' | ':' | '"' | '\'' | '`' | '<' | '>' | '\\');
    let is_word = !symbol.is_empty() && symbol.len() <= SYMBOL_CHARS_MAX && symbol.chars().all(is_plain);
    // A symbol that is a URL is an advertisement.
    let is_safe = token.is_listed || (!token.is_lookalike && is_word && !symbol.contains("://"));
    (is_safe && is_word).then_some(symbol)
}

/// Returns a display name: `Uniswap v3` for UNISWAP_V3 by Uniswap. If the names are equal, the company's is used.
fn display_name(protocol: &Protocol) -> String {
    let (name, company) = (protocol.name.as_str(), protocol.company_name.as_str());
    let letters =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    let (base, version) = match name.rsplit_once('_') {
        Some((base, version)) if version.len() > 1 && version.starts_with('V') => (base, Some(version)),
        _ => (name, None),
    };
    let base = if letters(base) == letters(company) { company.to_owned() } else { title(base) };
    match version {
        Some(version) => format!("{base} {}", version.to_lowercase()),
        None => base,
    }
}

/// Converts `POLYGON_MUMBAI` to `Polygon Mumbai`. Words without vowels such as `BSC` are not changed.
fn title(name: &str) -> String {
    let is_short = |word: &str| !word.contains(['A', 'E', 'I', 'O', 'U', 'Y']);
    let word = |word: &str| {
        if is_short(word) {
            return word.to_owned();
        }
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}", letters.as_str().to_lowercase())
    };
    name.split(['_', ' ']).map(word).collect::<Vec<_>>().join(" ")
}

/// Returns a registered name, unless it could be mistaken for anything else.
pub(super) fn plain_name(name: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!name.is_empty() && name.len() <= NAME_CHARS_MAX && name.chars().all(is_plain)).then_some(name)
}

/// Formats a list: `a`, `a and b`, `a, b and c`, `a, b, c and 7 more`.
pub(super) fn list(mut members: Vec<String>) -> String {
    let further = members.len().saturating_sub(LIST_MAX);
    if further > 0 {
        members.truncate(LIST_MAX - 1);
        members.push(format!("{} more", further + 1));
    }
    let last = members.pop().unwrap_or_default();
    if members.is_empty() { last } else { format!("{} and {last}", members.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_separators_and_six_digits() {
        let cases = [
            ("1250000000", 6, "1,250"),
            ("410000000000000000", 18, "0.41"),
            ("1", 18, "0.000000000000000001"),
            ("1", 19, "1e-19"),
            ("1234567891234", 6, "1,234,567.89"),
            ("999999999", 6, "1,000"),
            ("12345678", 6, "12.3457"),
            ("123456789012345678", 18, "0.123457"),
            ("5", 0, "5"),
            ("1000", 0, "1,000"),
            ("100", 2, "1"),
            ("99999999999999999", 0, "99,999,999,999,999,999"),
            ("123456700000000000000", 0, "1.23457e20"),
            ("100000000000000000000", 0, "1e20"),
        ];
        for (raw, decimals, expected) in cases {
            assert_eq!(number(raw.parse().unwrap(), decimals), expected, "{raw} / 10^{decimals}");
        }
        assert_eq!(number(U256::MAX, 18), "1.15792e59");
    }

    #[test]
    fn protocols_have_the_names_that_people_use() {
        let of = |name: &str, company: &str| {
            let (name, company_name) = (name.into(), company.into());
            display_name(&Protocol { name, company_name, ..Protocol::default() })
        };
        assert_eq!(of("UNISWAP_V3", "Uniswap"), "Uniswap v3");
        assert_eq!(of("QUICKSWAP", "QuickSwap"), "QuickSwap");
        assert_eq!(of("TRADER-JOE", "Trader Joe"), "Trader Joe");
        assert_eq!(of("VELODROME_V2", "Velodrome Finance"), "Velodrome v2");
        assert_eq!(of("MORPHO_AAVE_V3", "Morpho"), "Morpho Aave v3");
    }

    #[test]
    fn lists_end_with_the_count_of_what_they_do_not_show() {
        let of = |count: usize| list((0..count).map(|each| each.to_string()).collect());
        assert_eq!([of(1), of(2), of(4), of(5)], ["0", "0 and 1", "0, 1, 2 and 3", "0, 1, 2 and 2 more"]);
    }
}
