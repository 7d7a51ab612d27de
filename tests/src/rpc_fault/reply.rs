//! A reply on its way: whole, or broken in one of the ways that a client meets.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::Result;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::flaws::Replies;

/// A response before it is sent.
pub(super) struct Reply {
    status: StatusCode,
    body: Bytes,
    /// The connection breaks after so many bytes.
    cut: Option<usize>,
    retry_after_s: Option<u64>,
}

impl Reply {
    pub(super) fn whole(body: impl Into<Bytes>) -> Self {
        Self { status: StatusCode::OK, body: body.into(), cut: None, retry_after_s: None }
    }

    /// A status without JSON-RPC.
    pub(super) fn status(status: StatusCode) -> Self {
        Self { status, ..Self::whole("out of order") }
    }

    pub(super) fn too_many(retry_after_s: Option<u64>) -> Self {
        Self { retry_after_s, ..Self::status(StatusCode::TOO_MANY_REQUESTS) }
    }

    /// The reply of a chain, made wrong.
    pub(super) fn spoilt(body: String, how: &Replies) -> Result<Self> {
        Ok(match how {
            Replies::Whole => Self::whole(body),
            Replies::Cut(bytes) => Self { cut: Some((*bytes).min(body.len() - 1)), ..Self::whole(body) },
            Replies::Padded(spaces) => Self::whole(body + &" ".repeat(*spaces)),
            Replies::Truncated => Self::whole(body[..body.len() / 2].to_owned()),
            Replies::WrongId | Replies::TwoIds | Replies::TwoResults | Replies::ResultTwice => {
                Self::whole(remade(&body, how)?)
            }
        })
    }

    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    pub(super) fn into_response(self) -> Result<Response<Sent>> {
        let length = self.body.len();
        let mut response = Response::builder().status(self.status).header(CONTENT_TYPE, "application/json");
        if let Some(wait_s) = self.retry_after_s {
            response = response.header(RETRY_AFTER, wait_s);
        }
        let (part, end) = match self.cut {
            Some(bytes) => (self.body.slice(..bytes), End::Flush),
            None => (self.body, End::Whole),
        };
        Ok(response.header(CONTENT_LENGTH, length).body(Sent { part: Some(part), length, end })?)
    }
}

/// Members are written one by one: an object that is built cannot have one twice.
fn remade(body: &str, how: &Replies) -> Result<String> {
    let reply: Value = serde_json::from_str(body)?;
    let id = &reply["id"];
    let other = json!(id.as_u64().map_or(7, |id| id + 1));
    // The chain's own text of what it answers, to the last byte.
    let members: std::collections::BTreeMap<&str, &RawValue> = serde_json::from_str(body)?;
    let reported: Vec<String> = ["result", "error"]
        .iter()
        .filter_map(|name| members.get(name).map(|value| format!(r#""{name}":{}"#, value.get())))
        .collect();
    let reported = reported.join(",");
    let zeros = format!(r#""result":{}"#, zeros(&reply["result"]));
    Ok(match how {
        Replies::WrongId => format!(r#"{{"jsonrpc":"2.0","id":{other},{reported}}}"#),
        Replies::TwoIds => format!(r#"{{"jsonrpc":"2.0","id":{other},"id":{id},{reported}}}"#),
        Replies::TwoResults => format!(r#"{{"jsonrpc":"2.0","id":{id},{zeros},{reported}}}"#),
        _ => format!(r#"{{"jsonrpc":"2.0","id":{id},{reported},{zeros}}}"#),
    })
}

/// A result of the same shape that says nothing true.
fn zeros(result: &Value) -> Value {
    match result {
        Value::String(text) => json!(format!("0x{}", "0".repeat(text.len().saturating_sub(2)))),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), zeros(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// A body of one part that ends as it should, or breaks its connection.
pub(super) struct Sent {
    part: Option<Bytes>,
    length: usize,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    /// The part given so far is sent first.
    Flush,
    Cut,
}

impl Body for Sent {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(part) = self.part.take() {
            return Poll::Ready(Some(Ok(Frame::data(part))));
        }
        match self.end {
            End::Whole => Poll::Ready(None),
            End::Flush => {
                self.end = End::Cut;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            End::Cut => Poll::Ready(Some(Err(io::Error::other("cut on command")))),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.length).unwrap_or(u64::MAX))
    }
}
