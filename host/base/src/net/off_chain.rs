//! Off-chain documents: HTTPS GETs by plugins, to hosts that they declare and the operator grants.
//!
//! Invariant: a document comes from the granted host, by https from its standard port and a public address, or from
//! the mirror that the operator names, or from another gateway's store that got it there. Its size and time, and the
//! number and rate of requests, are bounded. It is cached for as long as its server says, within bounds. It proves
//! nothing, and never decides where a claim goes.

mod hosts;
mod rate_limit;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use portolan_abi::off_chain::BODY_BYTES_MAX;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

pub use self::hosts::{DeclaredHost, HostGrants, HostStatus, Mirror, PluginHosts};
use self::rate_limit::HostRateLimit;
use crate::net::http_client::{CacheableBody, HttpClient, HttpError, HttpOptions, system_lookup};
use crate::net::outgoing_budget::OutgoingBudget;
use crate::net::shared_documents::{DocumentSource, SharedDocument, SharedDocuments};

const OPTIONS: HttpOptions =
    HttpOptions { allow_private: false, body_bytes_max: BODY_BYTES_MAX, gzip: true, idle_connections_max: 2 };
/// Minimum time in the cache, so that a popular account does not burden a server that allows less or does not say.
const KEPT_MIN: Duration = Duration::from_secs(30);
/// Maximum time in the cache: lists of rewards change daily. An operator who revokes a grant restarts the process.
const KEPT_MAX: Duration = Duration::from_secs(3_600);
/// Time for which a failure is cached; shorter than a restart of a server.
const FAILED_FOR: Duration = Duration::from_secs(10);
/// Time limit of a request; a slower server fails for everyone who waits.
const FETCH_WITHIN: Duration = Duration::from_millis(2_500);
/// Maximum time that a job waits for a document, including for its turn.
const WAIT_MAX: Duration = Duration::from_secs(3);
/// Concurrent requests of all answers: so many bodies are in memory besides the cache.
const TURNS_MAX: usize = 32;
/// Maximum bytes of the cache; more is never needed.
pub const CACHE_BYTES_MAX: u64 = 64 << 20;
/// Expected bytes of an entry. A shard has room for 32 of them, of which the largest document fills a quarter.
const CACHE_ENTRY_BYTES: u64 = 128 << 10;
/// Bytes of an entry besides its texts.
const ENTRY_BYTES: u64 = 256;

/// Reason why there is no document; contains no text of the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OffChainError {
    #[error("the server did not answer in time")]
    Timeout,
    #[error("the server cannot be reached")]
    Unreachable,
    /// Worded like `Unreachable`: whoever can name a host must not learn which hosts this network knows.
    #[error("the server cannot be reached")]
    NotPublic,
    #[error("the URL cannot be requested")]
    Url,
    #[error("the server answered with status {0}")]
    Status(u16),
    #[error("the server answered with a redirect ({0}), which is not followed")]
    Redirect(u16),
    #[error("the server answered more than {BODY_BYTES_MAX} bytes")]
    TooLarge,
    #[error("the server answered in an encoding that was not requested")]
    Encoding,
    #[error("the answer makes no more requests to other hosts")]
    OverBudget,
    #[error("the host gets no more requests of this plugin for a moment")]
    TooOften,
}

impl From<HttpError> for OffChainError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Url => Self::Url,
            HttpError::NotPublic => Self::NotPublic,
            HttpError::Unreachable | HttpError::Body => Self::Unreachable,
            HttpError::Status(status @ 300..400) => Self::Redirect(status),
            HttpError::Status(status) => Self::Status(status),
            HttpError::TooLarge => Self::TooLarge,
            HttpError::Encoding => Self::Encoding,
        }
    }
}

/// A server's answer: a body, or `None` if it has nothing there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentReply {
    pub body: Option<Bytes>,
    pub age_s: u32,
}

/// A URL that a plugin may request.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRequest<'a> {
    pub plugin: &'a str,
    pub host: &'a DeclaredHost,
    pub url: &'a str,
}

/// The documents of all answers.
#[derive(Debug)]
pub struct OffChain {
    public: HttpClient,
    /// Client for the operator's mirrors.
    mirrors: HttpClient,
    /// By plugin and URL.
    cache: Cache<String, Arc<Cached>, Weight>,
    /// What other gateways fetched, if there is a store.
    shared: Option<Arc<SharedDocuments>>,
    rate_limit: HostRateLimit,
    turns: Semaphore,
    fetch_within: Duration,
}

/// The documents that one answer may request.
#[derive(Clone, Copy, Debug)]
pub struct Documents<'a> {
    pub off_chain: &'a OffChain,
    pub outgoing: &'a OutgoingBudget,
}

#[derive(Debug)]
struct Cached {
    result: Result<Option<Bytes>, OffChainError>,
    /// The age that the server reported.
    age: Duration,
    at: Instant,
    kept: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Weight;

impl Weighter<String, Arc<Cached>> for Weight {
    fn weight(&self, key: &String, cached: &Arc<Cached>) -> u64 {
        let body = cached.result.as_ref().ok().and_then(Option::as_ref).map_or(0, Bytes::len);
        u64::try_from(key.len() + body).unwrap_or(u64::MAX).saturating_add(ENTRY_BYTES)
    }
}

impl Documents<'_> {
    /// Gets a document by the deadline of its job. It counts in the answer's budget, cached or not, but equal URLs
    /// count once.
    ///
    /// # Errors
    /// [`OffChainError`].
    pub async fn get(&self, request: DocumentRequest<'_>, deadline: Instant) -> Result<DocumentReply, OffChainError> {
        let key = format!("{} {}", request.plugin, request.url);
        if !self.outgoing.take_once(&key) {
            return Err(OffChainError::OverBudget);
        }
        // The job keeps a part of its time, so that it can go on without the document.
        let now = Instant::now();
        let until = now + (deadline.saturating_duration_since(now) * 3 / 4).min(WAIT_MAX);
        timeout_at(until, self.off_chain.get(&key, request, until)).await.unwrap_or(Err(OffChainError::Timeout))
    }
}

impl OffChain {
    /// Creates it with a cache of at most so many bytes.
    pub fn new(cache_bytes_max: u64) -> Self {
        let entries = usize::try_from(cache_bytes_max / CACHE_ENTRY_BYTES).unwrap_or(usize::MAX);
        Self {
            public: HttpClient::new(OPTIONS, system_lookup()),
            mirrors: HttpClient::new(HttpOptions { allow_private: true, ..OPTIONS }, system_lookup()),
            cache: Cache::with_weighter(entries, cache_bytes_max, Weight),
            shared: None,
            rate_limit: HostRateLimit::default(),
            turns: Semaphore::new(TURNS_MAX),
            fetch_within: FETCH_WITHIN,
        }
    }

    /// The same, sharing documents with other gateways.
    #[must_use]
    pub fn sharing(self, shared: Option<Arc<SharedDocuments>>) -> Self {
        Self { shared, ..self }
    }

    /// Concurrent equal requests are sent once; if the task that sends one gives up, the next one sends it.
    async fn get(
        &self,
        key: &str,
        request: DocumentRequest<'_>,
        until: Instant,
    ) -> Result<DocumentReply, OffChainError> {
        loop {
            match self.cache.get_value_or_guard_async(key).await {
                Ok(cached) if cached.is_fresh() => return cached.document(),
                Ok(stale) => drop(self.cache.remove_if(key, |cached| Arc::ptr_eq(cached, &stale))),
                Err(guard) => {
                    let fetched = Arc::new(self.fetch(request, until).await?);
                    // It is returned even if the cache does not take it.
                    let _ = guard.insert(Arc::clone(&fetched));
                    return fetched.document();
                }
            }
        }
    }

    /// Takes a document that another gateway fetched, or requests it once the host's rate allows it.
    ///
    /// # Errors
    /// It is not requested at all.
    async fn fetch(&self, request: DocumentRequest<'_>, until: Instant) -> Result<Cached, OffChainError> {
        let DocumentRequest { plugin, host, url } = request;
        let (client, source, url) = match host.mirror() {
            None => (&self.public, DocumentSource::GrantedHost, of_host(url, host.name())?),
            Some(mirror) => (&self.mirrors, DocumentSource::Mirror, mirror.url(&of_host(url, host.name())?)),
        };
        if let Some(shared) = &self.shared
            && let Some((document, ago)) = shared.get(source, url.as_str(), None).await
        {
            return Ok(Cached::shared(document, ago));
        }
        self.rate_limit.wait(plugin, host.name(), until).await?;
        let _turn = self.turns.acquire().await.map_err(|_| OffChainError::Unreachable)?;
        let fetched = timeout(self.fetch_within, client.get_cacheable(url.as_str())).await;
        let cached = fetched.map_or_else(|_| Cached::failed(OffChainError::Timeout), Cached::new);
        if let Some(shared) = &self.shared
            && let Ok(body) = cached.result.clone()
        {
            let document = SharedDocument { body, etag: None, age: cached.age, kept: cached.kept };
            shared.put(source, url.as_str(), &document);
        }
        Ok(cached)
    }
}

impl Cached {
    fn new(fetched: Result<CacheableBody, HttpError>) -> Self {
        let at = Instant::now();
        match fetched {
            Ok(CacheableBody { body, age, max_age }) => {
                let kept = max_age.unwrap_or_default().saturating_sub(age).clamp(KEPT_MIN, KEPT_MAX);
                Self { result: Ok(Some(body)), age, at, kept }
            }
            Err(HttpError::Status(404 | 410)) => Self { result: Ok(None), age: Duration::ZERO, at, kept: KEPT_MIN },
            Err(error) => Self::failed(error.into()),
        }
    }

    /// One that another gateway fetched so long ago.
    fn shared(document: SharedDocument, ago: Duration) -> Self {
        let SharedDocument { body, age, kept, .. } = document;
        let kept = kept.min(KEPT_MAX).saturating_sub(ago);
        Self { result: Ok(body), age: age.saturating_add(ago), at: Instant::now(), kept }
    }

    fn failed(error: OffChainError) -> Self {
        Self { result: Err(error), age: Duration::ZERO, at: Instant::now(), kept: FAILED_FOR }
    }

    fn is_fresh(&self) -> bool {
        self.at.elapsed() < self.kept
    }

    fn document(&self) -> Result<DocumentReply, OffChainError> {
        let age = self.age.saturating_add(self.at.elapsed());
        let body = self.result.clone()?;
        Ok(DocumentReply { body, age_s: u32::try_from(age.as_secs()).unwrap_or(u32::MAX) })
    }
}

/// Parses the URL as the client does, and checks that it still has this host and the standard port.
fn of_host(url: &str, host: &str) -> Result<Url, OffChainError> {
    let url = Url::parse(url).map_err(|_| OffChainError::Url)?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    let is_of_host = url.scheme() == "https" && url.host_str() == Some(host);
    if is_plain && is_of_host { Ok(url) } else { Err(OffChainError::Url) }
}

#[cfg(test)]
impl OffChain {
    /// Resolves all public hosts to this address.
    pub(crate) fn leading_to(address: std::net::SocketAddr) -> Self {
        use futures_util::FutureExt;
        let lookup = Arc::new(move |_| async move { Ok::<_, std::io::Error>(vec![address]) }.boxed());
        Self { public: HttpClient::new(OPTIONS, lookup), ..Self::new(CACHE_BYTES_MAX) }
    }
}

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
