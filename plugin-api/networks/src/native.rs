//! Addresses that contracts and lists use for a network's native token, and its coin type.
//!
//! Invariant: an address listed here is never a separate token. Balances and transfers of it are those of the native
//! token, which answers show once.

use alloy::primitives::{Address, address};

use super::{
    ABSTRACT, ARBITRUM, BASE, BLAST, BOB, CELO, CODEX, CYBER, ETHEREUM, FANTOM, FRAXTAL, GNOSIS, INK, KATANA, LINEA,
    LISK, MANTA_PACIFIC, MANTLE, METIS, MODE, MOONBEAM, MOONRIVER, OPBNB, OPTIMISM, POLYGON, POLYGON_MUMBAI, SCROLL,
    SONEIUM, SWELLCHAIN, UNICHAIN, WORLD_CHAIN, ZKSYNC_ERA, ZORA,
};

/// Logs each transfer of the native token, <https://eips.ethereum.org/EIPS/eip-7708>. It has no code, so nobody else
/// can log in its name.
pub const SYSTEM_ADDRESS: Address = address!("fffffffffffffffffffffffffffffffffffffffe");

/// Placeholders for the native token on every network: the zero address, that of
/// <https://eips.ethereum.org/EIPS/eip-7528>, and the one that logs its transfers. None has code.
const PLACEHOLDERS: [Address; 3] =
    [Address::ZERO, address!("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"), SYSTEM_ADDRESS];

/// Networks that have logged each transfer of the native token since their first block:
/// <https://github.com/maticnetwork/bor/blob/master/core/bor_fee_log.go>, and the contract of ZKsync below.
static LOGGING: [u64; 4] = [POLYGON, POLYGON_MUMBAI, ZKSYNC_ERA, ABSTRACT];

/// Collects gas payments on ZKsync, and refunds the rest:
/// <https://github.com/matter-labs/era-contracts/blob/main/system-contracts/contracts/Constants.sol>.
const ZKSYNC_BOOTLOADER: Address = address!("0000000000000000000000000000000000008001");

/// A contract whose `balanceOf` is the native balance, or an address that a bridge uses for the native token.
struct SecondAddress {
    address: Address,
    chain_ids: &'static [u64],
}

static SECOND_ADDRESSES: [SecondAddress; 5] = [
    // <https://github.com/0xPolygon/pos-contracts/blob/main/contracts/child/MRC20.sol>, at this address by the genesis.
    SecondAddress {
        address: address!("0000000000000000000000000000000000001010"),
        chain_ids: &[POLYGON, POLYGON_MUMBAI],
    },
    // The OP stack's: <https://specs.optimism.io/protocol/predeploys.html#legacyerc20eth>, used by its bridges. Of the
    // same origin: <https://docs.mantle.xyz/network/for-devs/common-use-cases/adding-mantle-wallet-support> and
    // <https://andromeda-explorer.metis.io/token/0xDeadDeAddeAddEAddeadDEaDDEAdDeaDDeAD0000>.
    SecondAddress {
        address: address!("deaddeaddeaddeaddeaddeaddeaddeaddead0000"),
        chain_ids: &[
            OPTIMISM,
            BASE,
            UNICHAIN,
            OPBNB,
            FRAXTAL,
            WORLD_CHAIN,
            LISK,
            SONEIUM,
            SWELLCHAIN,
            CYBER,
            MODE,
            INK,
            BOB,
            CODEX,
            BLAST,
            MANTA_PACIFIC,
            KATANA,
            ZORA,
            METIS,
            MANTLE,
        ],
    },
    // <https://github.com/matter-labs/era-contracts/blob/main/system-contracts/contracts/L2BaseToken.sol>
    SecondAddress { address: address!("000000000000000000000000000000000000800a"), chain_ids: &[ZKSYNC_ERA, ABSTRACT] },
    // <https://specs.celo.org/token_duality.html>: one balance, as ERC-20 and as native token.
    SecondAddress { address: address!("471ece3750da237f93b8e339c536989b8978a438"), chain_ids: &[CELO] },
    // <https://docs.moonbeam.network/builders/pallets-precompiles/precompiles/erc20/>
    SecondAddress { address: address!("0000000000000000000000000000000000000802"), chain_ids: &[MOONBEAM, MOONRIVER] },
];

/// Coin types of native tokens: <https://github.com/satoshilabs/slips/blob/master/slip-0044.md>. A network is left out
/// where it is not certain which one is meant: Avalanche and BNB Smart Chain, whose coins have one for each of their
/// chains, and test networks.
static COIN_TYPES: [(u32, &[u64]); 5] = [
    (60, &[ETHEREUM, OPTIMISM, ARBITRUM, BASE, LINEA, SCROLL, ZKSYNC_ERA, BLAST, UNICHAIN, WORLD_CHAIN, INK]),
    (700, &[GNOSIS]),
    (966, &[POLYGON]),
    (1_007, &[FANTOM]),
    (52_752, &[CELO]),
];

/// Returns the SLIP-44 coin type of a network's native token; `None` if it is not certain.
pub fn native_coin_type(chain_id: u64) -> Option<u32> {
    let of_network = |(_, chain_ids): &&(u32, &[u64])| chain_ids.contains(&chain_id);
    COIN_TYPES.iter().find(of_network).map(|(coin_type, _)| *coin_type)
}

/// Returns true if an address stands for the native token of a network.
pub fn is_native(chain_id: u64, address: Address) -> bool {
    PLACEHOLDERS.contains(&address)
        || SECOND_ADDRESSES.iter().any(|row| row.address == address && row.chain_ids.contains(&chain_id))
}

/// Returns true if a network logs each transfer of its native token.
pub fn logs_native(chain_id: u64) -> bool {
    LOGGING.contains(&chain_id)
}

/// Returns the address that senders pay for gas, if such payments are logged like transfers.
pub fn fee_collector(chain_id: u64) -> Option<Address> {
    [ZKSYNC_ERA, ABSTRACT].contains(&chain_id).then_some(ZKSYNC_BOOTLOADER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NETWORKS;

    #[test]
    fn a_second_address_is_one_on_its_own_networks_and_a_placeholder_on_all() {
        let polygon = address!("0000000000000000000000000000000000001010");
        assert!(is_native(POLYGON, polygon) && !is_native(ETHEREUM, polygon) && !is_native(OPTIMISM, polygon));
        let legacy = address!("deaddeaddeaddeaddeaddeaddeaddeaddead0000");
        assert!([OPTIMISM, BASE, METIS, MANTLE].iter().all(|chain_id| is_native(*chain_id, legacy)));
        assert!(!is_native(ETHEREUM, legacy) && !is_native(POLYGON, legacy));
        assert!(is_native(ZKSYNC_ERA, address!("000000000000000000000000000000000000800a")));
        assert!(PLACEHOLDERS.iter().all(|address| is_native(ETHEREUM, *address) && is_native(7, *address)));
    }

    #[test]
    fn every_network_of_the_op_stack_has_the_second_address_of_its_bridge() {
        let legacy = address!("deaddeaddeaddeaddeaddeaddeaddeaddead0000");
        let of_op_stack = NETWORKS.iter().filter(|network| network.data_fee == crate::DataFee::OpStack);
        // The address is that of ether, which is no native token of Celo.
        for network in of_op_stack.filter(|network| network.listing.native == "ETH") {
            assert!(is_native(network.chain_id, legacy), "{}", network.listing.slug);
        }
    }

    #[test]
    fn networks_with_one_native_token_have_one_coin_type() {
        let registered = [("ETH", 60), ("XDAI", 700), ("POL", 966), ("FTM", 1_007), ("CELO", 52_752)];
        for network in &NETWORKS {
            let known = registered.iter().find(|(symbol, _)| *symbol == network.listing.native);
            let expected = known.map(|(_, coin_type)| *coin_type);
            assert_eq!(native_coin_type(network.chain_id), expected, "{}", network.listing.slug);
        }
    }

    #[test]
    fn no_wrapper_of_a_listed_network_is_a_second_address() {
        let wrappers = NETWORKS.iter().filter_map(|network| Some((network.chain_id, network.listing.wrapped_native?)));
        assert!(wrappers.into_iter().all(|(chain_id, wrapper)| !is_native(chain_id, wrapper)));
    }
}
