//! Addresses of clients, also of those behind proxies.
//!
//! Invariant: a header of a request names its client only if a trusted proxy sent the request, and only by the hops that
//! trusted proxies added.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};
use ipnet::IpNet;
use portolan_reader::ClientId;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// How addresses of clients are found and counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientAddresses {
    /// Proxies whose word counts, by their networks.
    pub(crate) trusted_proxies: Vec<IpNet>,
    pub(crate) proxy_header: ProxyHeader,
    /// Bits of an IPv6 address that identify a client.
    pub(crate) ipv6_prefix: u32,
}

/// The header in which proxies name the client. There is one, because a proxy passes on the other as a client wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyHeader {
    XForwardedFor,
    /// RFC 7239.
    Forwarded,
}

impl ClientAddresses {
    /// Returns the client that an address counts for.
    pub(crate) fn id(&self, address: IpAddr) -> ClientId {
        ClientId::of_address(address, self.ipv6_prefix)
    }

    /// Returns true for the address of a trusted proxy.
    pub(crate) fn is_proxy(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted_proxies.iter().any(|network| network.contains(&address))
    }

    /// Returns the address of the client whose request came from `peer`: the last hop that is not a trusted proxy. Where
    /// a proxy names no address, it is the address of the proxy.
    pub(crate) fn of_request(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let (mut client, mut hops) = (peer.to_canonical(), self.proxy_header.hops(headers));
        while self.is_proxy(client) {
            let Some(hop) = hops.next().flatten() else { break };
            client = hop;
        }
        client
    }
}

impl ProxyHeader {
    /// Returns the hops of a request, the last one first; `None` for one that has no valid address.
    fn hops(self, headers: &HeaderMap) -> impl Iterator<Item = Option<IpAddr>> {
        let (name, hop): (_, fn(&str) -> Option<IpAddr>) = match self {
            Self::XForwardedFor => (X_FORWARDED_FOR, node),
            Self::Forwarded => (FORWARDED, forwarded_for),
        };
        let lines = headers.get_all(name).iter().rev();
        // No quoted address has a comma.
        let elements = move |line: &str| line.rsplit(',').map(|element| hop(element.trim())).collect::<Vec<_>>();
        lines.flat_map(move |line| line.to_str().map_or_else(|_| vec![None], elements))
    }
}

/// Returns the address of the `for` of an element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let mut nodes = pairs.filter(|(name, _)| name.eq_ignore_ascii_case("for")).map(|(_, value)| value);
    let value = nodes.next().filter(|_| nodes.next().is_none())?;
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    node(quoted.unwrap_or(value))
}

/// Parses an address with or without brackets and port.
fn node(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().or_else(|_| text.parse().map(|address: SocketAddr| address.ip()));
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
impl ClientAddresses {
    /// Addresses as they count without settings.
    pub(crate) const DIRECT: Self =
        Self { trusted_proxies: Vec::new(), proxy_header: ProxyHeader::XForwardedFor, ipv6_prefix: 64 };
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    const CLIENT: &str = "203.0.113.9";

    /// Returns the client of a request that came from `peer` with these lines of the header.
    fn client(proxy_header: ProxyHeader, peer: &str, lines: &[&str]) -> String {
        let trusted_proxies = ["10.0.0.0/8", "2001:db8::/32"].map(|network| network.parse().unwrap()).to_vec();
        let addresses = ClientAddresses { trusted_proxies, proxy_header, ..ClientAddresses::DIRECT };
        let mut headers = HeaderMap::new();
        let name = if proxy_header == ProxyHeader::Forwarded { FORWARDED } else { X_FORWARDED_FOR };
        for line in lines {
            headers.append(&name, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        addresses.of_request(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_client_is_the_last_hop_that_is_no_trusted_proxy() {
        let cases: [(&str, &[&str], &str); 12] = [
            ("10.0.0.1", &[CLIENT], CLIENT),
            ("10.0.0.1", &["1.1.1.1, 203.0.113.9"], CLIENT),
            ("10.0.0.1", &["1.1.1.1, 203.0.113.9, 10.9.9.9"], CLIENT),
            ("10.0.0.1", &["1.1.1.1", "203.0.113.9", "10.9.9.9"], CLIENT),
            ("::ffff:10.0.0.1", &["203.0.113.9:4711"], CLIENT),
            ("2001:db8::1", &["[2001:dead::7]:443"], "2001:dead::7"),
            ("10.0.0.1", &["2001:dead::7"], "2001:dead::7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.9, nobody"], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.9, nobody, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["203.0.113.9", "\u{e9}"], "10.0.0.1"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ];
        for (peer, lines, expected) in cases {
            assert_eq!(client(ProxyHeader::XForwardedFor, peer, lines), expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn nobody_else_names_a_client() {
        for peer in [CLIENT, "11.0.0.1", "::1"] {
            assert_eq!(client(ProxyHeader::XForwardedFor, peer, &["1.1.1.1"]), peer);
            assert_eq!(client(ProxyHeader::Forwarded, peer, &["for=1.1.1.1"]), peer);
        }
        let mut headers = HeaderMap::new();
        headers.insert(FORWARDED, HeaderValue::from_static("for=1.1.1.1"));
        let trusted_proxies = vec!["10.0.0.1/32".parse().unwrap()];
        let addresses = ClientAddresses { trusted_proxies, ..ClientAddresses::DIRECT };
        let peer = "10.0.0.1".parse().unwrap();
        assert_eq!(addresses.of_request(peer, &headers), peer, "the header that the proxy does not write");
    }

    #[test]
    fn forwarded_has_the_forms_of_its_standard() {
        let cases = [
            ("for=203.0.113.9", CLIENT),
            ("For=\"203.0.113.9:4711\";proto=http;by=203.0.113.43", CLIENT),
            ("for=1.1.1.1, proto=https ; for=203.0.113.9", CLIENT),
            ("for=\"[2001:dead::17]:4711\"", "2001:dead::17"),
            ("for=\"[2001:dead::17]\"", "2001:dead::17"),
            ("for=unknown", "10.0.0.1"),
            ("for=_hidden", "10.0.0.1"),
            ("for=1.1.1.1;for=2.2.2.2", "10.0.0.1"),
            ("proto=https", "10.0.0.1"),
            ("", "10.0.0.1"),
        ];
        for (line, expected) in cases {
            assert_eq!(client(ProxyHeader::Forwarded, "10.0.0.1", &[line]), expected, "{line}");
        }
    }
}
