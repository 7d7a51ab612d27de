//! What one token tells of itself: the one table of questions that its name, its type and its price are made from.
//!
//! Invariant: only what answers as a whole mechanism counts as one. It is the token's own word: one that lies changes
//! what is told of itself, and of what says to be made of it.

use alloy::primitives::{Address, B256, Bytes, U256};
use alloy::sol_types::SolCall;
use portolan_reader::{Freshness, Outcome, Read, ReadFailure, Reply};

use super::contracts::{AToken, CToken, Erc20, Erc4626, Pair, SolidlyPair};
use super::{NATIVE, text};
use crate::network::Network;

/// In the order in which [`Told::from_replies`] takes the replies.
static QUESTIONS: [[u8; 4]; 11] = [
    Erc20::nameCall::SELECTOR,
    Erc20::symbolCall::SELECTOR,
    Erc20::decimalsCall::SELECTOR,
    Pair::token0Call::SELECTOR,
    Pair::token1Call::SELECTOR,
    // Only that it answers counts.
    Pair::getReservesCall::SELECTOR,
    SolidlyPair::stableCall::SELECTOR,
    Erc4626::assetCall::SELECTOR,
    AToken::UNDERLYING_ASSET_ADDRESSCall::SELECTOR,
    AToken::RESERVE_TREASURY_ADDRESSCall::SELECTOR,
    CToken::underlyingCall::SELECTOR,
];

static TOTAL_SUPPLY: [u8; 4] = Erc20::totalSupplyCall::SELECTOR;

/// Seconds that what a token says of itself may stand, or that it does not say it. A proxy may change it, seldom.
const FACTS_STAND_S: u32 = 86_400;
/// Seconds that a total supply may stand: it is told beside amounts, and nothing is computed from it.
const SUPPLY_STANDS_S: u32 = 60;
/// Of every network that Portolan knows: ether and those that follow it.
const NATIVE_DECIMALS: u8 = 18;
/// Two reserves and a timestamp, a word each.
const RESERVES_BYTES: usize = 96;

/// What a token tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// Empty where it tells none.
    pub(crate) name: String,
    /// Empty where it tells none.
    pub(crate) symbol: String,
    pub(crate) decimals: Option<u8>,
    /// `None` for a token that is made of nothing else.
    pub(crate) made_of: Option<MadeOf>,
}

/// The mechanism that makes one token of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MadeOf {
    /// The native token, or the ERC-20 that wraps it.
    Native(Address),
    /// Constant product, as Uniswap's second version.
    Pair([Address; 2]),
    /// Constant product, as Solidly's and its forks'.
    Volatile([Address; 2]),
    /// A curve for tokens of about one price, as Solidly's and its forks'.
    Stable([Address; 2]),
    /// ERC-4626.
    Vault(Address),
    /// One smallest unit for each of its underlying, as Aave's.
    Receipt(Address),
    /// At a rate, as Compound's.
    RatedReceipt(Address),
}

impl MadeOf {
    /// The tokens that it is made of.
    pub(crate) fn parts(&self) -> &[Address] {
        match self {
            Self::Pair(parts) | Self::Volatile(parts) | Self::Stable(parts) => parts,
            Self::Native(part) | Self::Vault(part) | Self::Receipt(part) | Self::RatedReceipt(part) => {
                std::slice::from_ref(part)
            }
        }
    }

    /// The two tokens of a pair.
    pub(super) fn pair(self) -> Option<[Address; 2]> {
        match self {
            Self::Pair(parts) | Self::Volatile(parts) | Self::Stable(parts) => Some(parts),
            Self::Native(_) | Self::Vault(_) | Self::Receipt(_) | Self::RatedReceipt(_) => None,
        }
    }
}

/// What a token is asked. The native one is asked nothing, for it has no contract.
pub(super) fn questions(token: Address) -> impl Iterator<Item = Read> {
    let fact = move |selector: &'static [u8; 4]| {
        Read::call(token, Bytes::from_static(selector)).fresh(Freshness::Within(FACTS_STAND_S))
    };
    QUESTIONS.iter().filter(move |_| token != NATIVE).map(fact)
}

/// The total supply. The native token tells none.
pub(super) fn supply(token: Address) -> Option<Read> {
    let read = || Read::call(token, Bytes::from_static(&TOTAL_SUPPLY)).fresh(Freshness::Within(SUPPLY_STANDS_S));
    (token != NATIVE).then(read)
}

impl Told {
    /// From as many of `replies` as there are [`questions`]. A token need not answer any of them; a failed read is
    /// another matter.
    pub(super) fn from_replies(
        network: &Network,
        token: Address,
        replies: &mut impl Iterator<Item = Reply>,
    ) -> Result<Self, ReadFailure> {
        if token == NATIVE {
            return Ok(Self::native(network));
        }
        let mut next = || answer(replies.next());
        let told: [Result<Option<Bytes>, ReadFailure>; QUESTIONS.len()] = std::array::from_fn(|_| next());
        let [name, symbol, decimals, token0, token1, reserves, stable, asset, receipt_of, treasury, underlying] = told;
        let [token0, token1, asset, receipt_of, underlying] =
            [token0?, token1?, asset?, receipt_of?, underlying?].map(|bytes| address(&bytes?));
        let [stable, treasury] = [stable?, treasury?].map(|bytes| word(&bytes?));
        let is_pair = reserves?.is_some_and(|reserves| reserves.len() == RESERVES_BYTES);
        let pair = || Some([token0?, token1?]).filter(|[a, b]| is_pair && a != b);
        let pair_as = |tokens| match stable {
            None => MadeOf::Pair(tokens),
            Some(word) if word.is_zero() => MadeOf::Volatile(tokens),
            Some(_) => MadeOf::Stable(tokens),
        };
        let made_of = if network.wrapped_native == Some(token) {
            Some(MadeOf::Native(NATIVE))
        } else {
            // Debts of Aave name their underlying too, but have no treasury.
            let receipt = receipt_of.filter(|_| treasury.is_some()).map(MadeOf::Receipt);
            let vault = asset.map(MadeOf::Vault);
            pair().map(pair_as).or(receipt).or(vault).or(underlying.map(MadeOf::RatedReceipt))
        };
        Ok(Self {
            name: text::decode(&name?.unwrap_or_default()),
            symbol: text::decode(&symbol?.unwrap_or_default()),
            decimals: decimals?.and_then(|bytes| first_word(&bytes)).and_then(|word| u8::try_from(word).ok()),
            made_of,
        })
    }

    fn native(network: &Network) -> Self {
        Self {
            name: network.native.clone(),
            symbol: network.native.clone(),
            decimals: Some(NATIVE_DECIMALS),
            made_of: network.wrapped_native.map(MadeOf::Native),
        }
    }
}

/// The returned bytes, `None` where the token does not answer.
pub(super) fn answer(reply: Option<Reply>) -> Result<Option<Bytes>, ReadFailure> {
    match reply.map(|reply| reply.outcome) {
        Some(Outcome::Ok(bytes)) => Ok(Some(bytes)),
        Some(Outcome::Reverted(_) | Outcome::NoCode | Outcome::GasCap) => Ok(None),
        Some(Outcome::Failed(failure)) => Err(failure),
        Some(Outcome::OverBudget | Outcome::Unsupported) | None => Err(ReadFailure::Upstream),
    }
}

pub(super) fn first_word(bytes: &[u8]) -> Option<U256> {
    bytes.get(..32).map(U256::from_be_slice)
}

/// Exactly a word; what has no such function may answer anything, or nothing.
fn word(bytes: &[u8]) -> Option<U256> {
    first_word(bytes).filter(|_| bytes.len() == 32)
}

/// The address that a word is; `None` for zero and for anything else.
fn address(bytes: &[u8]) -> Option<Address> {
    let word = B256::from(word(bytes)?);
    let address = Address::from_word(word);
    (!address.is_zero() && address.into_word() == word).then_some(address)
}

#[cfg(test)]
mod tests;
