//! What tokens are worth: the seam that all price sources share, and the configuration's static table.

use std::collections::HashMap;

use alloy::primitives::Address;
use bigdecimal::BigDecimal;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::Instant;

use crate::answer::Price;
use crate::network::Network;
use portolan_reader::Block;

/// Knows prices. Asked once for each network of an answer; a token that it does not know is missing from what it
/// answers, never zero.
pub(crate) trait PriceSource: Send + Sync {
    /// Prices at the answer's block, by the deadline.
    fn prices<'a>(
        &'a self,
        network: &'a Network,
        block: &'a Block,
        tokens: &'a [Address],
        deadline: Instant,
    ) -> BoxFuture<'a, HashMap<Address, Price>>;
}

/// The `[prices.static]` table of the configuration.
#[derive(Debug, Default)]
pub(crate) struct StaticPrices(HashMap<(u64, Address), BigDecimal>);

impl StaticPrices {
    /// Dollars for one whole token, by chain id and token.
    pub(crate) fn new(prices: impl IntoIterator<Item = (u64, Address, BigDecimal)>) -> Self {
        Self(prices.into_iter().map(|(chain_id, token, usd)| ((chain_id, token), usd)).collect())
    }
}

impl PriceSource for StaticPrices {
    fn prices<'a>(
        &'a self,
        network: &'a Network,
        _: &'a Block,
        tokens: &'a [Address],
        _: Instant,
    ) -> BoxFuture<'a, HashMap<Address, Price>> {
        let known = tokens.iter().filter_map(|token| {
            let usd = self.0.get(&(network.chain_id, *token))?.clone();
            Some((*token, Price { usd, source: "static", age_s: None }))
        });
        let known = known.collect();
        async move { known }.boxed()
    }
}
