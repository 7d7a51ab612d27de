//! Whether the name, the symbol and the decimals that the cache has of tokens are still what their contracts return: the
//! code behind a proxy may be another since.
//!
//! Invariant: no amount is shown with decimals that are older than the amount. The check's reads leave together with those
//! of prices and supplies, so that it costs no request of its own where one of these has to be made.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_reader::{Freshness, Read, ReadFailure, Reply, Session};

use super::{
    CHECK_AT_BLOCK, CHECK_IN_EVENTS, MetadataSet, TEXTS, TokenMetadata, check_reads, metadata_reads, returned,
    wrapping_decimals,
};
use crate::network::Network;

/// The tokens to check, with the reads for it.
pub(crate) struct TextCheck {
    tokens: Vec<Address>,
    freshness: Freshness,
}

impl TextCheck {
    /// Checks all tokens in the set: names of pairs have the symbols of their parts, and decimals of parts scale prices.
    pub(crate) fn at_block(network: &Network, metadata: &MetadataSet, wanted: &BTreeSet<Address>) -> Self {
        Self::new(network, metadata, wanted, CHECK_AT_BLOCK)
    }

    /// Checks the same for tokens in events.
    pub(crate) fn in_events(network: &Network, metadata: &MetadataSet, wanted: &BTreeSet<Address>) -> Self {
        Self::new(network, metadata, wanted, CHECK_IN_EVENTS)
    }

    /// The wrapper of the native token has its decimals by what it is, and is checked where it is shown itself.
    fn new(network: &Network, metadata: &MetadataSet, wanted: &BTreeSet<Address>, freshness: Freshness) -> Self {
        let is_checked = |token: &Address| {
            !network.is_native(*token) && (network.wrapped_native != Some(*token) || wanted.contains(token))
        };
        Self { tokens: metadata.iter().map(|(token, _)| token).filter(is_checked).collect(), freshness }
    }

    /// In the order in which [`TextCheck::apply`] takes the replies.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Read> {
        self.tokens.iter().flat_map(|token| check_reads(*token, self.freshness))
    }

    /// Returns the tokens that are otherwise by now, whose replies are dropped from the cache: what they are made of may be
    /// otherwise too. A token that could not be checked has failed.
    pub(crate) fn apply(
        &self,
        session: &Session,
        network: &Network,
        metadata: &mut MetadataSet,
        replies: impl IntoIterator<Item = Reply>,
    ) -> Vec<Address> {
        let (mut changed, mut replies) = (Vec::new(), replies.into_iter());
        for token in &self.tokens {
            let texts = [(); TEXTS].map(|()| returned(replies.next()));
            match TokenMetadata::of_texts(texts, wrapping_decimals(network, *token)) {
                Ok(now) if metadata.get(*token).is_ok_and(|known| known.has_texts_of(&now)) => {}
                Ok(_) => {
                    metadata_reads(*token).for_each(|read| session.refute(&read));
                    changed.push(*token);
                }
                Err(failure) => metadata.fail(*token, failure),
            }
        }
        changed
    }

    /// Fails tokens that are otherwise each time that they are read.
    pub(crate) fn give_up(metadata: &mut MetadataSet, changed: &[Address]) {
        changed.iter().for_each(|token| metadata.fail(*token, ReadFailure::Upstream));
    }
}

impl TokenMetadata {
    fn has_texts_of(&self, now: &Self) -> bool {
        (&self.name, &self.symbol, self.own_decimals()) == (&now.name, &now.symbol, now.decimals)
    }
}
