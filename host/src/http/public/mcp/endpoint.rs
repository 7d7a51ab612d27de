//! `/mcp`: the Model Context Protocol over HTTP. It is the only path that takes POST, and changes nothing either.
//!
//! Invariant: requests are checked and counted as all others, and each tool call is one more request of its client. A
//! request names an allowed host, and one of a web page an allowed origin. No session outlives its request.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Body;
use hyper::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL,
    CONTENT_TYPE, HeaderValue, ORIGIN, VARY,
};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::timeout;

use super::handler::McpHandler;
use super::source::{AnswerReply, JobEnded, StreamedReply, ToolSource};
use crate::clients::Caller;
use crate::clients::usage::LimitReached;
use crate::config::McpAccess;
use crate::gateway::problem::{Problem, TooLarge, quoted};
use crate::http::allowed_hosts::AllowedHosts;
use crate::http::content::Content;
use crate::http::event_stream::{self, EventReceiver, MEDIA_TYPE, OwnProcess, StreamHost};
use crate::http::public::respond::PublicApi;

/// The path.
const PATH: &str = "/mcp";
/// Bytes of a request: arguments are short.
const BODY_BYTES_MAX: usize = 256 << 10;
/// Time in which a request has to be there.
const BODY_TIME: Duration = Duration::from_secs(10);
const ALLOW: HeaderValue = HeaderValue::from_static("POST");
/// Headers that pages send.
const ALLOW_HEADERS: HeaderValue = HeaderValue::from_static(
    "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id",
);

/// Returns true if a request is for this path.
pub(in crate::http) fn is_at(uri: &Uri) -> bool {
    uri.path() == PATH
}

/// Serves assistants.
pub(in crate::http) struct McpEndpoint {
    api: Arc<PublicApi>,
    access: McpAccess,
}

impl McpEndpoint {
    /// `api` answers the tools' requests.
    pub(in crate::http) fn new(api: PublicApi, access: McpAccess) -> Self {
        Self { api: Arc::new(api), access }
    }

    /// Never fails: errors become problem documents. `local` is the address that the request came to.
    pub(in crate::http) async fn respond<H: StreamHost + 'static>(
        &self,
        head: &Parts,
        body: impl Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static>,
        caller: &Caller,
        local: Option<IpAddr>,
        host: impl FnOnce() -> H,
    ) -> Response<Content> {
        let origin = match self.origin(head, local) {
            Ok(origin) => origin,
            Err(problem) => return problem.response(),
        };
        let mut response = match head.method {
            Method::OPTIONS => preflight(),
            _ => self.call(head, body, caller, host).await.unwrap_or_else(|problem| problem.response()),
        };
        // Pages of other origins read nothing here.
        let headers = response.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("origin"));
        headers.extend(origin.map(|origin| (ACCESS_CONTROL_ALLOW_ORIGIN, origin)));
        response
    }

    /// Checks the host, and returns the origin of a page that may call tools.
    fn origin(&self, head: &Parts, local: Option<IpAddr>) -> Result<Option<HeaderValue>, Problem> {
        if let Some(local) = local {
            let (allowed, setting) = (self.access.allowed_hosts.as_slice(), "mcp.allowed_hosts");
            AllowedHosts { allowed, local, setting, takes_any_address: false }.check(head)?;
        }
        let Some(origin) = head.headers.get(ORIGIN) else { return Ok(None) };
        let text = origin.to_str().unwrap_or_default();
        match self.access.allowed_origins.iter().any(|allowed| allowed == text) {
            true => Ok(Some(origin.clone())),
            false => Err(Problem::OriginNotAllowed(quoted(text))),
        }
    }

    async fn call<H: StreamHost + 'static>(
        &self,
        head: &Parts,
        body: impl Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static>,
        caller: &Caller,
        host: impl FnOnce() -> H,
    ) -> Result<Response<Content>, Problem> {
        if let Some(retry_s) = caller.take_request() {
            caller.count_refusal(LimitReached::Requests);
            return Err(Problem::TooManyRequests { limit: LimitReached::Requests, retry_s });
        }
        caller.key.as_ref().map_err(|refusal| Problem::KeyRefused(*refusal))?;
        let mut request = Request::new(Full::new(collected(body).await?));
        *request.method_mut() = head.method.clone();
        *request.uri_mut() = head.uri.clone();
        *request.headers_mut() = head.headers.clone();
        let of_client = ClientCalls { api: Arc::clone(&self.api), caller: Arc::new(caller.another()) };
        let handler = move || Ok(McpHandler::new(of_client.clone()));
        let service = StreamableHttpService::new(handler, Arc::new(NeverSessionManager::default()), config());
        let (head, mut body) = service.handle(request).await.into_parts();
        let content =
            if head.headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(MEDIA_TYPE.as_bytes())) {
                let host: Arc<dyn StreamHost> = Arc::new(host());
                let (sender, receiver) = event_stream::open(Arc::clone(&host));
                let sending = async move {
                    while let Some(Ok(frame)) = body.frame().await {
                        let sent = frame.into_data().map(|bytes| sender.send(bytes, false));
                        if let Ok(Err(_)) = sent {
                            break;
                        }
                    }
                };
                tokio::spawn(host.run(sending.boxed()));
                Content::stream(receiver)
            } else {
                // It comes from this process, and never fails.
                let bytes = body.collect().await.map(|collected| collected.to_bytes()).unwrap_or_default();
                Content::from(bytes)
            };
        let mut response = Response::from_parts(head, content);
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }
}

/// Sessions are not kept, and simple calls are answered by one JSON document. Hosts and origins are checked before.
fn config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .disable_allowed_hosts()
        .disable_allowed_origins()
}

async fn collected(
    body: impl Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static>,
) -> Result<Bytes, Problem> {
    let collecting = Limited::new(body, BODY_BYTES_MAX).collect();
    match timeout(BODY_TIME, collecting).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::RequestTooLarge(TooLarge::Body)),
        Ok(Err(_)) | Err(_) => Err(Problem::InvalidRequest),
    }
}

fn preflight() -> Response<Content> {
    let mut response = Response::new(Content::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.extend([(ACCESS_CONTROL_ALLOW_METHODS, ALLOW), (ACCESS_CONTROL_ALLOW_HEADERS, ALLOW_HEADERS)]);
    response
}

/// The calls of one client.
#[derive(Clone)]
struct ClientCalls {
    api: Arc<PublicApi>,
    caller: Arc<Caller>,
}

impl ClientCalls {
    async fn request(&self, path: &str, ended: Option<JobEnded<'_>>) -> AnswerReply {
        let Ok(uri) = path.parse::<Uri>() else { return AnswerReply::Refused(format!("no request: {path}")) };
        let (mut head, ()) = Request::new(()).into_parts();
        head.uri = uri;
        if ended.is_some() {
            head.headers.insert(ACCEPT, HeaderValue::from_static(MEDIA_TYPE));
        }
        let caller = self.caller.another();
        let answering = self.api.respond(&head, false, &caller, || OwnProcess);
        let (head, content) = self.caller.usage.share.scope(answering).await.into_parts();
        match (content.events, ended) {
            (Some(events), Some(ended)) => streamed(events, ended).await,
            _ => AnswerReply::of(head.status, |name| text(&head.headers, name), content.bytes),
        }
    }
}

impl ToolSource for ClientCalls {
    fn get<'a>(&'a self, path: &'a str, ended: Option<JobEnded<'a>>) -> BoxFuture<'a, AnswerReply> {
        self.request(path, ended).boxed()
    }
}

/// Reads a stream up to its answer.
async fn streamed(mut events: EventReceiver, ended: JobEnded<'_>) -> AnswerReply {
    while let Some(event) = events.next().await {
        match StreamedReply::of(&event) {
            Some(StreamedReply::Job(sentence)) => ended(sentence),
            Some(StreamedReply::Last(reply)) => return reply,
            None => {}
        }
    }
    AnswerReply::Refused("the answer broke off; ask again".to_owned())
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}
