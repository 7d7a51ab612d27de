//! Routers and settlement contracts: one row each. A settings file adds rows.
//!
//! Sources: <https://github.com/1inch>, <https://docs.kyberswap.com>, <https://docs.openocean.finance>,
//! <https://github.com/0xProject/protocol/blob/development/packages/contract-addresses/addresses.json>,
//! <https://docs.cow.fi>, <https://docs.odos.xyz>, <https://developers.velora.xyz>, <https://docs.li.fi>.

use portolan_kits::events::Source;
use portolan_kits::events::shipped::{self, Listed, Named};
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, BSC, ETHEREUM, FANTOM, OPTIMISM, POLYGON};
use portolan_plugin_api::{Deployment, Protocol, address};

const LISTED: &[Listed] = &[
    (
        "1inch",
        ETHEREUM,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    (
        "1inch",
        OPTIMISM,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    (
        "1inch",
        BSC,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    (
        "1inch",
        POLYGON,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    (
        "1inch",
        FANTOM,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    (
        "1inch",
        BASE,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    (
        "1inch",
        ARBITRUM,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    (
        "1inch",
        AVALANCHE,
        "routers",
        &["swapped", "1inch-orders"],
        &[
            address!("0x11111112542d85b3ef69ae05771c2dccff4faa26"),
            address!("0x1111111254fb6c44bac0bed2854e76f90643097d"),
            address!("0x1111111254eeb25477b68fb85ed929f73a960582"),
            address!("0x111111125421ca6dc452d289314280a0f8842a65"),
        ],
    ),
    ("1inch", ETHEREUM, "router-v2", &["swapped"], &[address!("0x111111125434b319222cdbf8c261674adb56f3ae")]),
    ("kyberswap", ETHEREUM, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("kyberswap", OPTIMISM, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("kyberswap", BSC, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("kyberswap", POLYGON, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("kyberswap", FANTOM, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("kyberswap", BASE, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("kyberswap", ARBITRUM, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("kyberswap", AVALANCHE, "router", &["swapped"], &[address!("0x6131b5fae19ea4f9d964eac0408e4408b66337b5")]),
    ("openocean", ETHEREUM, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("openocean", OPTIMISM, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("openocean", BSC, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("openocean", POLYGON, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("openocean", FANTOM, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("openocean", BASE, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("openocean", ARBITRUM, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("openocean", AVALANCHE, "router", &["swapped"], &[address!("0x6352a56caadc4f1e25cd6c75970fa768a3304e64")]),
    ("0x", ETHEREUM, "proxy", &["0x"], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
    ("0x", OPTIMISM, "proxy", &["0x"], &[address!("0xdef1abe32c034e558cdd535791643c58a13acc10")]),
    ("0x", BSC, "proxy", &["0x"], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
    ("0x", POLYGON, "proxy", &["0x"], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
    ("0x", FANTOM, "proxy", &["0x"], &[address!("0xdef189deaef76e379df891899eb5a00a94cbc250")]),
    ("0x", BASE, "proxy", &["0x"], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
    ("0x", ARBITRUM, "proxy", &["0x"], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
    ("0x", AVALANCHE, "proxy", &["0x"], &[address!("0xdef1c0ded9bec7f1a1670819833240f027b25eff")]),
    ("cowswap", ETHEREUM, "settlement", &["cow"], &[address!("0x9008d19f58aabd9ed0d60971565aa8510560ab41")]),
    ("cowswap", BSC, "settlement", &["cow"], &[address!("0x9008d19f58aabd9ed0d60971565aa8510560ab41")]),
    ("cowswap", POLYGON, "settlement", &["cow"], &[address!("0x9008d19f58aabd9ed0d60971565aa8510560ab41")]),
    ("cowswap", BASE, "settlement", &["cow"], &[address!("0x9008d19f58aabd9ed0d60971565aa8510560ab41")]),
    ("cowswap", ARBITRUM, "settlement", &["cow"], &[address!("0x9008d19f58aabd9ed0d60971565aa8510560ab41")]),
    ("cowswap", AVALANCHE, "settlement", &["cow"], &[address!("0x9008d19f58aabd9ed0d60971565aa8510560ab41")]),
    (
        "odos",
        ETHEREUM,
        "routers",
        &["odos"],
        &[
            address!("0xcf5540fffcdc3d510b18bfca6d2b9987b0772559"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    (
        "odos",
        OPTIMISM,
        "routers",
        &["odos"],
        &[
            address!("0xca423977156bb05b13a2ba3b76bc5419e2fe9680"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    (
        "odos",
        BSC,
        "routers",
        &["odos"],
        &[
            address!("0x89b8aa89fdd0507a99d334cbe3c808fafc7d850e"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    (
        "odos",
        POLYGON,
        "routers",
        &["odos"],
        &[
            address!("0x4e3288c9ca110bcc82bf38f09a7b425c095d92bf"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    (
        "odos",
        FANTOM,
        "routers",
        &["odos"],
        &[
            address!("0xd0c22a5435f4e8e5770c1fafb5374015fc12f7cd"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    (
        "odos",
        BASE,
        "routers",
        &["odos"],
        &[
            address!("0x19ceead7105607cd444f5ad10dd51356436095a1"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    (
        "odos",
        ARBITRUM,
        "routers",
        &["odos"],
        &[
            address!("0xa669e7a0d4b3e4fa48af2de86bd4cd7126be4e13"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    (
        "odos",
        AVALANCHE,
        "routers",
        &["odos"],
        &[
            address!("0x88de50b233052e4fb783d4f6db78cc34fea3e9fc"),
            address!("0x0d05a7d3448512b78fa8a9e46c4872c88c4a0d05"),
        ],
    ),
    ("paraswap", ETHEREUM, "augustus", &["paraswap"], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
    ("paraswap", OPTIMISM, "augustus", &["paraswap"], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
    ("paraswap", BSC, "augustus", &["paraswap"], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
    ("paraswap", POLYGON, "augustus", &["paraswap"], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
    ("paraswap", FANTOM, "augustus", &["paraswap"], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
    ("paraswap", BASE, "augustus", &["paraswap"], &[address!("0x59c7c832e96d2568bea6db468c1aadcbbda08a52")]),
    ("paraswap", ARBITRUM, "augustus", &["paraswap"], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
    ("paraswap", AVALANCHE, "augustus", &["paraswap"], &[address!("0xdef171fe48cf0115b1d80b88dc8eab59176fee57")]),
    ("lifi", ETHEREUM, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("lifi", OPTIMISM, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("lifi", BSC, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("lifi", POLYGON, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("lifi", FANTOM, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("lifi", BASE, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("lifi", ARBITRUM, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("lifi", AVALANCHE, "diamond", &["lifi"], &[address!("0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae")]),
    ("metamask", ETHEREUM, "router", &["metamask"], &[address!("0x881d40237659c251811cec9c364ef91dc08d300c")]),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::listed(LISTED.iter().copied())
}

const PROTOCOLS: [Named; 9] = [
    ("1inch", "1INCH", "https://1inch.io", &[], ("1inch", "1inch")),
    ("kyberswap", "KYBER_SWAP", "https://kyberswap.com", &[], ("KyberSwap", "kyberswap")),
    ("openocean", "OPENOCEAN", "https://openocean.finance", &[], ("OpenOcean", "openocean")),
    ("0x", "0X", "https://0x.org", &[], ("0x", "0x")),
    ("cowswap", "COWSWAP", "https://cow.fi", &[], ("CoW", "cowswap")),
    ("odos", "ODOS", "https://odos.xyz", &[], ("Odos", "odos")),
    ("paraswap", "PARASWAP", "https://velora.xyz", &[], ("Velora", "paraswap")),
    ("lifi", "LIFI", "https://li.fi", &[], ("LI.FI", "lifi")),
    ("metamask", "METAMASK", "https://metamask.io", &[], ("MetaMask", "metamask")),
];

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols(PROTOCOLS)
}
