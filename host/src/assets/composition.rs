//! What tokens are made of by the word of the protocols that issue them: shares of which no pair, vault or receipt
//! tells it by itself.
//!
//! Invariant: a composition has passed the border, and a token has one: that of the first slug in order. It is the
//! word of plugins; what the parts are worth is the business of prices.

use std::collections::{BTreeSet, HashMap};

use alloy::primitives::{Address, U256};
use futures_util::future::BoxFuture;

use crate::assets::price::Prices;
use crate::assets::token::{At, DEPTH_MAX, Facts, NATIVE};

/// Tokens that others redeem to, in one answer on one network.
const PARTS_MAX: usize = 4096;

/// What shares redeem to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Composition {
    /// The token's `type`.
    pub(crate) kind: String,
    /// Smallest units of the token that the parts stand for; more than zero.
    pub(crate) supply: U256,
    /// Other tokens, each once, and smallest units of them.
    pub(crate) parts: Vec<(Address, U256)>,
}

impl Composition {
    /// The tokens that it redeems to.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Address> {
        self.parts.iter().map(|(part, _)| part)
    }
}

/// Who is asked what tokens are made of, for one answer on one network.
pub(crate) trait Compositions: Sync {
    /// The compositions of those of these tokens that anyone knows, within a part of the time that is left.
    fn of<'a>(&'a self, tokens: &'a [Address]) -> BoxFuture<'a, HashMap<Address, Composition>>;
}

/// The compositions that an answer needs, by token.
#[derive(Debug, Default)]
pub(crate) struct Composed(HashMap<Address, Composition>);

impl Composed {
    /// Asks about tokens that are made of nothing by their own word, then about what they redeem to, and reads the
    /// facts of that. What the operator or a feed prices is no share that anyone has to be asked about.
    pub(crate) async fn find(at: At<'_>, compositions: &dyn Compositions, prices: &Prices, facts: &mut Facts) -> Self {
        let (mut composed, mut asked, mut room) = (Self::default(), BTreeSet::new(), PARTS_MAX);
        for _ in 0..DEPTH_MAX {
            let is_plain = facts.iter().filter(|(token, told)| told.made_of.is_none() && *token != NATIVE);
            let is_open = is_plain.map(|(token, _)| token).filter(|token| !prices.has_source(at.network, *token));
            let open: Vec<Address> = is_open.filter(|token| asked.insert(*token)).collect();
            if open.is_empty() {
                break;
            }
            let told = compositions.of(&open).await;
            let parts = told.values().flat_map(Composition::parts).filter(|part| facts.get(**part).is_err());
            let parts: BTreeSet<Address> = parts.copied().collect::<BTreeSet<_>>().into_iter().take(room).collect();
            room -= parts.len();
            composed.0.extend(told);
            facts.add(at, prices, &parts).await;
        }
        composed
    }

    pub(crate) fn get(&self, token: Address) -> Option<&Composition> {
        self.0.get(&token)
    }
}

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
mod tests;
