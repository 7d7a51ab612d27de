//! Prices of tokens, from a list of sources; the first good answer counts.
//!
//! Invariant: prices from the chain are those of the answer's block, and a token without a good price is missing from
//! the result. Callers decide which tokens to price. A new source is one file with a `PriceSource`, and one place
//! in the list of [`Prices::new`].

mod currencies;

mod source;

mod fixed;

mod feeds;

mod http;

mod derived;

mod resolver;

use std::collections::HashMap;
use std::sync::Arc;

use alloy::primitives::Address;
use bigdecimal::BigDecimal;
use portolan_base::network::Network;
use portolan_reader::{Read, Reply, Session};

pub use self::currencies::Currency;
use self::derived::DerivedPrices;
#[cfg(test)]
pub(crate) use self::derived::PairFactory;
pub use self::feeds::Feed;
use self::feeds::Feeds;
use self::fixed::FixedPrices;
pub use self::http::BaseUrl;
use self::http::HttpPrices;
use self::resolver::PriceResolver;
use self::source::{Coverage, PriceSource};
use crate::issuers::Issuers;
use crate::metadata::{MetadataSet, Prefetch, TokenMetadata};
use crate::token::Composition;
pub use crate::token::Price;

/// Prices and sources that an operator configures.
#[derive(Clone, Debug, Default)]
pub struct PriceSettings {
    /// Dollars for one whole token, by chain id and token.
    pub fixed: Vec<(u64, Address, BigDecimal)>,
    /// Feeds that replace the shipped ones of the same token.
    pub feeds: Vec<(u64, Address, Feed)>,
    /// Additional trusted issuers beside the contracts that plugins serve, by chain id.
    pub issuers: Vec<(u64, Address)>,
    /// `None` for no HTTP source.
    pub http: Option<BaseUrl>,
}

/// The sources of prices; one set for the process.
#[derive(Debug)]
pub struct Prices {
    /// In order of precedence.
    sources: Vec<Arc<dyn PriceSource>>,
}

impl Prices {
    pub fn new(settings: PriceSettings) -> Self {
        let PriceSettings { fixed, feeds, issuers, http } = settings;
        let sources: [Option<Arc<dyn PriceSource>>; 4] = [
            Some(Arc::new(FixedPrices::new(fixed))),
            Some(Arc::new(Feeds::new(feeds))),
            http.map(|base| -> Arc<dyn PriceSource> { Arc::new(Arc::new(HttpPrices::new(base))) }),
            Some(Arc::new(DerivedPrices::new(issuers))),
        ];
        Self { sources: sources.into_iter().flatten().collect() }
    }

    /// Only the sources that can price any block.
    pub fn of_any_block(&self) -> Self {
        Self { sources: self.sources.iter().filter(|source| !source.is_of_present()).cloned().collect() }
    }

    /// Returns true if a source names the token; its answer may still be bad.
    pub(crate) fn covers(&self, network: &Network, token: Address) -> bool {
        self.sources.iter().any(|source| source.coverage(network, token) != Coverage::Unknown)
    }

    /// The reads of prices, to prefetch with metadata.
    pub(crate) fn prefetch<'a>(&'a self, network: &'a Network, issuers: &'a Issuers<'a>) -> PricePrefetch<'a> {
        PricePrefetch { prices: self, network, issuers }
    }

    /// Returns the prices of the tokens in `metadata`, at the answer's block, by the deadline. `extra_reads` join the
    /// same batch; their replies are returned in order.
    pub(crate) async fn resolve(
        &self,
        session: &Session,
        network: &Network,
        issuers: &Issuers<'_>,
        metadata: &MetadataSet,
        compositions: &HashMap<Address, Composition>,
        extra_reads: Vec<Read>,
    ) -> (HashMap<Address, Price>, Vec<Reply>) {
        PriceResolver::new(self, session, network, issuers, metadata, compositions).run(extra_reads).await
    }

    /// The reads about the network, by source; empty for a source that none of these tokens needs.
    fn network_reads<'a>(
        &'a self,
        network: &'a Network,
        tokens: &'a [Address],
    ) -> impl Iterator<Item = Vec<Read>> + 'a {
        self.sources.iter().enumerate().map(move |(place, source)| {
            let reads = source.network_reads(network);
            let needs = |token: &Address| {
                let mut sources = self.sources_of(network, *token);
                sources.nth(place).is_some_and(|source| source.coverage(network, *token) != Coverage::Unknown)
            };
            if reads.is_empty() || !tokens.iter().any(needs) { Vec::new() } else { reads }
        })
    }

    /// The sources that may be needed for a token: all up to the first one whose answer is certain.
    fn sources_of(&self, network: &Network, token: Address) -> impl Iterator<Item = &dyn PriceSource> {
        let coverages = self.sources.iter().map(move |source| (source.as_ref(), source.coverage(network, token)));
        coverages.scan(false, |is_certain, (source, coverage)| {
            let is_needed = !std::mem::replace(is_certain, coverage == Coverage::Certain);
            is_needed.then_some(source)
        })
    }
}

/// The reads of prices on one network.
#[derive(Clone, Copy)]
pub(crate) struct PricePrefetch<'a> {
    prices: &'a Prices,
    network: &'a Network,
    issuers: &'a Issuers<'a>,
}

impl Prefetch for PricePrefetch<'_> {
    fn reads(&self, token: Address) -> Vec<Read> {
        let sources = self.prices.sources_of(self.network, token);
        sources.flat_map(|source| source.reads(self.network, token)).collect()
    }

    fn network_reads(&self, tokens: &[Address]) -> Vec<Read> {
        self.prices.network_reads(self.network, tokens).flatten().collect()
    }

    fn metadata_reads(&self, token: Address, metadata: &TokenMetadata) -> Vec<Read> {
        let sources = self.prices.sources_of(self.network, token);
        sources.flat_map(|source| source.metadata_reads(self.issuers, token, metadata)).collect()
    }

    /// A certain price needs no parts.
    fn needs_parts(&self, token: Address) -> bool {
        let mut sources = self.prices.sources.iter();
        !sources.any(|source| source.coverage(self.network, token) == Coverage::Certain)
    }
}

#[cfg(test)]
mod tests;
