//! Fetches a list over HTTP.
//!
//! Invariant: a fetch ends by its deadline, a body is no longer than a list may be, compressed or not, no redirect is
//! followed, and errors show only the host of a URL.

use std::time::Duration;

use bytes::Bytes;
use portolan_base::net::http_client::{HttpClient, HttpError, HttpOptions, TaggedBody, system_lookup};
use portolan_reader::RpcUrl;

use super::schema::DOCUMENT_BYTES_MAX;

/// Nothing waits for a list, and a large one over a slow line takes some seconds.
const WITHIN: Duration = Duration::from_secs(30);
/// Real entity tags are digests.
const ETAG_BYTES_MAX: usize = 256;
/// The operator chose the hosts, so they may be private. Connections are not kept open between refreshes.
const OPTIONS: HttpOptions =
    HttpOptions { allow_private: true, body_bytes_max: DOCUMENT_BYTES_MAX, gzip: true, idle_connections_max: 0 };

/// Fetches lists.
pub(super) struct Fetcher {
    client: HttpClient,
    within: Duration,
}

/// The result of a fetch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// The list still has the entity tag that was sent.
    Unchanged,
    Document {
        body: Bytes,
        etag: Option<String>,
    },
}

/// Reason why a fetch failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("no answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    #[error("cannot be reached")]
    Unreachable,
    #[error("the answer broke off")]
    Broken,
    #[error("answered with a redirect ({0}), which is not followed: configure the URL that it leads to")]
    Redirect(u16),
    #[error("answered with status {0}")]
    Status(u16),
    #[error("answered more than {DOCUMENT_BYTES_MAX} bytes")]
    TooLarge,
    #[error("answered in an encoding that was not requested, or in broken gzip")]
    Encoding,
}

impl From<HttpError> for FetchError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Url | HttpError::NotPublic | HttpError::Unreachable => Self::Unreachable,
            HttpError::Body => Self::Broken,
            // Status 304, "Not Modified", is not a redirect.
            HttpError::Status(status @ 300..400) if status != 304 => Self::Redirect(status),
            HttpError::Status(status) => Self::Status(status),
            HttpError::TooLarge => Self::TooLarge,
            HttpError::Encoding => Self::Encoding,
        }
    }
}

impl Fetcher {
    pub(super) fn new() -> Self {
        Self::with_deadline(WITHIN)
    }

    pub(super) fn with_deadline(within: Duration) -> Self {
        Self { client: HttpClient::new(OPTIONS, system_lookup()), within }
    }

    /// Fetches the document at `url`, unless it still has this entity tag.
    pub(super) async fn fetch(&self, url: &RpcUrl, etag: Option<&str>) -> Result<Fetched, FetchError> {
        let fetched = tokio::time::timeout(self.within, self.client.get_if_changed(url.expose().as_str(), etag)).await;
        Ok(match fetched.map_err(|_| FetchError::Timeout(self.within))?? {
            None => Fetched::Unchanged,
            Some(TaggedBody { body, etag }) => {
                Fetched::Document { body, etag: etag.filter(|etag| etag.len() <= ETAG_BYTES_MAX) }
            }
        })
    }
}

#[cfg(test)]
mod tests;
