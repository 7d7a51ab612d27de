//! Resolves one network's prices for one answer: one batch with the reads of all sources, then their answers in order
//! of precedence.
//!
//! Invariant: metadata is known before ([`MetadataSet`]), and all reads of prices are one batch.

use std::collections::HashMap;
use std::ops::Range;

use alloy::primitives::Address;
use portolan_base::network::Network;
use portolan_reader::{Read, Reply, Session};
use tokio::time::Instant;

use super::Prices;
use super::source::{Coverage, PriceRequest, UnpricedToken};
use crate::issuers::Issuers;
use crate::metadata::{MetadataSet, TokenMetadata};
use crate::token::{Composition, Price};

pub(super) struct PriceResolver<'a> {
    prices: &'a Prices,
    session: &'a Session,
    network: &'a Network,
    metadata: &'a MetadataSet,
    issuers: &'a Issuers<'a>,
    compositions: &'a HashMap<Address, Composition>,
    began: Instant,
}

/// One token's part of the batch.
struct TokenReads<'a> {
    token: Address,
    metadata: &'a TokenMetadata,
    /// Ranges of each source's replies; sources after the last are not needed.
    places: Vec<Range<usize>>,
}

impl<'a> PriceResolver<'a> {
    pub(super) fn new(
        prices: &'a Prices,
        session: &'a Session,
        network: &'a Network,
        issuers: &'a Issuers<'a>,
        metadata: &'a MetadataSet,
        compositions: &'a HashMap<Address, Composition>,
    ) -> Self {
        Self { prices, session, network, metadata, issuers, compositions, began: Instant::now() }
    }

    /// Returns the prices of all tokens in the metadata, and the replies to `extra_reads`.
    pub(super) async fn run(self, extra_reads: Vec<Read>) -> (HashMap<Address, Price>, Vec<Reply>) {
        let extra = extra_reads.len();
        let mut reads = extra_reads;
        let metadata = self.metadata.iter();
        let network_places = self.add_network_reads(&mut reads);
        let tokens: Vec<TokenReads<'_>> =
            metadata.map(|(token, metadata)| self.add_reads(token, metadata, &mut reads)).collect();
        self.start_sources();
        let mut replies = self.session.read(reads).await;
        let mut prices = HashMap::new();
        for (place, source) in self.prices.sources.iter().enumerate() {
            let network_replies = network_places.get(place).cloned().and_then(|places| replies.get(places));
            let request = self.request(place, &tokens, network_replies.unwrap_or_default(), &prices, &replies);
            let answered = source.prices(&request).await;
            prices.extend(answered);
        }
        replies.truncate(extra);
        (prices, replies)
    }

    /// Adds the reads about the network; returns the range of each source's replies.
    fn add_network_reads(&self, reads: &mut Vec<Read>) -> Vec<Range<usize>> {
        let tokens: Vec<Address> = self.metadata.iter().map(|(token, _)| token).collect();
        let of_sources = self.prices.network_reads(self.network, &tokens);
        let places = of_sources.map(|of_source| {
            let start = reads.len();
            reads.extend(of_source);
            start..reads.len()
        });
        places.collect()
    }

    fn add_reads(&self, token: Address, metadata: &'a TokenMetadata, reads: &mut Vec<Read>) -> TokenReads<'a> {
        let network = self.network;
        let sources = self.prices.sources_of(network, token);
        let places = sources.map(|source| {
            let start = reads.len();
            reads.extend(source.reads(network, token));
            reads.extend(source.metadata_reads(self.issuers, token, metadata));
            start..reads.len()
        });
        TokenReads { token, metadata, places: places.collect() }
    }

    /// Starts each source with the tokens that no source before it covers.
    fn start_sources(&self) {
        let mut open: Vec<Address> = self.metadata.iter().map(|(token, _)| token).collect();
        for source in &self.prices.sources {
            source.start(self.network, &open);
            open.retain(|token| source.coverage(self.network, *token) == Coverage::Unknown);
        }
    }

    fn request<'b>(
        &'b self,
        source: usize,
        tokens: &'b [TokenReads<'b>],
        network_replies: &'b [Reply],
        prices: &'b HashMap<Address, Price>,
        replies: &'b [Reply],
    ) -> PriceRequest<'b> {
        let unpriced = tokens.iter().filter(|reads| !prices.contains_key(&reads.token));
        let unpriced = unpriced.map(|reads| UnpricedToken {
            address: reads.token,
            metadata: reads.metadata,
            replies: reads.places.get(source).cloned().unwrap_or_default(),
        });
        PriceRequest {
            network: self.network,
            block: self.session.block(),
            began: self.began,
            deadline: self.session.deadline(),
            tokens: unpriced.collect(),
            network_replies,
            replies,
            prices,
            metadata: self.metadata,
            issuers: self.issuers,
            compositions: self.compositions,
        }
    }
}
