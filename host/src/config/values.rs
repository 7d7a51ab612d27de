//! Texts of single settings: addresses, URLs and modes. Invariant: no reason repeats a URL.

use std::net::SocketAddr;

use url::Url;

pub(super) fn socket_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("{text} is not an address and a port, like 127.0.0.1:8080"))
}

/// Logo URLs begin with it, and clients must be able to open the longest.
const PUBLIC_URL_BYTES_MAX: usize = 512;

pub(super) fn public_url(text: &str) -> Result<String, String> {
    let base = text.trim_end_matches('/');
    let is_short = base.len() <= PUBLIC_URL_BYTES_MAX && base.bytes().all(|byte| byte.is_ascii_graphic());
    if is_short && is_plain_url(base) {
        return Ok(base.to_owned());
    }
    Err(format!("{text} is not the http or https URL that clients know the gateway by, like https://portolan.example"))
}

/// Parses the URL of a collector of spans; only a build that exports spans takes one.
pub(super) fn collector(text: &str) -> Result<Url, String> {
    if cfg!(not(feature = "otlp")) {
        return Err("it needs a build with the feature otlp: cargo build --release --features otlp".to_owned());
    }
    collector_url(text).ok_or_else(|| "it is not a collector's URL, for example http://127.0.0.1:4318".to_owned())
}

fn collector_url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|_| is_plain_url(text))
}

/// Returns true for an http or https URL without secrets, query and fragment.
fn is_plain_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_an_http_url_without_secrets() {
        assert_eq!(collector_url("https://collector.example/otlp").unwrap().path(), "/otlp");
        let others =
            ["collector:4317", "grpc://collector", "http://me:SECRET@collector", "http://collector/?key=SECRET"];
        assert!(others.iter().all(|text| collector_url(text).is_none()));
    }
}
