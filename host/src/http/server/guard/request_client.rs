//! The client of one request, which may be another one than the connection's: a proxy passes on requests of many.
//!
//! Invariant: a client is known as long as it has requests, and the time of a request counts for its client alone.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use hyper::HeaderMap;
use portolan_reader::ClientId;

use super::worker_time::timed_elsewhere;
use super::{Client, Connection};
use crate::clients::Caller;

/// The client of a request, until it is dropped.
#[derive(Debug)]
pub(in crate::http) struct RequestClient {
    connection: Arc<Connection>,
    pub(super) client: Arc<Client>,
    pub(in crate::http) caller: Caller,
    /// False if all that the connection does counts for the client anyway.
    is_elsewhere: bool,
}

impl RequestClient {
    /// Returns the client that a request on a connection is from.
    pub(in crate::http) fn new(connection: &Arc<Connection>, headers: &HeaderMap) -> Self {
        let guard = &connection.guard;
        let address = guard.known.addresses.of_request(connection.peer, headers);
        // A request with a wrong key counts for its address.
        let key = guard.known.key(headers);
        let of_key = key.as_ref().ok().and_then(Option::as_ref);
        let id = of_key.map_or_else(|| guard.known.addresses.id(address), |key| ClientId::Key(Arc::clone(&key.name)));
        let is_elsewhere = connection.is_of_proxy || id != connection.client.id;
        let client = if is_elsewhere {
            let mut open = guard.open.lock();
            let client =
                open.client(id, |id| of_key.map_or_else(|| guard.known.usage(id), |key| Arc::clone(&key.usage)));
            client.requests.fetch_add(1, Relaxed);
            client
        } else {
            Arc::clone(&connection.client)
        };
        // A key may have other limits since the client was first known.
        let usage = of_key.map_or(&client.usage, |key| &key.usage);
        let caller = Caller::new(Some(address), Arc::clone(usage), key.clone());
        Self { connection: Arc::clone(connection), client, caller, is_elsewhere }
    }

    /// Does the work of the request on behalf of its client.
    pub(in crate::http) async fn run<F: Future>(&self, work: F) -> F::Output {
        let work = pin!(self.caller.usage.share.scope(work));
        if self.is_elsewhere { timed_elsewhere(&self.connection, &self.client, work).await } else { work.await }
    }
}

impl Drop for RequestClient {
    fn drop(&mut self) {
        if self.is_elsewhere {
            let mut open = self.connection.guard.open.lock();
            self.client.requests.fetch_sub(1, Relaxed);
            open.forget_unused(&self.client);
        }
    }
}
