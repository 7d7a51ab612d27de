//! One list: reads its location and keeps the last good list in force.
//!
//! Invariant: only a complete list that follows the standard replaces the previous one. A repeated error is logged
//! once.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use portolan_base::files::{self, FileError};
use portolan_base::net::shared_documents::{DocumentSource, SharedDocument, SharedDocuments};
use portolan_reader::RpcUrl;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::cache::{CachedList, ListCache};
use super::fetch::{FetchError, Fetched, Fetcher};
use super::list::TokenList;
use super::schema::{self, DOCUMENT_BYTES_MAX, SchemaError};
use super::shipped::{self, ShippedError};
use super::{ListLocation, ListStatus};

/// Time to read and parse a file; only a dead network mount takes longer.
const DISK_WITHIN: Duration = Duration::from_secs(10);
/// Time to wait for a list of another gateway. Nothing waits for a list, and a large one takes longer than an answer
/// would wait.
const SHARED_WITHIN: Duration = Duration::from_secs(1);

/// The shared context of all lists.
pub(super) struct SourceContext {
    pub(super) chain_ids: Arc<BTreeSet<u64>>,
    pub(super) fetcher: Fetcher,
    /// `None` if there are no URLs.
    pub(super) cache: Option<ListCache>,
    /// What other gateways fetched, if there is a store.
    pub(super) shared: Option<Arc<SharedDocuments>>,
    /// Time after which a list is read again.
    pub(super) refresh: Duration,
}

/// One list.
pub(super) struct ListSource {
    number: usize,
    location: ListLocation,
    loaded: Option<LoadedList>,
    error: Option<String>,
    /// Ensures that a disk that hangs blocks only one thread, however often it is read.
    disk: Arc<Semaphore>,
}

/// The list in force.
#[derive(Clone)]
struct LoadedList {
    list: Arc<TokenList>,
    digest: [u8; 32],
    etag: Option<String>,
    confirmed_at: SystemTime,
}

/// Reason why a list could not be read.
#[derive(Debug, thiserror::Error)]
enum ListError {
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error(transparent)]
    File(FileError),
    #[error("cannot be read within {} s", DISK_WITHIN.as_secs())]
    Slow,
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error(transparent)]
    Shipped(#[from] ShippedError),
    #[error("reading it ended without outcome")]
    Lost,
}

impl ListSource {
    pub(super) fn new(number: usize, location: ListLocation) -> Self {
        Self { number, location, loaded: None, error: None, disk: Arc::new(Semaphore::new(1)) }
    }

    /// The list in force.
    pub(super) fn list(&self) -> Option<&TokenList> {
        self.loaded.as_ref().map(|loaded| loaded.list.as_ref())
    }

    pub(super) fn status(&self) -> ListStatus {
        ListStatus {
            number: self.number,
            location: self.location.to_string(),
            version: self.list().map(|list| list.version),
            tokens: self.list().map_or(0, |list| list.entries.len()),
            confirmed_at: self.loaded.as_ref().map(|loaded| loaded.confirmed_at),
            age_s: None,
            error: self.error.clone(),
        }
    }

    /// Reads the local source: the file, the cached copy, or the built-in list.
    pub(super) async fn open(&mut self, context: &SourceContext) {
        let read = match &self.location {
            ListLocation::File(path) => self.read_file(path, context).await,
            ListLocation::Url(url) => self.read_cached(url, context).await,
            ListLocation::Shipped => built_in(&context.chain_ids).map(Some),
        };
        self.apply(read);
    }

    /// Reads the list again; returns true if another list is in force now.
    pub(super) async fn refresh(&mut self, context: &SourceContext) -> bool {
        let read = match &self.location {
            ListLocation::File(path) => self.read_file(path, context).await,
            ListLocation::Url(url) => self.fetch(url, context).await,
            ListLocation::Shipped => return false,
        };
        self.apply(read)
    }

    /// Applies the result of a read. `None` means that the list has not changed at its location.
    fn apply(&mut self, read: Result<Option<LoadedList>, ListError>) -> bool {
        let (number, place) = (self.number, &self.location);
        let error = match read {
            Ok(loaded) => {
                self.error = None;
                return self.replace(loaded);
            }
            Err(error) => error.to_string(),
        };
        if self.error.as_ref() != Some(&error) {
            let tokens = self.list().map_or(0, |list| list.entries.len());
            tracing::warn!(number, %place, reason = error, tokens, "a token list was refused, the one before stays");
            self.error = Some(error);
        }
        false
    }

    fn replace(&mut self, loaded: Option<LoadedList>) -> bool {
        let Some(loaded) = loaded else {
            if let Some(current) = &mut self.loaded {
                current.confirmed_at = SystemTime::now();
            }
            return false;
        };
        let is_same = self.loaded.as_ref().is_some_and(|current| Arc::ptr_eq(&current.list, &loaded.list));
        if !is_same {
            let (number, place, version) = (self.number, &self.location, loaded.list.version);
            tracing::info!(number, %place, %version, tokens = loaded.list.entries.len(), "a token list is in force");
        }
        self.loaded = Some(loaded);
        !is_same
    }

    async fn read_file(&self, path: &Path, context: &SourceContext) -> Result<Option<LoadedList>, ListError> {
        let (path, chain_ids, before) = (path.to_owned(), Arc::clone(&context.chain_ids), self.loaded.clone());
        self.on_disk(move || LoadedList::read(&file(&path)?, None, SystemTime::now(), &chain_ids, before).map(Some))
            .await
    }

    /// Takes the list that another gateway fetched since it had to be read again, or fetches it.
    async fn fetch(&self, url: &RpcUrl, context: &SourceContext) -> Result<Option<LoadedList>, ListError> {
        if let Some(shared) = &context.shared
            && let Some(list) = shared_list(shared, url).await
        {
            match self.load(url, list, context).await {
                Ok(loaded) => return Ok(Some(loaded)),
                Err(_) => shared.refuse("its value is not a list"),
            }
        }
        let known = self.loaded.as_ref().and_then(|loaded| loaded.etag.as_deref());
        let (document, etag) = match context.fetcher.fetch(url, known).await? {
            Fetched::Unchanged => {
                self.share_cached(url, context).await;
                return Ok(None);
            }
            Fetched::Document { body, etag } => (body, etag),
        };
        let list = CachedList { etag, fetched_at: SystemTime::now(), document };
        let loaded = self.load(url, list.clone(), context).await?;
        share(url, list, context);
        Ok(Some(loaded))
    }

    /// Reads a list that was fetched, and writes its cached copy.
    async fn load(&self, url: &RpcUrl, list: CachedList, context: &SourceContext) -> Result<LoadedList, ListError> {
        let (url, chain_ids, cache) = (url.clone(), Arc::clone(&context.chain_ids), context.cache.clone());
        let before = self.loaded.clone();
        self.on_disk(move || {
            let etag = list.etag.clone();
            let loaded = LoadedList::read(&list.document, etag, list.fetched_at, &chain_ids, before.clone())?;
            let is_cached = before.is_some_and(|before| before.digest == loaded.digest && before.etag == loaded.etag);
            if let Some(cache) = cache.filter(|_| !is_cached) {
                // The list is good all the same; only the next start will miss it.
                if let Err(error) = cache.write(&url, &list) {
                    tracing::warn!(place = %url, %error, "cannot write the cached copy of a token list");
                }
            }
            Ok(loaded)
        })
        .await
    }

    /// Shares the list in force, which has not changed at its location, from its cached copy.
    async fn share_cached(&self, url: &RpcUrl, context: &SourceContext) {
        let Some((cache, loaded)) = context.cache.clone().zip(self.loaded.clone()) else { return };
        if context.shared.is_none() {
            return;
        }
        let place = url.clone();
        let read = self.on_disk(move || Ok(cache.read(&place)?)).await;
        // A copy that cannot be read is of no use to others; this gateway has its list.
        if let Ok(Some(list)) = read
            && loaded.digest == digest(&list.document)
        {
            share(url, list, context);
        }
    }

    /// The cached copy of an earlier fetch; `None` if there is none.
    async fn read_cached(&self, url: &RpcUrl, context: &SourceContext) -> Result<Option<LoadedList>, ListError> {
        let Some(cache) = context.cache.clone() else { return Ok(None) };
        let (url, chain_ids) = (url.clone(), Arc::clone(&context.chain_ids));
        self.on_disk(move || {
            let Some(CachedList { etag, fetched_at, document }) = cache.read(&url)? else { return Ok(None) };
            LoadedList::read(&document, etag, fetched_at, &chain_ids, None).map(Some)
        })
        .await
    }

    /// Runs `work` on a thread that may block on a disk, and waits for it at most [`DISK_WITHIN`].
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ListError> + Send + 'static,
    ) -> Result<T, ListError> {
        let alone = Arc::clone(&self.disk).try_acquire_owned().map_err(|_| ListError::Slow)?;
        let work = move || {
            let outcome = work();
            drop(alone);
            outcome
        };
        match timeout(DISK_WITHIN, spawn_blocking(work)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(ListError::Lost),
            Err(_) => Err(ListError::Slow),
        }
    }
}

impl LoadedList {
    /// Parses the document; one with the digest of the previous list confirms that list.
    fn read(
        document: &[u8],
        etag: Option<String>,
        confirmed_at: SystemTime,
        chain_ids: &BTreeSet<u64>,
        before: Option<Self>,
    ) -> Result<Self, ListError> {
        let digest = digest(document);
        let list = match before.filter(|before| before.digest == digest) {
            Some(before) => before.list,
            None => Arc::new(schema::read(document, chain_ids)?),
        };
        Ok(Self { list, digest, etag, confirmed_at })
    }
}

fn digest(document: &[u8]) -> [u8; 32] {
    Sha256::digest(document).into()
}

/// The list at this URL that another gateway fetched, if it need not be read again yet.
async fn shared_list(shared: &SharedDocuments, url: &RpcUrl) -> Option<CachedList> {
    let url = url.expose().as_str();
    let (document, ago) = shared.get(DocumentSource::TokenList, url, Some(SHARED_WITHIN)).await?;
    let fetched_at = SystemTime::now().checked_sub(ago)?;
    Some(CachedList { etag: document.etag, fetched_at, document: document.body? })
}

/// Shares a list that was just found at its location.
fn share(url: &RpcUrl, list: CachedList, context: &SourceContext) {
    if let Some(shared) = &context.shared {
        let CachedList { etag, document, .. } = list;
        let document = SharedDocument { body: Some(document), etag, age: Duration::ZERO, kept: context.refresh };
        shared.put(DocumentSource::TokenList, url.expose().as_str(), &document);
    }
}

fn built_in(chain_ids: &BTreeSet<u64>) -> Result<LoadedList, ListError> {
    let list = Arc::new(shipped::read(chain_ids)?);
    Ok(LoadedList { list, digest: [0; 32], etag: None, confirmed_at: SystemTime::now() })
}

impl From<FileError> for ListError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Read(error) => Self::Read(error),
            error => Self::File(error),
        }
    }
}

/// Reads a file up to its bound.
fn file(path: &Path) -> Result<Bytes, ListError> {
    // One byte more than allowed, so that a file that is too long is noticed.
    let bound = u64::try_from(DOCUMENT_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    files::open_named(path)?.take(bound).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}
