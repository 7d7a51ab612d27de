//! Prices of a service that speaks the `coins.llama.fi` current-prices shape.
//!
//! Invariant: who asks waits no longer than it says. A request that takes longer ends on its own, and what it brings
//! serves the next who ask. A price that nobody could fetch is missing; one older than [`FRESH_FOR`] is fetched again.

mod base_url;
mod reply;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy::primitives::Address;
use futures_util::FutureExt;
use futures_util::future::{Shared, join_all};
use parking_lot::Mutex;
use quick_cache::sync::Cache;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

pub(crate) use self::base_url::BaseUrl;
use self::reply::{Malformed, Quote};
use crate::net::public_http::{Bounds, HttpFault, Lookup, Stranger, system_lookup};

/// What the service calls the networks, by chain id: <https://api-docs.defillama.com>. Others are not asked for.
#[rustfmt::skip]
const CHAINS: [(u64, &str); 8] = [
    (1, "ethereum"), (10, "optimism"), (56, "bsc"), (137, "polygon"),
    (250, "fantom"), (8453, "base"), (42161, "arbitrum"), (43114, "avax"),
];

/// The service computes its prices anew every few minutes.
const FRESH_FOR: Duration = Duration::from_secs(60);
/// In one request.
const COINS_MAX: usize = 100;
/// The prices of a hundred coins have a fifth of that.
const BOUNDS: Bounds = Bounds { body_bytes_max: 256 * 1024, idle_max: REQUESTS_MAX };
/// Of a request's coins; proxies commonly take lines of 8 KiB.
const TARGET_MAX_BYTES: usize = 4096;
/// Connection, reply and body of one request. Longer than anyone waits, so that a slow service still serves the next.
const REQUEST_MAX: Duration = Duration::from_secs(10);
/// At once; what more there is to ask goes without.
pub(super) const REQUESTS_MAX: usize = 8;
/// A service that failed is left alone for that long.
const PAUSE: Duration = Duration::from_secs(10);
/// Twice the tokens that all shipped lists have.
const KEPT_MAX: usize = 16_384;

/// Chain id and token.
type Coin = (u64, Address);

/// Ends when the request for a coin does, whatever became of it.
type Ended = Shared<oneshot::Receiver<()>>;

#[derive(Debug)]
pub(super) struct HttpPrices {
    base: BaseUrl,
    http: Stranger,
    kept: Cache<Coin, Kept>,
    under_way: Mutex<HashMap<Coin, Ended>>,
    requests: Arc<Semaphore>,
    paused_until: Mutex<Option<Instant>>,
}

/// What the service said of a coin; `None` if nothing good.
#[derive(Clone, Debug)]
struct Kept {
    quote: Option<Quote>,
    at: Instant,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
enum Fault {
    #[error("no answer in time")]
    Timeout,
    #[error(transparent)]
    Http(#[from] HttpFault),
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

impl HttpPrices {
    pub(super) fn new(base: BaseUrl) -> Self {
        Self::looking_up(base, system_lookup())
    }

    fn looking_up(base: BaseUrl, lookup: Lookup) -> Self {
        Self {
            http: Stranger::new(base.may_be_private(), lookup, BOUNDS),
            base,
            kept: Cache::new(KEPT_MAX),
            under_way: Mutex::default(),
            requests: Arc::new(Semaphore::new(REQUESTS_MAX)),
            paused_until: Mutex::default(),
        }
    }

    /// What the service says of these tokens, as far as it does until then.
    pub(super) async fn ask(
        self: &Arc<Self>,
        chain_id: u64,
        tokens: &[Address],
        until: Instant,
    ) -> Vec<(Address, Quote)> {
        self.start(chain_id, tokens);
        let ends: Vec<Ended> = {
            let under_way = self.under_way.lock();
            tokens.iter().filter_map(|token| under_way.get(&(chain_id, *token)).cloned()).collect()
        };
        // Who waited in vain looks at what there is all the same.
        let _ = timeout_at(until, join_all(ends)).await;
        tokens.iter().filter_map(|token| Some((*token, self.fresh((chain_id, *token))?.quote?))).collect()
    }

    /// Begins to fetch what is neither fresh nor under way.
    pub(super) fn start(self: &Arc<Self>, chain_id: u64, tokens: &[Address]) {
        let Some((_, chain)) = CHAINS.iter().find(|(id, _)| *id == chain_id) else { return };
        if self.is_paused() {
            return;
        }
        let mut under_way = self.under_way.lock();
        let is_wanted = |token: &Address| {
            let coin = (chain_id, *token);
            !under_way.contains_key(&coin) && self.fresh(coin).is_none()
        };
        let wanted: Vec<Address> = tokens.iter().filter(|token| is_wanted(token)).copied().collect();
        for batch in batches(chain, &wanted) {
            let Ok(permit) = Arc::clone(&self.requests).try_acquire_owned() else {
                tracing::debug!(source = %self.base, "too many requests for prices at once");
                return;
            };
            let (end, ended) = oneshot::channel();
            let ended = ended.shared();
            under_way.extend(batch.iter().map(|token| ((chain_id, *token), ended.clone())));
            let request = Request { prices: Arc::clone(self), chain_id, chain, tokens: batch.to_vec(), _end: end };
            tokio::spawn(async move {
                request.run().await;
                drop(permit);
            });
        }
    }

    fn fresh(&self, coin: Coin) -> Option<Kept> {
        self.kept.get(&coin).filter(|kept| kept.at.elapsed() < FRESH_FOR)
    }

    fn is_paused(&self) -> bool {
        let until = self.paused_until.lock();
        until.is_some_and(|until| Instant::now() < until)
    }

    fn pause(&self) {
        *self.paused_until.lock() = Some(Instant::now() + PAUSE);
    }
}

/// One request under way. Its coins are so no more when it is dropped, even by a panic.
struct Request {
    prices: Arc<HttpPrices>,
    chain_id: u64,
    chain: &'static str,
    tokens: Vec<Address>,
    /// Who waits is told by its drop, after [`Request`]'s own.
    _end: oneshot::Sender<()>,
}

impl Request {
    async fn run(self) {
        match timeout(REQUEST_MAX, self.fetch()).await.unwrap_or(Err(Fault::Timeout)) {
            Ok(mut quotes) => {
                let at = Instant::now();
                for token in &self.tokens {
                    self.prices.kept.insert((self.chain_id, *token), Kept { quote: quotes.remove(token), at });
                }
            }
            Err(fault) => {
                tracing::warn!(source = %self.prices.base, %fault, "prices cannot be fetched");
                self.prices.pause();
            }
        }
    }

    async fn fetch(&self) -> Result<HashMap<Address, Quote>, Fault> {
        let url = self.prices.base.current_prices(&target(self.chain, &self.tokens));
        let body = self.prices.http.get(&url).await?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Ok(reply::quotes(&body, self.chain, &self.tokens, now)?)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut under_way = self.prices.under_way.lock();
        for token in &self.tokens {
            under_way.remove(&(self.chain_id, *token));
        }
    }
}

fn target(chain: &str, tokens: &[Address]) -> String {
    tokens.iter().map(|token| format!("{chain}:{token:#x}")).collect::<Vec<_>>().join(",")
}

/// As many coins as one request may name.
fn batches<'a>(chain: &str, tokens: &'a [Address]) -> impl Iterator<Item = &'a [Address]> {
    let coin_bytes = target(chain, &[Address::ZERO]).len() + 1;
    tokens.chunks(COINS_MAX.min(TARGET_MAX_BYTES / coin_bytes).max(1))
}

#[cfg(test)]
pub(super) mod service;
#[cfg(test)]
mod tests;
