//! What copies of an answer are good for: `Cache-Control`, `ETag` and `If-None-Match` (RFC 9110 and 9111).
//!
//! Invariant: an answer that lacks something, a report or a problem is never stored. A tag is weak, because a body has
//! one in all content codings.

use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use hyper::http::response::Parts;
use sha2::{Digest, Sha256};

use crate::gateway::lifetime::Lifetime;

/// No cache keeps it.
pub(in crate::http) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Answers about an account are kept by its owner's cache alone; this one, until it is validated anew.
const VALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");

/// A year, which stands for ever.
const FINAL: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");

/// A minute: lists are the same for all clients, and change when the operator changes plugins.
pub(in crate::http) const LIST: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// Any cache may keep it, and validates it before each use.
pub(in crate::http) const VALIDATED_BY_ALL: HeaderValue = HeaderValue::from_static("public, no-cache");

/// A year, which stands for ever, in any cache: for files whose names change with what is in them.
pub(in crate::http) const FINAL_FOR_ALL: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A list that a request with a key gets, which is nobody else's.
pub(in crate::http) const LIST_FOR_KEY: HeaderValue = HeaderValue::from_static("private, max-age=60");

/// Returns `Cache-Control` of a whole answer about an account.
pub(in crate::http) fn control(lifetime: Lifetime) -> HeaderValue {
    match lifetime {
        Lifetime::Unknown => VALIDATED,
        Lifetime::Block(time) => max_age(time),
        Lifetime::Final => FINAL,
    }
}

fn max_age(time: Duration) -> HeaderValue {
    HeaderValue::from_str(&format!("private, max-age={}", time.as_secs().max(1))).unwrap_or(VALIDATED)
}

/// Returns the tag of a body that is not compressed.
pub(in crate::http) fn tag(body: &[u8]) -> Option<HeaderValue> {
    let half = u128::from_be_bytes(*Sha256::digest(body).first_chunk()?);
    HeaderValue::from_str(&format!("W/\"{half:032x}\"")).ok()
}

/// Returns true if the client has the body of this response already.
pub(in crate::http) fn is_known(request: &HeaderMap, response: &Parts) -> bool {
    let Some(tag) = response.headers.get(ETAG).filter(|_| response.status == StatusCode::OK) else { return false };
    request.get_all(IF_NONE_MATCH).iter().any(|known| knows(known, tag))
}

/// Makes the response a 304 without content. Its other headers stay: they replace those of the client's copy.
pub(in crate::http) fn make_not_modified(response: &mut Parts) {
    response.status = StatusCode::NOT_MODIFIED;
    response.headers.remove(CONTENT_TYPE);
    response.headers.remove(CONTENT_LENGTH);
}

/// Returns true if `If-None-Match` has the tag in its list (weak comparison), or is `*`.
fn knows(known: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(known), Ok(tag)) = (known.to_str(), tag.to_str()) else { return false };
    known.split(',').map(str::trim).any(|known| known == "*" || opaque(known) == opaque(tag))
}

/// Returns a tag without the mark of weak ones.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use hyper::Response;

    use super::*;

    #[test]
    fn a_block_time_is_a_whole_number_of_seconds_and_at_least_one() {
        let cases = [(250, 1), (1_999, 1), (2_000, 2), (12_000, 12)];
        for (block_time_ms, seconds) in cases {
            let control = control(Lifetime::Block(Duration::from_millis(block_time_ms)));
            assert_eq!(control, format!("private, max-age={seconds}"));
        }
        assert_eq!(control(Lifetime::Unknown), "private, no-cache");
        assert_eq!(control(Lifetime::Final), "private, max-age=31536000, immutable");
    }

    #[test]
    fn a_body_is_known_by_any_tag_of_the_list() {
        let own = tag(b"[]").unwrap();
        assert_ne!(own, tag(b"[1]").unwrap());
        let text = own.to_str().unwrap();
        assert!(text.starts_with("W/\"") && text.len() == 36, "{text}");
        let strong = text.trim_start_matches("W/");
        let response = |status| Response::builder().status(status).header(ETAG, &own).body(()).unwrap().into_parts().0;
        for (known, expected) in [
            (text.to_owned(), true),
            (strong.to_owned(), true),
            (format!("\"other\", {text}"), true),
            ("*".into(), true),
            ("\"other\"".into(), false),
            (String::new(), false),
            (text.trim_matches('"').to_owned(), false),
        ] {
            let request = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_str(&known).unwrap())]);
            assert_eq!(is_known(&request, &response(200)), expected, "{known}");
            assert!(!is_known(&request, &response(404)), "{known}");
        }
        assert!(!is_known(&HeaderMap::new(), &response(200)));
    }
}
