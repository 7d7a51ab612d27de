//! Prices that the operator states in the configuration.

use std::collections::HashMap;
use std::future::ready;

use alloy::primitives::Address;
use bigdecimal::BigDecimal;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use portolan_base::network::Network;
use portolan_networks::is_native;

use super::source::{Coverage, PriceRequest, PriceSource};
use crate::token::{NATIVE, Price};

/// Dollars by chain id and token.
#[derive(Debug)]
pub(super) struct FixedPrices(HashMap<(u64, Address), BigDecimal>);

impl FixedPrices {
    pub(super) fn new(prices: Vec<(u64, Address, BigDecimal)>) -> Self {
        Self(prices.into_iter().map(|(chain_id, token, usd)| (Self::key(chain_id, token), usd)).collect())
    }

    /// Maps all addresses of the native token to one.
    fn key(chain_id: u64, token: Address) -> (u64, Address) {
        (chain_id, if is_native(chain_id, token) { NATIVE } else { token })
    }
}

impl PriceSource for FixedPrices {
    fn coverage(&self, network: &Network, token: Address) -> Coverage {
        if self.0.contains_key(&Self::key(network.chain_id, token)) { Coverage::Certain } else { Coverage::Unknown }
    }

    fn prices<'a>(&'a self, request: &'a PriceRequest<'a>) -> BoxFuture<'a, HashMap<Address, Price>> {
        let price = |token: Address| {
            let usd = self.0.get(&Self::key(request.network.chain_id, token))?.clone();
            Some((token, Price { usd, source: "static", age_s: None, contracts: Vec::new() }))
        };
        ready(request.tokens.iter().filter_map(|token| price(token.address)).collect()).boxed()
    }
}
