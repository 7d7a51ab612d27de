//! Token lists: the tokens whose balances are looked up for an account, with their names.
//!
//! The lists are those of the configuration, in its order, then the built-in one. A task reads them again
//! periodically. Invariant: a list that cannot be read or violates the standard changes only a log line and its
//! status, and an index never changes once published.

mod source;

mod cache;
mod fetch;

mod schema;
mod shipped;

mod index;
mod list;
mod logo;

#[cfg(feature = "fuzzing")]
pub mod fuzzing;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use futures_util::StreamExt;
use futures_util::stream;
use portolan_base::files::TrustedOwners;
use portolan_base::net::shared_documents::SharedDocuments;
use portolan_base::network::Networks;
use portolan_reader::{RpcUrl, RpcUrlError};
use serde::Serialize;
use tokio::task::AbortHandle;

use self::cache::ListCache;
use self::fetch::Fetcher;
pub use self::index::{TokenIndex, forms};
pub use self::list::ListVersion;
use self::source::{ListSource, SourceContext};

/// Lists that are read concurrently; each may take several times its document's size in memory.
const READ_AT_ONCE: usize = 2;
/// Time that the first round waits for the store, which may spare fetches.
const STORE_WITHIN: Duration = Duration::from_secs(2);

/// The source of a list. Displays as a path, or as host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListLocation {
    File(PathBuf),
    Url(RpcUrl),
    /// The built-in list.
    Shipped,
}

/// The lists to read and their refresh interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSettings {
    /// In order of precedence.
    pub locations: Vec<ListLocation>,
    pub refresh: Duration,
}

/// Reason why a text is not a list's location; it never contains the text itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListLocationError {
    #[error("is neither a file nor an http or https URL")]
    Empty,
    #[error("is {0}")]
    Url(RpcUrlError),
    #[error("holds a user name or password, which is not sent")]
    User,
}

impl ListLocation {
    /// Parses a URL if there is `://`, else a file path.
    pub fn parse(text: &str) -> Result<Self, ListLocationError> {
        if text.is_empty() {
            return Err(ListLocationError::Empty);
        }
        if !text.contains("://") {
            return Ok(Self::File(text.into()));
        }
        let url: RpcUrl = text.parse().map_err(ListLocationError::Url)?;
        let has_user = !url.expose().username().is_empty() || url.expose().password().is_some();
        if has_user { Err(ListLocationError::User) } else { Ok(Self::Url(url)) }
    }

    fn url(&self) -> Option<&RpcUrl> {
        match self {
            Self::Url(url) => Some(url),
            Self::File(_) | Self::Shipped => None,
        }
    }
}

impl fmt::Display for ListLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Url(url) => write!(f, "{url}"),
            Self::Shipped => f.write_str("built in"),
        }
    }
}

/// A row of `/lists`. The serialized names are stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListStatus {
    /// Position in order of precedence, from 1; tells two lists of one host apart.
    pub number: usize,
    /// Path, or host and port: URLs may contain keys.
    #[serde(rename = "place")]
    pub location: String,
    /// Version of the list in force; `None` if there is none.
    pub version: Option<ListVersion>,
    /// Number of tokens on the gateway's networks, bridged addresses included.
    pub tokens: usize,
    /// Time when its location was last read with this result.
    #[serde(serialize_with = "portolan_base::rfc3339::serialize")]
    pub confirmed_at: Option<SystemTime>,
    /// Seconds since then.
    #[serde(rename = "ageSeconds")]
    pub age_s: Option<u64>,
    /// Error of the last read, if it failed; the list in force stays.
    pub error: Option<String>,
}

impl ListStatus {
    /// The row as of `now`.
    pub fn at(&self, now: SystemTime) -> Self {
        let age = |confirmed_at| now.duration_since(confirmed_at).unwrap_or_default();
        Self { age_s: self.confirmed_at.map(|confirmed_at| age(confirmed_at).as_secs()), ..self.clone() }
    }
}

/// The token lists of this process.
#[derive(Debug)]
pub struct TokenLists {
    published: Arc<PublishedLists>,
    refresher: AbortHandle,
}

#[derive(Debug, Default)]
struct PublishedLists {
    index: ArcSwap<TokenIndex>,
    status: ArcSwap<Vec<ListStatus>>,
}

impl TokenLists {
    /// Reads files and cached copies, then starts the background task, which fetches URLs at once and reads all lists
    /// again every `refresh`. What another gateway fetched from a URL since then is taken from the store, if there is one.
    ///
    /// # Errors
    /// There are URLs, and the folder of their cached copies cannot be created.
    pub async fn start(
        locations: Vec<ListLocation>,
        refresh: Duration,
        state_dir: &Path,
        writers: TrustedOwners,
        networks: &Networks,
        shared: Option<Arc<SharedDocuments>>,
    ) -> io::Result<Arc<Self>> {
        let mut refresher = Refresher::new(locations, state_dir, writers, networks, Fetcher::new())?;
        (refresher.context.shared, refresher.context.refresh) = (shared, refresh);
        refresher.open().await;
        let published = Arc::clone(&refresher.published);
        Ok(Arc::new(Self { published, refresher: tokio::spawn(refresher.run()).abort_handle() }))
    }

    /// The current merged index.
    pub fn index(&self) -> Arc<TokenIndex> {
        self.published.index.load_full()
    }

    /// One row per list, in order of precedence.
    pub fn status(&self) -> Vec<ListStatus> {
        let now = SystemTime::now();
        self.published.status.load().iter().map(|list| list.at(now)).collect()
    }
}

impl Drop for TokenLists {
    fn drop(&mut self) {
        self.refresher.abort();
    }
}

/// The task that reads the lists; only it changes what is published.
struct Refresher {
    context: SourceContext,
    sources: Vec<ListSource>,
    published: Arc<PublishedLists>,
}

impl Refresher {
    fn new(
        locations: Vec<ListLocation>,
        state_dir: &Path,
        writers: TrustedOwners,
        networks: &Networks,
        fetcher: Fetcher,
    ) -> io::Result<Self> {
        let urls: Vec<&RpcUrl> = locations.iter().filter_map(ListLocation::url).collect();
        let cache = if urls.is_empty() { None } else { Some(ListCache::open(state_dir, writers, &urls)?) };
        let chain_ids = networks.iter().map(|network| network.chain_id).collect();
        let sources =
            locations.into_iter().zip(1..).map(|(location, number)| ListSource::new(number, location)).collect();
        Ok(Self {
            context: SourceContext {
                chain_ids: Arc::new(chain_ids),
                fetcher,
                cache,
                shared: None,
                refresh: Duration::ZERO,
            },
            sources,
            published: Arc::default(),
        })
    }

    /// Reads the files, cached copies and built-in lists.
    async fn open(&mut self) {
        let context = &self.context;
        let opened: Vec<_> = self.sources.iter_mut().map(|source| source.open(context)).collect();
        stream::iter(opened).buffer_unordered(READ_AT_ONCE).collect::<()>().await;
        self.publish();
    }

    async fn run(mut self) {
        if let Some(shared) = self.context.shared.as_ref().filter(|_| self.context.cache.is_some()) {
            shared.connected(STORE_WITHIN).await;
        }
        loop {
            self.round().await;
            tokio::time::sleep(self.context.refresh).await;
        }
    }

    /// Reads each list again.
    async fn round(&mut self) {
        let context = &self.context;
        let refreshed: Vec<_> = self.sources.iter_mut().map(|source| source.refresh(context)).collect();
        let changes = stream::iter(refreshed).buffer_unordered(READ_AT_ONCE);
        if changes.fold(false, async |any, one| any || one).await {
            self.publish();
        } else {
            self.publish_status();
        }
    }

    fn publish(&self) {
        let index = TokenIndex::merge(self.sources.iter().map(ListSource::list));
        if index.left_out() > 0 {
            tracing::warn!(left_out = index.left_out(), "the token lists name more tokens than a network has room for");
        }
        self.published.index.store(Arc::new(index));
        self.publish_status();
    }

    fn publish_status(&self) {
        self.published.status.store(Arc::new(self.sources.iter().map(ListSource::status).collect()));
    }
}

#[cfg(test)]
mod tests;
