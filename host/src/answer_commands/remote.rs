//! A gateway over HTTP or HTTPS.
//!
//! Invariant: every request has a deadline, and every body a bound. An error names host and port, and no other part of
//! the URL.

use std::error::Error as _;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;
use url::Url;

use super::ClientError;
use crate::http::event_stream::MEDIA_TYPE;

/// Time of one answer; a gateway's own deadline is shorter.
const REPLY_TIME: Duration = Duration::from_secs(120);
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// More than the body of any answer: the setting `answers.body_bytes_max` is 16 MiB by default.
const BODY_BYTES_MAX: usize = 256 << 20;
const AGENT: HeaderValue = HeaderValue::from_static(concat!("portolan/", env!("CARGO_PKG_VERSION")));

/// A gateway at a URL.
pub(super) struct RemoteGateway {
    /// Without a trailing slash.
    base: String,
    /// Words for it in errors.
    name: String,
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
}

impl RemoteGateway {
    /// # Errors
    /// The URL is not one of HTTP, or has more than a path.
    pub(super) fn at(url: &str) -> Result<Self, ClientError> {
        let misuse = |reason: &str| ClientError::Misuse(format!("--url: {reason}"));
        let url = Url::parse(url).map_err(|error| misuse(&format!("it is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(misuse("it begins with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(misuse("it has no user, password, query or fragment"));
        }
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let name = format!("the gateway at {}://{host}{port}", url.scheme());
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT_TIME));
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new()).build(tls);
        Ok(Self { base: url.as_str().trim_end_matches('/').to_owned(), name, client })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Requests a path with its parameters.
    ///
    /// # Errors
    /// Nobody answers in time, or the body is too long.
    pub(super) async fn get(&self, path: &str, headers: HeaderMap) -> Result<Response<Bytes>, ClientError> {
        let uri: Uri =
            format!("{}{path}", self.base).parse().map_err(|error| ClientError::Misuse(format!("{path}: {error}")))?;
        let mut request = Request::new(Empty::new());
        (*request.uri_mut(), *request.headers_mut()) = (uri, headers);
        request.headers_mut().insert(USER_AGENT, AGENT);
        timeout(REPLY_TIME, self.send(request)).await.unwrap_or_else(|_| {
            Err(ClientError::NothingRead(format!("{} did not answer in {} s", self.name, REPLY_TIME.as_secs())))
        })
    }

    /// Opens a stream of events; `None` if there is none at the path.
    pub(super) async fn events(&self, path: &str) -> Option<Incoming> {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = format!("{}{path}", self.base).parse().ok()?;
        request.headers_mut().extend([(USER_AGENT, AGENT), (ACCEPT, HeaderValue::from_static(MEDIA_TYPE))]);
        let response = timeout(REPLY_TIME, self.client.request(request)).await.ok()?.ok()?;
        let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == MEDIA_TYPE);
        (response.status() == StatusCode::OK && is_stream).then(|| response.into_body())
    }

    async fn send(&self, request: Request<Empty<Bytes>>) -> Result<Response<Bytes>, ClientError> {
        let failed = |what: &str| ClientError::NothingRead(format!("{} {what}", self.name));
        let response = self.client.request(request).await.map_err(|error| {
            let cause = root(&error);
            if error.is_connect() {
                let advice =
                    "start it with `portolan serve`, name another with --url, or answer without one with --rpc";
                return ClientError::NothingRead(format!("no gateway at {}: {cause}; {advice}", self.place()));
            }
            failed(&format!("did not answer: {cause}"))
        })?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, BODY_BYTES_MAX).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                return failed(&format!("sent more than {BODY_BYTES_MAX} bytes"));
            }
            failed(&format!("broke off its answer: {error}"))
        })?;
        Ok(Response::from_parts(head, body.to_bytes()))
    }

    /// The URL without its path.
    fn place(&self) -> &str {
        self.name.strip_prefix("the gateway at ").unwrap_or(&self.name)
    }
}

/// The cause of an error that has no cause itself.
fn root(error: &hyper_util::client::legacy::Error) -> String {
    let mut cause = error.source();
    let mut words = error.to_string();
    while let Some(inner) = cause {
        words = inner.to_string();
        cause = inner.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_scheme_host_and_path_alone() {
        let refused = ["", "gateway", "ftp://a", "http://u:secret@a", "http://a/?x=1", "http://a/#x", "127.0.0.1:8080"];
        for url in refused {
            let Err(ClientError::Misuse(text)) = RemoteGateway::at(url) else { panic!("{url} is taken") };
            assert!(text.starts_with("--url: ") && !text.contains("secret"), "{text}");
        }
        let gateway = RemoteGateway::at("https://example.org:8443/portolan/").unwrap();
        assert_eq!(gateway.base, "https://example.org:8443/portolan");
        assert_eq!(gateway.name(), "the gateway at https://example.org:8443");
    }

    #[tokio::test]
    async fn nobody_at_the_url_is_said_with_what_to_do() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let gateway = RemoteGateway::at(&format!("http://127.0.0.1:{port}")).unwrap();
        let error = gateway.get("/networks", HeaderMap::new()).await.unwrap_err();
        assert_eq!(error.code(), 4);
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("no gateway at http://127.0.0.1:{port}: ")) && text.contains("--rpc"),
            "{text}"
        );
    }
}
