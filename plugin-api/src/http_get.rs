//! Documents of servers that are no chain: an HTTPS GET that the host makes for the job.
//!
//! Invariant: like a read of the chain it goes on the job's list when it is awaited, and leaves with what is awaited
//! together with it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use alloy::primitives::Bytes;

use crate::chain::Chain;
use crate::error::{Error, NoDocument};
use crate::job_state::JobState;
use crate::read_request::ReadRequest;
use crate::read_result::ReadResult;

/// A document that is requested when it is awaited.
#[must_use = "a document is requested when it is awaited"]
pub struct HttpGet<'c, T> {
    state: &'c JobState,
    /// Errors name it, and never the URL: accounts may stand there, and errors in a log.
    host: String,
    /// `None` once it is on the job's list.
    request: Option<ReadRequest>,
    /// Its place among the job's reads.
    number: usize,
    decode: DecodeDocument<T>,
}

/// Makes a value of a result; the text is the host.
type DecodeDocument<T> = fn(&str, ReadResult) -> Result<T, Error>;

impl Chain {
    /// Requests a document of a server: `https://`, one of the catalogue's `hosts`, and a path. Anything but its body
    /// is an error.
    ///
    /// The operator has to allow the host, sees which hosts a plugin declares, and may serve a copy. A document is up to
    /// an hour old, has at most [`BODY_BYTES_MAX`](crate::off_chain::BODY_BYTES_MAX) bytes, and can be anything that its
    /// server likes: it never decides where a claim goes or whom it pays, and what it says of amounts has to be compared
    /// with the chain. What stands in the URL is known to the server, the account as well.
    pub fn http_get(&self, url: &str) -> HttpGet<'_, Bytes> {
        HttpGet::new(self, url, |host, result| {
            result.document(host)?.map_err(|reason| Error::NoDocument { host: host.to_owned(), reason })
        })
    }

    /// [`Chain::http_get`], where that there is no such document, or that the host is not allowed, is a value: the job
    /// can go on without it. That a host is not allowed is reported in any case.
    pub fn try_http_get(&self, url: &str) -> HttpGet<'_, Result<Bytes, NoDocument>> {
        HttpGet::new(self, url, |host, result| result.document(host))
    }
}

impl<'c, T> HttpGet<'c, T> {
    fn new(chain: &'c Chain, url: &str, decode: DecodeDocument<T>) -> Self {
        let host =
            url.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap_or("a URL without https");
        let request = Some(ReadRequest::http_get(chain.network(), url));
        Self { state: &chain.state, host: host.to_owned(), request, number: 0, decode }
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
