//! Table of networks, one row each.

use alloy::primitives::{Address, address};

use super::{
    ARBITRUM, AVALANCHE, BASE, BERACHAIN, BLAST, BSC, CELO, ETHEREUM, FANTOM, GNOSIS, INK, LINEA, MANTLE, OPTIMISM,
    POLYGON, POLYGON_MUMBAI, SCROLL, SONIC, UNICHAIN, WORLD_CHAIN, ZKSYNC_ERA,
};

/// URL of an image in <https://github.com/defitrack/data/tree/master/logo/network>.
macro_rules! logo {
    ($file:literal) => {
        concat!("https://github.com/defitrack/data/raw/master/logo/network/", $file)
    };
}

/// A network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// Names and images of the network.
    pub listing: Listing,
    /// True if it is only listed with a configured endpoint; other networks are always listed.
    pub needs_endpoint: bool,
    /// JSON-RPC endpoints without a key, from <https://chainlist.org>; may be empty.
    pub public_rpc: &'static [&'static str],
    /// Name at price services with the API of `coins.llama.fi`: <https://api-docs.defillama.com>.
    pub price_service: Option<&'static str>,
    /// Cost of a transaction besides its gas.
    pub data_fee: DataFee,
}

/// Fee of a network that posts its transactions' data elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataFee {
    /// No such fee.
    #[default]
    None,
    /// Priced by the oracle of the OP stack: <https://specs.optimism.io/protocol/predeploys.html#gaspriceoracle>.
    OpStack,
    /// Priced in ether by the oracle of the OP stack, and paid in the native token at the oracle's ratio:
    /// <https://github.com/mantlenetworkio/op-geth/blob/develop/core/types/rollup_cost.go>.
    Mantle,
    /// Priced by Scroll's oracle:
    /// <https://docs.scroll.io/en/developers/transaction-fees-on-scroll/>.
    Scroll,
    /// Part of the gas, which Arbitrum's node interface estimates:
    /// <https://docs.arbitrum.io/build-decentralized-apps/nodeinterface/reference>.
    Arbitrum,
}

/// Names and images of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Lower-case name in paths, flags and settings files.
    pub slug: &'static str,
    /// Upper-case name in answers.
    pub name: &'static str,
    /// Image URL.
    pub logo: &'static str,
    /// Symbol of the native token, which has 18 decimals on every EVM network.
    pub native: &'static str,
    /// ERC-20 that wraps the native token: the one that the network's main exchange uses. `None` where the native token
    /// is an ERC-20 itself.
    pub wrapped_native: Option<Address>,
}

/// Returns the row of a chain id.
pub fn network(chain_id: u64) -> Option<&'static Network> {
    NETWORKS.iter().find(|network| network.chain_id == chain_id)
}

/// Networks in the order of answers. The specification fixes slugs and names of those that are always listed.
pub static NETWORKS: [Network; 21] = [
    Network {
        chain_id: ETHEREUM,
        listing: Listing {
            slug: "ethereum",
            name: "ETHEREUM",
            logo: logo!("ethereum.png"),
            native: "ETH",
            wrapped_native: Some(address!("c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2")),
        },
        needs_endpoint: false,
        public_rpc: &["https://ethereum-rpc.publicnode.com", "https://eth.drpc.org"],
        price_service: Some("ethereum"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: OPTIMISM,
        listing: Listing {
            slug: "optimism",
            name: "OPTIMISM",
            logo: logo!("optimism.png"),
            native: "ETH",
            wrapped_native: Some(address!("4200000000000000000000000000000000000006")),
        },
        needs_endpoint: false,
        public_rpc: &["https://optimism-rpc.publicnode.com", "https://mainnet.optimism.io"],
        price_service: Some("optimism"),
        data_fee: DataFee::OpStack,
    },
    Network {
        chain_id: ARBITRUM,
        listing: Listing {
            slug: "arbitrum",
            name: "ARBITRUM",
            logo: logo!("arbitrum.png"),
            native: "ETH",
            wrapped_native: Some(address!("82af49447d8a07e3bd95bd0d56f35241523fbab1")),
        },
        needs_endpoint: false,
        public_rpc: &["https://arbitrum-one-rpc.publicnode.com", "https://arb1.arbitrum.io/rpc"],
        price_service: Some("arbitrum"),
        data_fee: DataFee::Arbitrum,
    },
    Network {
        chain_id: FANTOM,
        listing: Listing {
            slug: "fantom",
            name: "FANTOM",
            logo: logo!("fantom.png"),
            native: "FTM",
            wrapped_native: Some(address!("21be370d5312f44cb42ce377bc9b8a0cef1a4c83")),
        },
        needs_endpoint: false,
        public_rpc: &["https://fantom-rpc.publicnode.com", "https://rpcapi.fantom.network"],
        price_service: Some("fantom"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: AVALANCHE,
        listing: Listing {
            slug: "avalanchex",
            name: "AVALANCHE",
            logo: logo!("avalanche.png"),
            native: "AVAX",
            wrapped_native: Some(address!("b31f66aa3c1e785363f0875a1b74e27b85fd66c7")),
        },
        needs_endpoint: false,
        public_rpc: &["https://avalanche-c-chain-rpc.publicnode.com", "https://api.avax.network/ext/bc/C/rpc"],
        price_service: Some("avax"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: BSC,
        listing: Listing {
            slug: "smartchain",
            name: "BSC",
            logo: logo!("bsc.svg"),
            native: "BNB",
            wrapped_native: Some(address!("bb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c")),
        },
        needs_endpoint: false,
        public_rpc: &["https://bsc-rpc.publicnode.com", "https://bsc-dataseed.bnbchain.org"],
        price_service: Some("bsc"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: POLYGON,
        listing: Listing {
            slug: "polygon",
            name: "POLYGON",
            logo: logo!("polygon.png"),
            // MATIC until September 2024:
            // <https://polygon.technology/blog/matic-to-pol-migration-is-now-live-everything-you-need-to-know>.
            native: "POL",
            wrapped_native: Some(address!("0d500b1d8e8ef31e21c99d1db9a6444d3adf1270")),
        },
        needs_endpoint: false,
        public_rpc: &["https://polygon-bor-rpc.publicnode.com", "https://polygon-rpc.com"],
        price_service: Some("polygon"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: POLYGON_MUMBAI,
        listing: Listing {
            slug: "polygon_mumbai",
            name: "POLYGON_MUMBAI",
            logo: logo!("polygon.png"),
            native: "MATIC",
            wrapped_native: Some(address!("9c3c9283d3e44854697cd22d3faa240cfb032889")),
        },
        needs_endpoint: false,
        public_rpc: &[],
        price_service: None,
        data_fee: DataFee::None,
    },
    Network {
        chain_id: BASE,
        listing: Listing {
            slug: "base",
            name: "BASE",
            logo: logo!("base.png"),
            native: "ETH",
            wrapped_native: Some(address!("4200000000000000000000000000000000000006")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("base"),
        data_fee: DataFee::OpStack,
    },
    Network {
        chain_id: GNOSIS,
        listing: Listing {
            slug: "gnosis",
            name: "GNOSIS",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/xdai/info/logo.png",
            native: "XDAI",
            wrapped_native: Some(address!("e91d153e0b41518a2ce8dd3d7944fa863463a97d")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("xdai"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: LINEA,
        listing: Listing {
            slug: "linea",
            name: "LINEA",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/linea/info/logo.png",
            native: "ETH",
            wrapped_native: Some(address!("e5d7c2a44ffddf6b295a15c148167daaaf5cf34f")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("linea"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: SCROLL,
        listing: Listing {
            slug: "scroll",
            name: "SCROLL",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/scroll/info/logo.png",
            native: "ETH",
            wrapped_native: Some(address!("5300000000000000000000000000000000000004")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("scroll"),
        data_fee: DataFee::Scroll,
    },
    Network {
        chain_id: ZKSYNC_ERA,
        listing: Listing {
            slug: "zksync",
            name: "ZKSYNC",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/zksync/info/logo.png",
            native: "ETH",
            wrapped_native: Some(address!("5aea5775959fbc2557cc8789bc1bf90a239d9a91")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("era"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: MANTLE,
        listing: Listing {
            slug: "mantle",
            name: "MANTLE",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/mantle/info/logo.png",
            native: "MNT",
            wrapped_native: Some(address!("78c1b0c915c4faa5fffa6cabf0219da63d7f4cb8")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("mantle"),
        data_fee: DataFee::Mantle,
    },
    Network {
        chain_id: BLAST,
        listing: Listing {
            slug: "blast",
            name: "BLAST",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/blast/info/logo.png",
            native: "ETH",
            wrapped_native: Some(address!("4300000000000000000000000000000000000004")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("blast"),
        data_fee: DataFee::OpStack,
    },
    Network {
        chain_id: SONIC,
        listing: Listing {
            slug: "sonic",
            name: "SONIC",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/sonic/info/logo.png",
            native: "S",
            wrapped_native: Some(address!("039e2fb66102314ce7b64ce5ce3e5183bc94ad38")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("sonic"),
        data_fee: DataFee::None,
    },
    Network {
        chain_id: CELO,
        listing: Listing {
            slug: "celo",
            name: "CELO",
            logo: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/celo/info/logo.png",
            native: "CELO",
            // The ERC-20 of CELO is the native token itself: <https://specs.celo.org/token_duality.html>.
            wrapped_native: None,
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("celo"),
        data_fee: DataFee::OpStack,
    },
    Network {
        chain_id: UNICHAIN,
        listing: Listing {
            slug: "unichain",
            name: "UNICHAIN",
            logo: "https://raw.githubusercontent.com/lifinance/types/main/src/assets/icons/chains/unichain.svg",
            native: "ETH",
            wrapped_native: Some(address!("4200000000000000000000000000000000000006")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("unichain"),
        data_fee: DataFee::OpStack,
    },
    Network {
        chain_id: WORLD_CHAIN,
        listing: Listing {
            slug: "worldchain",
            name: "WORLDCHAIN",
            logo: "https://raw.githubusercontent.com/lifinance/types/main/src/assets/icons/chains/world.svg",
            native: "ETH",
            wrapped_native: Some(address!("4200000000000000000000000000000000000006")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("wc"),
        data_fee: DataFee::OpStack,
    },
    Network {
        chain_id: INK,
        listing: Listing {
            slug: "ink",
            name: "INK",
            logo: "https://raw.githubusercontent.com/lifinance/types/main/src/assets/icons/chains/ink.svg",
            native: "ETH",
            wrapped_native: Some(address!("4200000000000000000000000000000000000006")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("ink"),
        data_fee: DataFee::OpStack,
    },
    Network {
        chain_id: BERACHAIN,
        listing: Listing {
            slug: "berachain",
            name: "BERACHAIN",
            logo: "https://raw.githubusercontent.com/lifinance/types/main/src/assets/icons/chains/berachain.svg",
            native: "BERA",
            wrapped_native: Some(address!("6969696969696969696969696969696969696969")),
        },
        needs_endpoint: true,
        public_rpc: &[],
        price_service: Some("berachain"),
        data_fee: DataFee::None,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn chain_ids_slugs_and_names_are_unique() {
        let chain_ids: BTreeSet<u64> = NETWORKS.iter().map(|network| network.chain_id).collect();
        assert_eq!(chain_ids.len(), NETWORKS.len());
        let slugs: BTreeSet<&str> = NETWORKS.iter().map(|network| network.listing.slug).collect();
        let names: BTreeSet<&str> = NETWORKS.iter().map(|network| network.listing.name).collect();
        assert_eq!((slugs.len(), names.len()), (NETWORKS.len(), NETWORKS.len()));
    }
}
