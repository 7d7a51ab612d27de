//! Finds the compositions of tokens that report no pair, vault or receipt themselves, from the protocols that issued
//! them.
//!
//! Invariant: compositions are validated, a token has one, and no token is queried twice. A composition is a plugin's
//! claim; the prices of its parts are determined elsewhere.

use std::collections::{BTreeSet, HashMap};

use alloy::primitives::Address;
use futures_util::future::BoxFuture;
use portolan_base::network::Network;
use portolan_reader::Session;

use crate::issuers::Issuers;
use crate::metadata::MetadataSet;
use crate::price::Prices;
use crate::token::{Composition, DEPTH_MAX};

/// Maximum number of parts in one answer on one network.
const PARTS_MAX: usize = 4096;

/// A source of compositions, for one answer on one network.
pub trait CompositionSource: Sync {
    /// Returns the known compositions of these tokens, within a part of the remaining time.
    fn compositions<'a>(&'a self, tokens: &'a [Address]) -> BoxFuture<'a, HashMap<Address, Composition>>;
}

/// Queries the source for tokens without a derivation, then for their parts, and adds the metadata of parts. A token
/// with a price from the operator or a feed needs no composition.
pub(super) async fn find(
    session: &Session,
    network: &Network,
    source: &dyn CompositionSource,
    prices: &Prices,
    issuers: &Issuers<'_>,
    metadata: &mut MetadataSet,
) -> HashMap<Address, Composition> {
    let (mut compositions, mut queried, mut room) = (HashMap::new(), BTreeSet::new(), PARTS_MAX);
    for _ in 0..DEPTH_MAX {
        let plain = metadata.iter().filter(|(token, known)| known.derivation.is_none() && !network.is_native(*token));
        let open = plain.map(|(token, _)| token).filter(|token| !prices.covers(network, *token));
        let open: Vec<Address> = open.filter(|token| queried.insert(*token)).collect();
        if open.is_empty() {
            break;
        }
        let found = source.compositions(&open).await;
        let parts = found.values().flat_map(Composition::parts).filter(|part| metadata.get(**part).is_err());
        let parts: BTreeSet<Address> = parts.copied().collect::<BTreeSet<_>>().into_iter().take(room).collect();
        room -= parts.len();
        compositions.extend(found);
        metadata.extend(session, network, Some(&prices.prefetch(network, issuers)), &parts).await;
    }
    compositions
}

#[cfg(test)]
mod tests;
