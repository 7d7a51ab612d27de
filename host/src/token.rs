//! What the chain says of tokens: name, symbol, decimals, total supply.
//!
//! Invariant: a token that could not be read is missing, never half made up; one that does not tell its name has an
//! empty one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use alloy::sol;
use alloy::sol_types::{SolCall, SolValue};
use tokio::time::Instant;

use crate::answer::Token;
use crate::network::Network;
use crate::price::PriceSource;
use crate::reader::{Block, Outcome, Read, ReadFailure, Reader, Reply};

sol! {
    /// <https://eips.ethereum.org/EIPS/eip-20>
    interface Erc20 {
        function name() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
    }
}

/// Characters of a name or symbol; the longest honest ones are names of pool shares.
const TEXT_MAX: usize = 64;

/// The tokens that could be read, and why others could not.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    known: HashMap<Address, Arc<Token>>,
    lost: Option<ReadFailure>,
}

impl Tokens {
    /// # Errors
    /// Why it could not be read.
    pub(crate) fn get(&self, token: Address) -> Result<&Arc<Token>, ReadFailure> {
        self.known.get(&token).ok_or(self.lost.unwrap_or(ReadFailure::Upstream))
    }
}

/// Reads tokens and asks for their prices, in one wave.
pub(crate) async fn read(
    reader: &dyn Reader,
    prices: &dyn PriceSource,
    network: &Arc<Network>,
    block: &Block,
    wanted: &BTreeSet<Address>,
    deadline: Instant,
) -> Tokens {
    let wanted: Vec<Address> = wanted.iter().copied().collect();
    if wanted.is_empty() {
        return Tokens::default();
    }
    let reads = wanted.iter().flat_map(|token| questions(*token)).collect();
    let replies = reader.read(network, block, reads, deadline);
    let (replies, mut priced) = tokio::join!(replies, prices.prices(network, block, &wanted, deadline));
    let mut tokens = Tokens::default();
    for (address, replies) in wanted.into_iter().zip(replies.chunks(QUESTIONS)) {
        match facts(replies) {
            Ok(facts) => {
                let token = Token {
                    network: Arc::clone(network),
                    address,
                    name: facts.name,
                    symbol: facts.symbol,
                    decimals: facts.decimals,
                    logo: None,
                    kind: "SINGLE",
                    total_supply: facts.total_supply,
                    underlying: Vec::new(),
                    price: priced.remove(&address),
                };
                tokens.known.insert(address, Arc::new(token));
            }
            Err(failure) => tokens.lost = Some(failure),
        }
    }
    tokens
}

const QUESTIONS: usize = 4;

fn questions(token: Address) -> [Read; QUESTIONS] {
    [
        Read::call(token, Erc20::nameCall {}.abi_encode()).immutable(),
        Read::call(token, Erc20::symbolCall {}.abi_encode()).immutable(),
        Read::call(token, Erc20::decimalsCall {}.abi_encode()).immutable(),
        Read::call(token, Erc20::totalSupplyCall {}.abi_encode()),
    ]
}

struct Facts {
    name: String,
    symbol: String,
    decimals: u8,
    total_supply: U256,
}

/// A token need not tell any of these (all are optional in ERC-20 but the supply); a failed read is another matter.
fn facts(replies: &[Reply]) -> Result<Facts, ReadFailure> {
    let [name, symbol, decimals, total_supply] = replies else { return Err(ReadFailure::Upstream) };
    Ok(Facts {
        name: text(told(name)?),
        symbol: text(told(symbol)?),
        decimals: told(decimals)?.and_then(first_word).and_then(|word| u8::try_from(word).ok()).unwrap_or_default(),
        total_supply: told(total_supply)?.and_then(first_word).unwrap_or_default(),
    })
}

/// The returned bytes, `None` where the token does not answer.
fn told(reply: &Reply) -> Result<Option<&[u8]>, ReadFailure> {
    match &reply.outcome {
        Outcome::Ok(bytes) => Ok(Some(bytes)),
        Outcome::Reverted(_) | Outcome::NoCode | Outcome::GasCap => Ok(None),
        Outcome::Failed(failure) => Err(*failure),
        Outcome::OverBudget | Outcome::Unsupported => Err(ReadFailure::Upstream),
    }
}

fn first_word(bytes: &[u8]) -> Option<U256> {
    bytes.get(..32).map(U256::from_be_slice)
}

/// A `string`, or a `bytes32` as tokens of 2017 have it; cleaned and cut.
fn text(bytes: Option<&[u8]>) -> String {
    let bytes = bytes.unwrap_or_default();
    let decoded = match <[u8; 32]>::try_from(bytes) {
        Ok(word) => word.iter().copied().take_while(|byte| *byte != 0).collect(),
        // A string is encoded as bytes are, and need not be UTF-8.
        Err(_) => alloy::primitives::Bytes::abi_decode(bytes).unwrap_or_default().to_vec(),
    };
    clean(&String::from_utf8_lossy(&decoded))
}

/// Without control and direction characters, which would let a token's name change what stands around it.
pub(crate) fn clean(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_control() && !is_format(*c));
    kept.take(TEXT_MAX).collect::<String>().trim().to_owned()
}

/// Unicode's direction marks, embeddings, overrides and isolates, zero-width characters, and the byte order mark.
fn is_format(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(bytes: impl Into<alloy::primitives::Bytes>) -> Reply {
        Reply::fresh(Outcome::Ok(bytes.into()))
    }

    #[test]
    fn a_name_is_a_string_or_a_word_or_nothing() {
        let mut word = [0; 32];
        word[..3].copy_from_slice(b"MKR");
        let cases = [
            ("Dai".abi_encode(), "Dai"),
            (word.to_vec(), "MKR"),
            (Vec::new(), ""),
            (vec![0xff; 64], ""),
            ("a\u{202e}b\u{0007}c".abi_encode(), "abc"),
            ("x".repeat(1 << 20).abi_encode(), &"x".repeat(64)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(text(Some(&bytes)), expected);
        }
    }

    #[test]
    fn a_token_that_tells_nothing_has_no_decimals_and_one_that_was_not_read_is_missing() {
        let silent = [Outcome::NoCode, Outcome::GasCap, Outcome::Reverted(Default::default()), Outcome::NoCode];
        let facts = facts(&silent.map(Reply::fresh)).ok().unwrap();
        assert_eq!((facts.name.as_str(), facts.decimals, facts.total_supply), ("", 0, U256::ZERO));
        let lost = [ok("A".abi_encode()), ok("A".abi_encode()), ok(vec![0; 32])];
        let lost = [lost.as_slice(), &[Reply::fresh(Outcome::Failed(ReadFailure::Timeout))]].concat();
        assert_eq!(super::facts(&lost).err(), Some(ReadFailure::Timeout));
    }

    #[test]
    fn decimals_above_255_are_not_told() {
        let mut word = [0; 32];
        word[30] = 1;
        let replies = [ok(vec![]), ok(vec![]), ok(word.to_vec()), ok(vec![0; 32])];
        assert_eq!(facts(&replies).ok().unwrap().decimals, 0);
    }
}
