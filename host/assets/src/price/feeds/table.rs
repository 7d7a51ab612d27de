//! The shipped feeds: answers in dollars for one whole token, or chains of answers that multiply to that.
//!
//! Feeds of a network and its tokens are from [aave-address-book](https://github.com/bgd-labs/aave-address-book),
//! which lists Chainlink's own directory (<https://docs.chain.link/data-feeds/price-feeds/addresses>). Heartbeats are
//! from [chainlink-package](https://github.com/LZeroAnalytics/chainlink-package) for Ethereum, Optimism and Base, and
//! from [dForce's oracles](https://github.com/dforce-network/Oracle) for Arbitrum, BSC and Polygon, minus its margin
//! of an hour. Tokens that Aave does not list on Scroll, ZKsync, Mantle and Sonic are from
//! [DefiLlama's list](https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/helper/coreAssets.json).
//! Feeds that neither has get [`LONGEST_S`], which may accept an older price but never rejects a live
//! feed.

use alloy::primitives::{Address, address};
use portolan_networks as networks;

use super::{Feed, NATIVE};

/// The heartbeat of slow feeds; no feed of a main token or a currency in dollars has a longer one.
pub(super) const LONGEST_S: u32 = 86_400;

/// A token and the feeds whose answers multiply to its price.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeedRow {
    pub(super) token: Address,
    pub(super) feeds: &'static [Feed],
}

/// The shipped rows, by chain id. Polygon's test network has none: it is shut down, and its tokens are worthless.
pub(super) const SHIPPED: [(u64, &[FeedRow]); 15] = [
    (networks::ETHEREUM, ETHEREUM),
    (networks::OPTIMISM, OPTIMISM),
    (networks::ARBITRUM, ARBITRUM),
    (networks::FANTOM, FANTOM),
    (networks::AVALANCHE, AVALANCHE),
    (networks::BSC, BSC),
    (networks::POLYGON, POLYGON),
    (networks::BASE, BASE),
    (networks::GNOSIS, GNOSIS),
    (networks::LINEA, LINEA),
    (networks::SCROLL, SCROLL),
    (networks::ZKSYNC_ERA, ZKSYNC_ERA),
    (networks::MANTLE, MANTLE),
    (networks::SONIC, SONIC),
    (networks::CELO, CELO),
];

const fn feed(address: Address, heartbeat_s: u32) -> Feed {
    Feed { address, heartbeat_s }
}

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/ChainlinkEthereum.sol>
#[rustfmt::skip]
const ETHEREUM: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("5f4ec3df9cbd43714fe2740f5e3616155c5b8419"), 3600)] }, // ETH
    FeedRow { token: address!("2260fac5e5542a773aa44fbcfedf7c193bc2c599"), feeds: &[feed(address!("fdfd9c85ad200c506cf9e21f1fd8dd01932fbb23"), LONGEST_S), feed(address!("f4030086522a5beea4988f8ca5b36dbc97bee88c"), 3600)] }, // WBTC
    FeedRow { token: address!("cbb7c0000ab88b473b1f5afd9ef808440eed33bf"), feeds: &[feed(address!("2665701293fcbeb223d11a08d826563edcce423a"), LONGEST_S)] }, // cbBTC
    FeedRow { token: address!("18084fba666a33d37592fa2633fd49a74dd93a88"), feeds: &[feed(address!("8350b7de6a6a2c1368e7d4bd968190e13e354297"), LONGEST_S)] }, // tBTC
    FeedRow { token: address!("a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"), feeds: &[feed(address!("8fffffd4afb6115b954bd326cbe7b4ba576818f6"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("dac17f958d2ee523a2206206994597c13d831ec7"), feeds: &[feed(address!("3e7d1eab13ad0104d2750b8863b489d65364e32d"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("6b175474e89094c44da98b954eedeac495271d0f"), feeds: &[feed(address!("aed0c38402a5d19df6e4c03f4e2dced6e29c1ee9"), 3600)] }, // DAI
    FeedRow { token: address!("853d955acef822db058eb8505911ed77f175b99e"), feeds: &[feed(address!("b9e1e3a9feff48998e45fa90847ed4d467e8bcfd"), 3600)] }, // FRAX
    FeedRow { token: address!("5f98805a4e8be255a32880fdec7f6728c6568ba0"), feeds: &[feed(address!("3d7ae7e594f2f2091ad8798313450130d0aba3a0"), 3600)] }, // LUSD
    FeedRow { token: address!("40d16fc0246ad3160ccc09b8d0d3a2cd28ae6c2f"), feeds: &[feed(address!("3f12643d3f6f874d39c2a4c9f2cd6f2dbac877fc"), LONGEST_S)] }, // GHO
    FeedRow { token: address!("f939e0a03fb07f59a73314e73794be0e57ac1b4e"), feeds: &[feed(address!("eef0c605546958c1f899b6fb336c20671f9cd49f"), LONGEST_S)] }, // crvUSD
    FeedRow { token: address!("6c3ea9036406852006290770bedfcaba0e23a0e8"), feeds: &[feed(address!("8f1df6d7f2db73eece86a18b4381f4707b918fb1"), LONGEST_S)] }, // PYUSD
    FeedRow { token: address!("ae7ab96520de3a18e5e111b5eaab095312d7fe84"), feeds: &[feed(address!("cfe54b5cd566ab89272946f602d76ea879cab4a8"), 3600)] }, // stETH
    FeedRow { token: address!("be9895146f7af43049ca1c1ae358b0541ea49704"), feeds: &[feed(address!("f017fcb346a1885194689ba23eff2fe6fa5c483b"), LONGEST_S), feed(address!("5f4ec3df9cbd43714fe2740f5e3616155c5b8419"), 3600)] }, // cbETH
    FeedRow { token: address!("ae78736cd615f374d3085123a210448e74fc6393"), feeds: &[feed(address!("536218f9e9eb48863970252233c8f271f554c2d0"), LONGEST_S), feed(address!("5f4ec3df9cbd43714fe2740f5e3616155c5b8419"), 3600)] }, // rETH
    FeedRow { token: address!("514910771af9ca656af840dff83e8264ecf986ca"), feeds: &[feed(address!("2c1d072e956affc0d435cb7ac38ef18d24d9127c"), 3600)] }, // LINK
    FeedRow { token: address!("7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9"), feeds: &[feed(address!("547a514d5e3769680ce22b2361c10ea13619e8a9"), 3600)] }, // AAVE
    FeedRow { token: address!("1f9840a85d5af5bf1d1762f925bdaddc4201f984"), feeds: &[feed(address!("553303d460ee0afb37edff9be42922d8ff63220e"), 3600)] }, // UNI
    FeedRow { token: address!("d533a949740bb3306d119cc777fa900ba034cd52"), feeds: &[feed(address!("cd627aa160a6fa45eb793d19ef54f5062f20f33f"), LONGEST_S)] }, // CRV
    FeedRow { token: address!("ba100000625a3754423978a60c9317c58a424e3d"), feeds: &[feed(address!("df2917806e30300537aeb49a7663062f4d1f2b5f"), LONGEST_S)] }, // BAL
    FeedRow { token: address!("9f8f72aa9304c8b593d555f12ef6589cc3a579a2"), feeds: &[feed(address!("ec1d1b3b0443256cc3860e24a46f108e699484aa"), 3600)] }, // MKR
    FeedRow { token: address!("c011a73ee8576fb46f5e1c5751ca3b9fe0af2a6f"), feeds: &[feed(address!("dc3ea94cd0ac27d9a86c180091e7f78c683d3699"), LONGEST_S)] }, // SNX
    FeedRow { token: address!("5a98fcbea516cf06857215779fd812ca3bef1b32"), feeds: &[feed(address!("4e844125952d32acdf339be976c98e22f6f318db"), LONGEST_S), feed(address!("5f4ec3df9cbd43714fe2740f5e3616155c5b8419"), 3600)] }, // LDO
    FeedRow { token: address!("c18360217d8f7ab5e7c516566761ea12ce7f9d72"), feeds: &[feed(address!("5c00128d4d1c2f4f652c267d7bcdd7ac99c16e16"), LONGEST_S)] }, // ENS
    FeedRow { token: address!("4e3fbd56cd56c3e72c1403e103b45db9da5b9d2b"), feeds: &[feed(address!("d962fc30a72a84ce50161031391756bf2876af5d"), LONGEST_S)] }, // CVX
];

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/ChainlinkOptimism.sol>
#[rustfmt::skip]
const OPTIMISM: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("13e3ee699d1909e989722e753853ae30b17e08c5"), 1200)] }, // ETH
    FeedRow { token: address!("68f180fcce6836688e9084f035309e29bf0a2095"), feeds: &[feed(address!("718a5788b89454aae3a028ae9c111a29be6c2a6f"), 1200)] }, // WBTC
    FeedRow { token: address!("0b2c639c533813f4aa9d7837caf62653d097ff85"), feeds: &[feed(address!("16a9fa2fda030272ce99b29cf780dfa30361e0f3"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("7f5c764cbc14f9669b88837ca1490cca17c31607"), feeds: &[feed(address!("16a9fa2fda030272ce99b29cf780dfa30361e0f3"), LONGEST_S)] }, // USDC.e
    FeedRow { token: address!("94b008aa00579c1307b0ef2c499ad98a8ce58e58"), feeds: &[feed(address!("ecef79e109e997bca29c1c0897ec9d7b03647f5e"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("da10009cbd5d07dd0cecc66161fc93d7c9000da1"), feeds: &[feed(address!("8dba75e83da73cc766a7e5a0ee71f656bab470d6"), LONGEST_S)] }, // DAI
    FeedRow { token: address!("4200000000000000000000000000000000000042"), feeds: &[feed(address!("0d276fc14719f9292d5c1ea2198673d1f4269246"), 1200)] }, // OP
    FeedRow { token: address!("350a791bfc2c21f9ed5d10980dad2e2638ffa7f6"), feeds: &[feed(address!("cc232dcfaae6354ce191bd574108c1ad03f86450"), 1200)] }, // LINK
    FeedRow { token: address!("76fb31fb4af56892a25e32cfc43de717950c9278"), feeds: &[feed(address!("338ed6787f463394d24813b297401b9f05a8c9d1"), 1200)] }, // AAVE
    FeedRow { token: address!("1f32b1c2345538c0c6f582fcb022739c4a194ebb"), feeds: &[feed(address!("698b585cbc4407e2d54aa898b2600b53c68958f7"), LONGEST_S)] }, // wstETH
    FeedRow { token: address!("9bcef72be871e61ed4fbbc7630889bee758eb81d"), feeds: &[feed(address!("b429de60943a8e6ded356dca2f93cd31201d9ed0"), LONGEST_S), feed(address!("13e3ee699d1909e989722e753853ae30b17e08c5"), 1200)] }, // rETH
];

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/ChainlinkArbitrum.sol>
#[rustfmt::skip]
const ARBITRUM: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("639fe6ab55c921f74e7fac1ee960c0b6293ba612"), LONGEST_S)] }, // ETH
    FeedRow { token: address!("2f2a2543b76a4166549f7aab2e75bef0aefc5b0f"), feeds: &[feed(address!("d0c7101eacbb49f3decccc166d238410d6d46d57"), LONGEST_S)] }, // WBTC
    FeedRow { token: address!("af88d065e77c8cc2239327c5edb3a432268e5831"), feeds: &[feed(address!("50834f3163758fcc1df9973b6e91f0f0f0434ad3"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("ff970a61a04b1ca14834a43f5de4533ebddb5cc8"), feeds: &[feed(address!("50834f3163758fcc1df9973b6e91f0f0f0434ad3"), LONGEST_S)] }, // USDC.e
    FeedRow { token: address!("fd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9"), feeds: &[feed(address!("3f3f5df88dc9f13eac63df89ec16ef6e7e25dde7"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("da10009cbd5d07dd0cecc66161fc93d7c9000da1"), feeds: &[feed(address!("c5c8e77b397e531b8ec06bfb0048328b30e9ecfb"), LONGEST_S)] }, // DAI
    FeedRow { token: address!("17fc002b466eec40dae837fc4be5c67993ddbd6f"), feeds: &[feed(address!("0809e3d38d1b4214958faf06d8b1b1a2b73f2ab8"), LONGEST_S)] }, // FRAX
    FeedRow { token: address!("912ce59144191c1204e64559fe8253a0e49e6548"), feeds: &[feed(address!("b2a824043730fe05f3da2efafa1cbbe83fa548d6"), LONGEST_S)] }, // ARB
    FeedRow { token: address!("f97f4df75117a78c1a5a0dbb814af92458539fb4"), feeds: &[feed(address!("86e53cf1b870786351da77a57575e79cb55812cb"), 3600)] }, // LINK
    FeedRow { token: address!("ba5ddd1f9d7f570dc94a51479a000e3bce967196"), feeds: &[feed(address!("ad1d5344aade45f43e596773bcc4c423eabdd034"), LONGEST_S)] }, // AAVE
];

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/AaveV3Fantom.sol>
#[rustfmt::skip]
const FANTOM: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("f4766552d15ae4d256ad41b6cf2933482b0680dc"), LONGEST_S)] }, // FTM
    FeedRow { token: address!("321162cd933e2be498cd2267a90534a804051b11"), feeds: &[feed(address!("8e94c22142f4a64b99022ccdd994f4e9ec86e4b4"), LONGEST_S)] }, // BTC
    FeedRow { token: address!("74b23882a30290451a17c44f4f05243b6b58c76d"), feeds: &[feed(address!("11ddd3d147e5b83d01cee7070027092397d63658"), LONGEST_S)] }, // ETH
    FeedRow { token: address!("04068da6c83afcfa0e13ba15a6696662335d5b75"), feeds: &[feed(address!("2553f4eeb82d5a26427b8d1106c51499cba5d99c"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("049d68029688eabf473097a2fc38ef61633a3c7a"), feeds: &[feed(address!("f64b636c5dfe1d3555a847341cdc449f612307d0"), LONGEST_S)] }, // fUSDT
    FeedRow { token: address!("8d11ec38a3eb5e956b052f67da8bdc9bef8abf3e"), feeds: &[feed(address!("91d5defaffe2854c7d02f50c80fa1fdc8a721e52"), LONGEST_S)] }, // DAI
    FeedRow { token: address!("b3654dc3d10ea7645f8319668e8f54d2574fbdc8"), feeds: &[feed(address!("221c773d8647bc3034e91a0c47062e26d20d97b4"), LONGEST_S)] }, // LINK
    FeedRow { token: address!("6a07a792ab2965c72a5b8088d3a069a7ac3a993b"), feeds: &[feed(address!("e6ecf7d2361b6459cbb3b4fb065e0ef4b175fe74"), LONGEST_S)] }, // AAVE
    FeedRow { token: address!("1e4f97b9f9f913c46f1632781732927b9019c68b"), feeds: &[feed(address!("a141d7e3b44594cc65142ae5f2c7844abea66d2b"), LONGEST_S)] }, // CRV
    FeedRow { token: address!("ae75a438b2e0cb8bb01ec1e1e376de11d44477cc"), feeds: &[feed(address!("ccc059a1a17577676c8673952dc02070d29e5a66"), LONGEST_S)] }, // SUSHI
];

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/ChainlinkAvalanche.sol>
#[rustfmt::skip]
const AVALANCHE: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("0a77230d17318075983913bc2145db16c7366156"), LONGEST_S)] }, // AVAX
    FeedRow { token: address!("49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab"), feeds: &[feed(address!("976b3d034e162d8bd72d6b9c989d545b839003b0"), LONGEST_S)] }, // WETH.e
    FeedRow { token: address!("50b7545627a5162f82a992c33b87adc75187b218"), feeds: &[feed(address!("86442e3a98558357d46e6182f4b262f76c4fa26f"), LONGEST_S)] }, // WBTC.e
    FeedRow { token: address!("152b9d0fdc40c096757f570a51e494bd4b943e50"), feeds: &[feed(address!("2779d32d5166baaa2b2b658333ba7e6ec0c65743"), LONGEST_S)] }, // BTC.b
    FeedRow { token: address!("b97ef9ef8734c71904d8002f8b6bc66dd9c48a6e"), feeds: &[feed(address!("f096872672f44d6eba71458d74fe67f9a77a23b9"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("a7d7079b0fead91f3e65f86e8915cb59c1a4c664"), feeds: &[feed(address!("f096872672f44d6eba71458d74fe67f9a77a23b9"), LONGEST_S)] }, // USDC.e
    FeedRow { token: address!("9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7"), feeds: &[feed(address!("ebe676ee90fe1112671f19b6b7459bc678b67e8a"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("c7198437980c041c805a1edcba50c1ce5db95118"), feeds: &[feed(address!("ebe676ee90fe1112671f19b6b7459bc678b67e8a"), LONGEST_S)] }, // USDT.e
    FeedRow { token: address!("d586e7f844cea2f87f50152665bcbc2c279d8d70"), feeds: &[feed(address!("51d7180eda2260cc4f6e4eebb82fef5c3c2b8300"), LONGEST_S)] }, // DAI.e
    FeedRow { token: address!("5947bb275c521040051d82396192181b413227a3"), feeds: &[feed(address!("49ccd9ca821efeab2b98c60dc60f518e765ede9a"), LONGEST_S)] }, // LINK.e
    FeedRow { token: address!("63a72806098bd3d9520cc43356dd78afe5d386d9"), feeds: &[feed(address!("3ca13391e9fb38a75330fb28f8cc2eb3d9ceceed"), LONGEST_S)] }, // AAVE.e
];

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/ChainlinkBNB.sol>
#[rustfmt::skip]
const BSC: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("0567f2323251f0aab15c8dfb1967e4e8a7d42aee"), 3600)] }, // BNB
    FeedRow { token: address!("2170ed0880ac9a755fd29b2688956bd959f933f8"), feeds: &[feed(address!("9ef1b8c0e4f7dc8bf5719ea496883dc6401d5b2e"), 3600)] }, // ETH
    FeedRow { token: address!("7130d2a12b9bcbfae4f2634d864a1ee1ce3ead9c"), feeds: &[feed(address!("264990fbd0a4796a3e3d8e37c4d5f87a3aca5ebf"), 3600)] }, // BTCB
    FeedRow { token: address!("8ac76a51cc950d9822d68b83fe1ad97b32cd580d"), feeds: &[feed(address!("51597f405303c4377e36123cbc172b13269ea163"), 3600)] }, // USDC
    FeedRow { token: address!("55d398326f99059ff775485246999027b3197955"), feeds: &[feed(address!("b97ad0e74fa7d920791e90258a6e2085088b4320"), 3600)] }, // USDT
    FeedRow { token: address!("0e09fabb73bd3ade0a17ecc321fd13a19e81ce82"), feeds: &[feed(address!("b6064ed41d4f67e353768aa239ca86f4f73665a1"), 3600)] }, // Cake
];

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/ChainlinkPolygon.sol>
#[rustfmt::skip]
const POLYGON: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("ab594600376ec9fd91f8e885dadf0ce036862de0"), 3600)] }, // POL
    FeedRow { token: address!("7ceb23fd6bc0add59e62ac25578270cff1b9f619"), feeds: &[feed(address!("f9680d99d6c9589e2a93a78a04a279e509205945"), 3600)] }, // WETH
    FeedRow { token: address!("1bfd67037b42cf73acf2047067bd4f2c47d9bfd6"), feeds: &[feed(address!("de31f8bfbd8c84b5360cfacca3539b938dd78ae6"), LONGEST_S)] }, // WBTC
    FeedRow { token: address!("3c499c542cef5e3811e1192ce70d8cc03d5c3359"), feeds: &[feed(address!("fe4a8cc5b5b2366c1b58bea3858e81843581b2f7"), 3600)] }, // USDC
    FeedRow { token: address!("2791bca1f2de4661ed88a30c99a7a9449aa84174"), feeds: &[feed(address!("fe4a8cc5b5b2366c1b58bea3858e81843581b2f7"), 3600)] }, // USDC.e
    FeedRow { token: address!("c2132d05d31c914a87c6611c10748aeb04b58e8f"), feeds: &[feed(address!("0a6513e40db6eb1b165753ad52e80663aea50545"), 3600)] }, // USDT
    FeedRow { token: address!("8f3cf7ad23cd3cadbd9735aff958023239c6a063"), feeds: &[feed(address!("4746dec9e833a82ec7c2c1356372ccf2cfcd2f3d"), 3600)] }, // DAI
    FeedRow { token: address!("53e0bca35ec356bd5dddfebbd1fc0fd03fabad39"), feeds: &[feed(address!("d9ffdb71ebe7496cc440152d43986aae0ab76665"), 3600)] }, // LINK
    FeedRow { token: address!("d6df932a45c0f255f85145f286ea0b292b21c90b"), feeds: &[feed(address!("72484b12719e23115761d5da1646945632979bb6"), 3600)] }, // AAVE
    FeedRow { token: address!("172370d5cd63279efa6d502dab29171933a610af"), feeds: &[feed(address!("336584c8e6dc19637a5b36206b1c79923111b405"), 3600)] }, // CRV
    FeedRow { token: address!("9a71012b13ca4d3d0cdc72a177df3ef03b0e76a3"), feeds: &[feed(address!("d106b538f2a868c28ca1ec7e298c3325e0251d66"), LONGEST_S)] }, // BAL
    FeedRow { token: address!("0b3f868e0be5597d5db7feb59e1cadbb0fdda50a"), feeds: &[feed(address!("49b0c695039243bbfeb8ecd054eb70061fd54aa0"), LONGEST_S)] }, // SUSHI
];

/// <https://github.com/bgd-labs/aave-address-book/blob/main/src/ChainlinkBase.sol>
#[rustfmt::skip]
const BASE: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("71041dddad3595f9ced3dccfbe3d1f4b0a16bb70"), 1200)] }, // ETH
    FeedRow { token: address!("2ae3f1ec7f1f5012cfeab0185bfc7aa3cf0dec22"), feeds: &[feed(address!("d7818272b9e248357d13057aab0b417af31e817d"), 1200)] }, // cbETH
    FeedRow { token: address!("cbb7c0000ab88b473b1f5afd9ef808440eed33bf"), feeds: &[feed(address!("07da0e54543a844a80abe69c8a12f22b3aa59f9d"), LONGEST_S)] }, // cbBTC
    FeedRow { token: address!("833589fcd6edb6e08f4c7c32d4f71b54bda02913"), feeds: &[feed(address!("7e860098f58bbfc8648a4311b374b1d669a2bc6b"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("d9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca"), feeds: &[feed(address!("7e860098f58bbfc8648a4311b374b1d669a2bc6b"), LONGEST_S)] }, // USDbC
    FeedRow { token: address!("60a3e35cc302bfa44cb288bc5a4f316fdb1adb42"), feeds: &[feed(address!("dae398520e2b67cd3f27aef9cf14d93d927f8250"), LONGEST_S)] }, // EURC
    FeedRow { token: address!("6bb7a212910682dcfdbd5bcbb3e28fb4e8da10ee"), feeds: &[feed(address!("42868efcee13c0e71af89c04ff7d96f5bec479b0"), LONGEST_S)] }, // GHO
    FeedRow { token: address!("63706e401c06ac8513145b7687a14804d17f814b"), feeds: &[feed(address!("3d6774ef702a10b20fca8ed40fc022f7e4938e07"), LONGEST_S)] }, // AAVE
    FeedRow { token: address!("236aa50979d5f3de3bd1eeb40e81137f22ab794b"), feeds: &[feed(address!("6d75bfb5a5885f841b132198c9f0be8c872057bf"), LONGEST_S)] }, // tBTC
];

/// <https://github.com/aave-dao/aave-address-book/blob/v4.68.1/src/ChainlinkGnosis.sol>
#[rustfmt::skip]
const GNOSIS: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("678df3415fc31947da4324ec63212874be5a82f8"), LONGEST_S)] }, // XDAI
    FeedRow { token: address!("6a023ccd1ff6f2045c3309768ead9e68f978f6e1"), feeds: &[feed(address!("a767f745331d267c7751297d982b050c93985627"), LONGEST_S)] }, // WETH
    FeedRow { token: address!("9c58bacc331c9aa871afd802db6379a98e80cedb"), feeds: &[feed(address!("22441d81416430a54336ab28765abd31a792ad37"), LONGEST_S)] }, // GNO
    FeedRow { token: address!("ddafbb505ad214d7b80b1f830fccc89b60fb7a83"), feeds: &[feed(address!("26c31ac71010af62e6b486d1132e266d6298857d"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("2a22f9c3b484c3629090feed35f17ff8f88f76f0"), feeds: &[feed(address!("26c31ac71010af62e6b486d1132e266d6298857d"), LONGEST_S)] }, // USDC.e
    FeedRow { token: address!("cb444e90d8198415266c6a2724b7900fb12fc56e"), feeds: &[feed(address!("ab70bcb260073d036d1660201e9d5405f5829b7a"), LONGEST_S)] }, // EURe
    FeedRow { token: address!("fc421ad3c883bf9e7c4f42de845c4e4405799e73"), feeds: &[feed(address!("855193775ef2abb12cf95de3086229a14ab8e0e3"), LONGEST_S)] }, // GHO
];

/// <https://github.com/aave-dao/aave-address-book/blob/v4.68.1/src/ChainlinkLinea.sol>
#[rustfmt::skip]
const LINEA: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("3c6cd9cc7c7a4c2cf5a82734cd249d7d593354da"), LONGEST_S)] }, // ETH
    FeedRow { token: address!("176211869ca2b568f2a7d4ee941e073a821ee1ff"), feeds: &[feed(address!("aadaa473c1bdf7317ec07c915680af29debfdcb5"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("a219439258ca9da29e9cc4ce5596924745e12b93"), feeds: &[feed(address!("efca2bbe0edd0e22b2e0d2f8248e99f4bef4a7db"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("b5bedd42000b71fdde22d3ee8a79bd49a568fc8f"), feeds: &[feed(address!("8ece1aba32716fdde8d6482bfd88e9a0ee01f565"), LONGEST_S)] }, // wstETH
];

/// <https://github.com/aave-dao/aave-address-book/blob/v4.68.1/src/ChainlinkScroll.sol>
#[rustfmt::skip]
const SCROLL: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("6bf14cb0a831078629d993fdebcb182b21a8774c"), LONGEST_S)] }, // ETH
    FeedRow { token: address!("06efdbff2a14a7c8e15944d1f4a48f9f95f663a4"), feeds: &[feed(address!("43d12fb3afcad5347fa764eeab105478337b7200"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("f55bec9cafdbe8730f096aa55dad6d22d44099df"), feeds: &[feed(address!("f376a91ae078927eb3686d6010a6f1482424954e"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("3c1bca5a656e69edcd0d4e36bebb3fcdaca60cf1"), feeds: &[feed(address!("61c432b58a43516899d8df33a5f57edb8d57eb77"), LONGEST_S)] }, // WBTC
    FeedRow { token: address!("f610a9dfb7c89644979b4a0f27063e9e7d7cda32"), feeds: &[feed(address!("e428fbdbd61cc1be6c273dc0e27a1f43124a86f3"), LONGEST_S), feed(address!("6bf14cb0a831078629d993fdebcb182b21a8774c"), LONGEST_S)] }, // wstETH
    FeedRow { token: address!("d29687c813d741e2f938f4ac377128810e217b1b"), feeds: &[feed(address!("26f6f7c468ee309115d19aa2055db5a74f8ce7a5"), LONGEST_S)] }, // SCR
];

/// <https://github.com/aave-dao/aave-address-book/blob/v4.68.1/src/ChainlinkZkSync.sol>
#[rustfmt::skip]
const ZKSYNC_ERA: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("6d41d1dc818112880b40e26bd6fd347e41008eda"), LONGEST_S)] }, // ETH
    FeedRow { token: address!("1d17cbcf0d6d143135ae902365d2e5e2a16538d4"), feeds: &[feed(address!("1824d297c6d6d311a204495277b63e943c2d376e"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("3355df6d4c9c3035724fd0e3914de96a5a83aaf4"), feeds: &[feed(address!("1824d297c6d6d311a204495277b63e943c2d376e"), LONGEST_S)] }, // USDC.e
    FeedRow { token: address!("493257fd37edb34451f62edf8d2a0c418852ba4c"), feeds: &[feed(address!("b615075979ae1836b476f651f1eb79f0cd3956a9"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("4b9eb6c0b6ea15176bbf62841c6b2a8a398cb656"), feeds: &[feed(address!("5d336664b5d7a332cd256bf68cbf2270c6202fc6"), LONGEST_S)] }, // DAI
    FeedRow { token: address!("5a7d6b2f92c77fad6ccabd7ee0624e64907eaf3e"), feeds: &[feed(address!("d1ce60dc8ae060ddd17ca8716c96f193bc88dd13"), LONGEST_S)] }, // ZK
];

/// <https://github.com/aave-dao/aave-address-book/blob/v4.68.1/src/ChainlinkMantle.sol>
#[rustfmt::skip]
const MANTLE: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("d97f20bebed74e8144134c4b148fe93417dd0f96"), LONGEST_S)] }, // MNT
    FeedRow { token: address!("deaddeaddeaddeaddeaddeaddeaddeaddead1111"), feeds: &[feed(address!("5bc7cf88eb131db18b5d7930e793095140799ad5"), LONGEST_S)] }, // WETH
    FeedRow { token: address!("09bc4e0d864854c6afb6eb9a9cdf58ac190d0df9"), feeds: &[feed(address!("22b422cecb0d4bd5aff3ea999b048fa17f5263bd"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("201eba5cc46d216ce6dc03f6a759e8e766e956ae"), feeds: &[feed(address!("d86048d5e4fe96157ce03ae519a9045bedaa6551"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("779ded0c9e1022225f8e0630b35a9b54be713736"), feeds: &[feed(address!("d86048d5e4fe96157ce03ae519a9045bedaa6551"), LONGEST_S)] }, // USDT0
    FeedRow { token: address!("5d3a1ff2b6bab83b63cd9ad0787074081a52ef34"), feeds: &[feed(address!("5166fc3adff16e99bb099834a1315e57c5444394"), LONGEST_S)] }, // USDe
    FeedRow { token: address!("211cc4dd073734da055fbf44a2b4667d5e5fe5d2"), feeds: &[feed(address!("6d5110fb8f6a65c46b89a64c9ac7e3542d31aba3"), LONGEST_S)] }, // sUSDe
    FeedRow { token: address!("cda86a272531e8640cd7f1a92c01839911b90bb0"), feeds: &[feed(address!("6352e3a925e27130317d3a0a5b0b0303e9f2fc7c"), LONGEST_S), feed(address!("5bc7cf88eb131db18b5d7930e793095140799ad5"), LONGEST_S)] }, // mETH
];

/// <https://github.com/aave-dao/aave-address-book/blob/v4.68.1/src/ChainlinkSonic.sol>
#[rustfmt::skip]
const SONIC: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("c76dfb89ff298145b417d221b2c747d84952e01d"), LONGEST_S)] }, // S
    FeedRow { token: address!("50c42deacd8fc9773493ed674b675be577f2634b"), feeds: &[feed(address!("824364077993847f71293b24cca8567c00c2de11"), LONGEST_S)] }, // WETH
    FeedRow { token: address!("29219dd400f2bf60e5a23d13be72b486d4038894"), feeds: &[feed(address!("55bca887199d5520b3ce285d41e6dc10c08716c9"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("6047828dc181963ba44974801ff68e538da5eaf9"), feeds: &[feed(address!("76f4c040a792afb7f6dbadc7e30ca3eea140d216"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("0555e30da8f98308edb960aa94c0db47230d2b9c"), feeds: &[feed(address!("61140c09956495f1ce49d28e125ed4035e1cae95"), LONGEST_S)] }, // WBTC
    FeedRow { token: address!("e5da20f15420ad15de0fa650600afc998bbe3955"), feeds: &[feed(address!("db17996a889706bd67771dea59e0bf9453af0ce4"), LONGEST_S)] }, // stS
];

/// <https://github.com/aave-dao/aave-address-book/blob/v4.68.1/src/ChainlinkCelo.sol>
#[rustfmt::skip]
const CELO: &[FeedRow] = &[
    FeedRow { token: NATIVE, feeds: &[feed(address!("0568fd19986748ceff3301e55c0eb1e729e0ab7e"), LONGEST_S)] }, // CELO
    FeedRow { token: address!("ceba9300f2b948710d2653dd7b07f33a8b32118c"), feeds: &[feed(address!("c7a353bae210aed958a1a2928b654938ec59dab2"), LONGEST_S)] }, // USDC
    FeedRow { token: address!("48065fbbe25f71c9282ddf5e1cd6d6a887483d5e"), feeds: &[feed(address!("5e37af40a7a344ec9b03ccd34a250f3da9a20b02"), LONGEST_S)] }, // USDT
    FeedRow { token: address!("765de816845861e75a25fca122bb6898b8b1282a"), feeds: &[feed(address!("e38a27be4e7d866327e09736f3c570f256ffd048"), LONGEST_S)] }, // USDm
    FeedRow { token: address!("d8763cba276a3738e6de85b4b3bf5fded6d6ca73"), feeds: &[feed(address!("3d207061dbe8e2473527611bfecb87ff12b28dda"), LONGEST_S)] }, // EURm
    FeedRow { token: address!("d221812de1bd094f35587ee8e174b07b6167d9af"), feeds: &[feed(address!("1fcd30a73d67639c1cd89ff5746e7585731c083b"), LONGEST_S)] }, // WETH
];
