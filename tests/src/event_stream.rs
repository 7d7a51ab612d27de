//! A client of event streams (`text/event-stream`), every wait under a deadline.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::http::request;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::http::DEADLINE;
use crate::json::Json;

/// An event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamEvent {
    pub name: String,
    pub id: Option<String>,
    pub data: String,
}

impl StreamEvent {
    /// The data as JSON.
    ///
    /// # Errors
    /// Where it is none.
    pub fn json(&self) -> Result<Json> {
        Json::parse(&self.data).with_context(|| format!("{self:?}"))
    }
}

/// An open stream.
#[derive(Debug)]
pub struct EventStream {
    runtime: Runtime,
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Incoming,
    received: Vec<u8>,
}

impl EventStream {
    /// Requests a stream; the answer may be another one.
    ///
    /// # Errors
    /// No head of an answer before the deadline.
    pub fn open(to: SocketAddr, path: &str, last_event: Option<&str>) -> Result<Self> {
        Self::open_with(async {
            let (mut sender, connection) = http1::handshake(TokioIo::new(TcpStream::connect(to).await?)).await?;
            tokio::spawn(connection);
            let mut request = request(path).header("host", to.to_string());
            if let Some(id) = last_event {
                request = request.header("last-event-id", id);
            }
            Ok(sender.send_request(request.body(Empty::<Bytes>::new())?).await?)
        })
    }

    /// Requests a stream over HTTP/2, whose server may send no more than these bytes before the client reads.
    ///
    /// # Errors
    /// No head of an answer before the deadline.
    pub fn open_with_window(to: SocketAddr, path: &str, window_bytes: u32) -> Result<Self> {
        Self::open_with(async {
            let connecting = http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(window_bytes)
                .handshake(TokioIo::new(TcpStream::connect(to).await?));
            let (mut sender, connection) = connecting.await?;
            tokio::spawn(connection);
            let request = request(&format!("http://{to}{path}"));
            Ok(sender.send_request(request.body(Empty::<Bytes>::new())?).await?)
        })
    }

    fn open_with(opening: impl Future<Output = Result<Response<Incoming>>>) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let response =
            runtime.block_on(async { timeout(DEADLINE, opening).await }).context("no head of an answer")??;
        let (head, body) = response.into_parts();
        Ok(Self { runtime, status: head.status, headers: head.headers, body, received: Vec::new() })
    }

    /// The next event; `None` once the stream has ended. Comments are skipped.
    ///
    /// # Errors
    /// No event within this time.
    pub fn next_within(&mut self, within: Duration) -> Result<Option<StreamEvent>> {
        let Self { runtime, body, received, .. } = self;
        let reading = async {
            loop {
                if let Some(end) = received.windows(2).position(|two| two == b"\n\n") {
                    let text: Vec<u8> = received.drain(..end + 2).collect();
                    match parsed(std::str::from_utf8(&text)?)? {
                        Some(event) => return Ok(Some(event)),
                        None => continue,
                    }
                }
                match body.frame().await {
                    Some(frame) => received.extend_from_slice(frame?.data_ref().map_or(&[], |data| data)),
                    None => return Ok(None),
                }
            }
        };
        runtime.block_on(async { timeout(within, reading).await }).with_context(|| format!("no event in {within:?}"))?
    }

    /// The next event within the usual deadline.
    ///
    /// # Errors
    /// No event, or the end of the stream.
    pub fn event(&mut self) -> Result<StreamEvent> {
        self.next_within(DEADLINE)?.context("the stream has ended")
    }

    /// The next event with one of these names; others are skipped.
    ///
    /// # Errors
    /// No such event before the deadline or the end of the stream; names what was skipped.
    pub fn next_of(&mut self, names: &[&str]) -> Result<StreamEvent> {
        let mut skipped = Vec::new();
        loop {
            let event = self.event().with_context(|| format!("after {skipped:?}"))?;
            if names.contains(&event.name.as_str()) {
                return Ok(event);
            }
            skipped.push(event);
        }
    }

    /// All events up to the end of the stream.
    ///
    /// # Errors
    /// The stream does not end before the deadline.
    pub fn rest(&mut self) -> Result<Vec<StreamEvent>> {
        let mut events = Vec::new();
        while let Some(event) = self.next_within(DEADLINE)? {
            events.push(event);
        }
        Ok(events)
    }
}

fn request(uri: &str) -> request::Builder {
    Request::get(uri).header("accept", "text/event-stream")
}

/// Parses the lines of an event; `None` for comments alone.
fn parsed(text: &str) -> Result<Option<StreamEvent>> {
    let mut event = StreamEvent::default();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(':')) {
        let (field, value) = line.split_once(": ").with_context(|| format!("the line {line}"))?;
        match field {
            "event" => event.name = value.to_owned(),
            "id" => event.id = Some(value.to_owned()),
            "data" => {
                ensure!(event.data.is_empty(), "two lines of data in {text}");
                value.clone_into(&mut event.data);
            }
            _ => bail!("the field {field}"),
        }
    }
    Ok((event != StreamEvent::default()).then_some(event))
}
