//! How answers show a token: its own words, but a pair by its tokens, for every pair of a factory calls itself alike.
//!
//! Invariant: what a pair shows is bounded and looks two pairs deep, whatever its tokens say that they are made of.

use alloy::primitives::Address;
use portolan_reader::ReadFailure;

use super::facts::Facts;
use super::told::{MadeOf, Told};
use super::{NATIVE, text};

/// A pair of pairs shows the tokens of its pairs, and their own symbols where these are pairs again.
pub(super) const PAIRS_DEEP: usize = 2;

/// Of each half of a pair: both and ` LP` fit into a text.
const HALF_CHARS_MAX: usize = (text::CHARS_MAX - "/ LP".len()) / 2;

/// Name and symbol.
///
/// # Errors
/// Why a token that they are made of could not be read.
pub(super) fn texts(facts: &Facts, told: &Told) -> Result<(String, String), ReadFailure> {
    let Some(tokens) = told.made_of.and_then(MadeOf::pair) else {
        return Ok((told.name.clone(), told.symbol.clone()));
    };
    let [a, b] = halves(facts, tokens, PAIRS_DEEP)?;
    Ok((format!("{a}/{b} LP"), format!("{a}-{b}")))
}

/// The specification's `type`. Solidly's forks cannot be told from each other, so they share their origin's name.
pub(super) fn kind(token: Address, told: &Told) -> &'static str {
    match told.made_of {
        _ if token == NATIVE => "NATIVE",
        Some(MadeOf::Pair(_)) => "UNISWAP",
        Some(MadeOf::Volatile(_) | MadeOf::Stable(_)) => "SOLIDLY",
        Some(MadeOf::Native(_) | MadeOf::Vault(_) | MadeOf::Receipt(_) | MadeOf::RatedReceipt(_)) | None => "SINGLE",
    }
}

/// The tokens that can be had for it. A wrapper of the native token stands for itself.
pub(super) fn underlying(told: &Told) -> Vec<Address> {
    let made_of = told.made_of.filter(|made_of| !matches!(made_of, MadeOf::Native(_)));
    made_of.map(|made_of| made_of.parts().to_vec()).unwrap_or_default()
}

fn halves(facts: &Facts, tokens: [Address; 2], deep: usize) -> Result<[String; 2], ReadFailure> {
    let [a, b] = tokens.map(|token| half(facts, token, deep - 1));
    Ok([a?, b?])
}

fn half(facts: &Facts, token: Address, deep: usize) -> Result<String, ReadFailure> {
    let told = facts.get(token)?;
    let symbol = match told.made_of.and_then(MadeOf::pair) {
        Some(tokens) if deep > 0 => halves(facts, tokens, deep)?.join("-"),
        _ => told.symbol.clone(),
    };
    Ok(if symbol.is_empty() { short(token) } else { text::cut(&symbol, HALF_CHARS_MAX) })
}

/// As `0x2260…c599`: a token without a symbol still is one that can be looked up.
fn short(token: Address) -> String {
    let hex = format!("{token:#x}");
    format!("{}…{}", &hex[..6], &hex[hex.len() - 4..])
}

#[cfg(test)]
mod tests;
