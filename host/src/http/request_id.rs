//! Ids of a request: its own, and that of its trace.
//!
//! Invariant: a client's id is used only if it is plain ASCII of a bounded length; otherwise it is replaced.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Longer ids of clients are replaced.
const ID_BYTES_MAX: usize = 128;

tokio::task_local! {
    /// The id of the request that is being answered.
    static ID: HeaderValue;
}

/// Ids of a request, for logs and answers.
#[derive(Clone, Debug)]
pub(super) struct RequestIds {
    pub(super) id: HeaderValue,
    /// Trace id of the W3C `traceparent` header: 32 hex digits.
    pub(super) trace: Option<String>,
}

impl RequestIds {
    /// Reads the ids from the request; without a valid id, a new one is made.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let is_id = |id: &&HeaderValue| {
            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._:-+/=@".contains(byte);
            (1..=ID_BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(is_plain)
        };
        let id = headers.get(REQUEST_ID).filter(is_id).cloned();
        let trace = headers.get(TRACEPARENT).and_then(|header| trace_id(header.to_str().ok()?));
        Self { id: id.unwrap_or_else(new_id), trace }
    }
}

fn new_id() -> HeaderValue {
    let text = format!("{:032x}", fastrand::u128(..));
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("0"))
}

/// Parses the trace of `version-trace-parent-flags`; neither trace nor parent may be zero.
fn trace_id(text: &str) -> Option<String> {
    let mut parts = text.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let is_valid = is_hex(version, 2) && is_hex(trace, 32) && is_hex(parent, 16) && is_hex(flags, 2);
    let is_set =
        version != "ff" && trace.bytes().any(|digit| digit != b'0') && parent.bytes().any(|digit| digit != b'0');
    (is_valid && is_set).then(|| trace.to_owned())
}

/// Runs work for a request with this id.
pub(super) async fn within<T>(id: HeaderValue, work: impl Future<Output = T>) -> T {
    ID.scope(id, work).await
}

/// Runs work that never waits, for a request with this id.
pub(super) fn within_now<T>(id: HeaderValue, work: impl FnOnce() -> T) -> T {
    ID.sync_scope(id, work)
}

/// Returns the id of the request being answered, if any.
pub(super) fn id() -> Option<String> {
    ID.try_with(|id| id.to_str().ok().map(str::to_owned)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(name: HeaderName, value: &str) -> RequestIds {
        RequestIds::of(&[(name, HeaderValue::from_str(value).unwrap())].into_iter().collect())
    }

    #[test]
    fn an_id_is_taken_over_if_it_can_be_printed_and_made_otherwise() {
        assert_eq!(ids(REQUEST_ID, "abc-1").id, "abc-1");
        for odd in [String::new(), "a b".to_owned(), "a".repeat(ID_BYTES_MAX + 1)] {
            let made = ids(REQUEST_ID, &odd).id;
            assert!(made.len() == 32 && made != ids(REQUEST_ID, &odd).id, "{made:?}");
        }
    }

    #[test]
    fn a_trace_is_taken_over_from_a_sound_traceparent_alone() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let sound = format!("00-{trace}-00f067aa0ba902b7-01");
        assert_eq!(ids(TRACEPARENT, &sound).trace.as_deref(), Some(trace));
        let zero = sound.replace(trace, &"0".repeat(32));
        for odd in [&sound.replace("00-4", "ff-4"), &sound.to_uppercase(), &zero, trace, "00-1-2-3"] {
            assert_eq!(ids(TRACEPARENT, odd).trace, None, "{odd}");
        }
    }
}
