//! Prices of tokens made of priced tokens: shares, receipts and wrappers, from the parts up.
//!
//! Invariant: the amounts of a token's parts are read at the answer's block, and a token made of itself has no price.
//! The makeup is the token's own claim ([`TokenMetadata`]), which counts only if its issuer confirms it.

mod confirmation;

mod factories;

mod valuation;

use std::collections::{HashMap, HashSet};
use std::future::ready;

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolCall;
use bigdecimal::BigDecimal;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use portolan_reader::{Outcome, Read, Reply};

use self::confirmation::is_confirmed;
#[cfg(test)]
pub(crate) use self::confirmation::{Comptroller, LendingPool, PairFactory, SolidlyFactory};
use self::valuation::Part;
use super::source::{PriceRequest, PriceSource, UnpricedToken};
use crate::issuers::Issuers;
use crate::metadata::{CToken, Derivation, Erc20, Erc4626, Pair, TokenMetadata};
use crate::token::{Composition, DEPTH_MAX, Price};

/// A rate of one to one, with 18 decimals.
const ONE_WAD: u64 = 1_000_000_000_000_000_000;

/// Derives prices.
#[derive(Debug)]
pub(super) struct DerivedPrices {
    /// Additional trusted issuers beside the contracts that plugins serve, by chain id.
    issuers: HashSet<(u64, Address)>,
}

impl DerivedPrices {
    /// `named` are the issuers that the operator trusts.
    pub(super) fn new(named: impl IntoIterator<Item = (u64, Address)>) -> Self {
        Self { issuers: factories::FACTORIES.into_iter().chain(named).collect() }
    }
}

impl PriceSource for DerivedPrices {
    /// The reads of the issuer's confirmation, then of the amounts; none if no issuer is known.
    fn metadata_reads(&self, issuers: &Issuers<'_>, token: Address, metadata: &TokenMetadata) -> Vec<Read> {
        let Some((derivation, decimals)) = metadata.derivation.zip(metadata.decimals) else { return Vec::new() };
        let Some(mut reads) = self.confirmation_reads(issuers, token, metadata) else { return Vec::new() };
        reads.extend(derivation.amount_reads(token, decimals));
        reads
    }

    fn prices<'a>(&'a self, request: &'a PriceRequest<'a>) -> BoxFuture<'a, HashMap<Address, Price>> {
        ready(self.derive_all(request)).boxed()
    }
}

impl DerivedPrices {
    /// A token gets its price one round after the last of its parts.
    fn derive_all(&self, request: &PriceRequest<'_>) -> HashMap<Address, Price> {
        let mut derived = HashMap::new();
        for _ in 0..DEPTH_MAX {
            let open = request.tokens.iter().filter(|token| !derived.contains_key(&token.address));
            let round: Vec<(Address, Price)> =
                open.filter_map(|token| Some((token.address, self.derive(request, &derived, token)?))).collect();
            derived.extend(round);
        }
        derived
    }

    fn derive(
        &self,
        request: &PriceRequest<'_>,
        derived: &HashMap<Address, Price>,
        token: &UnpricedToken<'_>,
    ) -> Option<Price> {
        let decimals = token.metadata.decimals?;
        if let Some(composition) = request.compositions.get(&token.address) {
            return composed(request, derived, composition, decimals);
        }
        let derivation = token.metadata.derivation?;
        let confirmations = self.confirmation_reads(request.issuers, token.address, token.metadata)?.len();
        let (confirmations, amounts) = request.replies_of(token).split_at_checked(confirmations)?;
        if !is_confirmed(derivation, token.address, confirmations) {
            return None;
        }
        let (parts, age_s) = priced_parts(request, derived, derivation.parts().iter())?;
        let usd = derivation.valuation(decimals, amounts, &parts)?;
        let contracts = derivation.parts().to_vec();
        Some(Price { usd, source: derivation.price_source(), age_s, contracts })
    }
}

/// The price from a plugin's composition, if that is about a contract of its own protocol.
fn composed(
    request: &PriceRequest<'_>,
    derived: &HashMap<Address, Price>,
    composition: &Composition,
    decimals: u8,
) -> Option<Price> {
    if !composition.is_of_issuer {
        return None;
    }
    let (parts, age_s) = priced_parts(request, derived, composition.parts())?;
    let amounts: Vec<U256> = composition.parts.iter().map(|(_, amount)| *amount).collect();
    let usd = valuation::composed(&amounts, composition.supply, decimals, &parts)?;
    let contracts = composition.parts().copied().collect();
    Some(Price { usd, source: "derived:composition", age_s, contracts })
}

/// Parts with their prices, and the age of the oldest price; `None` if a part has no price.
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
    /// The `source` of a price derived this way.
    fn price_source(self) -> &'static str {
        match self {
            Self::Native(_) => "derived:wrapped",
            Self::Pair(_) | Self::Volatile(_) | Self::Stable(_) => "derived:pair",
            Self::Vault(_) => "derived:erc4626",
            Self::Receipt(_) => "derived:aave",
            Self::RatedReceipt(_) => "derived:compound",
        }
    }

    /// The reads of the amounts of its parts, at the answer's block.
    fn amount_reads(self, token: Address, decimals: u8) -> Vec<Read> {
        let read = |data: Vec<u8>| Read::call(token, data);
        match self {
            // No simple rule values a stable pair safely.
            Self::Native(_) | Self::Receipt(_) | Self::Stable(_) => Vec::new(),
            Self::Pair(_) | Self::Volatile(_) => {
                vec![read(Pair::getReservesCall {}.abi_encode()), read(Erc20::totalSupplyCall {}.abi_encode())]
            }
            Self::Vault(_) => {
                // If a whole share exceeds a word, there is nothing to convert.
                let shares = U256::from(10).checked_pow(U256::from(decimals));
                let both = |shares| {
                    let converted = Erc4626::convertToAssetsCall { shares }.abi_encode();
                    [converted, Erc4626::previewRedeemCall { shares }.abi_encode()].map(read)
                };
                shares.into_iter().flat_map(both).collect()
            }
            // The rate includes this block's interest only after its accrual, which is a write.
            Self::RatedReceipt(_) => vec![
                Read { isolated: true, ..read(CToken::exchangeRateCurrentCall {}.abi_encode()) },
                read(CToken::exchangeRateStoredCall {}.abi_encode()),
            ],
        }
    }

    /// The price of one whole token, from the replies to [`Derivation::amount_reads`] and its priced parts.
    fn valuation(self, decimals: u8, replies: &[Reply], parts: &[Part]) -> Option<BigDecimal> {
        match (self, replies, parts) {
            (Self::Native(_) | Self::Receipt(_), [], [part]) => valuation::receipt(U256::from(ONE_WAD), decimals, part),
            // Markets without this function use the stored rate, without that interest.
            (Self::RatedReceipt(_), [current, stored], [part]) => {
                valuation::receipt(word(current).or_else(|| word(stored))?, decimals, part)
            }
            // The conversion may exceed what redeeming returns.
            (Self::Vault(_), [assets, preview], [part]) => valuation::share(word(assets)?.min(word(preview)?), part),
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

/// Exactly one word: a contract without the function may return anything or nothing.
fn word(reply: &Reply) -> Option<U256> {
    let bytes = bytes(reply)?;
    (bytes.len() == 32).then(|| U256::from_be_slice(bytes))
}
