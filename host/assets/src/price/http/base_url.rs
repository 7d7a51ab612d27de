//! The URL of the HTTP source. It may contain a customer's key, so its text forms show only host and port.
//!
//! Invariant: unless the operator allows more, requests go over https to public addresses.

use std::fmt;
use std::net::IpAddr;

use portolan_base::net::public_address::is_public;
use url::{Host, Url};

/// The rest of a request line is for the coins, see [`super::TARGET_MAX_BYTES`].
const BASE_MAX_BYTES: usize = 512;

#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    url: Url,
    may_be_private: bool,
}

/// Reason why a text is not a base URL; it never contains the text itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    #[error("not a URL")]
    NotAUrl,
    #[error("neither http nor https")]
    Scheme,
    #[error("http to a host outside of the own network; use https, or set allow_private")]
    PlainHttp,
    #[error("a URL with a user, a query or a fragment; a path is all that may follow the host")]
    Parts,
    #[error("a URL longer than 512 bytes")]
    TooLong,
}

impl BaseUrl {
    /// Parses a base URL. `allow_private` permits http and private addresses, for a host of the operator's own. A
    /// private IP address or `localhost` needs no permission.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, BaseUrlError> {
        let url = Url::parse(text).map_err(|_| BaseUrlError::NotAUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BaseUrlError::Scheme);
        }
        let has_user = !url.username().is_empty() || url.password().is_some();
        if has_user || url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::Parts);
        }
        if url.as_str().len() > BASE_MAX_BYTES {
            return Err(BaseUrlError::TooLong);
        }
        let is_own = match url.host() {
            Some(Host::Ipv4(address)) => !is_public(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => !is_public(IpAddr::V6(address)),
            Some(Host::Domain(name)) => name == "localhost",
            None => return Err(BaseUrlError::NotAUrl),
        };
        let may_be_private = allow_private || is_own;
        if url.scheme() == "http" && !may_be_private {
            return Err(BaseUrlError::PlainHttp);
        }
        Ok(Self { url, may_be_private })
    }

    pub(super) fn may_be_private(&self) -> bool {
        self.may_be_private
    }

    /// The request's URL, key included; only for the HTTP client.
    pub(super) fn current_prices(&self, coins: &str) -> String {
        format!("{}/prices/current/{coins}", self.url.as_str().trim_end_matches('/'))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.host_str().unwrap_or_default())?;
        match self.url.port() {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BaseUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_prints_as_host_and_port() {
        let url = BaseUrl::parse("https://prices.example:8443/s3cret/coins", false).unwrap();
        assert_eq!(format!("{url} {url:?}"), "prices.example:8443 BaseUrl(prices.example:8443)");
        assert_eq!(url.current_prices("bsc:0x1"), "https://prices.example:8443/s3cret/coins/prices/current/bsc:0x1");
        let bare = BaseUrl::parse("https://prices.example", false).unwrap();
        assert_eq!(bare.current_prices("x"), "https://prices.example/prices/current/x");
    }

    #[test]
    fn plain_http_is_for_the_operators_own_hosts() {
        for own in ["http://127.0.0.1:1/", "http://[::1]:1", "http://10.0.0.1", "http://localhost:1"] {
            assert!(BaseUrl::parse(own, false).unwrap().may_be_private(), "{own}");
        }
        assert_eq!(BaseUrl::parse("http://prices.example", false), Err(BaseUrlError::PlainHttp));
        assert_eq!(BaseUrl::parse("http://1.1.1.1", false), Err(BaseUrlError::PlainHttp));
        assert!(BaseUrl::parse("http://prices.example", true).unwrap().may_be_private());
        assert!(!BaseUrl::parse("https://prices.example", false).unwrap().may_be_private());
        assert!(!BaseUrl::parse("https://1.1.1.1", false).unwrap().may_be_private());
    }

    #[test]
    fn an_error_never_repeats_the_url() {
        let long = format!("https://prices.example/s3cret{}", "x".repeat(512));
        for (text, error) in [
            ("s3cret", BaseUrlError::NotAUrl),
            ("ftp://prices.example/s3cret", BaseUrlError::Scheme),
            ("https://me:s3cret@prices.example", BaseUrlError::Parts),
            ("https://prices.example/?key=s3cret", BaseUrlError::Parts),
            (long.as_str(), BaseUrlError::TooLong),
        ] {
            let refused = BaseUrl::parse(text, false).unwrap_err();
            assert_eq!(refused, error, "{text}");
            assert!(!format!("{refused} {refused:?}").contains("s3cret"), "{text}");
        }
    }
}
