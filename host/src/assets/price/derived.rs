//! Prices of what is made of priced tokens: shares, receipts and wrappers, from the parts up.
//!
//! Invariant: how much a token holds of its parts is read at the answer's block, and a token that is made of itself has
//! no price, for its price would have to come first. What it is made of is its own claim ([`TokenMetadata`]): whoever
//! asks for the price of a token that anyone may have put there gets the price that this one wishes.

mod valuation;

use std::collections::HashMap;
use std::future::ready;

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolCall;
use bigdecimal::BigDecimal;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use portolan_reader::{Outcome, Read, Reply};

use self::valuation::Part;
use super::source::{PriceRequest, PriceSource, UnpricedToken};
use crate::assets::metadata::{CToken, Derivation, Erc20, Erc4626, Pair, TokenMetadata};
use crate::assets::token::{DEPTH_MAX, Price};

/// A rate of one to one, with 18 decimals.
const ONE_WAD: u64 = 1_000_000_000_000_000_000;

#[derive(Debug)]
pub(super) struct DerivedPrices;

impl PriceSource for DerivedPrices {
    fn metadata_reads(&self, token: Address, metadata: &TokenMetadata) -> Vec<Read> {
        let known = metadata.derivation.zip(metadata.decimals);
        known.map(|(derivation, decimals)| derivation.amount_reads(token, decimals)).unwrap_or_default()
    }

    fn prices<'a>(&'a self, request: &'a PriceRequest<'a>) -> BoxFuture<'a, HashMap<Address, Price>> {
        ready(derive_all(request)).boxed()
    }
}

/// A token gets its price one round after the last of its parts.
fn derive_all(request: &PriceRequest<'_>) -> HashMap<Address, Price> {
    let mut derived = HashMap::new();
    for _ in 0..DEPTH_MAX {
        let open = request.tokens.iter().filter(|token| !derived.contains_key(&token.address));
        let round: Vec<(Address, Price)> =
            open.filter_map(|token| Some((token.address, derive(request, &derived, token)?))).collect();
        derived.extend(round);
    }
    derived
}

fn derive(request: &PriceRequest<'_>, derived: &HashMap<Address, Price>, token: &UnpricedToken<'_>) -> Option<Price> {
    let decimals = token.metadata.decimals?;
    if let Some(composition) = request.compositions.get(&token.address) {
        let (parts, age_s) = priced_parts(request, derived, composition.parts())?;
        let amounts: Vec<U256> = composition.parts.iter().map(|(_, amount)| *amount).collect();
        let usd = valuation::composed(&amounts, composition.supply, decimals, &parts)?;
        return Some(Price { usd, source: "derived:composition", age_s });
    }
    let derivation = token.metadata.derivation?;
    let (parts, age_s) = priced_parts(request, derived, derivation.parts().iter())?;
    let usd = derivation.valuation(decimals, request.replies_of(token), &parts)?;
    Some(Price { usd, source: derivation.price_source(), age_s })
}

/// Parts with their prices, and the age of the oldest; `None` where one has no price.
fn priced_parts<'a>(
    request: &PriceRequest<'_>,
    derived: &HashMap<Address, Price>,
    tokens: impl Iterator<Item = &'a Address>,
) -> Option<(Vec<Part>, Option<u64>)> {
    let (mut parts, mut oldest_s) = (Vec::new(), None);
    for token in tokens {
        let price = request.prices.get(token).or_else(|| derived.get(token))?;
        let decimals = request.metadata.get(*token).ok()?.decimals?;
        parts.push(Part { usd: price.usd.clone(), decimals });
        oldest_s = oldest_s.max(price.age_s);
    }
    Some((parts, oldest_s))
}

impl Derivation {
    /// The `source` of a price that is derived so.
    fn price_source(self) -> &'static str {
        match self {
            Self::Native(_) => "derived:wrapped",
            Self::Pair(_) | Self::Volatile(_) | Self::Stable(_) => "derived:pair",
            Self::Vault(_) => "derived:erc4626",
            Self::Receipt(_) => "derived:aave",
            Self::RatedReceipt(_) => "derived:compound",
        }
    }

    /// Reads how much of its parts the token holds, at the answer's block.
    fn amount_reads(self, token: Address, decimals: u8) -> Vec<Read> {
        let read = |data: Vec<u8>| Read::call(token, data);
        match self {
            // No simple rule values a stable pair safely.
            Self::Native(_) | Self::Receipt(_) | Self::Stable(_) => Vec::new(),
            Self::Pair(_) | Self::Volatile(_) => {
                vec![read(Pair::getReservesCall {}.abi_encode()), read(Erc20::totalSupplyCall {}.abi_encode())]
            }
            Self::Vault(_) => {
                // A whole share that no word can hold converts to nothing that one can.
                let shares = U256::from(10).checked_pow(U256::from(decimals));
                shares.map(|shares| read(Erc4626::convertToAssetsCall { shares }.abi_encode())).into_iter().collect()
            }
            Self::RatedReceipt(_) => vec![read(CToken::exchangeRateStoredCall {}.abi_encode())],
        }
    }

    /// The price of one whole token, from the replies to [`Derivation::amount_reads`] and its priced parts.
    fn valuation(self, decimals: u8, replies: &[Reply], parts: &[Part]) -> Option<BigDecimal> {
        match (self, replies, parts) {
            (Self::Native(_) | Self::Receipt(_), [], [part]) => valuation::receipt(U256::from(ONE_WAD), decimals, part),
            (Self::RatedReceipt(_), [rate], [part]) => valuation::receipt(word(rate)?, decimals, part),
            (Self::Vault(_), [assets], [part]) => valuation::share(word(assets)?, part),
            (Self::Pair(_) | Self::Volatile(_), [reserves, supply], [first, second]) => {
                let reserves = Pair::getReservesCall::abi_decode_returns_validate(bytes(reserves)?).ok()?;
                let reserves = [U256::from(reserves.reserve0), U256::from(reserves.reserve1)];
                valuation::pair_share(reserves, word(supply)?, decimals, [first, second])
            }
            _ => None,
        }
    }
}

fn bytes(reply: &Reply) -> Option<&[u8]> {
    match &reply.outcome {
        Outcome::Ok(bytes) => Some(bytes),
        _ => None,
    }
}

/// Exactly a word; a contract without the function may return anything, or nothing.
fn word(reply: &Reply) -> Option<U256> {
    let bytes = bytes(reply)?;
    (bytes.len() == 32).then(|| U256::from_be_slice(bytes))
}
