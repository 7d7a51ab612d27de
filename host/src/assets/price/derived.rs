//! Prices of what is made of priced tokens: shares, receipts and wrappers, from the parts up.
//!
//! Invariant: how much a token holds of its parts is read at the answer's block, and a token that is made of itself has
//! no price, for its price would have to come first. What it is made of is its own claim ([`TokenMetadata`]), which
//! counts only where its issuer confirms it.

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
use crate::assets::issuers::Issuers;
use crate::assets::metadata::{CToken, Derivation, Erc20, Erc4626, Pair, TokenMetadata};
use crate::assets::token::{Composition, DEPTH_MAX, Price};

/// A rate of one to one, with 18 decimals.
const ONE_WAD: u64 = 1_000_000_000_000_000_000;

/// Derives prices.
#[derive(Debug)]
pub(super) struct DerivedPrices {
    /// Contracts that are believed about what they issued besides those that plugins serve, by chain id.
    issuers: HashSet<(u64, Address)>,
}

impl DerivedPrices {
    /// `named` are those that the operator believes.
    pub(super) fn new(named: impl IntoIterator<Item = (u64, Address)>) -> Self {
        Self { issuers: factories::FACTORIES.into_iter().chain(named).collect() }
    }
}

impl PriceSource for DerivedPrices {
    /// What the issuer confirms, then the amounts; nothing where no issuer is known.
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

/// The price by what a plugin reports, where that is about a contract of its own.
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
                let both = |shares| {
                    let converted = Erc4626::convertToAssetsCall { shares }.abi_encode();
                    [converted, Erc4626::previewRedeemCall { shares }.abi_encode()].map(read)
                };
                shares.into_iter().flat_map(both).collect()
            }
            // The interest of this block is in the rate only once it is accrued, which writes.
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
            // Some markets have no such function: theirs is the rate without that interest.
            (Self::RatedReceipt(_), [current, stored], [part]) => {
                valuation::receipt(word(current).or_else(|| word(stored))?, decimals, part)
            }
            // What a share converts to may count what redeeming it does not give.
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

/// Exactly a word; a contract without the function may return anything, or nothing.
fn word(reply: &Reply) -> Option<U256> {
    let bytes = bytes(reply)?;
    (bytes.len() == 32).then(|| U256::from_be_slice(bytes))
}
