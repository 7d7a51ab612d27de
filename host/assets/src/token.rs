//! Tokens as answers show them, with their prices and compositions: plain data for other modules.
//!
//! Invariant: a token that could not be read is missing, never partly invented; one that reports no name has an empty
//! one.

use std::borrow::Cow;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;
use portolan_base::network::Network;
use portolan_base::sanitize::text::Text;

use crate::amount::decimal;

pub use portolan_abi::NATIVE;
use portolan_abi::map;

/// Maximum characters of a name or symbol; the longest honest ones are names of pool shares.
pub const TEXT_CHARS_MAX: usize = 64;

/// Levels of parts that metadata and prices descend: a share of a share of a receipt is three deep, and no known
/// token is deeper than four.
pub(crate) const DEPTH_MAX: usize = 4;

/// A token with its metadata and its price.
#[derive(Clone, Debug)]
pub struct Token {
    pub network: Arc<Network>,
    pub address: Address,
    pub name: Text,
    pub symbol: Text,
    /// True if a token list names it.
    pub is_listed: bool,
    /// True if it is on no list, and its symbol is that of the native token or of a listed token.
    pub is_lookalike: bool,
    pub decimals: u8,
    pub decimals_source: DecimalsSource,
    pub logo: Option<String>,
    /// `SINGLE`, `NATIVE`, `UNISWAP`, …
    pub kind: Cow<'static, str>,
    /// In smallest units.
    pub total_supply: U256,
    pub underlying: Vec<Address>,
    /// Dollars for one whole token; `None` if no source has a price.
    pub price: Option<Price>,
}

impl Token {
    /// The exact value in dollars of an amount in smallest units; `None` without a price.
    pub fn dollars(&self, raw: U256) -> Option<BigDecimal> {
        Some(decimal(raw, i64::from(self.decimals)) * &self.price.as_ref()?.usd)
    }
}

/// Source of a token's decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecimalsSource {
    /// Its contract, or the network for the native token.
    #[default]
    Contract,
    /// A token list, because the contract returns none.
    List,
}

/// A price and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// Dollars for one whole token.
    pub usd: BigDecimal,
    pub source: &'static str,
    /// `None` if the source gives no time.
    pub age_s: Option<u64>,
    /// The feeds that it was read from, or the tokens that it was derived from.
    pub contracts: Vec<Address>,
}

impl Price {
    /// Returns true if it was derived from the prices of other tokens.
    pub(crate) fn is_derived(&self) -> bool {
        self.source.starts_with("derived:")
    }
}

/// The tokens that shares redeem to, as reported by the protocol that issued them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// The token's `type`.
    pub(crate) kind: String,
    /// Smallest units of the token that redeem to the parts; more than zero.
    pub(crate) supply: U256,
    /// Other tokens, each once, with amounts in smallest units.
    pub(crate) parts: Vec<(Address, U256)>,
    /// True if the token is a contract of the reporting protocol: its catalogue lists it, or a declared view of such
    /// a contract knows it. Otherwise no price comes from the composition.
    pub(crate) is_of_issuer: bool,
}

impl Composition {
    /// Converts a protocol's report; `is_of_issuer` if the token is a contract of that protocol.
    pub fn of(found: &map::Composition, is_of_issuer: bool) -> Self {
        let parts = found.parts.iter().map(|part| (part.token, part.amount)).collect();
        Self { kind: found.kind.clone(), supply: found.supply, parts, is_of_issuer }
    }

    /// The tokens that it redeems to.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Address> {
        self.parts.iter().map(|(part, _)| part)
    }
}
