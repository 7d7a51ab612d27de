//! Logos of tokens, from lists.
//!
//! Invariant: a logo is an `http` or `https` URL without control characters. Its existence is not checked, and none
//! is invented for a token without one.

/// Maximum bytes of a logo's URL.
const BYTES_MAX: usize = 1024;

/// A list's `logoURI` if browsers can show it, which excludes `ipfs:` and `data:`.
pub(super) fn of_list(uri: Option<&str>) -> Option<Box<str>> {
    let uri = uri?;
    let is_short = uri.len() <= BYTES_MAX && uri.bytes().all(|byte| byte.is_ascii_graphic());
    let is_shown = |url: url::Url| matches!(url.scheme(), "http" | "https");
    (is_short && url::Url::parse(uri).is_ok_and(is_shown)).then(|| uri.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lists_logo_is_taken_only_where_a_browser_shows_it() {
        let long = format!("https://l/{}", "x".repeat(BYTES_MAX));
        let cases = [
            ("https://l.example/a.png?x=1", true),
            ("http://l.example/a.png", true),
            ("ipfs://QmXfzKRvjZz3u5JRgC4v5mGVbm9ahrUiB4DgzHBsnWbTMM", false),
            ("data:image/png;base64,AAAA", false),
            ("javascript:alert(1)", false),
            ("https://l.example/a b.png", false),
            ("https://l.example/\u{202e}gnp.a", false),
            ("/a.png", false),
            ("", false),
            (&long, false),
        ];
        for (uri, taken) in cases {
            assert_eq!(of_list(Some(uri)).as_deref(), taken.then_some(uri), "{uri}");
        }
        assert_eq!(of_list(None), None);
    }
}
