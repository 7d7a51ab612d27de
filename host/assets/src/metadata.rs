//! Metadata of tokens: name, symbol, decimals, and the mechanism that derives a token from others.
//!
//! Invariant: a mechanism is recognised only if the contract has all its functions. Metadata is the token's own
//! claim, also about its issuer. A false claim affects how that token is shown, and tokens that claim to be made of
//! it; no price comes from it alone.

mod contracts;

mod set;

mod check;

mod display;

use alloy::primitives::{Address, B256, Bytes, U256};
use alloy::sol_types::abi::token::PackedSeqToken;
use alloy::sol_types::{SolCall, abi};
use portolan_abi::limits::DECIMALS_MAX;
use portolan_base::network::Network;
use portolan_base::sanitize::text::Text;
use portolan_base::sanitize::visible::INPUT_BYTES_MAX;
use portolan_reader::{Freshness, Outcome, Read, ReadFailure, Reply};

pub(crate) use self::check::TextCheck;
pub use self::contracts::{AToken, CToken, Erc20, Erc4626, Pair, SolidlyPair};
pub(crate) use self::display::{display_texts, kind, underlying};
pub use self::set::{MetadataSet, Prefetch, missing_reads};
use crate::token::{DecimalsSource, NATIVE, TEXT_CHARS_MAX};

/// Functions that identify a token, in the order in which [`TokenMetadata::from_own`] takes the replies.
static SELECTORS: [[u8; 4]; 11] = [
    Erc20::nameCall::SELECTOR,
    Erc20::symbolCall::SELECTOR,
    Erc20::decimalsCall::SELECTOR,
    Pair::token0Call::SELECTOR,
    Pair::token1Call::SELECTOR,
    // Only its success matters.
    Pair::getReservesCall::SELECTOR,
    SolidlyPair::stableCall::SELECTOR,
    Erc4626::assetCall::SELECTOR,
    AToken::UNDERLYING_ASSET_ADDRESSCall::SELECTOR,
    AToken::RESERVE_TREASURY_ADDRESSCall::SELECTOR,
    CToken::underlyingCall::SELECTOR,
];

/// Functions that return the issuer, one for each mechanism.
static ISSUER_SELECTORS: [[u8; 4]; 3] =
    [Pair::factoryCall::SELECTOR, AToken::POOLCall::SELECTOR, CToken::comptrollerCall::SELECTOR];

/// Number of leading selectors for name, symbol and decimals.
const TEXTS: usize = 3;

static TOTAL_SUPPLY: [u8; 4] = Erc20::totalSupplyCall::SELECTOR;

/// Metadata is cached for a day, to plan reads. A proxy may change it, though rarely, so the parts that an answer
/// shows are checked ([`TextCheck`]).
const METADATA_FRESHNESS: Freshness = Freshness::Within(86_400);
/// Freshness of the check of tokens with amounts at the answer's block.
const CHECK_AT_BLOCK: Freshness = Freshness::Pinned;
/// Freshness of the check of tokens in events: their amounts are of an earlier block, and most are shown repeatedly.
const CHECK_IN_EVENTS: Freshness = Freshness::Within(SUPPLY_MAX_AGE_S);
/// Seconds that a total supply is served from the cache; it is only shown, and nothing is computed from it. Also the
/// maximum age of texts of tokens in events, whose amounts are of the past.
const SUPPLY_MAX_AGE_S: u32 = 60;
/// Decimals of the native token on every known network: ether and its followers.
const NATIVE_DECIMALS: u8 = 18;
/// Two reserves and a timestamp, one word each.
const RESERVES_BYTES: usize = 96;

/// The metadata that a token reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenMetadata {
    /// Empty if the token reports none.
    pub(crate) name: Text,
    /// Empty if the token reports none.
    pub(crate) symbol: Text,
    pub(crate) decimals: Option<u8>,
    pub(crate) decimals_source: DecimalsSource,
    /// `None` for a token that is not derived from others.
    pub(crate) derivation: Option<Derivation>,
    /// The contract that issued it, if its mechanism has one and the token names it.
    pub(crate) issuer: Option<Address>,
}

/// The mechanism that derives a token from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derivation {
    /// The native token, or the ERC-20 that wraps it.
    Native(Address),
    /// A constant-product pair, as in Uniswap v2.
    Pair([Address; 2]),
    /// A constant-product pair of Solidly or a fork.
    Volatile([Address; 2]),
    /// A pair of Solidly or a fork, with a curve for tokens of about the same price.
    Stable([Address; 2]),
    /// An ERC-4626 vault share.
    Vault(Address),
    /// A receipt with one smallest unit for each of its underlying, as in Aave.
    Receipt(Address),
    /// A receipt with an exchange rate, as in Compound. A market of the native token names only its comptroller, no
    /// underlying.
    RatedReceipt(Address),
}

impl Derivation {
    /// The tokens that the token is made of.
    pub(crate) fn parts(&self) -> &[Address] {
        match self {
            Self::Pair(parts) | Self::Volatile(parts) | Self::Stable(parts) => parts,
            Self::Native(part) | Self::Vault(part) | Self::Receipt(part) | Self::RatedReceipt(part) => {
                std::slice::from_ref(part)
            }
        }
    }

    /// Index in [`ISSUER_SELECTORS`] of the function that returns the issuer; `None` if there is none. A token
    /// without a derivation may be a market of the native token.
    fn issuer_place(derivation: Option<Self>) -> Option<usize> {
        match derivation {
            Some(Self::Pair(_) | Self::Volatile(_) | Self::Stable(_)) => Some(0),
            Some(Self::Receipt(_)) => Some(1),
            Some(Self::RatedReceipt(_)) | None => Some(2),
            Some(Self::Native(_) | Self::Vault(_)) => None,
        }
    }

    /// The two tokens of a pair.
    pub(crate) fn pair(self) -> Option<[Address; 2]> {
        match self {
            Self::Pair(parts) | Self::Volatile(parts) | Self::Stable(parts) => Some(parts),
            Self::Native(_) | Self::Vault(_) | Self::Receipt(_) | Self::RatedReceipt(_) => None,
        }
    }
}

/// The reads whose replies [`TokenMetadata::from_replies`] takes. The native token has none; its metadata is in the
/// table of networks.
fn metadata_reads(token: Address) -> impl Iterator<Item = Read> {
    own_reads(token, METADATA_FRESHNESS).chain(issuer_reads(token))
}

/// The reads that identify a token, with freshness `texts` for name, symbol and decimals.
fn own_reads(token: Address, texts: Freshness) -> impl Iterator<Item = Read> {
    let reads = reads(token, &SELECTORS).enumerate();
    reads.map(move |(place, read)| if place < TEXTS { read.fresh(texts) } else { read })
}

/// The reads that check name, symbol and decimals.
fn check_reads(token: Address, freshness: Freshness) -> impl Iterator<Item = Read> {
    reads(token, &SELECTORS[..TEXTS]).map(move |read| read.fresh(freshness))
}

/// The reads of all functions that may return the issuer.
fn issuer_reads(token: Address) -> impl Iterator<Item = Read> {
    reads(token, &ISSUER_SELECTORS)
}

fn reads(token: Address, selectors: &'static [[u8; 4]]) -> impl Iterator<Item = Read> {
    let selectors = if token == NATIVE { &[] } else { selectors };
    selectors.iter().map(move |selector| Read::call(token, Bytes::from_static(selector)).fresh(METADATA_FRESHNESS))
}

/// The read of the total supply. The native token has none, even if its second address returns one.
pub(crate) fn supply_read(network: &Network, token: Address) -> Option<Read> {
    let read = || Read::call(token, Bytes::from_static(&TOTAL_SUPPLY)).fresh(Freshness::Within(SUPPLY_MAX_AGE_S));
    (!network.is_native(token)).then(read)
}

/// Decodes the reply to [`supply_read`]; zero if the token does not report its supply.
///
/// # Errors
/// The read failed.
pub(crate) fn total_supply(reply: Option<Reply>) -> Result<U256, ReadFailure> {
    Ok(returned(reply)?.and_then(|bytes| first_word(&bytes)).unwrap_or_default())
}

impl TokenMetadata {
    /// Returns true if it has everything that any token should report.
    fn is_complete(&self) -> bool {
        !self.name.is_empty() && !self.symbol.is_empty() && self.decimals.is_some()
    }

    /// Takes as many of `replies` as there are [`metadata_reads`]. Any function may be missing; a failed read is an
    /// error.
    fn from_replies(
        network: &Network,
        token: Address,
        replies: &mut impl Iterator<Item = Reply>,
    ) -> Result<Self, ReadFailure> {
        let own = Self::from_own(network, token, replies);
        if token == NATIVE {
            return own;
        }
        let mut issuers = ISSUER_SELECTORS.map(|_| replies.next());
        let metadata = own?;
        match Derivation::issuer_place(metadata.derivation) {
            Some(place) => metadata.with_issuer(issuers[place].take()),
            None => Ok(metadata),
        }
    }

    /// Like `from_replies`, for the replies to [`own_reads`] alone and without the issuer.
    fn from_own(
        network: &Network,
        token: Address,
        replies: &mut impl Iterator<Item = Reply>,
    ) -> Result<Self, ReadFailure> {
        if token == NATIVE {
            return Ok(Self::native(network));
        }
        let returns = SELECTORS.map(|_| returned(replies.next()));
        let [name, symbol, decimals, token0, token1, reserves, stable, asset, receipt_of, treasury, underlying] =
            returns;
        let [token0, token1, asset, receipt_of, underlying] =
            [token0?, token1?, asset?, receipt_of?, underlying?].map(|bytes| address(&bytes?));
        let [stable, treasury] = [stable?, treasury?].map(|bytes| word(&bytes?));
        let is_pair = reserves?.is_some_and(|reserves| reserves.len() == RESERVES_BYTES);
        let pair = || Some([token0?, token1?]).filter(|[a, b]| is_pair && a != b);
        let pair_as = |tokens| match stable {
            None => Derivation::Pair(tokens),
            Some(word) if word.is_zero() => Derivation::Volatile(tokens),
            Some(_) => Derivation::Stable(tokens),
        };
        let wrapping = wrapping_decimals(network, token);
        let derivation = if wrapping.is_some() {
            Some(Derivation::Native(NATIVE))
        } else {
            // Aave's debt tokens report their underlying too, but have no treasury.
            let receipt = receipt_of.filter(|_| treasury.is_some()).map(Derivation::Receipt);
            let vault = asset.map(Derivation::Vault);
            pair().map(pair_as).or(receipt).or(vault).or(underlying.map(Derivation::RatedReceipt))
        };
        Ok(Self::of_texts([name, symbol, decimals], wrapping)?.derived(derivation))
    }

    /// Decodes name, symbol and decimals; `otherwise` are the decimals if the token returns none.
    fn of_texts(texts: [ReturnedBytes; TEXTS], otherwise: Option<u8>) -> Result<Self, ReadFailure> {
        let [name, symbol, decimals] = texts;
        Ok(Self {
            name: decode_text(&name?.unwrap_or_default()),
            symbol: decode_text(&symbol?.unwrap_or_default()),
            decimals: decimals?.and_then(|bytes| first_word(&bytes)).and_then(whole_token_decimals).or(otherwise),
            ..Self::default()
        })
    }

    fn derived(self, derivation: Option<Derivation>) -> Self {
        Self { derivation, ..self }
    }

    /// Uses the decimals of a list if the contract returns none.
    fn complete(&mut self, listed: Option<u8>) {
        if let (None, Some(listed)) = (self.decimals, listed) {
            (self.decimals, self.decimals_source) = (Some(listed), DecimalsSource::List);
        }
    }

    /// The decimals that the contract returns.
    fn own_decimals(&self) -> Option<u8> {
        self.decimals.filter(|_| self.decimals_source == DecimalsSource::Contract)
    }

    /// Sets the issuer from its read's reply.
    fn with_issuer(self, reply: Option<Reply>) -> Result<Self, ReadFailure> {
        let issuer = returned(reply)?.and_then(|bytes| address(&bytes));
        let derivation = self.derivation.or(issuer.map(|_| Derivation::RatedReceipt(NATIVE)));
        Ok(Self { issuer, derivation, ..self })
    }

    /// The read of the function that returns the issuer, if the mechanism may have one.
    fn issuer_read(&self, token: Address) -> Option<Read> {
        issuer_reads(token).nth(Derivation::issuer_place(self.derivation)?)
    }

    fn native(network: &Network) -> Self {
        Self {
            name: Text::clean(&network.native, TEXT_CHARS_MAX),
            symbol: Text::clean(&network.native, TEXT_CHARS_MAX),
            decimals: Some(NATIVE_DECIMALS),
            decimals_source: DecimalsSource::Contract,
            derivation: network.wrapped_native.map(Derivation::Native),
            issuer: None,
        }
    }
}

/// Decimals of the native token's wrapper, which is one to one with it whatever its contract returns.
fn wrapping_decimals(network: &Network, token: Address) -> Option<u8> {
    (network.wrapped_native == Some(token)).then_some(NATIVE_DECIMALS)
}

/// The returned bytes; `None` if the token has no such function.
type ReturnedBytes = Result<Option<Bytes>, ReadFailure>;

fn returned(reply: Option<Reply>) -> ReturnedBytes {
    match reply.map(|reply| reply.outcome) {
        Some(Outcome::Ok(bytes)) => Ok(Some(bytes)),
        Some(Outcome::Reverted(_) | Outcome::NoCode | Outcome::GasCap) => Ok(None),
        Some(Outcome::Failed(failure)) => Err(failure),
        Some(Outcome::OverBudget | Outcome::Unsupported) | None => Err(ReadFailure::Upstream),
    }
}

/// Returns `None` if no amount could be a whole token.
fn whole_token_decimals(word: U256) -> Option<u8> {
    u8::try_from(word).ok().filter(|decimals| *decimals <= DECIMALS_MAX)
}

fn first_word(bytes: &[u8]) -> Option<U256> {
    bytes.get(..32).map(U256::from_be_slice)
}

/// Exactly one word: contracts without the function may return anything or nothing.
fn word(bytes: &[u8]) -> Option<U256> {
    first_word(bytes).filter(|_| bytes.len() == 32)
}

/// Decodes an address word; `None` for zero and for anything else.
fn address(bytes: &[u8]) -> Option<Address> {
    let word = B256::from(word(bytes)?);
    let address = Address::from_word(word);
    (!address.is_zero() && address.into_word() == word).then_some(address)
}

/// Decodes a `string`, or a `bytes32` as in tokens of 2017.
fn decode_text(returned: &[u8]) -> Text {
    let text = match <&[u8; 32]>::try_from(returned) {
        Ok(word) => word.split(|byte| *byte == 0).next().unwrap_or_default(),
        // A string is encoded like bytes, and need not be UTF-8.
        Err(_) => abi::decode::<PackedSeqToken<'_>>(returned).map(|token| token.0).unwrap_or_default(),
    };
    Text::clean(&String::from_utf8_lossy(&text[..text.len().min(INPUT_BYTES_MAX)]), TEXT_CHARS_MAX)
}

#[cfg(test)]
mod tests;
