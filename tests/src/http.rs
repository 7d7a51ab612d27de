//! A small HTTP client: one connection for each request, every wait under a deadline.
//!
//! It speaks HTTP/1.1 and h2c through hyper, and raw bytes for what no well-behaved client would send. It follows
//! nothing and retries nothing.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http_body_util::{BodyExt as _, Full};
use hyper::{HeaderMap, Method, Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::runtime::{Builder, Runtime};

use crate::json::Json;

/// Longer than the longest answer deadline that a test configures.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A response that came back whole.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body, decompressed.
    pub body: String,
    /// Size of the body as it came.
    pub sent_bytes: usize,
}

impl Response {
    /// The body as JSON.
    ///
    /// # Errors
    /// Where it is none.
    pub fn json(&self) -> Result<Json> {
        Json::parse(&self.body).with_context(|| format!("{} with {}", self.status, self.body))
    }

    /// A header's text; `None` where it is not there.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// The version that a request is sent with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Http1,
    /// HTTP/2 without TLS, known beforehand.
    H2c,
}

/// Sends a GET request over HTTP/1.1.
///
/// # Errors
/// No complete answer before the deadline.
pub fn get(to: SocketAddr, path: &str) -> Result<Response> {
    request(to, Version::Http1, &Method::GET, path, &[], Bytes::new())
}

/// Sends one request.
///
/// # Errors
/// No complete answer before the deadline.
pub fn request(
    to: SocketAddr,
    version: Version,
    method: &Method,
    path: &str,
    headers: &[(&str, &str)],
    body: Bytes,
) -> Result<Response> {
    let what = || format!("{method} http://{to}{path:.200}");
    let exchange = exchange(to, version, method, path, headers, body);
    runtime()?
        .block_on(async { tokio::time::timeout(DEADLINE, exchange).await })
        .with_context(|| format!("{}: no answer within {DEADLINE:?}", what()))?
        .with_context(what)
}

/// Posts a JSON document; the answer's body as it came.
///
/// # Errors
/// No complete answer before the deadline.
pub async fn post(to: SocketAddr, body: Bytes) -> Result<Response> {
    let headers = [("content-type", "application/json")];
    tokio::time::timeout(DEADLINE, exchange(to, Version::Http1, &Method::POST, "/", &headers, body)).await?
}

async fn exchange(
    to: SocketAddr,
    version: Version,
    method: &Method,
    path: &str,
    headers: &[(&str, &str)],
    body: Bytes,
) -> Result<Response> {
    let stream = TokioIo::new(tokio::net::TcpStream::connect(to).await?);
    let uri = match version {
        Version::Http1 => path.to_owned(),
        Version::H2c => format!("http://{to}{path}"),
    };
    let mut request = Request::builder().method(method).uri(uri);
    if version == Version::Http1 {
        request = request.header("host", to.to_string());
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(body))?;
    let response = match version {
        Version::Http1 => {
            let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
            tokio::spawn(connection);
            sender.send_request(request).await?
        }
        Version::H2c => {
            let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await?;
            tokio::spawn(connection);
            sender.send_request(request).await?
        }
    };
    let (head, body) = response.into_parts();
    let sent = body.collect().await?.to_bytes();
    let body = if *method == Method::HEAD { Vec::new() } else { decompressed(&head.headers, &sent)? };
    let body = String::from_utf8(body).context("the body is not UTF-8")?;
    Ok(Response { status: head.status, headers: head.headers, body, sent_bytes: sent.len() })
}

/// Decompresses a body as its `content-encoding` says.
fn decompressed(headers: &HeaderMap, sent: &[u8]) -> Result<Vec<u8>> {
    let coding = headers.get("content-encoding").map(|coding| coding.to_str()).transpose()?;
    let mut body = Vec::new();
    match coding {
        None => body.extend_from_slice(sent),
        Some("gzip") => drop(MultiGzDecoder::new(sent).read_to_end(&mut body)?),
        Some("br") => drop(brotli::Decompressor::new(sent, sent.len().max(1)).read_to_end(&mut body)?),
        Some("zstd") => body = zstd::decode_all(sent)?,
        Some(other) => bail!("unknown content-encoding {other}"),
    }
    Ok(body)
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// A connection for bytes as they are; for what hyper refuses to send.
#[derive(Debug)]
pub struct RawConnection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl RawConnection {
    /// Connects.
    ///
    /// # Errors
    /// Nobody takes the connection before the deadline.
    pub fn open(to: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&to, DEADLINE)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.set_write_timeout(Some(DEADLINE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new() })
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// Not all of them are taken before the deadline.
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(bytes)?)
    }

    /// The next HTTP/1.1 answer; `None` where the server ended the connection after the one before.
    ///
    /// # Errors
    /// No complete answer before the deadline, or a reset connection.
    pub fn answer(&mut self) -> Result<Option<Response>> {
        let mut chunk = [0; 4096];
        loop {
            if let Some((response, bytes)) = complete(&self.received)? {
                self.received.drain(..bytes);
                return Ok(Some(response));
            }
            let text = || format!("after {:?}", String::from_utf8_lossy(&self.received));
            match self.stream.read(&mut chunk).with_context(text)? {
                0 if self.received.is_empty() => return Ok(None),
                0 => bail!("closed {}", text()),
                len => self.received.extend_from_slice(&chunk[..len]),
            }
        }
    }
}

/// Sends bytes as they are and reads one HTTP/1.1 answer.
///
/// # Errors
/// No complete answer before the deadline.
pub fn raw(to: SocketAddr, bytes: &[u8]) -> Result<Response> {
    let mut connection = RawConnection::open(to)?;
    // A server may answer and close before it has read everything; its answer is what counts.
    let sent = connection.send(bytes);
    let answer = connection.answer().and_then(|answer| answer.context("closed"));
    answer.with_context(|| format!("sending: {sent:?}"))
}

/// An answer with a `content-length`, once all of it is there, and its bytes.
fn complete(received: &[u8]) -> Result<Option<(Response, usize)>> {
    let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&received[..end])?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).context("no status line")?;
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(':').with_context(|| format!("header {line}"))?;
        headers.append(hyper::header::HeaderName::from_bytes(name.as_bytes())?, value.trim().parse()?);
    }
    let length: usize = headers.get("content-length").context("no content-length")?.to_str()?.parse()?;
    let body = &received[end + 4..];
    if body.len() < length {
        return Ok(None);
    }
    let body = String::from_utf8(body[..length].to_vec())?;
    let response = Response { status: StatusCode::from_bytes(status.as_bytes())?, headers, body, sent_bytes: length };
    Ok(Some((response, end + 4 + length)))
}
