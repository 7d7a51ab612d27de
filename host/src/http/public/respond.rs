//! Answers one request of the public listeners, from its head to the response.
//!
//! Invariant: checks follow the order of the API's contract (method, size, path, form, protocol, admission). The
//! outcome is an answer of the gateway or a problem document.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE,
    HeaderMap, HeaderValue, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use parking_lot::Mutex;
use portolan_base::network::Networks;
use tokio::time::{Instant, timeout_at};

use crate::gateway::problem::Problem;
use crate::gateway::query::Query;
use crate::gateway::{Gateway, GatewayResponse};
use crate::http::content::Content;
use crate::http::problem::{ALLOW_ANSWERS, unwritable};
use crate::http::public::body::{BodyWriter, Wanted, Written};
use crate::http::public::route::{self, Listener, Request, Verb};
use crate::http::public::{accept, logo};
use crate::http::view::form::Form;
use crate::http::{limit, view};
use portolan_base::client_share::ClientShare;

/// Time past the gateway's own deadline after which a missing answer is a fault.
pub(in crate::http) const BACKSTOP: Duration = Duration::from_secs(2);

/// A day: the allowed methods never change while the process runs.
const PREFLIGHT_AGE_S: &str = "86400";

/// Capacity for the headers of an answer, so that they are allocated once.
const HEADERS: usize = 9;

/// Answers the requests of one public listener.
pub(in crate::http) struct PublicApi {
    pub(in crate::http) listener: Listener,
    pub(in crate::http) gateway: Arc<Gateway>,
    pub(in crate::http) deadline: Duration,
    pub(in crate::http) lists: ListBodies,
    pub(in crate::http) access_log: bool,
}

/// Stored bodies of `/networks` and `/protocols` in the default form, each with its generation of plugins.
#[derive(Debug, Default)]
pub(in crate::http) struct ListBodies {
    networks: Mutex<Option<(u64, Bytes)>>,
    protocols: Mutex<Option<(u64, Bytes)>>,
}

impl ListBodies {
    /// Returns the stored body's slot for this query; `None` if each client gets a body of its own.
    fn of(&self, query: &Query) -> Option<&Mutex<Option<(u64, Bytes)>>> {
        match query {
            Query::Networks => Some(&self.networks),
            Query::Protocols => Some(&self.protocols),
            _ => None,
        }
    }
}

impl PublicApi {
    /// Never fails: errors become problem documents.
    pub(in crate::http) async fn respond(
        &self,
        head: &Parts,
        has_body: bool,
        client: &Arc<ClientShare>,
    ) -> Response<Content> {
        self.answer(head, has_body, client).await.unwrap_or_else(|problem| problem.response())
    }

    async fn answer(
        &self,
        head: &Parts,
        has_body: bool,
        client: &Arc<ClientShare>,
    ) -> Result<Response<Content>, Problem> {
        if let Some(drawing) = logo::respond(head, has_body)? {
            return Ok(drawing);
        }
        let (networks, logs_max) = (self.gateway.networks(), self.gateway.logs_max());
        let Some(request) = read_head(self.listener, head, has_body, networks, logs_max)? else {
            return Ok(preflight());
        };
        let form = form(&request, head)?;
        if form == Form::default()
            && let Some(list) = self.lists.of(&request.query)
            && let Some((_, body)) = list.lock().as_ref().filter(|(of, _)| *of == self.gateway.generation())
        {
            return Ok(shared(body.clone()));
        }
        // Boxed, so that stored bodies and answers that wait for their clients do not hold this future's memory.
        let answer = Box::pin(self.work(request, form, &head.method, client)).await;
        answer.map_err(|problem| if form.full { problem } else { problem.without_jobs() })
    }

    async fn work(
        &self,
        Request { query, options, .. }: Request,
        form: Form,
        method: &Method,
        client: &Arc<ClientShare>,
    ) -> Result<Response<Content>, Problem> {
        let list = self.lists.of(&query).filter(|_| form == Form::default());
        // Read before the answer, so that a body never counts as one of a later generation.
        let generation = self.gateway.generation();
        let until = Instant::now() + self.deadline + BACKSTOP;
        let response = timeout_at(until, self.gateway.answer(query, options, client))
            .await
            .map_err(|_| Problem::Deadline("the answer was not there in time".into()))??;
        let headers = own_headers(&response)?;
        // Lists are stored for all clients, so that HEAD needs their bodies too.
        let wanted = if *method == Method::HEAD && list.is_none() { Wanted::Length } else { Wanted::Bytes };
        let writer = BodyWriter { form, wanted, until };
        let Written { bytes, length } = writer.write(self.gateway.cpu_pool(), client, response).await?;
        if let Some(list) = list {
            *list.lock() = Some((generation, bytes.clone()));
            return Ok(shared(bytes));
        }
        let mut response = json(bytes);
        response.headers_mut().extend(headers);
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
        Ok(response)
    }
}

/// Parses the request; `None` for a preflight.
pub(in crate::http) fn read_head(
    listener: Listener,
    head: &Parts,
    has_body: bool,
    networks: &Networks,
    logs_max: usize,
) -> Result<Option<Request>, Problem> {
    let verb = route::verb(&head.method)?;
    limit::check(head, has_body)?;
    match verb {
        Verb::Preflight => Ok(None),
        Verb::Read => route::route(listener, head.uri.path(), head.uri.query(), networks, logs_max).map(Some),
    }
}

/// Returns the form of the requested body; a parameter overrides a header.
fn form(request: &Request, head: &Parts) -> Result<Form, Problem> {
    let numbers = match request.numbers {
        Some(numbers) => numbers,
        None => accept::numbers(&head.headers)?.unwrap_or_default(),
    };
    Ok(Form { full: request.detail_full, numbers })
}

/// Lets pages of any origin read the response; called for every response of the public listeners.
pub(in crate::http) fn allow_origins<B>(response: &mut Response<B>) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let exposed =
        HeaderValue::from_static("portolan-account, portolan-blocks, portolan-partial, retry-after, x-request-id");
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
}

fn preflight() -> Response<Content> {
    let mut response = Response::new(Content::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, HeaderValue::from_static(ALLOW_ANSWERS));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(ALLOW_ANSWERS));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_AGE_S));
    response
}

fn own_headers(GatewayResponse { answer, named, .. }: &GatewayResponse) -> Result<HeaderMap, Problem> {
    let mut headers = HeaderMap::new();
    if answer.about_account {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // For caches that ignore `no-store`.
        headers.insert(VARY, HeaderValue::from_static("accept"));
    }
    let own = [
        (view::ACCOUNT, view::account(*named)),
        (view::BLOCKS, view::blocks(answer)),
        (view::PARTIAL, view::partial(&answer.missing)),
    ];
    for (name, text) in own {
        if let Some(text) = text {
            headers.insert(name, HeaderValue::from_str(&text).map_err(|error| unwritable(&error))?);
        }
    }
    Ok(headers)
}

fn shared(bytes: Bytes) -> Response<Content> {
    json(Content { bytes, is_shared: true })
}

/// Makes a 200 with a JSON body.
pub(in crate::http) fn json(body: impl Into<Content>) -> Response<Content> {
    let mut response = Response::new(body.into());
    response.headers_mut().reserve(HEADERS);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
