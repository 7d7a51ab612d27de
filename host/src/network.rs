//! The networks that Portolan knows: the eight of the specification in its order, then those of the configuration.

use std::sync::Arc;

use alloy::primitives::{Address, address};

/// One network. Compared and shared by `Arc`; `chain_id` is its identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    /// Lower-case name of paths, flags and settings files.
    pub(crate) slug: String,
    /// Upper-case name of answers.
    pub(crate) name: String,
    /// EIP-155 chain id.
    pub(crate) chain_id: u64,
    /// Image URL.
    pub(crate) logo: String,
    /// Symbol of the native token.
    pub(crate) native: String,
    /// Its ERC-20 wrapper, where there is one.
    pub(crate) wrapped_native: Option<Address>,
}

/// All networks, in the order of answers.
#[derive(Clone, Debug)]
pub(crate) struct Networks(Vec<Arc<Network>>);

impl Networks {
    /// The built-in networks followed by `added`.
    pub(crate) fn new(added: impl IntoIterator<Item = Network>) -> Self {
        let built_in = BUILT_IN.iter().map(Row::network);
        Self(built_in.chain(added).map(Arc::new).collect())
    }

    /// In the order of answers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Network>> {
        self.0.iter()
    }

    /// By slug or name, in any letter case.
    pub(crate) fn named(&self, text: &str) -> Option<&Arc<Network>> {
        self.iter().find(|network| network.slug.eq_ignore_ascii_case(text) || network.name.eq_ignore_ascii_case(text))
    }

    /// By EIP-155 chain id.
    pub(crate) fn with_chain_id(&self, chain_id: u64) -> Option<&Arc<Network>> {
        self.iter().find(|network| network.chain_id == chain_id)
    }

    /// Place in the order of answers.
    pub(crate) fn position(&self, chain_id: u64) -> usize {
        self.iter().position(|network| network.chain_id == chain_id).unwrap_or(usize::MAX)
    }
}

struct Row {
    slug: &'static str,
    name: &'static str,
    chain_id: u64,
    logo: &'static str,
    native: &'static str,
    wrapped_native: Address,
}

impl Row {
    fn network(&self) -> Network {
        Network {
            slug: self.slug.into(),
            name: self.name.into(),
            chain_id: self.chain_id,
            logo: format!("https://github.com/defitrack/data/raw/master/logo/network/{}", self.logo),
            native: self.native.into(),
            wrapped_native: Some(self.wrapped_native),
        }
    }
}

/// Slugs, names and order are the specification's, chain ids those of <https://chainlist.org>, wrapped native
/// tokens those that each network's main exchange uses.
#[rustfmt::skip]
const BUILT_IN: [Row; 8] = [
    Row { slug: "ethereum", name: "ETHEREUM", chain_id: 1, logo: "ethereum.png", native: "ETH", wrapped_native: address!("c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2") },
    Row { slug: "optimism", name: "OPTIMISM", chain_id: 10, logo: "optimism.png", native: "ETH", wrapped_native: address!("4200000000000000000000000000000000000006") },
    Row { slug: "arbitrum", name: "ARBITRUM", chain_id: 42161, logo: "arbitrum.png", native: "ETH", wrapped_native: address!("82af49447d8a07e3bd95bd0d56f35241523fbab1") },
    Row { slug: "fantom", name: "FANTOM", chain_id: 250, logo: "fantom.png", native: "FTM", wrapped_native: address!("21be370d5312f44cb42ce377bc9b8a0cef1a4c83") },
    Row { slug: "avalanchex", name: "AVALANCHE", chain_id: 43114, logo: "avalanche.png", native: "AVAX", wrapped_native: address!("b31f66aa3c1e785363f0875a1b74e27b85fd66c7") },
    Row { slug: "smartchain", name: "BSC", chain_id: 56, logo: "bsc.svg", native: "BNB", wrapped_native: address!("bb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c") },
    Row { slug: "polygon", name: "POLYGON", chain_id: 137, logo: "polygon.png", native: "MATIC", wrapped_native: address!("0d500b1d8e8ef31e21c99d1db9a6444d3adf1270") },
    Row { slug: "polygon_mumbai", name: "POLYGON_MUMBAI", chain_id: 80001, logo: "polygon.png", native: "MATIC", wrapped_native: address!("9c3c9283d3e44854697cd22d3faa240cfb032889") },
];
