//! The metadata of an answer's tokens and of their parts, read once for names and prices.
//!
//! Invariant: one level of tokens is one batch of reads, there are at most [`DEPTH_MAX`] + 1 batches, and no token is
//! read twice. Metadata is cached for a day, missing metadata never. Each batch also prefetches the reads that prices
//! need next.

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use portolan_base::network::Network;
use portolan_reader::{Freshness, Lookup, Read, ReadFailure, ReadSet, Reply, Session};

use super::{
    CHECK_IN_EVENTS, METADATA_FRESHNESS, TokenMetadata, check_reads, issuer_reads, metadata_reads, own_reads,
    supply_read,
};
use crate::token::DEPTH_MAX;

/// Levels of pairs in a name: a pair of pairs is named after the tokens of its pairs. If these are pairs again, their
/// own symbols are used.
pub(super) const PAIR_DEPTH_MAX: usize = 2;

/// Maximum number of parts in one answer, beside two for each requested token. Keeps a ring of hostile pairs from
/// filling the memory.
const PARTS_MAX: usize = 4096;

/// Reads that follow metadata, to be prefetched in the same batches.
pub trait Prefetch: Sync {
    /// Reads about the network that these tokens need, once for all of them.
    fn network_reads(&self, tokens: &[Address]) -> Vec<Read>;

    /// Reads that depend only on the token's address.
    fn reads(&self, token: Address) -> Vec<Read>;

    /// Reads that depend on the token's metadata.
    fn metadata_reads(&self, token: Address, metadata: &TokenMetadata) -> Vec<Read>;

    /// Returns true if the metadata of this token's parts will be needed too.
    fn needs_parts(&self, token: Address) -> bool;
}

/// The metadata of one network's tokens.
#[derive(Debug, Default)]
pub struct MetadataSet(BTreeMap<Address, Result<TokenMetadata, ReadFailure>>);

impl MetadataSet {
    /// A set of one token, whose metadata is known.
    pub(crate) fn of(token: Address, metadata: TokenMetadata) -> Self {
        Self([(token, Ok(metadata))].into())
    }

    /// Reads these tokens and their parts; without `prefetch` only as deep as names need.
    pub(crate) async fn read(
        session: &Session,
        network: &Network,
        prefetch: Option<&dyn Prefetch>,
        tokens: &BTreeSet<Address>,
    ) -> Self {
        let mut set = Self::default();
        set.extend(session, network, prefetch, tokens).await;
        set
    }

    /// Reads further tokens and their parts.
    pub(crate) async fn extend(
        &mut self,
        session: &Session,
        network: &Network,
        prefetch: Option<&dyn Prefetch>,
        tokens: &BTreeSet<Address>,
    ) {
        let mut next: BTreeSet<Address> = tokens.iter().filter(|token| !self.0.contains_key(*token)).copied().collect();
        let tokens_max = self.0.len() + 3 * next.len() + PARTS_MAX;
        let mut last = BTreeSet::new();
        for _ in 0..=prefetch.map_or(PAIR_DEPTH_MAX, |_| DEPTH_MAX) {
            self.read_level(session, network, prefetch, [&next, &last]).await;
            last = std::mem::take(&mut next);
            next = self.unknown_parts(prefetch, &last);
            let room = tokens_max.saturating_sub(self.0.len());
            if next.len() > room {
                tracing::debug!(network = %network.slug, left_out = next.len() - room, "too many parts of tokens");
                next = next.into_iter().take(room).collect();
            }
        }
    }

    /// Uses the decimals of lists for tokens that return none.
    pub(crate) fn complete(&mut self, listed: impl Fn(Address) -> Option<u8>) {
        for (token, metadata) in &mut self.0 {
            if let Ok(metadata) = metadata {
                metadata.complete(listed(*token));
            }
        }
    }

    /// Marks a token as failed.
    pub(super) fn fail(&mut self, token: Address, failure: ReadFailure) {
        self.0.insert(token, Err(failure));
    }

    /// Returns the metadata of a token.
    ///
    /// # Errors
    /// The token could not be read.
    pub(crate) fn get(&self, token: Address) -> Result<&TokenMetadata, ReadFailure> {
        self.0.get(&token).ok_or(ReadFailure::Upstream)?.as_ref().map_err(|failure| *failure)
    }

    /// The tokens that could be read.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Address, &TokenMetadata)> {
        self.0.iter().filter_map(|(token, metadata)| Some((*token, metadata.as_ref().ok()?)))
    }

    /// Reads `tokens`, with one batch for those that are not cached; `last` are the tokens of the previous level.
    async fn read_level(
        &mut self,
        session: &Session,
        network: &Network,
        prefetch: Option<&dyn Prefetch>,
        [tokens, last]: [&BTreeSet<Address>; 2],
    ) {
        let (mut lookup, mut missing) = (Lookup::default(), Vec::new());
        for token in tokens {
            match look_up(session, network, *token, true) {
                Ok(known) => drop(self.0.insert(*token, known)),
                Err(incomplete) => {
                    lookup.append(incomplete);
                    missing.push(*token);
                }
            }
        }
        if !missing.is_empty() {
            // Prefetched reads are charged to the budget when they are used.
            lookup.append(session.peek(self.prefetch_reads(network, prefetch, tokens, last).into()));
            let mut replies = session.complete(lookup).await.into_iter();
            missing.into_iter().for_each(|token| self.record_replies(network, token, &mut replies));
        }
    }

    fn record_replies(&mut self, network: &Network, token: Address, replies: &mut impl Iterator<Item = Reply>) {
        self.0.insert(token, TokenMetadata::from_replies(network, token, replies));
    }

    /// The reads to prefetch: those that will follow for these tokens, insofar as they are known, and for the tokens
    /// of the previous level.
    fn prefetch_reads(
        &self,
        network: &Network,
        prefetch: Option<&dyn Prefetch>,
        tokens: &BTreeSet<Address>,
        last: &BTreeSet<Address>,
    ) -> Vec<Read> {
        let supplies = tokens.iter().filter_map(|token| supply_read(network, *token));
        let Some(prefetch) = prefetch else { return supplies.collect() };
        let own = prefetch.network_reads(&tokens.iter().copied().collect::<Vec<_>>()).into_iter();
        let early = own.chain(tokens.iter().flat_map(|token| prefetch.reads(*token))).chain(supplies);
        let known = tokens.iter().chain(last).filter_map(|token| Some((*token, self.get(*token).ok()?)));
        early.chain(known.flat_map(|(token, metadata)| prefetch.metadata_reads(token, metadata))).collect()
    }

    /// The parts of these tokens that are not in the set. A pair's name needs its parts; the parts of other tokens
    /// are only needed for prices.
    fn unknown_parts(&self, prefetch: Option<&dyn Prefetch>, tokens: &BTreeSet<Address>) -> BTreeSet<Address> {
        let derivations = tokens.iter().filter_map(|token| {
            let derivation = self.get(*token).ok()?.derivation.as_ref()?;
            let is_priced = prefetch.is_some_and(|prefetch| prefetch.needs_parts(*token));
            (derivation.pair().is_some() || is_priced).then_some(derivation)
        });
        let parts = derivations.flat_map(|derivation| derivation.parts());
        parts.filter(|part| !self.0.contains_key(*part)).copied().collect()
    }
}

/// Looks up a token's metadata in the cache. Incomplete metadata is looked up again at the answer's block, as the
/// token may not have existed before. If `is_new`, the reads are charged to the answer's budget.
///
/// # Errors
/// Returns the lookup if a read is not cached.
fn look_up(
    session: &Session,
    network: &Network,
    token: Address,
    is_new: bool,
) -> Result<Result<TokenMetadata, ReadFailure>, Lookup> {
    if network.is_native(token) {
        return Ok(Ok(TokenMetadata::native(network)));
    }
    if is_new && !session.take_reads(metadata_reads(token).count()) {
        return Ok(Err(ReadFailure::OverBudget));
    }
    let known = peek(session, network, token, METADATA_FRESHNESS)?;
    match known.as_ref().is_ok_and(|metadata| !metadata.is_complete()) {
        true => peek(session, network, token, Freshness::Pinned),
        false => Ok(known),
    }
}

/// Looks up only the issuer of the token's own mechanism.
fn peek(
    session: &Session,
    network: &Network,
    token: Address,
    texts: Freshness,
) -> Result<Result<TokenMetadata, ReadFailure>, Lookup> {
    let own = || session.peek(own_reads(token, texts).collect());
    let with_issuers = |mut lookup: Lookup| {
        lookup.append(session.peek(issuer_reads(token).collect()));
        lookup
    };
    let replies = own().into_replies().map_err(with_issuers)?;
    let known = TokenMetadata::from_own(network, token, &mut replies.into_iter());
    let Some(read) = known.as_ref().ok().and_then(|metadata| metadata.issuer_read(token)) else { return Ok(known) };
    let replies = session.peek(vec![read].into()).into_replies().map_err(|_| with_issuers(own()))?;
    Ok(known.and_then(|metadata| metadata.with_issuer(replies.into_iter().next())))
}

/// The reads that show tokens.
#[derive(Debug)]
pub struct MissingReads {
    /// The reads of tokens that the cache does not have in full.
    pub missing: Lookup,
    /// Number of reads of all tokens that were not in `requested`, cached or not.
    pub reads: usize,
    /// Known depth of parts, which is the number of batches if nothing is cached.
    pub levels: u32,
}

/// Looks up the reads that are needed to show these tokens, insofar as they are known yet. Tokens in `requested` were
/// looked up before; the others are added to it.
pub fn missing_reads(
    session: &Session,
    network: &Network,
    tokens: &BTreeSet<Address>,
    requested: &mut BTreeSet<Address>,
) -> MissingReads {
    let (mut set, mut next) = (MetadataSet::default(), tokens.clone());
    let mut of_tokens = MissingReads { missing: Lookup::default(), reads: 0, levels: 0 };
    for _ in 0..=PAIR_DEPTH_MAX {
        of_tokens.levels += u32::from(!next.is_empty());
        for token in next.iter().filter(|token| !network.is_native(**token)) {
            let is_new = requested.insert(*token);
            let supply: ReadSet = supply_read(network, *token).into_iter().collect();
            let supply = if is_new { session.look_up(supply) } else { session.peek(supply) };
            of_tokens.reads += if is_new { metadata_reads(*token).count() + supply.len() } else { 0 };
            let mut lookup = match look_up(session, network, *token, is_new) {
                Ok(known) => {
                    set.0.insert(*token, known);
                    // Reads of a later check, which charges them to the budget itself.
                    session.peek(check_reads(*token, CHECK_IN_EVENTS).collect())
                }
                Err(incomplete) => incomplete,
            };
            lookup.append(supply);
            if is_new && !lookup.is_complete() {
                of_tokens.missing.append(lookup);
            }
        }
        next = set.unknown_parts(None, &next).into_iter().take(PARTS_MAX).collect();
    }
    of_tokens
}

#[cfg(any(test, feature = "testing"))]
impl FromIterator<(Address, Result<TokenMetadata, ReadFailure>)> for MetadataSet {
    fn from_iter<T: IntoIterator<Item = (Address, Result<TokenMetadata, ReadFailure>)>>(tokens: T) -> Self {
        Self(tokens.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
