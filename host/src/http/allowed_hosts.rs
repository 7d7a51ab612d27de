//! The hosts that a request may name, where web pages must not reach.
//!
//! This defends against DNS rebinding: a foreign site can resolve its name to this address, but a browser still sends the
//! site's name in `Host`.

use std::net::IpAddr;

use hyper::header::HOST;
use hyper::http::request::Parts;
use hyper::http::uri::Authority;

use crate::gateway::problem::{Problem, quoted};

/// The hosts of one listener.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllowedHosts<'a> {
    /// Hosts in lower case, besides loopback ones and the address that the request came to.
    pub(super) allowed: &'a [String],
    /// The address that the request came to.
    pub(super) local: IpAddr,
    /// The setting that names further ones.
    pub(super) setting: &'static str,
    /// True if the request may also name none, or any address: an address is resolved by nobody.
    pub(super) takes_any_address: bool,
}

impl AllowedHosts<'_> {
    /// Checks the host in the target (HTTP/2) and in the headers (HTTP/1.1): there must be one, and all must be allowed.
    pub(super) fn check(self, head: &Parts) -> Result<(), Problem> {
        let of_target = head.uri.authority().map(Authority::as_str);
        let of_headers = head.headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
        let mut hosts = of_target.into_iter().chain(of_headers).peekable();
        let refusal = |host| Err(Problem::HostNotAllowed { host, setting: self.setting });
        if hosts.peek().is_none() && !self.takes_any_address {
            return refusal(String::new());
        }
        hosts.find(|host| !self.has(host)).map_or(Ok(()), |host| refusal(quoted(host)))
    }

    /// Returns true if this host, with or without a port, is allowed.
    pub(super) fn has(self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let host = authority.host().to_ascii_lowercase();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_own = |address: IpAddr| address.is_loopback() || address.to_canonical() == self.local.to_canonical();
        let is_address = address.is_ok_and(|address| self.takes_any_address || is_own(address));
        host == "localhost" || is_address || self.allowed.contains(&host)
    }
}
