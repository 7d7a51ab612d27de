//! What tokens are worth, by a chain of sources of which the first good one counts: what the operator states, feeds on
//! the chain, an HTTP source, and what a token is made of.
//!
//! Invariant: prices from the chain are those of the answer's block, and a token without a good price is missing from
//! what comes out; no source makes one up. Whether a token deserves a price is the caller's business.

mod feeds;
mod http;
mod made_of;
mod search;
mod worth;

use std::collections::HashMap;
use std::sync::Arc;

use alloy::primitives::Address;
use bigdecimal::BigDecimal;
use portolan_reader::{Read, Reply};

pub(crate) use self::feeds::Feed;
use self::feeds::Feeds;
pub(crate) use self::http::BaseUrl;
use self::http::HttpPrices;
use self::search::Search;
use crate::assets::composition::Composed;
use crate::assets::token::{At, Facts, Told};
use crate::network::Network;

/// A price and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Price {
    /// Dollars for one whole token.
    pub(crate) usd: BigDecimal,
    pub(crate) source: &'static str,
    /// `None` for a source that has no time.
    pub(crate) age_s: Option<u64>,
}

/// What an operator says of prices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// Dollars for one whole token, by chain id and token.
    pub(crate) fixed: Vec<(u64, Address, BigDecimal)>,
    /// They replace the shipped feeds of the same token.
    pub(crate) feeds: Vec<(u64, Address, Feed)>,
    /// `None` asks nobody.
    pub(crate) http: Option<BaseUrl>,
}

/// Knows prices. One for the process.
#[derive(Debug)]
pub(crate) struct Prices {
    fixed: HashMap<(u64, Address), BigDecimal>,
    feeds: Feeds,
    http: Option<Arc<HttpPrices>>,
}

impl Prices {
    pub(crate) fn new(settings: Settings) -> Self {
        let Settings { fixed, feeds, http } = settings;
        Self {
            fixed: fixed.into_iter().map(|(chain_id, token, usd)| ((chain_id, token), usd)).collect(),
            feeds: Feeds::new(feeds),
            http: http.map(|base| Arc::new(HttpPrices::new(base))),
        }
    }

    /// Whether the operator or a feed tells the price of a token; whether the feed is good is another matter.
    pub(crate) fn has_source(&self, network: &Network, token: Address) -> bool {
        self.is_stated(network, token) || !self.feeds_of(network, token).is_empty()
    }

    /// What the feeds of a token are asked; none for what the operator states.
    pub(crate) fn feed_reads(&self, network: &Network, token: Address) -> Vec<Read> {
        self.feeds_of(network, token).iter().flat_map(|feed| feeds::reads(*feed)).collect()
    }

    /// What tells how much a token holds of what it is made of; none for what the operator states.
    pub(crate) fn amount_reads(&self, network: &Network, token: Address, told: &Told) -> Vec<Read> {
        let known = told.made_of.zip(told.decimals).filter(|_| !self.is_stated(network, token));
        known.map(|(made_of, decimals)| made_of.amount_reads(token, decimals)).unwrap_or_default()
    }

    /// Whether the operator tells the price of a token: then nothing else is asked for it.
    pub(crate) fn is_stated(&self, network: &Network, token: Address) -> bool {
        self.stated(network, token).is_some()
    }

    /// What the operator states.
    fn stated(&self, network: &Network, token: Address) -> Option<&BigDecimal> {
        self.fixed.get(&(network.chain_id, token))
    }

    /// None for what the operator states.
    fn feeds_of(&self, network: &Network, token: Address) -> &[Feed] {
        if self.is_stated(network, token) { &[] } else { self.feeds.of(network, token) }
    }

    /// Prices of the tokens that facts were read of, at the answer's block, by the deadline. `riders` are what the
    /// caller reads beside: they leave in the same wave, and their replies come back in their order.
    pub(crate) async fn by_facts(
        &self,
        at: At<'_>,
        facts: &Facts,
        composed: &Composed,
        riders: Vec<Read>,
    ) -> (HashMap<Address, Price>, Vec<Reply>) {
        Search::new(self, at, facts, composed).run(riders).await
    }
}

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
mod tests;
