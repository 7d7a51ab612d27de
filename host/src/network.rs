//! The networks that Portolan knows: the built-in ones in the order of their table, then those of the configuration.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::NATIVE;
use portolan_networks::{DataFee, NETWORKS};

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
    /// What a transaction costs besides its gas.
    pub(crate) data_fee: DataFee,
    /// Whether it is listed only where an endpoint of it is configured.
    pub(crate) needs_endpoint: bool,
}

impl Network {
    /// Whether an address stands for the native token.
    pub(crate) fn is_native(&self, token: Address) -> bool {
        portolan_networks::is_native(self.chain_id, token)
    }

    /// A token as answers name it: the native one by its one address.
    pub(crate) fn named_token(&self, token: Address) -> Address {
        if self.is_native(token) { NATIVE } else { token }
    }

    /// The chain below it, where it is a rollup that is built in; all of these settle on Ethereum.
    pub(crate) fn parent(&self) -> Option<u64> {
        let built_in = NETWORKS.iter().find(|network| network.chain_id == self.chain_id)?;
        (built_in.data_fee != DataFee::None).then_some(portolan_networks::ETHEREUM)
    }

    /// Whether both have one chain id, or a name that the other has.
    fn clashes_with(&self, other: &Self) -> bool {
        let is_name = |text: &str| [&other.slug, &other.name].into_iter().any(|name| name.eq_ignore_ascii_case(text));
        self.chain_id == other.chain_id || is_name(&self.slug) || is_name(&self.name)
    }
}

/// All networks, in the order of answers.
#[derive(Clone, Debug)]
pub(crate) struct Networks(Vec<Arc<Network>>);

impl Networks {
    /// The built-in networks followed by `added`, which take the places of those that need an endpoint.
    pub(crate) fn new(added: impl IntoIterator<Item = Network>) -> Self {
        let added: Vec<Network> = added.into_iter().collect();
        let is_kept =
            |built_in: &Network| !built_in.needs_endpoint || !added.iter().any(|other| built_in.clashes_with(other));
        let built_in: Vec<Network> = NETWORKS.iter().map(built_in).filter(is_kept).collect();
        Self(built_in.into_iter().chain(added).map(Arc::new).collect())
    }

    /// Those that are listed, where `has_endpoint` says which chain ids have one.
    pub(crate) fn listed(&self, has_endpoint: impl Fn(u64) -> bool) -> Self {
        Self(self.iter().filter(|network| !network.needs_endpoint || has_endpoint(network.chain_id)).cloned().collect())
    }

    /// Those of them that pass.
    pub(crate) fn filtered(&self, passes: impl Fn(u64) -> bool) -> Self {
        Self(self.iter().filter(|network| passes(network.chain_id)).cloned().collect())
    }

    /// In the order of answers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Network>> {
        self.0.iter()
    }

    /// By slug or name, in any letter case.
    pub(crate) fn named(&self, text: &str) -> Option<&Arc<Network>> {
        self.iter().find(|network| network.slug.eq_ignore_ascii_case(text) || network.name.eq_ignore_ascii_case(text))
    }

    /// By slug, name, chain id, or the latter as CAIP-2 writes it (`eip155:137`).
    pub(crate) fn requested(&self, text: &str) -> Option<&Arc<Network>> {
        let digits = text.strip_prefix("eip155:").unwrap_or(text);
        // A parser of numbers takes a sign too.
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let chain_id = digits.parse().ok().filter(|_| is_number);
        self.named(text).or_else(|| self.with_chain_id(chain_id?))
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

/// A network as the table has it.
fn built_in(row: &portolan_networks::Network) -> Network {
    let listing = row.listing;
    Network {
        slug: listing.slug.into(),
        name: listing.name.into(),
        chain_id: row.chain_id,
        logo: listing.logo.into(),
        native: listing.native.into(),
        wrapped_native: Some(listing.wrapped_native),
        data_fee: row.data_fee,
        needs_endpoint: row.needs_endpoint,
    }
}
