//! Documents that several gateways share through a store: one fetches a document, and the others take what it fetched.
//!
//! Invariant: a document is found only under what was requested, is no older than it may be by the local clock, and is
//! looked for only by callers that may request it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use portolan_store::{Entry, EntryKind, REPORT_AGE_MAX, SharedStore, unix_time};
use tokio::time::{Instant, sleep};

/// Pause between two looks for a connection.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Documents belong to no network and no block.
const NO_CHAIN: u64 = 0;

/// How a document is requested. What one way gives is never taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentSource {
    /// A host that the operator named for a token list, at any address.
    TokenList,
    /// A host that a plugin declares and the operator grants, at a public address.
    GrantedHost,
    /// The operator's mirror of such a host, at any address.
    Mirror,
}

/// A document as a server gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDocument {
    /// `None` if the server has nothing there.
    pub body: Option<Bytes>,
    pub etag: Option<String>,
    /// The age that the server reported.
    pub age: Duration,
    /// How long it may be used after it was fetched.
    pub kept: Duration,
}

/// The documents of a store.
pub struct SharedDocuments(Arc<SharedStore>);

impl DocumentSource {
    /// The code of a source, which never changes.
    fn code(self) -> u8 {
        match self {
            Self::TokenList => 1,
            Self::GrantedHost => 2,
            Self::Mirror => 3,
        }
    }

    fn key(self, url: &str) -> Vec<u8> {
        [&[self.code()], url.as_bytes()].concat()
    }
}

impl SharedDocuments {
    pub fn new(store: Arc<SharedStore>) -> Self {
        Self(store)
    }

    /// Waits until the store is connected, no longer than this.
    pub async fn connected(&self, within: Duration) {
        let until = Instant::now() + within;
        while !self.0.status().connected && Instant::now() < until {
            sleep(LOOK_EVERY).await;
        }
    }

    /// Returns the document that a gateway fetched from this URL, and how long ago, if it may still be used. Waits for
    /// the store's bound, or for `wait`.
    pub async fn get(
        &self,
        source: DocumentSource,
        url: &str,
        wait: Option<Duration>,
    ) -> Option<(SharedDocument, Duration)> {
        let keys = [source.key(url)];
        let found = match wait {
            None => self.0.get(EntryKind::Document, NO_CHAIN, &keys).await,
            Some(wait) => self.0.get_within(wait, EntryKind::Document, NO_CHAIN, &keys).await,
        };
        let (_, entry) = found.into_iter().next()?;
        let Some((document, fetched)) = decode(&entry.value) else {
            self.refuse("its value is not a document");
            return None;
        };
        let now = unix_time();
        let ago = now.saturating_sub(fetched);
        let is_fresh = ago < document.kept && fetched <= now + REPORT_AGE_MAX;
        if !is_fresh {
            self.refuse("it was not fetched lately by the local clock");
        }
        is_fresh.then_some((document, ago))
    }

    /// Has a document written that was fetched just now.
    pub fn put(&self, source: DocumentSource, url: &str, document: &SharedDocument) {
        let entry = Entry { block: [0; 32], value: encode(document, unix_time()) };
        self.0.put(EntryKind::Document, NO_CHAIN, &source.key(url), &entry, document.kept);
    }

    /// Notes that a document is not what the caller takes.
    pub fn refuse(&self, reason: &str) {
        self.0.note_refused(reason);
    }
}

impl fmt::Debug for SharedDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedDocuments").finish_non_exhaustive()
    }
}

/// Encodes `fetched, in milliseconds since 1970 (8) | kept, in milliseconds (8) | age, in milliseconds (8) | bytes of the
/// entity tag and 1, or 0 (2) | entity tag | 1 if there is a body (1) | body`.
fn encode(document: &SharedDocument, fetched: Duration) -> Bytes {
    let SharedDocument { body, etag, age, kept } = document;
    let mut value = Vec::with_capacity(32 + body.as_ref().map_or(0, Bytes::len));
    for time in [fetched, *kept, *age] {
        value.extend_from_slice(&u64::try_from(time.as_millis()).unwrap_or(u64::MAX).to_be_bytes());
    }
    let etag = etag.as_ref().and_then(|etag| Some((u16::try_from(etag.len() + 1).ok()?, etag.as_bytes())));
    let (length, etag) = etag.unwrap_or_default();
    value.extend_from_slice(&length.to_be_bytes());
    value.extend_from_slice(etag);
    value.push(u8::from(body.is_some()));
    value.extend_from_slice(body.as_deref().unwrap_or_default());
    value.into()
}

/// Decodes a document, and when it was fetched; `None` if the bytes are none.
fn decode(value: &Bytes) -> Option<(SharedDocument, Duration)> {
    let time = |bytes: &[u8; 8]| Duration::from_millis(u64::from_be_bytes(*bytes));
    let (fetched, rest) = value.split_first_chunk()?;
    let (kept, rest) = rest.split_first_chunk()?;
    let (age, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (etag, rest) = rest.split_at_checked(length.saturating_sub(1))?;
    let etag = if length == 0 { None } else { Some(String::from_utf8(etag.to_vec()).ok()?) };
    let (has_body, body) = rest.split_first()?;
    let body = match (has_body, body) {
        (0, []) => None,
        (1, body) => Some(value.slice_ref(body)),
        _ => return None,
    };
    Some((SharedDocument { body, etag, age: time(age), kept: time(kept) }, time(fetched)))
}

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
