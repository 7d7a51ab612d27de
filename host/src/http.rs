//! HTTP in, JSON out: three listeners, the routes, problem documents and views.
//!
//! Invariant: only [`problem`] maps errors to status codes, and only [`view`] names JSON members. Nothing here decides
//! what an answer contains.

pub(crate) mod server;

pub(crate) mod admin;
pub(crate) mod public;

pub(crate) mod problem;
pub(crate) mod problem_types;

mod view;

mod allowed_hosts;
mod content;
pub(crate) mod event_stream;
pub(crate) mod headers;
mod limit;
pub(crate) mod openapi;
mod request_id;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::{HeaderMap, Request, Response, Uri};

use self::public::respond::{ListBodies, PublicApi};
use self::public::route::Listener;
use self::public::watches::Watches;
use crate::clients::Caller;
use crate::config::PortfolioWatchLimits;
use crate::gateway::Gateway;
use crate::http::content::Content;
use crate::http::event_stream::{EventReceiver, OwnProcess};

/// Answers one GET request as the base listener does, without a connection.
pub(crate) async fn answer(
    gateway: &Arc<Gateway>,
    deadline: Duration,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Bytes> {
    respond(gateway, deadline, uri, headers).await.map(|content| content.bytes)
}

/// Opens the stream that answers a GET request; `None` if the answer is no stream.
pub(crate) async fn watch(gateway: &Arc<Gateway>, deadline: Duration, uri: Uri) -> Option<EventReceiver> {
    respond(gateway, deadline, uri, HeaderMap::new()).await.into_body().events
}

async fn respond(gateway: &Arc<Gateway>, deadline: Duration, uri: Uri, headers: HeaderMap) -> Response<Content> {
    let (gateway, lists, pages) = (Arc::clone(gateway), ListBodies::default(), Arc::default());
    let watches = Watches::new(&gateway, PortfolioWatchLimits::OF_ONE);
    let (listener, access_log) = (Listener::Base, false);
    let api = PublicApi { listener, gateway, deadline, lists, pages, watches, access_log };
    let (mut head, ()) = Request::new(()).into_parts();
    (head.uri, head.headers) = (uri, headers);
    api.respond(&head, false, &Caller::own(), || OwnProcess).await
}

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
