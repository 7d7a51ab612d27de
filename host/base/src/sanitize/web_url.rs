//! A foreign URL that clients may open or show.
//!
//! Invariant: its scheme is `http`, `https` or `ipfs`, its length is bounded, and it is printable ASCII.

use std::borrow::Cow;
use std::fmt;

use portolan_validation::is_web_url;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

/// The URL as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct WebUrl(String);

impl JsonSchema for WebUrl {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "WebUrl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "uri"})
    }
}

impl WebUrl {
    /// Parses a URL that clients may open; `None` for all others, above all `javascript:` and `data:`.
    pub fn parse(text: &str) -> Option<Self> {
        is_web_url(text).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_client_may_open_is_a_url() {
        for good in ["https://a.example/x.png?y=1#z", "http://a.example", "ipfs://QmXfzKRvjZz3u5JRgC4v5mGVbm9ahrUiB4"] {
            assert_eq!(WebUrl::parse(good).map(|url| url.to_string()).as_deref(), Some(good));
        }
        let long = format!("https://a.example/{}", "x".repeat(1_024));
        let bad = [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,<script>",
            "vbscript:x",
            "file:///etc/passwd",
            "eip155:1/erc721:0x1/7",
            "https://a.example/\u{202e}gnp.a",
            "https://a.example/a b",
            " https://a.example",
            "java\nscript:alert(1)",
            "//a.example",
            "a.png",
            "",
            &long,
        ];
        for bad in bad {
            assert_eq!(WebUrl::parse(bad), None, "{bad}");
        }
    }
}
