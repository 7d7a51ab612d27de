//! Names and symbols of tokens as answers show them: a token's own, but for a pair those of its tokens, as all pairs
//! of a factory have the same name.
//!
//! Invariant: a pair's name is bounded and goes two pairs deep, whatever its tokens claim to be made of.

use alloy::primitives::Address;
use portolan_base::sanitize::text::Text;
use portolan_reader::ReadFailure;

use super::set::{MetadataSet, PAIR_DEPTH_MAX};
use super::{Derivation, TokenMetadata};
use crate::token::{NATIVE, TEXT_CHARS_MAX};

/// Maximum characters of each half of a pair: both and ` LP` fit into a text.
const HALF_CHARS_MAX: usize = (TEXT_CHARS_MAX - "/ LP".len()) / 2;

/// Returns name and symbol.
///
/// # Errors
/// A token that they are made of could not be read.
pub(crate) fn display_texts(set: &MetadataSet, metadata: &TokenMetadata) -> Result<(Text, Text), ReadFailure> {
    let Some(tokens) = metadata.derivation.and_then(Derivation::pair) else {
        return Ok((metadata.name.clone(), metadata.symbol.clone()));
    };
    let [a, b] = halves(set, tokens, PAIR_DEPTH_MAX)?;
    let name = [a.clone(), Text::words("/"), b.clone(), Text::words(" LP")];
    Ok((name.into_iter().collect(), joined([a, b])))
}

/// The `type` in answers. Forks of Solidly are indistinguishable, so they share its name.
pub(crate) fn kind(token: Address, metadata: &TokenMetadata) -> &'static str {
    match metadata.derivation {
        _ if token == NATIVE => "NATIVE",
        Some(Derivation::Pair(_)) => "UNISWAP",
        Some(Derivation::Volatile(_) | Derivation::Stable(_)) => "SOLIDLY",
        Some(Derivation::Native(_) | Derivation::Vault(_) | Derivation::Receipt(_) | Derivation::RatedReceipt(_))
        | None => "SINGLE",
    }
}

/// The tokens that it can be redeemed for; none for a wrapper of the native token.
pub(crate) fn underlying(metadata: &TokenMetadata) -> Vec<Address> {
    let derivation = metadata.derivation.filter(|derivation| !matches!(derivation, Derivation::Native(_)));
    derivation.map(|derivation| derivation.parts().to_vec()).unwrap_or_default()
}

/// Joins two texts by a dash.
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

/// `0x2260…c599`, so that a token without a symbol can still be found.
fn short_address(token: Address) -> Text {
    let hex = format!("{token:#x}");
    Text::words(&format!("{}…{}", &hex[..6], &hex[hex.len() - 4..]))
}

#[cfg(test)]
mod tests;
