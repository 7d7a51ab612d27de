//! Euler's connectors, and the factories that list its vaults.
//!
//! From <https://github.com/euler-xyz/euler-interfaces/tree/master/addresses>, `CoreAddresses.json`; the factories of vaults
//! stand also in `projects/euler-v2` of <https://github.com/DefiLlama/DefiLlama-Adapters>. Connectors and factories of Earn
//! have that one list.
//!
//! Perspectives are those of `PeripheryAddresses.json` there (as of 8007d05), which is their one source: governed, escrowed
//! collateral, edge, both ungoverned ones, and that of Earn; not those that verify all that a factory has made.

use std::borrow::Cow;

use portolan_kits::euler::{Euler, EulerContracts, EulerTypes};
use portolan_plugin_api::address;

/// Accounts in vaults, and shares of vaults that lend to others.
pub(crate) const EULER: EulerTypes = EulerTypes { account: "euler-account", earn: "euler-earn" };

pub(crate) const ETHEREUM: Euler = EULER.of(EulerContracts {
    evc: address!("0x0c9a3dd6b8f28529d72d7f9ce918d493519ee383"),
    evault_factory: address!("0x29a56a1b8214d9cf7c5561811750d5cbdb45cc8e"),
    earn_factory: Some(address!("0x59709b029b140c853fe28d277f83c3a65e308af4")),
    perspectives: Cow::Borrowed(&[
        address!("0xc0121817ff224a018840e4d15a864747d36e6eb2"),
        address!("0x4e58bbea423c4b9a2fc7b8e58f5499f9927fadde"),
        address!("0x8c7543f83d3d295f68447792581f73d7d5d4d788"),
        address!("0xb50a07c2b0f128faa065bd18ea2091f5da5e7fbf"),
        address!("0x600bbe1d0759f380fea72b2e9b2b6dcb4a21b507"),
        address!("0x492e9fe1289d43f8bb6275237bf16c9248c74d44"),
    ]),
});

pub(crate) const ARBITRUM: Euler = EULER.of(EulerContracts {
    evc: address!("0x6302ef0f34100cddfb5489fbcb6ee1aa95cd1066"),
    evault_factory: address!("0x78df1cf5bf06a7f27f2acc580b934238c1b80d50"),
    earn_factory: Some(address!("0xb9b5d62b9fe9e1b505466e75817ab178a1d2ec9d")),
    perspectives: Cow::Borrowed(&[
        address!("0xc7693ceef74bc7c8af703c5519f24bb5e6642643"),
        address!("0xd775c4960c3a1b4a6a9962e37ecde5c6b5fd56fb"),
        address!("0x57e2e654d1576a02beaaf3113c3faa9183c379ed"),
        address!("0x068789293d461be145d14bfc0e270941554cac26"),
        address!("0xfbb90dce4a2acb5425b96b7886d621de913c816d"),
        address!("0xee3de4507cfac8756634dc5272b4a6bb7f00c49e"),
    ]),
});

pub(crate) const AVALANCHE: Euler = EULER.of(EulerContracts {
    evc: address!("0xddcbe30a761edd2e19bba930a977475265f36fa1"),
    evault_factory: address!("0xaf4b4c18b17f6a2b32f6c398a3910bdcd7f26181"),
    earn_factory: Some(address!("0x574b00f5a0c56d370f19fa887a5545d74f52fac2")),
    perspectives: Cow::Borrowed(&[
        address!("0x0d1abccba91f074dea11adcc679c61326b6145ac"),
        address!("0x19747fb40074f8cc32fd24445face1fce11bd281"),
        address!("0x0c13cf54c341a0f91939685dcb1c9b75c2a6f595"),
        address!("0x299f86bbb552f74be79a687c565ac52452c0a02d"),
        address!("0xc2675790c775d385425d72652ded5f299fbb2868"),
        address!("0x23559ef969252b81d8da2b86a76d85fb602860ad"),
    ]),
});

pub(crate) const BASE: Euler = EULER.of(EulerContracts {
    evc: address!("0x5301c7dd20bd945d2013b48ed0dee3a284ca8989"),
    evault_factory: address!("0x7f321498a801a191a93c840750ed637149ddf8d0"),
    earn_factory: Some(address!("0x75f49a2621b6dec6a5bab22ce961bf3e676efae6")),
    perspectives: Cow::Borrowed(&[
        address!("0xafc8545c49df2c8216305922d9753bf60bf8c14a"),
        address!("0x977590fa311755da2fa1421c1a944520b684f90f"),
        address!("0x6ecaca741ec5013fc709292443b5f43a93a1dece"),
        address!("0x24f2b095df7c76266fd037b847360f69ed591549"),
        address!("0xfff2da17172588629adf5bdef275d9abebba39bd"),
        address!("0x08b817c17d84df89aa371084d910081a5cc04724"),
    ]),
});

pub(crate) const BSC: Euler = EULER.of(EulerContracts {
    evc: address!("0xb2e5a73cee08593d1a076a2ae7a6e02925a640ea"),
    evault_factory: address!("0x7f53e2755eb3c43824e162f7f6f087832b9c9df6"),
    earn_factory: Some(address!("0xc456d04e3f43597cc7e5a2af284ff4c4adda0cb1")),
    perspectives: Cow::Borrowed(&[
        address!("0x775231e5da4f548555eee633ebf7355a83a0fc03"),
        address!("0x65b8faec13ba76decc5dc5678bf356954ccd6823"),
        address!("0x546d1e3c430c712a610df311727529aa6512c7e5"),
        address!("0xea19a15182a78e8fff080f79c769fbb590f4d3e9"),
        address!("0x32581e478819f24434bac9041542770026ce32a7"),
        address!("0xef7599ef1cb0ec48ed6f4174641462d6919a7ce2"),
    ]),
});
