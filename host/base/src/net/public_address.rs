//! IP addresses of the public internet. Others may be in the operator's own network, where names of third parties must
//! not lead.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns true if the address is public, by IANA's special-purpose registries.
/// <https://www.iana.org/assignments/iana-ipv4-special-registry>,
/// <https://www.iana.org/assignments/iana-ipv6-special-registry>
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_reserved = match (a, b, c) {
        (0 | 10 | 127 | 224..=255, ..) => true,
        (100, 64..=127, _) | (198, 18..=19, _) => true,
        (192, 0, 0 | 2) | (192, 88, 99) | (198, 51, 100) | (203, 0, 113) => true,
        _ => address.is_private() || address.is_link_local(),
    };
    !is_reserved
}

/// Returns true for global unicast (2000::/3) outside of its reserved parts.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_reserved = matches!((a, b), (0x2001, 0..0x200 | 0xdb8) | (0x3fff, 0..0x1000));
    a & 0xe000 == 0x2000 && !is_reserved
}

/// Returns the embedded IPv4 address at which packets may arrive: mapped, NAT64, 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            Some(of(high, low))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_internet_are_public() {
        for text in ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.1.0.1"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in ["2606:4700::1111", "2a00::1", "2001:4860:4860::8888", "::ffff:1.1.1.1", "64:ff9b::101:101"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn addresses_of_the_operators_own_network_are_not() {
        let v4 = [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
        ];
        let v6 = [
            "::",
            "::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::1",
            "::127.0.0.1",
            "5f00::1",
        ];
        for text in v4.into_iter().chain(v6) {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
