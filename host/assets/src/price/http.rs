//! Prices from an HTTP service with the API of `coins.llama.fi` for current prices.
//!
//! Invariant: callers wait no longer than they specify. A slower request completes on its own, and its quotes serve
//! the next callers. A price that could not be fetched is missing; one older than [`FRESH_FOR`] is fetched again.

mod base_url;
mod reply;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy::primitives::Address;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, join_all};
use parking_lot::Mutex;
use portolan_base::net::http_client::{HostLookup, HttpClient, HttpError, HttpOptions, system_lookup};
use portolan_base::network::Network;
use quick_cache::sync::Cache;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

pub use self::base_url::BaseUrl;
use self::reply::{MalformedReply, Quote};
use super::source::{PriceRequest, PriceSource, UnpricedToken};
use crate::token::Price;

/// Maximum age of a quote; the service recomputes its prices every few minutes.
const FRESH_FOR: Duration = Duration::from_secs(60);
/// Maximum coins of one request.
const COINS_MAX: usize = 100;
/// Maximum bytes of a reply; the prices of a hundred coins take a fifth of it.
const BODY_BYTES_MAX: usize = 256 * 1024;
/// Maximum bytes of a request's coins; proxies commonly accept lines of 8 KiB.
const TARGET_MAX_BYTES: usize = 4096;
/// Time for connection, reply and body of one request. Longer than callers wait, so that a slow service still serves
/// the next ones.
const REQUEST_MAX: Duration = Duration::from_secs(10);
/// Maximum concurrent requests; coins beyond them get no quote.
const REQUESTS_MAX: usize = 8;
/// Divisor of the remaining time: the part that an answer may wait for the service.
const WAIT_PART: u32 = 4;
/// Maximum wait of an answer; a healthy service replies within a second.
const WAIT_MAX: Duration = Duration::from_millis(1500);
/// Pause before a service that failed is queried again.
const PAUSE: Duration = Duration::from_secs(10);
/// Twice the number of tokens in all shipped lists.
const CACHE_MAX: usize = 16_384;

/// Chain id and token.
type Coin = (u64, Address);

/// Resolves when the request for a coin ends, with or without a quote.
type RequestEnd = Shared<oneshot::Receiver<()>>;

#[derive(Debug)]
pub(super) struct HttpPrices {
    base: BaseUrl,
    http: HttpClient,
    cache: Cache<Coin, CachedQuote>,
    in_flight: Mutex<HashMap<Coin, RequestEnd>>,
    requests: Arc<Semaphore>,
    paused_until: Mutex<Option<Instant>>,
}

/// The service's answer for a coin.
#[derive(Clone, Debug)]
struct CachedQuote {
    /// `None` if there was no good quote.
    quote: Option<Quote>,
    at: Instant,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
enum QuoteError {
    #[error("no answer in time")]
    Timeout,
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    MalformedReply(#[from] MalformedReply),
}

impl PriceSource for Arc<HttpPrices> {
    fn is_of_present(&self) -> bool {
        true
    }

    fn start(&self, network: &Network, tokens: &[Address]) {
        self.fetch_missing(network.chain_id, tokens);
    }

    fn prices<'a>(&'a self, request: &'a PriceRequest<'a>) -> BoxFuture<'a, HashMap<Address, Price>> {
        let wait = (request.deadline.saturating_duration_since(request.began) / WAIT_PART).min(WAIT_MAX);
        let wanted: Vec<Address> = request.tokens.iter().map(|token| token.address).collect();
        async move {
            let quotes = self.quotes(request.network.chain_id, &wanted, request.began + wait).await;
            let mut quotes: HashMap<Address, Quote> = quotes.into_iter().collect();
            let price = |token: &UnpricedToken<'_>| {
                Some((token.address, price(request, token, quotes.remove(&token.address)?)?))
            };
            request.tokens.iter().filter_map(price).collect()
        }
        .boxed()
    }
}

/// Converts a quote to a price. A quote with other decimals is for another token.
fn price(request: &PriceRequest<'_>, token: &UnpricedToken<'_>, quote: Quote) -> Option<Price> {
    let (quoted, reported) = (quote.decimals, token.metadata.decimals);
    if quoted.is_some() && reported.is_some() && quoted != reported {
        let (network, token) = (&request.network.slug, token.address);
        tracing::debug!(%network, %token, "quote is for a token with other decimals");
        return None;
    }
    let age_s = request.block.timestamp.saturating_sub(quote.timestamp);
    Some(Price { usd: quote.usd, source: "llama", age_s: Some(age_s), contracts: Vec::new() })
}

impl HttpPrices {
    pub(super) fn new(base: BaseUrl) -> Self {
        Self::with_lookup(base, system_lookup())
    }

    fn with_lookup(base: BaseUrl, lookup: HostLookup) -> Self {
        let options = HttpOptions {
            allow_private: base.may_be_private(),
            body_bytes_max: BODY_BYTES_MAX,
            gzip: false,
            idle_connections_max: REQUESTS_MAX,
        };
        Self {
            http: HttpClient::new(options, lookup),
            base,
            cache: Cache::new(CACHE_MAX),
            in_flight: Mutex::default(),
            requests: Arc::new(Semaphore::new(REQUESTS_MAX)),
            paused_until: Mutex::default(),
        }
    }

    /// The service's quotes for these tokens that are available by `until`.
    async fn quotes(self: &Arc<Self>, chain_id: u64, tokens: &[Address], until: Instant) -> Vec<(Address, Quote)> {
        self.fetch_missing(chain_id, tokens);
        let ends: Vec<RequestEnd> = {
            let in_flight = self.in_flight.lock();
            tokens.iter().filter_map(|token| in_flight.get(&(chain_id, *token)).cloned()).collect()
        };
        // Some quotes may be available even after a timeout.
        let _ = timeout_at(until, join_all(ends)).await;
        tokens.iter().filter_map(|token| Some((*token, self.fresh((chain_id, *token))?.quote?))).collect()
    }

    /// Starts requests for the tokens that are neither fresh nor in flight.
    fn fetch_missing(self: &Arc<Self>, chain_id: u64, tokens: &[Address]) {
        // The service has no name for other networks.
        let Some(chain) = portolan_networks::network(chain_id).and_then(|network| network.price_service) else {
            return;
        };
        if self.is_paused() {
            return;
        }
        let mut in_flight = self.in_flight.lock();
        let is_wanted = |token: &Address| {
            let coin = (chain_id, *token);
            !in_flight.contains_key(&coin) && self.fresh(coin).is_none()
        };
        let wanted: Vec<Address> = tokens.iter().filter(|token| is_wanted(token)).copied().collect();
        for batch in batches(chain, &wanted) {
            let Ok(permit) = Arc::clone(&self.requests).try_acquire_owned() else {
                tracing::debug!(source = %self.base, "too many requests for prices at once");
                return;
            };
            let (end, ended) = oneshot::channel();
            let ended = ended.shared();
            in_flight.extend(batch.iter().map(|token| ((chain_id, *token), ended.clone())));
            let request = BatchRequest { prices: Arc::clone(self), chain_id, chain, tokens: batch.to_vec(), _end: end };
            tokio::spawn(async move {
                request.run().await;
                drop(permit);
            });
        }
    }

    fn fresh(&self, coin: Coin) -> Option<CachedQuote> {
        self.cache.get(&coin).filter(|cached| cached.at.elapsed() < FRESH_FOR)
    }

    fn is_paused(&self) -> bool {
        let until = self.paused_until.lock();
        until.is_some_and(|until| Instant::now() < until)
    }

    fn pause(&self) {
        *self.paused_until.lock() = Some(Instant::now() + PAUSE);
    }
}

/// One request in flight. Its drop, even by a panic, removes its coins from `in_flight`.
struct BatchRequest {
    prices: Arc<HttpPrices>,
    chain_id: u64,
    chain: &'static str,
    tokens: Vec<Address>,
    /// Dropped after [`BatchRequest`]'s own drop; wakes the waiting callers.
    _end: oneshot::Sender<()>,
}

impl BatchRequest {
    async fn run(self) {
        match timeout(REQUEST_MAX, self.fetch()).await.unwrap_or(Err(QuoteError::Timeout)) {
            Ok(mut quotes) => {
                let at = Instant::now();
                for token in &self.tokens {
                    self.prices.cache.insert((self.chain_id, *token), CachedQuote { quote: quotes.remove(token), at });
                }
            }
            Err(error) => {
                tracing::warn!(source = %self.prices.base, %error, "prices cannot be fetched");
                self.prices.pause();
            }
        }
    }

    async fn fetch(&self) -> Result<HashMap<Address, Quote>, QuoteError> {
        let url = self.prices.base.current_prices(&target(self.chain, &self.tokens));
        let body = self.prices.http.get(&url).await?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Ok(reply::quotes(&body, self.chain, &self.tokens, now)?)
    }
}

impl Drop for BatchRequest {
    fn drop(&mut self) {
        let mut in_flight = self.prices.in_flight.lock();
        for token in &self.tokens {
            in_flight.remove(&(self.chain_id, *token));
        }
    }
}

fn target(chain: &str, tokens: &[Address]) -> String {
    tokens.iter().map(|token| format!("{chain}:{token:#x}")).collect::<Vec<_>>().join(",")
}

/// Splits the tokens into batches of one request each.
fn batches<'a>(chain: &str, tokens: &'a [Address]) -> impl Iterator<Item = &'a [Address]> {
    let coin_bytes = target(chain, &[Address::ZERO]).len() + 1;
    tokens.chunks(COINS_MAX.min(TARGET_MAX_BYTES / coin_bytes).max(1))
}

#[cfg(test)]
pub(super) mod service;
#[cfg(test)]
mod tests;
