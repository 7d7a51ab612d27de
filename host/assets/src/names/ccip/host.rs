//! A gateway's host that the operator names: it may be queried over http, and may be in a private network.

use std::fmt;

use url::{Host, Url};

/// A host, at one port or at any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayHost {
    host: Host<String>,
    port: Option<u16>,
}

/// The text does not name a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a host with an optional port, for example gateway.internal:8080")]
pub struct GatewayHostError;

impl GatewayHost {
    pub fn parse(text: &str) -> Result<Self, GatewayHostError> {
        // Parsed with a scheme of our own, because a URL drops a port that is its scheme's default.
        let url = Url::parse(&format!("gateway://{text}")).map_err(|_| GatewayHostError)?;
        let is_host_alone = url.username().is_empty()
            && url.password().is_none()
            && url.path().is_empty()
            && url.query().is_none()
            && url.fragment().is_none();
        let host = url.host_str().filter(|host| is_host_alone && !host.is_empty()).ok_or(GatewayHostError)?;
        let host = Host::parse(host).map_err(|_| GatewayHostError)?;
        Ok(Self { host, port: url.port() })
    }

    /// Returns true if the URL leads to this host.
    pub(super) fn is_of(&self, url: &Url) -> bool {
        let is_host = url.host().is_some_and(|host| host.to_owned() == self.host);
        is_host && self.port.is_none_or(|port| url.port_or_known_default() == Some(port))
    }
}

impl fmt::Display for GatewayHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => write!(f, "{}", self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_at_one_port_or_at_any() {
        let is_of = |host: &str, url: &str| GatewayHost::parse(host).unwrap().is_of(&Url::parse(url).unwrap());
        for (host, url, expected) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/x", true),
            ("127.0.0.1:8080", "http://127.0.0.1:8081/x", false),
            ("127.0.0.1:8080", "http://0x7f.1:8080/x", true),
            ("127.0.0.1", "https://127.0.0.1:1/x", true),
            ("Gateway.Internal", "https://gateway.internal/x", true),
            ("gateway.internal:443", "https://gateway.internal/x", true),
            ("gateway.internal:80", "http://gateway.internal/x", true),
            ("gateway.internal", "https://evil.gateway.internal/", false),
            ("gateway.internal", "https://gateway.internal.evil/", false),
            ("gateway.internal", "https://gateway.internal@evil/", false),
            ("[::1]:1", "http://[::1]:1/", true),
        ] {
            assert_eq!(is_of(host, url), expected, "{host} {url}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for text in ["", ":80", "a/b", "a@b", "a?b", "a#b", "http://a", "a:x", "a b", "a:99999"] {
            assert_eq!(GatewayHost::parse(text), Err(GatewayHostError), "{text}");
        }
    }

    #[test]
    fn a_host_is_shown_as_it_is_written() {
        for text in ["gateway.internal:8080", "gateway.internal", "[::1]:1", "10.0.0.1"] {
            assert_eq!(GatewayHost::parse(text).unwrap().to_string(), text);
        }
    }
}
