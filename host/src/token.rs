//! What the chain says of tokens: name, symbol, decimals, total supply, and whether they are shares of a pair.
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
use portolan_reader::{Block, Freshness, Outcome, Read, ReadFailure, Reader, Reply};

sol! {
    /// <https://eips.ethereum.org/EIPS/eip-20>
    interface Erc20 {
        function name() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
    }

    /// <https://github.com/Uniswap/v2-core/blob/v1.0.1/contracts/interfaces/IUniswapV2Pair.sol>
    interface Pair {
        function token0() external view returns (address);
        function token1() external view returns (address);
        function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
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
    let replies = reader.read(network.chain_id, *block, reads, deadline);
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
                    kind: if facts.pair.is_some() { "UNISWAP" } else { "SINGLE" },
                    total_supply: facts.total_supply,
                    underlying: facts.pair.map(Vec::from).unwrap_or_default(),
                    price: priced.remove(&address),
                };
                tokens.known.insert(address, Arc::new(token));
            }
            Err(failure) => tokens.lost = Some(failure),
        }
    }
    tokens
}

const QUESTIONS: usize = 7;

/// Seconds that what a token says of itself may stand, or that it does not say it. A proxy may change it, seldom.
const FACTS_STAND_S: u32 = 86_400;

/// Seconds that a total supply may stand: it is told beside amounts, and nothing is computed from it.
const SUPPLY_STANDS_S: u32 = 60;

fn questions(token: Address) -> [Read; QUESTIONS] {
    let fact = |data: Vec<u8>, stands_s| Read::call(token, data).fresh(Freshness::Within(stands_s));
    [
        fact(Erc20::nameCall {}.abi_encode(), FACTS_STAND_S),
        fact(Erc20::symbolCall {}.abi_encode(), FACTS_STAND_S),
        fact(Erc20::decimalsCall {}.abi_encode(), FACTS_STAND_S),
        fact(Erc20::totalSupplyCall {}.abi_encode(), SUPPLY_STANDS_S),
        fact(Pair::token0Call {}.abi_encode(), FACTS_STAND_S),
        fact(Pair::token1Call {}.abi_encode(), FACTS_STAND_S),
        // Only that it answers counts.
        fact(Pair::getReservesCall {}.abi_encode(), FACTS_STAND_S),
    ]
}

struct Facts {
    name: String,
    symbol: String,
    decimals: u8,
    total_supply: U256,
    /// The tokens of a constant-product pair that this is the share of.
    pair: Option<[Address; 2]>,
}

/// A token need not tell any of these (all are optional in ERC-20 but the supply); a failed read is another matter.
fn facts(replies: &[Reply]) -> Result<Facts, ReadFailure> {
    let [name, symbol, decimals, total_supply, token0, token1, reserves] = replies else {
        return Err(ReadFailure::Upstream);
    };
    let (token0, token1, reserves) = (told(token0)?, told(token1)?, told(reserves)?);
    Ok(Facts {
        name: text(told(name)?),
        symbol: text(told(symbol)?),
        decimals: told(decimals)?.and_then(first_word).and_then(|word| u8::try_from(word).ok()).unwrap_or_default(),
        total_supply: told(total_supply)?.and_then(first_word).unwrap_or_default(),
        pair: reserves
            .filter(|reserves| reserves.len() == RESERVES_BYTES)
            .and_then(|_| Some([address(token0?)?, address(token1?)?])),
    })
}

/// Two reserves and a timestamp, a word each.
const RESERVES_BYTES: usize = 96;

/// The address that a word is; `None` for zero and for anything else.
fn address(bytes: &[u8]) -> Option<Address> {
    let word = <[u8; 32]>::try_from(bytes).ok()?;
    let address = Address::from_slice(&word[12..]);
    (word[..12] == [0; 12] && !address.is_zero()).then_some(address)
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

/// Without characters that would let a token's name change what stands around it.
pub(crate) fn clean(text: &str) -> String {
    text.chars().filter(|c| !is_invisible(*c)).take(TEXT_MAX).collect::<String>().trim().to_owned()
}

/// Control characters, and Unicode's direction marks, embeddings, overrides and isolates, zero-width characters, and
/// the byte order mark.
pub(crate) fn is_invisible(c: char) -> bool {
    let is_format = matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || is_format
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
        let silent = [Outcome::NoCode, Outcome::GasCap, Outcome::Reverted(Default::default())].map(Reply::fresh);
        let silent: Vec<Reply> = silent.iter().cycle().take(QUESTIONS).cloned().collect();
        let facts = facts(&silent).ok().unwrap();
        assert_eq!((facts.name.as_str(), facts.decimals, facts.total_supply, facts.pair), ("", 0, U256::ZERO, None));
        for lost in 0..QUESTIONS {
            let mut replies = silent.clone();
            replies[lost] = Reply::fresh(Outcome::Failed(ReadFailure::Timeout));
            assert_eq!(super::facts(&replies).err(), Some(ReadFailure::Timeout));
        }
    }

    #[test]
    fn decimals_above_255_are_not_told() {
        let mut word = [0; 32];
        word[30] = 1;
        let mut replies = vec![ok(vec![]); QUESTIONS];
        replies[2] = ok(word.to_vec());
        assert_eq!(facts(&replies).ok().unwrap().decimals, 0);
    }

    #[test]
    fn a_pair_is_what_answers_both_tokens_and_its_reserves() {
        let [a, b] = [Address::repeat_byte(0xa), Address::repeat_byte(0xb)];
        let pair = |token0: Vec<u8>, token1: Vec<u8>, reserves: usize| {
            let mut replies = vec![ok(vec![]); QUESTIONS];
            replies[4..].clone_from_slice(&[ok(token0), ok(token1), ok(vec![0; reserves])]);
            facts(&replies).ok().unwrap().pair
        };
        assert_eq!(pair(a.abi_encode(), b.abi_encode(), 96), Some([a, b]));
        assert_eq!(pair(a.abi_encode(), b.abi_encode(), 0), None, "a pool of another kind");
        assert_eq!(pair(a.abi_encode(), Address::ZERO.abi_encode(), 96), None);
        assert_eq!(pair(a.abi_encode(), vec![0xff; 32], 96), None);
    }
}
