//! What a stream of events needs of its connection: its events are counted, and its work is its client's.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hyper::header::{HeaderMap, HeaderValue};
use tokio::sync::Notify;

use super::unsent::{self, Charge};
use super::worker_time::timed_for;
use super::{Connection, RequestClient};
use crate::http::event_stream::StreamHost;
use crate::http::request_id;

/// The connection of a stream.
pub(in crate::http) struct ConnectionStream {
    connection: Arc<Connection>,
    client: RequestClient,
    request_id: HeaderValue,
    /// The HTTP/2 stream.
    stream: Weak<Notify>,
}

impl ConnectionStream {
    /// Makes the host of the stream that answers a request; called by the task that answers it.
    pub(in crate::http) fn new(connection: &Arc<Connection>, headers: &HeaderMap, request_id: HeaderValue) -> Self {
        let client = RequestClient::new(connection, headers);
        Self { connection: Arc::clone(connection), client, request_id, stream: unsent::own_stream() }
    }
}

impl StreamHost for ConnectionStream {
    fn count(&self, event: Bytes, is_shared: bool) -> Option<Bytes> {
        let charge = if is_shared { Charge::Head } else { Charge::HeadAndBody };
        unsent::count(&self.connection, event, charge, self.stream.clone()).ok()
    }

    fn count_last(&self, event: Bytes) -> Option<Bytes> {
        unsent::count(&self.connection, event, Charge::Refusal, self.stream.clone()).ok()
    }

    fn run(self: Arc<Self>, work: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
        async move {
            let (_under_way, own) = (self.connection.begin(), |took: Duration| took);
            let work = self.client.caller.usage.share.scope(work);
            let work = timed_for(&self.connection.guard, &self.client.client, own, work);
            request_id::within(self.request_id.clone(), work).await;
        }
        .boxed()
    }
}
