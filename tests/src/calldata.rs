//! The arguments of the chains' claim calls, read from their calldata by hand.
//!
//! Invariant: nothing here shares code with the gateway, whose encoding it is compared with.

use anyhow::{Context as _, Result, ensure};
use bigdecimal::num_bigint::BigUint;

use crate::json::Json;

/// Hex digits of a word.
const WORD: usize = 64;

/// The claim calls of the chains' contracts, by name.
const CALLS: [(&str, &[&str]); 5] = [
    ("getReward", &[]),
    ("deposit", &["uint256", "uint256"]),
    ("withdraw", &["uint256", "uint256"]),
    ("harvest", &["uint256", "address"]),
    ("claimRewards", &["address[]", "uint256", "address", "address"]),
];

/// Returns an answer's description of the function behind calldata.
///
/// # Errors
/// Where the function is none of the chains', or the data is not its own.
pub fn function(name: &str, data: &str) -> Result<Json> {
    let (_, types) = CALLS.iter().find(|call| call.0 == name).with_context(|| format!("no claim is {name}"))?;
    let words = data.get(10..).with_context(|| format!("{data} has no selector"))?;
    ensure!(words.len() % WORD == 0, "{data} is not made of words");
    let inputs = types.iter().enumerate().map(|(place, kind)| {
        let value = argument(words, place, kind).with_context(|| format!("argument {place} of {name}"))?;
        Ok(Json::object([("value", Json::text(value)), ("typeAsString", Json::text(*kind))]))
    });
    Ok(Json::object([
        ("name", Json::text(name)),
        ("inputParameters", Json::Array(inputs.collect::<Result<_>>()?)),
        ("outputParameters", Json::Array(Vec::new())),
    ]))
}

fn argument(words: &str, place: usize, kind: &str) -> Result<String> {
    let first = word(words, place)?;
    Ok(match kind {
        "uint256" => number(first)?.to_string(),
        "address" => address(first),
        _ => {
            let at = usize::try_from(number(first)?)? / 32;
            let length = usize::try_from(number(word(words, at)?)?)?;
            let items: Result<Vec<String>> = (1..=length).map(|item| Ok(address(word(words, at + item)?))).collect();
            format!("[{}]", items?.join(","))
        }
    })
}

fn word(words: &str, place: usize) -> Result<&str> {
    words.get(place * WORD..(place + 1) * WORD).with_context(|| format!("no word {place}"))
}

fn number(word: &str) -> Result<BigUint> {
    BigUint::parse_bytes(word.as_bytes(), 16).with_context(|| format!("{word} is not hexadecimal"))
}

fn address(word: &str) -> String {
    format!("0x{}", &word[WORD - 40..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_found_behind_its_offset() {
        let [one, two] = ["11".repeat(20), "22".repeat(20)];
        let padded = |address: &str| format!("{address:0>64}");
        let words = [padded("80"), "f".repeat(64), padded(&one), padded(&two), padded("2"), padded(&two), padded(&one)];
        let found = function("claimRewards", &format!("0x236300dc{}", words.concat())).unwrap();
        let value = |place: usize| found.text_at(&format!("inputParameters/{place}/value")).unwrap().to_owned();
        assert_eq!(value(0), format!("[0x{two},0x{one}]"));
        assert_eq!(value(1), "115792089237316195423570985008687907853269984665640564039457584007913129639935");
        assert_eq!([value(2), value(3)], [format!("0x{one}"), format!("0x{two}")]);
    }
}
