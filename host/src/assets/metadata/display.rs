//! How answers show a token: with its own name and symbol, but a pair by its tokens, for every pair of a factory has
//! the same name.
//!
//! Invariant: what a pair shows is bounded and goes two pairs deep, whatever its tokens claim to be made of.

use alloy::primitives::Address;
use portolan_reader::ReadFailure;

use super::set::{MetadataSet, PAIR_DEPTH_MAX};
use super::{Derivation, TokenMetadata};
use crate::assets::token::{NATIVE, TEXT_CHARS_MAX};
use crate::sanitize::text::Text;

/// Characters of each half of a pair: both and ` LP` fit into a text.
const HALF_CHARS_MAX: usize = (TEXT_CHARS_MAX - "/ LP".len()) / 2;

/// Name and symbol.
///
/// # Errors
/// Why a token that they are made of could not be read.
pub(crate) fn display_texts(set: &MetadataSet, metadata: &TokenMetadata) -> Result<(Text, Text), ReadFailure> {
    let Some(tokens) = metadata.derivation.and_then(Derivation::pair) else {
        return Ok((metadata.name.clone(), metadata.symbol.clone()));
    };
    let [a, b] = halves(set, tokens, PAIR_DEPTH_MAX)?;
    let name = [a.clone(), Text::words("/"), b.clone(), Text::words(" LP")];
    Ok((name.into_iter().collect(), joined([a, b])))
}

/// The specification's `type`. Solidly's forks cannot be distinguished, so they share their origin's name.
pub(crate) fn kind(token: Address, metadata: &TokenMetadata) -> &'static str {
    match metadata.derivation {
        _ if token == NATIVE => "NATIVE",
        Some(Derivation::Pair(_)) => "UNISWAP",
        Some(Derivation::Volatile(_) | Derivation::Stable(_)) => "SOLIDLY",
        Some(Derivation::Native(_) | Derivation::Vault(_) | Derivation::Receipt(_) | Derivation::RatedReceipt(_))
        | None => "SINGLE",
    }
}

/// The tokens that it can be redeemed for. A wrapper of the native token shows none.
pub(crate) fn underlying(metadata: &TokenMetadata) -> Vec<Address> {
    let derivation = metadata.derivation.filter(|derivation| !matches!(derivation, Derivation::Native(_)));
    derivation.map(|derivation| derivation.parts().to_vec()).unwrap_or_default()
}

/// With a dash between them.
fn joined([a, b]: [Text; 2]) -> Text {
    [a, Text::words("-"), b].into_iter().collect()
}

fn halves(set: &MetadataSet, tokens: [Address; 2], depth: usize) -> Result<[Text; 2], ReadFailure> {
    let [a, b] = tokens.map(|token| half(set, token, depth - 1));
    Ok([a?, b?])
}

fn half(set: &MetadataSet, token: Address, depth: usize) -> Result<Text, ReadFailure> {
    let metadata = set.get(token)?;
    let symbol = match metadata.derivation.and_then(Derivation::pair) {
        Some(tokens) if depth > 0 => joined(halves(set, tokens, depth)?),
        _ => metadata.symbol.clone(),
    };
    Ok(if symbol.is_empty() { short_address(token) } else { symbol.cut(HALF_CHARS_MAX) })
}

/// `0x2260…c599`: a token without a symbol can still be looked up.
fn short_address(token: Address) -> Text {
    let hex = format!("{token:#x}");
    Text::words(&format!("{}…{}", &hex[..6], &hex[hex.len() - 4..]))
}

#[cfg(test)]
mod tests;
