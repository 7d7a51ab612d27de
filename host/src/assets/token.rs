//! Tokens as answers show them: what they tell of themselves, what they are made of, and what they are worth.
//!
//! Invariant: a token that could not be read is missing, never half made up; one that does not tell its name has an
//! empty one.

mod at;

mod contracts;
mod facts;
mod told;

mod shown;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_reader::{ReadFailure, Reply};

pub(crate) use self::at::At;
#[cfg(test)]
pub(crate) use self::contracts::{AToken, SolidlyPair};
pub(crate) use self::contracts::{CToken, Erc20, Erc4626, Pair};
pub(crate) use self::facts::{DEPTH_MAX, Facts, open_reads};
pub(crate) use self::text::{clean, cleaned, is_invisible};
pub(crate) use self::told::{MadeOf, Told};
use crate::assets::composition::{Composed, Composition, Compositions};
use crate::assets::price::{Price, Prices};
use crate::assets::token_list::Book;
use crate::network::Network;

/// The native token's address: it has no contract, and answers show it as zero.
pub(crate) const NATIVE: Address = Address::ZERO;

/// A token with what the chain says of it.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) network: Arc<Network>,
    pub(crate) address: Address,
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) decimals: u8,
    pub(crate) logo: Option<String>,
    /// `SINGLE`, `NATIVE`, `UNISWAP`, …
    pub(crate) kind: Cow<'static, str>,
    /// Smallest units.
    pub(crate) total_supply: U256,
    pub(crate) underlying: Vec<Address>,
    /// Dollars for one whole token; `None` where no source knows it.
    pub(crate) price: Option<Price>,
}

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

    /// Of what was read of them; the supplies are in their order, and the native token has none.
    fn of(
        at: At<'_>,
        book: &Book,
        (facts, composed): (&Facts, &Composed),
        wanted: &BTreeSet<Address>,
        supplies: Vec<Reply>,
        mut priced: HashMap<Address, Price>,
    ) -> Self {
        let (mut tokens, mut supplies) = (Self::default(), supplies.into_iter());
        for address in wanted {
            let supply = if *address == NATIVE { Ok(U256::ZERO) } else { total_supply(supplies.next()) };
            let told = (facts, composed.get(*address));
            let token = supply.and_then(|supply| token(at, book, told, *address, supply, priced.remove(address)));
            match token {
                Ok(token) => drop(tokens.known.insert(*address, Arc::new(token))),
                Err(failure) => tokens.lost = Some(failure),
            }
        }
        tokens
    }
}

/// Reads tokens with their prices: first who they are, which mostly is kept, and what plugins say of them, then in one
/// wave how much of all there is.
pub(crate) async fn read(
    at: At<'_>,
    compositions: &dyn Compositions,
    prices: &Prices,
    book: &Book,
    wanted: &BTreeSet<Address>,
) -> Tokens {
    let mut facts = Facts::read(at, prices, wanted).await;
    let composed = Composed::find(at, compositions, prices, &mut facts).await;
    let supplies = wanted.iter().copied().filter_map(told::supply).collect();
    let (priced, supplies) = prices.by_facts(at, &facts, &composed, supplies).await;
    Tokens::of(at, book, (&facts, &composed), wanted, supplies, priced)
}

/// Reads tokens as they are shown, without prices and without what only plugins know of them.
pub(crate) async fn shown(at: At<'_>, book: &Book, wanted: &BTreeSet<Address>) -> Tokens {
    let facts = Facts::shown(at, wanted).await;
    let supplies = at.read(wanted.iter().copied().filter_map(told::supply).collect()).await;
    Tokens::of(at, book, (&facts, &Composed::default()), wanted, supplies, HashMap::new())
}

/// Zero where the token does not tell it.
fn total_supply(reply: Option<Reply>) -> Result<U256, ReadFailure> {
    Ok(told::answer(reply)?.and_then(|bytes| told::first_word(&bytes)).unwrap_or_default())
}

fn token(
    at: At<'_>,
    book: &Book,
    (facts, composition): (&Facts, Option<&Composition>),
    address: Address,
    total_supply: U256,
    price: Option<Price>,
) -> Result<Token, ReadFailure> {
    let told = facts.get(address)?;
    let (name, symbol) = shown::texts(facts, told)?;
    let (kind, underlying) = match composition {
        Some(composition) => (composition.kind.clone().into(), composition.parts().copied().collect()),
        None => (shown::kind(address, told).into(), shown::underlying(told)),
    };
    Ok(Token {
        network: Arc::clone(at.network),
        address,
        name,
        symbol,
        decimals: told.decimals.unwrap_or_default(),
        logo: if address == NATIVE { Some(at.network.logo.clone()) } else { book.logo(at.network.chain_id, address) },
        kind,
        total_supply,
        underlying,
        price,
    })
}

#[cfg(test)]
mod tests;
