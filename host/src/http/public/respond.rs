//! Answers one request of the public listeners, from its head to the response.
//!
//! Invariant: checks follow the order of the API's contract (method, client, size, path, form, protocol, admission). The
//! outcome is an answer of the gateway or a problem document.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG,
    HeaderName, HeaderValue, VARY,
};
use hyper::http::request::Parts;
use hyper::http::response;
use hyper::{Method, Response, StatusCode};
use parking_lot::Mutex;
use portolan_base::network::Networks;
use tokio::time::{Instant, timeout_at};

use crate::clients::Caller;
use crate::clients::usage::{LimitHeaders, LimitReached};
use crate::gateway::problem::Problem;
use crate::gateway::query::{About, InputLimits, Query};
use crate::gateway::{Admitted, Gateway};
use crate::http::content::Content;
use crate::http::event_stream::{self, EventReceiver, StreamHost};
use crate::http::headers::ANSWER_HEADERS;
use crate::http::limit;
use crate::http::problem::ALLOW_ANSWERS;
use crate::http::public::answer_headers::own_headers;
use crate::http::public::body::{BodyWriter, Written};
use crate::http::public::coding::Coding;
use crate::http::public::pages::Pages;
use crate::http::public::route::{self, Listener, Request, Verb};
use crate::http::public::shared_body::SharedBody;
use crate::http::public::streamed_answer::StreamedAnswer;
use crate::http::public::timing::Timing;
use crate::http::public::watches::{WatchKey, Watches};
use crate::http::public::{accept, caching, logo};
use crate::http::view::form::Form;
use portolan_base::client_share::ClientShare;

/// Time past the gateway's own deadline after which a missing answer is a fault.
pub(in crate::http) const BACKSTOP: Duration = Duration::from_secs(2);

/// A day: the allowed methods never change while the process runs.
const PREFLIGHT_AGE_S: &str = "86400";

/// Capacity for the headers of an answer, so that they are allocated once.
const HEADERS: usize = 16;

/// The body depends on these headers of the request, unless the answer says otherwise.
const ACCEPT_AND_CODING: HeaderValue = HeaderValue::from_static("accept, accept-encoding");

/// Headers that pages of other origins may read, beside those that they always may.
static EXPOSED: LazyLock<HeaderValue> = LazyLock::new(|| {
    let names = ANSWER_HEADERS.iter().filter(|header| header.is_exposed).map(|header| header.name);
    let text = names.collect::<Vec<_>>().join(", ");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("*"))
});

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// Tells nginx to pass on each event as it comes.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const TIMING_ALLOW_ORIGIN: HeaderName = HeaderName::from_static("timing-allow-origin");

/// Answers the requests of one public listener.
pub(in crate::http) struct PublicApi {
    pub(in crate::http) listener: Listener,
    pub(in crate::http) gateway: Arc<Gateway>,
    pub(in crate::http) deadline: Duration,
    pub(in crate::http) lists: ListBodies,
    pub(in crate::http) pages: Arc<Pages>,
    pub(in crate::http) watches: Arc<Watches>,
    pub(in crate::http) access_log: bool,
}

/// Stored bodies of `/networks`, `/protocols` and `/protocols/coverage` in the default form.
#[derive(Debug, Default)]
pub(in crate::http) struct ListBodies {
    networks: Mutex<Option<ListBody>>,
    protocols: Mutex<Option<ListBody>>,
    coverage: Mutex<Option<ListBody>>,
}

/// Stored body of a list.
#[derive(Debug)]
struct ListBody {
    /// Generation of the plugins that it lists.
    generation: u64,
    body: Arc<SharedBody>,
}

impl ListBodies {
    /// Returns the stored body's slot for this query; `None` if each client gets a body of its own.
    fn of(&self, query: &Query) -> Option<&Mutex<Option<ListBody>>> {
        match query {
            Query::Networks => Some(&self.networks),
            Query::Protocols => Some(&self.protocols),
            Query::Coverage => Some(&self.coverage),
            _ => None,
        }
    }
}

/// Body of an answer before its content coding.
enum Body {
    /// The answer stays admitted, so that no more bodies wait for their compression than answers may be in flight.
    Own {
        bytes: Bytes,
        _admitted: Option<Admitted>,
    },
    Shared(Arc<SharedBody>),
    Events(EventReceiver),
}

impl Body {
    /// Returns the whole body; empty for a stream, which has none.
    fn bytes(&self) -> &Bytes {
        static NONE: Bytes = Bytes::new();
        match self {
            Self::Own { bytes, .. } => bytes,
            Self::Shared(shared) => &shared.bytes,
            Self::Events(_) => &NONE,
        }
    }
}

impl From<Content> for Body {
    fn from(content: Content) -> Self {
        Self::Own { bytes: content.bytes, _admitted: None }
    }
}

impl PublicApi {
    /// Never fails: errors become problem documents. `host` is made for an answer that is a stream.
    pub(in crate::http) async fn respond<H: StreamHost + 'static>(
        &self,
        head: &Parts,
        has_body: bool,
        caller: &Caller,
        host: impl FnOnce() -> H,
    ) -> Response<Content> {
        let (mut timing, until) = (Timing::start(), Instant::now() + self.deadline + BACKSTOP);
        let client = &caller.usage.share;
        let answered = self.answer(head, has_body, caller, &mut timing, until, host).await;
        if let Err(Problem::TooManyRequests { limit, .. }) = &answered {
            caller.count_refusal(*limit);
        }
        let response = answered.unwrap_or_else(|problem| problem.response().map(Body::from));
        let (mut response, body) = response.into_parts();
        let content = if let Body::Events(events) = body {
            Content::stream(events)
        } else if caching::is_known(&head.headers, &response) {
            caching::make_not_modified(&mut response);
            Content::default()
        } else {
            match Coding::chosen(&head.headers, body.bytes().len()) {
                None => Content::of(body.bytes().clone(), matches!(body, Body::Shared(_))),
                // Boxed, so that bodies that are sent as they are do not hold this future's memory.
                Some(coding) => Box::pin(self.coded(&mut response, coding, body, client, &mut timing, until)).await,
            }
        };
        if caller.key_name().is_some() && response.headers.get(CACHE_CONTROL) == Some(&caching::LIST) {
            response.headers.insert(CACHE_CONTROL, caching::LIST_FOR_KEY);
        }
        response.headers.entry(VARY).or_insert(ACCEPT_AND_CODING);
        response.headers.extend(timing.header());
        if let Some(LimitHeaders { policy, left }) = caller.limit_headers() {
            response.headers.extend([(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)]);
        }
        response.headers.insert(TIMING_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        Response::from_parts(response, content)
    }

    /// Compresses the body, unless time is over: then it is sent as it is.
    async fn coded(
        &self,
        response: &mut response::Parts,
        coding: Coding,
        body: Body,
        client: &Arc<ClientShare>,
        timing: &mut Timing,
        until: Instant,
    ) -> Content {
        let (bytes, is_shared) = (body.bytes().clone(), matches!(body, Body::Shared(_)));
        let compressing = coding.compressed(bytes.clone(), self.gateway.cpu_pool(), client, until);
        let coded = match &body {
            Body::Own { .. } | Body::Events(_) => compressing.await,
            Body::Shared(shared) => shared.coded(coding, compressing).await,
        };
        timing.lap("compress");
        let Some(coded) = coded else { return Content::of(bytes, is_shared) };
        response.headers.insert(CONTENT_ENCODING, coding.header());
        Content::of(coded, is_shared)
    }

    async fn answer<H: StreamHost + 'static>(
        &self,
        head: &Parts,
        has_body: bool,
        caller: &Caller,
        timing: &mut Timing,
        until: Instant,
        host: impl FnOnce() -> H,
    ) -> Result<Response<Body>, Problem> {
        if let Some(drawing) = logo::respond(head, has_body)? {
            return Ok(drawing.map(Body::from));
        }
        if self.listener == Listener::Base
            && let Some(page) = self.pages.respond(head, has_body)?
        {
            return Ok(page.map(Body::Shared));
        }
        if route::verb(&head.method)? == Verb::Read {
            if let Some(retry_s) = caller.take_request() {
                return Err(Problem::TooManyRequests { limit: LimitReached::Requests, retry_s });
            }
            caller.key.as_ref().map_err(|refusal| Problem::KeyRefused(*refusal))?;
        }
        let (networks, limits) = (self.gateway.networks(), self.gateway.input_limits());
        let Some(request) = read_head(self.listener, head, has_body, networks, limits)? else {
            return Ok(preflight().map(Body::from));
        };
        let form = form(&request, head)?;
        if form == Form::default()
            && let Some(list) = self.lists.of(&request.query)
            && let Some(list) = list.lock().as_ref().filter(|list| list.generation == self.gateway.generation())
        {
            return Ok(shared(Arc::clone(&list.body)));
        }
        if request.is_watch {
            return Box::pin(self.watch(request, form, head, &caller.usage.share, host)).await;
        }
        if request.query.is_followed_by_job() && head.method == Method::GET && accept::wants_events(&head.headers) {
            let of = StreamedAnswer::new(&self.gateway, request, form, Arc::clone(&caller.usage.share), until);
            return Ok(events(Box::pin(of.begin(Arc::new(host()))).await?));
        }
        // Boxed, so that stored bodies and answers that wait for their clients do not hold this future's memory.
        let answer = Box::pin(self.work(request, form, &caller.usage.share, timing, until)).await;
        answer.map_err(|problem| if form.full { problem } else { problem.without_jobs() })
    }

    /// Opens a stream of what changes; for HEAD, returns its headers.
    async fn watch<H: StreamHost + 'static>(
        &self,
        request: Request,
        form: Form,
        head: &Parts,
        client: &Arc<ClientShare>,
        host: impl FnOnce() -> H,
    ) -> Result<Response<Body>, Problem> {
        let Query::Of(account, About::Rows(about)) = request.query else {
            return Err(Problem::Internal("only the rows of an account are watched".into()));
        };
        let account = self.gateway.account(account, client).await?;
        if head.method == Method::HEAD {
            return Ok(events(EventReceiver::ended()));
        }
        let key = WatchKey { account, about, form };
        Ok(events(self.watches.subscribe(key, &head.headers, client, Arc::new(host())).await?))
    }

    async fn work(
        &self,
        Request { query, options, .. }: Request,
        form: Form,
        client: &Arc<ClientShare>,
        timing: &mut Timing,
        until: Instant,
    ) -> Result<Response<Body>, Problem> {
        let list = self.lists.of(&query).filter(|_| form == Form::default());
        // Read before the answer, so that a body never counts as one of a later generation.
        let generation = self.gateway.generation();
        let mut response = timeout_at(until, self.gateway.answer(query, options, client))
            .await
            .map_err(|_| Problem::Deadline("the answer was not there in time".into()))??;
        timing.lap("read");
        let (headers, is_whole) = (own_headers(&response, form)?, response.answer.missing.is_empty());
        let (admitted, writer) = (response.admitted.take(), BodyWriter { form, until });
        let Written { bytes, tag } = writer.write(self.gateway.cpu_pool(), client, response).await?;
        timing.lap("write");
        if let Some(list) = list {
            let body = Arc::new(SharedBody::new(bytes, tag));
            *list.lock() = Some(ListBody { generation, body: Arc::clone(&body) });
            return Ok(shared(body));
        }
        let mut response = json(Body::Own { bytes, _admitted: admitted });
        response.headers_mut().extend(headers);
        response.headers_mut().extend(tag.filter(|_| is_whole).map(|tag| (ETAG, tag)));
        Ok(response)
    }
}

/// Parses the request; `None` for a preflight.
pub(in crate::http) fn read_head(
    listener: Listener,
    head: &Parts,
    has_body: bool,
    networks: &Networks,
    limits: InputLimits,
) -> Result<Option<Request>, Problem> {
    let verb = route::verb(&head.method)?;
    limit::check(head, has_body)?;
    match verb {
        Verb::Preflight => Ok(None),
        Verb::Read => route::route(listener, head.uri.path(), head.uri.query(), networks, limits).map(Some),
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
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED.clone());
}

fn preflight() -> Response<Content> {
    let mut response = Response::new(Content::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, HeaderValue::from_static(ALLOW_ANSWERS));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(ALLOW_ANSWERS));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*, authorization"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_AGE_S));
    response
}

fn shared(list: Arc<SharedBody>) -> Response<Body> {
    let tag = list.tag.clone();
    let mut response = json(Body::Shared(list));
    response.headers_mut().insert(CACHE_CONTROL, caching::LIST);
    response.headers_mut().extend(tag.map(|tag| (ETAG, tag)));
    response
}

/// Makes a 200 with a stream of events, which no proxy is to hold back.
fn events(events: EventReceiver) -> Response<Body> {
    let mut response = Response::new(Body::Events(events));
    response.headers_mut().extend([
        (CONTENT_TYPE, HeaderValue::from_static(event_stream::MEDIA_TYPE)),
        (CACHE_CONTROL, caching::NO_STORE),
        (ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ]);
    response
}

/// Makes a 200 with a JSON body.
pub(in crate::http) fn json<B>(body: B) -> Response<B> {
    let mut response = Response::new(body);
    response.headers_mut().reserve(HEADERS);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
