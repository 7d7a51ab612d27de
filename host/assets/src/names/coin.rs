//! Coin types: the chain of an address record (ENSIP-9), and the reverse namespace of each (ENSIP-19).

use std::fmt;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::{SolCall, SolValue};

use super::contracts::Resolver;
use super::name::Name;
use super::{Absence, MAINNET};

/// SLIP-44's number for Ethereum.
const ETHEREUM: u64 = 60;
/// Bit that is set in the coin types of all other EVM chains. <https://docs.ens.domains/ensip/11>
const EVM: u64 = 0x8000_0000;

/// A coin type: a number of SLIP-44, or an EVM chain id with ENSIP-11's bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoinType(u64);

impl CoinType {
    pub const ETHEREUM: Self = Self(ETHEREUM);

    /// The coin type of a network; `None` for chain ids from 2^31, which ENSIP-11 does not cover.
    pub fn of_chain(chain_id: u64) -> Option<Self> {
        match chain_id {
            MAINNET => Some(Self::ETHEREUM),
            2..EVM => Some(Self(EVM | chain_id)),
            _ => None,
        }
    }

    pub fn number(self) -> u64 {
        self.0
    }

    /// The call that reads the address for this coin from a resolver. Old resolvers only know Ethereum's.
    pub(super) fn record(self, name: &Name) -> Vec<u8> {
        match self {
            Self::ETHEREUM => Resolver::addr_0Call { node: name.node() }.abi_encode(),
            Self(coin) => Resolver::addr_1Call { node: name.node(), coinType: U256::from(coin) }.abi_encode(),
        }
    }

    /// Decodes a resolver's reply to [`CoinType::record`].
    pub(super) fn bytes(self, returned: &[u8]) -> Result<Bytes, Absence> {
        let bytes = match self {
            Self::ETHEREUM => Address::abi_decode_validate(returned).map(|address| address.into_array().into()),
            _ => Bytes::abi_decode(returned),
        };
        let bytes = bytes.map_err(|_| Absence::BadRecord)?;
        // Some resolvers clear a record to empty, others to zeros.
        if bytes.iter().all(|byte| *byte == 0) { Err(Absence::NoRecord) } else { Ok(bytes) }
    }

    /// Decodes the reply as an address of an EVM chain.
    pub(super) fn address(self, returned: &[u8]) -> Result<Address, Absence> {
        Address::try_from(&self.bytes(returned)?[..]).map_err(|_| Absence::BadRecord)
    }

    /// The reverse name, whose record is an account's primary name. <https://docs.ens.domains/ensip/19>
    pub(super) fn reverse(self, account: Address) -> Name {
        let account = account.to_string().to_ascii_lowercase();
        let account = account.trim_start_matches("0x");
        let space = match self {
            Self::ETHEREUM => "addr".to_owned(),
            Self(EVM) => "default".to_owned(),
            Self(coin) => format!("{coin:x}"),
        };
        Name::normalized(&format!("{account}.{space}.reverse"))
    }
}

impl fmt::Display for CoinType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::address;

    use super::*;

    const ACCOUNT: Address = address!("0f32b753afc8abad9ca6fe589f707755f4df2353");

    #[test]
    fn a_network_has_the_coin_type_of_ensip_11() {
        // The examples of ENSIP-11 and ENSIP-19.
        for (chain_id, coin) in [(1, 60), (10, 2_147_483_658), (137, 2_147_483_785), (8453, 0x8000_2105)] {
            assert_eq!(CoinType::of_chain(chain_id).unwrap().number(), coin, "{chain_id}");
        }
        for chain_id in [0, 0x8000_0000, 0x8000_0001, u64::MAX] {
            assert_eq!(CoinType::of_chain(chain_id), None, "{chain_id}");
        }
    }

    #[test]
    fn reverse_names_are_those_of_ensip_19() {
        for (coin, name) in [
            (CoinType::ETHEREUM, "0f32b753afc8abad9ca6fe589f707755f4df2353.addr.reverse"),
            (CoinType(EVM), "0f32b753afc8abad9ca6fe589f707755f4df2353.default.reverse"),
            (CoinType::of_chain(42161).unwrap(), "0f32b753afc8abad9ca6fe589f707755f4df2353.8000a4b1.reverse"),
            (CoinType::of_chain(10).unwrap(), "0f32b753afc8abad9ca6fe589f707755f4df2353.8000000a.reverse"),
            (CoinType::of_chain(8453).unwrap(), "0f32b753afc8abad9ca6fe589f707755f4df2353.80002105.reverse"),
        ] {
            assert_eq!(coin.reverse(ACCOUNT).as_str(), name);
        }
    }

    #[test]
    fn an_address_is_twenty_bytes_that_are_not_all_zero() {
        let (eth, base) = (CoinType::ETHEREUM, CoinType::of_chain(8453).unwrap());
        assert_eq!(eth.address(&ACCOUNT.abi_encode()), Ok(ACCOUNT));
        assert_eq!(base.address(&Bytes::copy_from_slice(ACCOUNT.as_slice()).abi_encode()), Ok(ACCOUNT));
        assert_eq!(eth.address(&[0; 32]), Err(Absence::NoRecord));
        assert_eq!(base.address(&Bytes::new().abi_encode()), Err(Absence::NoRecord));
        assert_eq!(base.address(&Bytes::from(vec![0; 20]).abi_encode()), Err(Absence::NoRecord));
        for length in [1, 19, 21, 32] {
            let returned = Bytes::from(vec![1; length]).abi_encode();
            assert_eq!(base.address(&returned), Err(Absence::BadRecord), "{length}");
            assert_eq!(base.bytes(&returned).unwrap().len(), length);
        }
        for returned in [&[1; 32][..], &[1; 31], &[]] {
            assert_eq!(eth.address(returned), Err(Absence::BadRecord), "{returned:?}");
        }
    }
}
