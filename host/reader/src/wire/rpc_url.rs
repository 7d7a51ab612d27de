//! The URL of an RPC endpoint. It is a secret: hosted nodes put the customer's key into it.
//!
//! Invariant: formatting, errors and logs show only its host and port.

use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

/// An `http` or `https` URL that prints as its host and port.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RpcUrl(Url);

/// Reason why a text is not an RPC URL. The text itself is never repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RpcUrlError {
    #[error("not a URL")]
    NotAUrl,
    #[error("neither http nor https")]
    Scheme,
    #[error("a URL that HTTP cannot carry")]
    NotCarried,
}

impl RpcUrl {
    /// Returns true if it leads to the machine itself.
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// Returns the whole URL, for the transport only.
    pub fn expose(&self) -> &Url {
        &self.0
    }
}

impl FromStr for RpcUrl {
    type Err = RpcUrlError;

    fn from_str(text: &str) -> Result<Self, RpcUrlError> {
        let mut url = Url::parse(text).map_err(|_| RpcUrlError::NotAUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(RpcUrlError::Scheme);
        }
        url.set_fragment(None);
        // The two parsers differ a little, and an error at startup is better than one at the first request.
        let target = url[url::Position::BeforePath..].parse::<hyper::Uri>();
        let authority = url[url::Position::BeforeHost..url::Position::AfterPort].parse::<hyper::Uri>();
        if target.is_err() || authority.is_err() {
            return Err(RpcUrlError::NotCarried);
        }
        Ok(Self(url))
    }
}

impl fmt::Display for RpcUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.host_str().unwrap_or_default())?;
        match self.0.port() {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for RpcUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_prints_as_host_and_port() {
        let shown = |text: &str| RpcUrl::from_str(text).map(|url| format!("{url} {url:?}"));
        let secret = "https://me:hunter2@node.example:8545/v3/0123456789abcdef?key=s3cret#frag";
        assert_eq!(shown(secret), Ok("node.example:8545 RpcUrl(node.example:8545)".into()));
        assert_eq!(shown("http://[::1]:1/x"), Ok("[::1]:1 RpcUrl([::1]:1)".into()));
        assert_eq!(shown("https://node.example/s3cret"), Ok("node.example RpcUrl(node.example)".into()));
    }

    #[test]
    fn an_error_never_repeats_the_url() {
        for (text, error) in [
            ("s3cret", RpcUrlError::NotAUrl),
            ("https://s3cret:port/", RpcUrlError::NotAUrl),
            ("wss://node.example/s3cret", RpcUrlError::Scheme),
            ("file:///s3cret", RpcUrlError::Scheme),
            ("", RpcUrlError::NotAUrl),
        ] {
            let refused = RpcUrl::from_str(text).unwrap_err();
            assert_eq!(refused, error, "{text}");
            assert!(!format!("{refused} {refused:?}").contains("s3cret"), "{text}");
        }
    }

    #[test]
    fn urls_are_equal_only_as_a_whole() {
        let url = |text: &str| RpcUrl::from_str(text).unwrap();
        assert_eq!(url("https://node.example/a"), url("HTTPS://NODE.example/a"));
        assert_ne!(url("https://node.example/a"), url("https://node.example/b"));
    }
}
