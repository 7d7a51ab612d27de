//! Factories of constant-product pairs that are trusted whichever plugins are loaded: plugins for farms of such
//! shares do not serve the factories themselves.

use alloy::primitives::{Address, address};
use portolan_networks as networks;

/// By chain id.
///
/// Uniswap v2: <https://docs.uniswap.org/contracts/v2/reference/smart-contracts/v2-deployments>; SushiSwap:
/// <https://github.com/sushiswap/sushiswap/blob/master/packages/sushi/src/evm/config/features>; QuickSwap:
/// <https://github.com/QuickSwap/interface-v2/blob/main/src/constants/v3/addresses.ts>; SpookySwap:
/// <https://ftmscan.com/address/0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3#code>; PancakeSwap: as the row of
/// `plugins/uniswap`.
#[rustfmt::skip]
pub(super) static FACTORIES: [(u64, Address); 18] = [
    (networks::ETHEREUM, address!("5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f")), // Uniswap
    (networks::OPTIMISM, address!("0c3c1c532f1e39edf36be9fe0be1410313e074bf")),
    (networks::BSC, address!("8909dc15e40173ff4699343b6eb8132c65e18ec6")),
    (networks::POLYGON, address!("9e5a52f57b3038f1b8eee45f28b3c1967e22799c")),
    (networks::BASE, address!("8909dc15e40173ff4699343b6eb8132c65e18ec6")),
    (networks::ARBITRUM, address!("f1d7cc64fb4452f05c498126312ebe29f30fbcf9")),
    (networks::AVALANCHE, address!("9e5a52f57b3038f1b8eee45f28b3c1967e22799c")),
    (networks::ETHEREUM, address!("c0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac")), // SushiSwap
    (networks::OPTIMISM, address!("fbc12984689e5f15626bad03ad60160fe98b303c")),
    (networks::BSC, address!("c35dadb65012ec5796536bd9864ed8773abc74c4")),
    (networks::POLYGON, address!("c35dadb65012ec5796536bd9864ed8773abc74c4")),
    (networks::FANTOM, address!("c35dadb65012ec5796536bd9864ed8773abc74c4")),
    (networks::BASE, address!("71524b4f93c58fcbf659783284e38825f0622859")),
    (networks::ARBITRUM, address!("c35dadb65012ec5796536bd9864ed8773abc74c4")),
    (networks::AVALANCHE, address!("c35dadb65012ec5796536bd9864ed8773abc74c4")),
    (networks::POLYGON, address!("5757371414417b8c6caad45baef941abc7d3ab32")), // QuickSwap
    (networks::FANTOM, address!("152ee697f2e276fa89e96742e9bb9ab1f2e61be3")), // SpookySwap
    (networks::BSC, address!("ca143ce32fe78f1f7019d7d551a6402fc5350c73")), // PancakeSwap
];
