//! Resolves addresses to tokens: metadata, then compositions, then prices and supplies.
//!
//! Invariant: prices, supplies and the check of cached metadata are one batch of reads, and a failed token does not
//! affect others.

mod compositions;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_abi::limits::DECIMALS_MAX;
use portolan_base::network::Network;
use portolan_reader::{Read, ReadFailure, Reply, Session};

pub use self::compositions::CompositionSource;
use crate::issuers::Issuers;
use crate::metadata::{MetadataSet, TextCheck, display_texts, kind, supply_read, total_supply, underlying};
use crate::price::Prices;
use crate::token::{Composition, NATIVE, Price, Token};
use crate::token_list::{TokenIndex, forms};

/// A token that differs from the cache is read again. If it differs again, at the same block, endpoints disagree.
const TRIES_MAX: u32 = 2;

/// The resolved tokens, and the failures of others.
#[derive(Debug, Default)]
pub struct Tokens {
    resolved: HashMap<Address, Arc<Token>>,
    /// Tokens without decimals in contract or list: they can be named, but have no amounts.
    without_decimals: HashMap<Address, Arc<Token>>,
    failed: HashMap<Address, ReadFailure>,
}

/// Reason why a token is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFailure {
    #[error("metadata not read: {0}")]
    Unread(ReadFailure),
    #[error(
        "nobody knows its decimals (the contract returned none, and no token list has it): report a token that has \
         decimals, or name a list that has it in `[tokens] lists`"
    )]
    NoDecimals,
}

impl Tokens {
    /// Returns a token that has amounts.
    ///
    /// # Errors
    /// The reason why it is missing.
    pub fn get(&self, token: Address) -> Result<&Arc<Token>, TokenFailure> {
        match self.resolved.get(&token) {
            Some(known) => Ok(known),
            None if self.without_decimals.contains_key(&token) => Err(TokenFailure::NoDecimals),
            None => Err(TokenFailure::Unread(self.failed.get(&token).copied().unwrap_or(ReadFailure::Upstream))),
        }
    }

    /// Returns a contract that is named beside amounts of others, such as a collection or a pool; it may have no
    /// decimals.
    ///
    /// # Errors
    /// The reason why it is missing.
    pub fn named(&self, token: Address) -> Result<&Arc<Token>, TokenFailure> {
        self.get(token).or_else(|failure| self.without_decimals.get(&token).ok_or(failure))
    }
}

/// Resolves tokens with their prices and compositions.
pub async fn priced_tokens(
    session: &Session,
    network: &Arc<Network>,
    source: &dyn CompositionSource,
    prices: &Prices,
    issuers: &Issuers<'_>,
    tokens: &BTreeSet<Address>,
) -> Tokens {
    let index = issuers.index();
    let mut tries = 0;
    loop {
        tries += 1;
        let mut metadata = MetadataSet::read(session, network, Some(&prices.prefetch(network, issuers)), tokens).await;
        metadata.complete(|token| listed_decimals(network, index, token));
        let compositions = compositions::find(session, network, source, prices, issuers, &mut metadata).await;
        metadata.complete(|token| listed_decimals(network, index, token));
        let check = TextCheck::at_block(network, &metadata, tokens);
        let mut reads = supply_reads(network, tokens);
        let supplies = reads.len();
        reads.extend(check.reads());
        let (mut prices, mut replies) =
            prices.resolve(session, network, issuers, &metadata, &compositions, reads).await;
        let texts = replies.split_off(supplies.min(replies.len()));
        let changed = check.apply(session, network, &mut metadata, texts);
        if changed.is_empty() || tries == TRIES_MAX {
            TextCheck::give_up(&mut metadata, &changed);
            prices.retain(|token, price| !price.is_derived() || has_all_parts(&metadata, &compositions, *token));
            return Assembly { network, index, metadata, compositions, prices }.tokens(tokens, replies);
        }
    }
}

/// Resolves tokens without prices and compositions.
pub async fn unpriced_tokens(
    session: &Session,
    network: &Arc<Network>,
    index: &TokenIndex,
    tokens: &BTreeSet<Address>,
) -> Tokens {
    let mut tries = 0;
    loop {
        tries += 1;
        let mut metadata = MetadataSet::read(session, network, None, tokens).await;
        metadata.complete(|token| listed_decimals(network, index, token));
        let check = TextCheck::in_events(network, &metadata, tokens);
        let mut reads = supply_reads(network, tokens);
        let supplies = reads.len();
        reads.extend(check.reads());
        let mut replies = session.read(reads).await;
        let texts = replies.split_off(supplies.min(replies.len()));
        let changed = check.apply(session, network, &mut metadata, texts);
        if changed.is_empty() || tries == TRIES_MAX {
            TextCheck::give_up(&mut metadata, &changed);
            let (compositions, prices) = Default::default();
            return Assembly { network, index, metadata, compositions, prices }.tokens(tokens, replies);
        }
    }
}

/// The decimals in a list, which count only if the contract returns none.
fn listed_decimals(network: &Network, index: &TokenIndex, token: Address) -> Option<u8> {
    index.get(network.chain_id, token).map(|listed| listed.decimals).filter(|decimals| *decimals <= DECIMALS_MAX)
}

/// False for a token with a part that could not be checked.
fn has_all_parts(metadata: &MetadataSet, compositions: &HashMap<Address, Composition>, token: Address) -> bool {
    let is_read = |part: &Address| metadata.get(*part).is_ok();
    let derivation = metadata.get(token).ok().and_then(|known| known.derivation);
    derivation.iter().flat_map(|derivation| derivation.parts()).all(is_read)
        && compositions.get(&token).into_iter().flat_map(Composition::parts).all(is_read)
}

fn supply_reads(network: &Network, tokens: &BTreeSet<Address>) -> Vec<Read> {
    tokens.iter().filter_map(|token| supply_read(network, *token)).collect()
}

/// The inputs for assembling tokens.
struct Assembly<'a> {
    network: &'a Arc<Network>,
    index: &'a TokenIndex,
    metadata: MetadataSet,
    compositions: HashMap<Address, Composition>,
    prices: HashMap<Address, Price>,
}

impl Assembly<'_> {
    /// Assembles the tokens; `supplies` are in their order, without the native token.
    fn tokens(mut self, tokens: &BTreeSet<Address>, supplies: Vec<Reply>) -> Tokens {
        let (mut assembled, mut supplies) = (Tokens::default(), supplies.into_iter());
        for address in tokens {
            let supply = if self.network.is_native(*address) { Ok(U256::ZERO) } else { total_supply(supplies.next()) };
            match supply.and_then(|supply| self.token(*address, supply)) {
                Ok((token, has_decimals)) => {
                    let place = if has_decimals { &mut assembled.resolved } else { &mut assembled.without_decimals };
                    place.insert(*address, Arc::new(token));
                }
                Err(failure) => drop(assembled.failed.insert(*address, failure)),
            }
        }
        assembled
    }

    /// Returns the token, and true if it has decimals. The native token is the same at all its addresses.
    fn token(&mut self, address: Address, total_supply: U256) -> Result<(Token, bool), ReadFailure> {
        let (network, metadata, price) = (self.network, self.metadata.get(address)?, self.prices.remove(&address));
        let address = network.named_token(address);
        let (name, symbol) = display_texts(&self.metadata, metadata)?;
        let (kind, underlying) = match self.compositions.get(&address) {
            Some(composition) => (composition.kind.clone().into(), composition.parts().copied().collect()),
            None => (kind(address, metadata).into(), underlying(metadata)),
        };
        let listed = self.index.get(network.chain_id, address);
        let is_listed = address == NATIVE || listed.is_some();
        let logo = match address {
            NATIVE => Some(network.logo.clone()),
            _ => listed.and_then(|listed| listed.logo.as_deref()).map(ToOwned::to_owned),
        };
        let is_native = || {
            let native = forms(&network.native);
            forms(symbol.as_str()).iter().any(|form| native.contains(form))
        };
        let is_lookalike = !is_listed && (is_native() || self.index.has_symbol(network.chain_id, &symbol));
        let token = Token {
            network: Arc::clone(network),
            address,
            name,
            symbol,
            is_listed,
            is_lookalike,
            decimals: metadata.decimals.unwrap_or_default(),
            decimals_source: metadata.decimals_source,
            logo,
            kind,
            total_supply,
            underlying: underlying.into_iter().map(|part| network.named_token(part)).collect(),
            price,
        };
        Ok((token, metadata.decimals.is_some()))
    }
}

#[cfg(any(test, feature = "testing"))]
impl FromIterator<Arc<Token>> for Tokens {
    fn from_iter<T: IntoIterator<Item = Arc<Token>>>(tokens: T) -> Self {
        Self { resolved: tokens.into_iter().map(|token| (token.address, token)).collect(), ..Self::default() }
    }
}

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
mod tests;
