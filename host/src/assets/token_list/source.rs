//! One list and its place: reads it, and keeps the last good one in force.
//!
//! Invariant: nothing but a whole list that keeps to the standard takes the place of the one before, and the same
//! trouble is logged once.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use portolan_reader::RpcUrl;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::cache::{CachedList, ListCache};
use super::fetch::{FetchError, Fetched, Fetcher};
use super::list::List;
use super::schema::{self, DOCUMENT_BYTES_MAX, SchemaError};
use super::shipped::{self, ShippedError};
use super::{ListLocation, ListStatus};

/// For reading a file and what it says; only a dead network mount takes longer.
const DISK_WITHIN: Duration = Duration::from_secs(10);

/// What all sources share.
pub(super) struct SourceContext {
    pub(super) chain_ids: Arc<BTreeSet<u64>>,
    pub(super) fetcher: Fetcher,
    /// There where there are URLs.
    pub(super) kept: Option<ListCache>,
}

/// One list.
pub(super) struct Source {
    number: usize,
    place: ListLocation,
    held: Option<Held>,
    error: Option<String>,
    /// A disk that does not answer holds one thread, however often it is asked.
    disk: Arc<Semaphore>,
}

/// The list in force.
#[derive(Clone)]
struct Held {
    list: Arc<List>,
    digest: [u8; 32],
    etag: Option<String>,
    confirmed_at: SystemTime,
}

/// Why a list could not be read.
#[derive(Debug, thiserror::Error)]
enum ListError {
    #[error("cannot be read: {0}")]
    File(#[from] io::Error),
    #[error("cannot be read within {} s", DISK_WITHIN.as_secs())]
    Slow,
    #[error("is no file")]
    NoFile,
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error(transparent)]
    Shipped(#[from] ShippedError),
    #[error("reading it ended without outcome")]
    Lost,
}

impl Source {
    pub(super) fn new(number: usize, place: ListLocation) -> Self {
        Self { number, place, held: None, error: None, disk: Arc::new(Semaphore::new(1)) }
    }

    /// The list in force.
    pub(super) fn list(&self) -> Option<&List> {
        self.held.as_ref().map(|held| held.list.as_ref())
    }

    pub(super) fn status(&self) -> ListStatus {
        ListStatus {
            number: self.number,
            place: self.place.to_string(),
            version: self.list().map(|list| list.version),
            tokens: self.list().map_or(0, |list| list.entries.len()),
            confirmed_at: self.held.as_ref().map(|held| held.confirmed_at),
            error: self.error.clone(),
        }
    }

    /// Reads what is on this machine: the file, the kept copy, or what is built in.
    pub(super) async fn open(&mut self, context: &SourceContext) {
        let read = match &self.place {
            ListLocation::File(path) => self.look(path, context).await,
            ListLocation::Url(url) => self.copy(url, context).await,
            ListLocation::Shipped => built_in(&context.chain_ids).map(Some),
        };
        self.take(read);
    }

    /// Reads the list again; whether another one is in force now.
    pub(super) async fn refresh(&mut self, context: &SourceContext) -> bool {
        let read = match &self.place {
            ListLocation::File(path) => self.look(path, context).await,
            ListLocation::Url(url) => self.fetch(url, context).await,
            ListLocation::Shipped => return false,
        };
        self.take(read)
    }

    /// `None` means that the list in force is still what its place tells.
    fn take(&mut self, read: Result<Option<Held>, ListError>) -> bool {
        let (number, place) = (self.number, &self.place);
        let error = match read {
            Ok(news) => {
                self.error = None;
                return self.put(news);
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

    fn put(&mut self, news: Option<Held>) -> bool {
        let Some(news) = news else {
            if let Some(held) = &mut self.held {
                held.confirmed_at = SystemTime::now();
            }
            return false;
        };
        let is_same = self.held.as_ref().is_some_and(|held| Arc::ptr_eq(&held.list, &news.list));
        if !is_same {
            let (number, place, version) = (self.number, &self.place, news.list.version);
            tracing::info!(number, %place, %version, tokens = news.list.entries.len(), "a token list is in force");
        }
        self.held = Some(news);
        !is_same
    }

    async fn look(&self, path: &Path, context: &SourceContext) -> Result<Option<Held>, ListError> {
        let (path, chain_ids, before) = (path.to_owned(), Arc::clone(&context.chain_ids), self.held.clone());
        self.on_disk(move || Held::read(&file(&path)?, None, SystemTime::now(), &chain_ids, before).map(Some)).await
    }

    async fn fetch(&self, url: &RpcUrl, context: &SourceContext) -> Result<Option<Held>, ListError> {
        let before = self.held.clone();
        let known = before.as_ref().and_then(|held| held.etag.as_deref());
        let (document, etag) = match context.fetcher.fetch(url, known).await? {
            Fetched::Unchanged => return Ok(None),
            Fetched::Document { body, etag } => (body, etag),
        };
        let (url, chain_ids, kept) = (url.clone(), Arc::clone(&context.chain_ids), context.kept.clone());
        self.on_disk(move || {
            let now = SystemTime::now();
            let held = Held::read(&document, etag.clone(), now, &chain_ids, before.clone())?;
            let is_kept = before.is_some_and(|before| before.digest == held.digest && before.etag == held.etag);
            if let Some(kept) = kept.filter(|_| !is_kept) {
                // The list is good all the same; only the next start will miss it.
                if let Err(error) = kept.write(&url, &CachedList { etag, fetched_at: now, document }) {
                    tracing::warn!(place = %url, %error, "cannot keep a copy of a token list");
                }
            }
            Ok(Some(held))
        })
        .await
    }

    /// The copy of an earlier fetch; `None` where there is none.
    async fn copy(&self, url: &RpcUrl, context: &SourceContext) -> Result<Option<Held>, ListError> {
        let Some(kept) = context.kept.clone() else { return Ok(None) };
        let (url, chain_ids) = (url.clone(), Arc::clone(&context.chain_ids));
        self.on_disk(move || {
            let Some(CachedList { etag, fetched_at, document }) = kept.read(&url)? else { return Ok(None) };
            Held::read(&document, etag, fetched_at, &chain_ids, None).map(Some)
        })
        .await
    }

    /// On a thread that may wait for a disk; what it has not told by then is not waited for.
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

impl Held {
    /// The list before, confirmed, where the document is the same.
    fn read(
        document: &[u8],
        etag: Option<String>,
        confirmed_at: SystemTime,
        chain_ids: &BTreeSet<u64>,
        before: Option<Self>,
    ) -> Result<Self, ListError> {
        let digest = Sha256::digest(document).into();
        let list = match before.filter(|before| before.digest == digest) {
            Some(before) => before.list,
            None => Arc::new(schema::read(document, chain_ids)?),
        };
        Ok(Self { list, digest, etag, confirmed_at })
    }
}

fn built_in(chain_ids: &BTreeSet<u64>) -> Result<Held, ListError> {
    let list = Arc::new(shipped::read(chain_ids)?);
    Ok(Held { list, digest: [0; 32], etag: None, confirmed_at: SystemTime::now() })
}

/// The bytes of a file, bounded.
fn file(path: &Path) -> Result<Bytes, ListError> {
    // Opening a pipe waits for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(ListError::NoFile);
    }
    // One byte more than allowed tells a file of the allowed length from a longer one.
    let bound = u64::try_from(DOCUMENT_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    File::open(path)?.take(bound).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}
