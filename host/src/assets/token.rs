//! Tokens as answers show them, with their prices and compositions: data that other modules read and compute.
//!
//! Invariant: a token that could not be read is missing, never half made up; one that reports no name has an empty one.

use std::borrow::Cow;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use bigdecimal::BigDecimal;

use crate::assets::amount::decimal;
use crate::network::Network;
use crate::sanitize::text::Text;

pub(crate) use portolan_abi::NATIVE;
use portolan_abi::map;

/// Characters of a name or symbol; the longest honest ones are names of pool shares.
pub(crate) const TEXT_CHARS_MAX: usize = 64;

/// Levels of parts that metadata and prices go down: a share of a share of a receipt is three deep, and no known token
/// goes below four.
pub(crate) const DEPTH_MAX: usize = 4;

/// A token with its metadata and its price.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) network: Arc<Network>,
    pub(crate) address: Address,
    pub(crate) name: Text,
    pub(crate) symbol: Text,
    /// Whether a token list names it.
    pub(crate) is_listed: bool,
    /// Whether it is on no list, and its symbol is the native token's or that of a token on a list.
    pub(crate) is_lookalike: bool,
    pub(crate) decimals: u8,
    pub(crate) decimals_source: DecimalsSource,
    pub(crate) logo: Option<String>,
    /// `SINGLE`, `NATIVE`, `UNISWAP`, …
    pub(crate) kind: Cow<'static, str>,
    /// Smallest units.
    pub(crate) total_supply: U256,
    pub(crate) underlying: Vec<Address>,
    /// Dollars for one whole token; `None` where no source knows it.
    pub(crate) price: Option<Price>,
}

impl Token {
    /// What an amount in smallest units is worth, exact; `None` where no price is known.
    pub(crate) fn dollars(&self, raw: U256) -> Option<BigDecimal> {
        Some(decimal(raw, i64::from(self.decimals)) * &self.price.as_ref()?.usd)
    }
}

/// Who says how many decimals a token has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DecimalsSource {
    /// Its contract, or the network for the native token.
    #[default]
    Contract,
    /// A token list, for the contract does not.
    List,
}

/// A price and its source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Price {
    /// Dollars for one whole token.
    pub(crate) usd: BigDecimal,
    pub(crate) source: &'static str,
    /// `None` for a source that has no time.
    pub(crate) age_s: Option<u64>,
    /// The feeds that it was read from, or the tokens that it was derived from.
    pub(crate) contracts: Vec<Address>,
}

impl Price {
    /// Whether it was derived from the prices of other tokens.
    pub(crate) fn is_derived(&self) -> bool {
        self.source.starts_with("derived:")
    }
}

/// The tokens that shares redeem to, as the protocol that issued them reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Composition {
    /// The token's `type`.
    pub(crate) kind: String,
    /// Smallest units of the token that redeem to the parts; more than zero.
    pub(crate) supply: U256,
    /// Other tokens, each once, and smallest units of them.
    pub(crate) parts: Vec<(Address, U256)>,
    /// Whether the token is a contract of the protocol that reports it: the catalogue lists it, or a declared view of such
    /// a contract knows it. Else no price comes from it.
    pub(crate) is_of_issuer: bool,
}

impl Composition {
    /// As a protocol reports it; `is_of_issuer` where the token is a contract of that protocol.
    pub(crate) fn of(found: &map::Composition, is_of_issuer: bool) -> Self {
        let parts = found.parts.iter().map(|part| (part.token, part.amount)).collect();
        Self { kind: found.kind.clone(), supply: found.supply, parts, is_of_issuer }
    }

    /// The tokens that it redeems to.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Address> {
        self.parts.iter().map(|(part, _)| part)
    }
}
