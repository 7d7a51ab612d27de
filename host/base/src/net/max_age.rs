//! Caching headers of responses (RFC 9111).
//!
//! Invariant: malformed values count as absent.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{AGE, CACHE_CONTROL};

/// Returns the `max-age` of a response; zero if it must not be cached, `None` if it does not say.
pub(crate) fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL).into_iter().filter_map(|value| value.to_str().ok());
    let directives: Vec<String> =
        values.flat_map(|value| value.split(',')).map(|one| one.trim().to_lowercase()).collect();
    if directives.iter().any(|directive| directive == "no-store" || directive == "no-cache") {
        return Some(Duration::ZERO);
    }
    directives.iter().find_map(|directive| seconds(directive.strip_prefix("max-age=")?))
}

/// Returns the age of a response when it was sent, as a cache on the way reports it.
pub(crate) fn age(headers: &HeaderMap) -> Duration {
    headers.get(AGE).and_then(|value| seconds(value.to_str().ok()?)).unwrap_or_default()
}

/// Largest time that the standard requires to be understood.
const SECONDS_MAX: u64 = 1 << 31;

fn seconds(text: &str) -> Option<Duration> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Duration::from_secs(text.parse().unwrap_or(SECONDS_MAX).min(SECONDS_MAX)))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn headers(rows: &[(&'static str, &'static str)]) -> HeaderMap {
        rows.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_response_says_how_long_it_may_be_kept() {
        for (value, expected) in [
            ("max-age=60", Some(60)),
            ("public, Max-Age=7 , immutable", Some(7)),
            ("max-age=0", Some(0)),
            ("max-age=99999999999999999999999", Some(1 << 31)),
            ("no-cache, max-age=60", Some(0)),
            ("no-store", Some(0)),
            ("s-maxage=60", None),
            ("max-age", None),
            ("max-age=", None),
            ("max-age=-1", None),
            ("max-age=1.5", None),
            ("", None),
        ] {
            let kept = max_age(&headers(&[("cache-control", value)]));
            assert_eq!(kept, expected.map(Duration::from_secs), "{value}");
        }
        assert_eq!(max_age(&headers(&[])), None);
    }

    #[test]
    fn a_cache_on_the_way_says_how_old_a_response_is() {
        for (value, expected) in [("60", 60), ("x", 0), ("-5", 0), ("99999999999999999999999", 1 << 31)] {
            assert_eq!(age(&headers(&[("age", value)])), Duration::from_secs(expected), "{value}");
        }
        assert_eq!(age(&headers(&[])), Duration::ZERO);
    }
}
