//! Who a client is. Invariant: all that counts by client counts by this.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// A client: everyone behind one address, or everyone with one API key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClientId {
    /// An address of IPv4, or the first address of a network of IPv6.
    Address(IpAddr),
    /// The name of an API key.
    Key(Arc<str>),
}

impl ClientId {
    /// Returns the client behind an address. In IPv6 it is the network of this many bits, which one customer has; an
    /// address that stands for one of IPv4 is that one.
    pub fn of_address(address: IpAddr, ipv6_bits: u32) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128_u32.saturating_sub(ipv6_bits)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
            address => address,
        })
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Key(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_ipv6_counts_by_its_network() {
        let id = |text: &str, bits: u32| ClientId::of_address(text.parse().unwrap(), bits);
        let address = |text: &str| ClientId::Address(text.parse().unwrap());
        assert_eq!(id("192.0.2.7", 64), address("192.0.2.7"));
        assert_eq!(id("::ffff:192.0.2.7", 64), address("192.0.2.7"));
        assert_eq!(id("2001:db8:1:2:3:4:5:6", 64), address("2001:db8:1:2::"));
        assert_eq!(id("2001:db8:1:ff02:3:4:5:6", 56), address("2001:db8:1:ff00::"));
        assert_eq!(id("2001:db8:1:2:3:4:5:6", 128), address("2001:db8:1:2:3:4:5:6"));
        assert_eq!(id("2001:db8::1", 0), address("::"));
    }
}
