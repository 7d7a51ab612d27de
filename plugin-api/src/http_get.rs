//! Documents of servers: an HTTPS GET that the host makes for the job.
//!
//! Invariant: like a chain read it is queued when it is awaited, and sent together with everything awaited with it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use alloy::primitives::Bytes;

use crate::error::{Error, NoDocument};
use crate::job_context::JobContext;
use crate::job_state::JobState;
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;

/// A document, requested when it is awaited.
///
/// ```
/// use portolan_plugin_api::*;
///
/// /// A document of one of the catalogue's hosts. It is awaited with other reads, and joins their batch.
/// async fn list(cx: &JobContext) -> Result<Bytes, Error> {
///     cx.http_get("https://grants.example/list.json").await
/// }
/// ```
#[must_use = "a document is requested when it is awaited"]
pub struct HttpGet<'c, T> {
    state: &'c JobState,
    /// Used in errors instead of the URL, which may contain the account.
    host: String,
    /// `None` once it is queued.
    request: Option<ReadRequest>,
    /// Index among the job's reads.
    number: usize,
    decode: DecodeDocument<T>,
}

/// Decodes a result; the text is the host.
type DecodeDocument<T> = fn(&str, ReadResult) -> Result<T, Error>;

impl JobContext {
    /// Requests a document: `https://`, one of the catalogue's `hosts`, and a path. Anything but its body is an error.
    ///
    /// The operator sees which hosts a plugin declares, must allow each, and may serve a copy. A document is up to an
    /// hour old and at most [`BODY_BYTES_MAX`](crate::off_chain::BODY_BYTES_MAX) bytes. The server controls its
    /// content: it never decides where a claim goes or whom it pays, and its amounts must be checked against the chain.
    /// The server sees the URL, including the account.
    pub fn http_get(&self, url: &str) -> HttpGet<'_, Bytes> {
        HttpGet::new(self, url, |host, result| {
            result.document(host)?.map_err(|reason| Error::NoDocument { host: host.to_owned(), reason })
        })
    }

    /// Like [`JobContext::http_get`], but returns a missing document or a host that is not allowed as a value, so that
    /// the job can continue. A host that is not allowed is reported in any case.
    pub fn try_http_get(&self, url: &str) -> HttpGet<'_, Result<Bytes, NoDocument>> {
        HttpGet::new(self, url, |host, result| result.document(host))
    }
}

impl<'c, T> HttpGet<'c, T> {
    fn new(context: &'c JobContext, url: &str, decode: DecodeDocument<T>) -> Self {
        let host =
            url.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap_or("a URL without https");
        let request = Some(ReadRequest::http_get(context.network(), url));
        Self { state: &context.state, host: host.to_owned(), request, number: 0, decode }
    }
}

impl<T> Future for HttpGet<'_, T> {
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let read = self.get_mut();
        if let Some(mut request) = read.request.take() {
            read.number = read.state.request(&mut request, cx);
            return Poll::Pending;
        }
        let result = ready!(read.state.poll_result(read.number, cx));
        Poll::Ready((read.decode)(&read.host, result))
    }
}

impl<T> fmt::Debug for HttpGet<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpGet").field("request", &self.request).finish_non_exhaustive()
    }
}
