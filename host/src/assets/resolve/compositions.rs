//! Finds what tokens are made of by the protocols that issued them: shares for which no pair, vault or receipt reports
//! it by itself.
//!
//! Invariant: compositions are validated, a token has one, and no token is queried twice. A composition is a plugin's
//! claim; what the parts cost is the business of prices.

use std::collections::{BTreeSet, HashMap};

use alloy::primitives::Address;
use futures_util::future::BoxFuture;
use portolan_reader::Session;

use crate::assets::issuers::Issuers;
use crate::assets::metadata::MetadataSet;
use crate::assets::price::Prices;
use crate::assets::token::{Composition, DEPTH_MAX};
use crate::network::Network;

/// Tokens that others redeem to, in one answer on one network.
const PARTS_MAX: usize = 4096;

/// Knows what tokens are made of, for one answer on one network.
pub(crate) trait CompositionSource: Sync {
    /// The compositions of those tokens that it knows, within a part of the time that is left.
    fn compositions<'a>(&'a self, tokens: &'a [Address]) -> BoxFuture<'a, HashMap<Address, Composition>>;
}

/// Queries the source for tokens that are made of nothing by their own metadata, then for what these redeem to, and
/// adds the metadata of that. A token that the operator or a feed prices needs no composition.
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
