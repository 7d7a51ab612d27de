//! Euler's connectors, and the factories that list its vaults.
//!
//! From <https://github.com/euler-xyz/euler-interfaces/tree/master/addresses>, `CoreAddresses.json`; the factories of vaults
//! stand also in `projects/euler-v2` of <https://github.com/DefiLlama/DefiLlama-Adapters>. Connectors and factories of Earn
//! have that one list.

use portolan_kits::euler::{Euler, EulerContracts, EulerTypes};
use portolan_plugin_api::address;

/// Accounts in vaults, and shares of vaults that lend to others.
pub(crate) const EULER: EulerTypes = EulerTypes { account: "euler-account", earn: "euler-earn" };

pub(crate) const ETHEREUM: Euler = EULER.of(EulerContracts {
    evc: address!("0x0c9a3dd6b8f28529d72d7f9ce918d493519ee383"),
    evault_factory: address!("0x29a56a1b8214d9cf7c5561811750d5cbdb45cc8e"),
    earn_factory: Some(address!("0x59709b029b140c853fe28d277f83c3a65e308af4")),
});

pub(crate) const ARBITRUM: Euler = EULER.of(EulerContracts {
    evc: address!("0x6302ef0f34100cddfb5489fbcb6ee1aa95cd1066"),
    evault_factory: address!("0x78df1cf5bf06a7f27f2acc580b934238c1b80d50"),
    earn_factory: Some(address!("0xb9b5d62b9fe9e1b505466e75817ab178a1d2ec9d")),
});

pub(crate) const AVALANCHE: Euler = EULER.of(EulerContracts {
    evc: address!("0xddcbe30a761edd2e19bba930a977475265f36fa1"),
    evault_factory: address!("0xaf4b4c18b17f6a2b32f6c398a3910bdcd7f26181"),
    earn_factory: Some(address!("0x574b00f5a0c56d370f19fa887a5545d74f52fac2")),
});

pub(crate) const BASE: Euler = EULER.of(EulerContracts {
    evc: address!("0x5301c7dd20bd945d2013b48ed0dee3a284ca8989"),
    evault_factory: address!("0x7f321498a801a191a93c840750ed637149ddf8d0"),
    earn_factory: Some(address!("0x75f49a2621b6dec6a5bab22ce961bf3e676efae6")),
});

pub(crate) const BSC: Euler = EULER.of(EulerContracts {
    evc: address!("0xb2e5a73cee08593d1a076a2ae7a6e02925a640ea"),
    evault_factory: address!("0x7f53e2755eb3c43824e162f7f6f087832b9c9df6"),
    earn_factory: Some(address!("0xc456d04e3f43597cc7e5a2af284ff4c4adda0cb1")),
});
