//! Checks that the cached name, symbol and decimals of tokens still equal those of their contracts: the code behind a
//! proxy may have changed.
//!
//! Invariant: no amount is shown with decimals older than the amount. The check's reads are batched with those of
//! prices and supplies, so it costs no request of its own if one of these has to be made.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_base::network::Network;
use portolan_reader::{Freshness, Read, ReadFailure, Reply, Session};

use super::{
    CHECK_AT_BLOCK, CHECK_IN_EVENTS, MetadataSet, TEXTS, TokenMetadata, check_reads, metadata_reads, returned,
    wrapping_decimals,
};

/// The tokens to check.
pub(crate) struct TextCheck {
    tokens: Vec<Address>,
    freshness: Freshness,
}

impl TextCheck {
    /// Checks all tokens in the set: the symbols of a pair's parts are in its name, and decimals of parts scale
    /// prices.
    pub(crate) fn at_block(network: &Network, metadata: &MetadataSet, wanted: &BTreeSet<Address>) -> Self {
        Self::new(network, metadata, wanted, CHECK_AT_BLOCK)
    }

    /// Checks tokens in events, for which a check within the last minute suffices.
    pub(crate) fn in_events(network: &Network, metadata: &MetadataSet, wanted: &BTreeSet<Address>) -> Self {
        Self::new(network, metadata, wanted, CHECK_IN_EVENTS)
    }

    /// The native token's wrapper has known decimals, so it is only checked if it is shown itself.
    fn new(network: &Network, metadata: &MetadataSet, wanted: &BTreeSet<Address>, freshness: Freshness) -> Self {
        let is_checked = |token: &Address| {
            !network.is_native(*token) && (network.wrapped_native != Some(*token) || wanted.contains(token))
        };
        Self { tokens: metadata.iter().map(|(token, _)| token).filter(is_checked).collect(), freshness }
    }

    /// The reads, in the order in which [`TextCheck::apply`] takes the replies.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Read> {
        self.tokens.iter().flat_map(|token| check_reads(*token, self.freshness))
    }

    /// Returns the tokens that have changed. Drops all their metadata from the cache, since their derivation may have
    /// changed too. Marks tokens that could not be checked as failed.
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

    /// Marks tokens as failed that differ at every attempt.
    pub(crate) fn give_up(metadata: &mut MetadataSet, changed: &[Address]) {
        changed.iter().for_each(|token| metadata.fail(*token, ReadFailure::Upstream));
    }
}

impl TokenMetadata {
    fn has_texts_of(&self, now: &Self) -> bool {
        (&self.name, &self.symbol, self.own_decimals()) == (&now.name, &now.symbol, now.decimals)
    }
}
