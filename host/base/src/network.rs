//! Networks known to Portolan: the built-in ones in the order of their table, then those of the configuration.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::NATIVE;
use portolan_networks::{DataFee, NETWORKS};

/// A network, shared by `Arc`; `chain_id` is its identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Lower-case name for paths, flags and settings files.
    pub slug: String,
    /// Upper-case name for answers.
    pub name: String,
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// Image URL.
    pub logo: String,
    /// Symbol of the native token.
    pub native: String,
    /// ERC-20 wrapper of the native token, if there is one.
    pub wrapped_native: Option<Address>,
    /// Fees of a transaction besides its gas.
    pub data_fee: DataFee,
    /// True if it is listed only with a configured endpoint.
    pub needs_endpoint: bool,
}

impl Network {
    /// Returns true if the address stands for the native token.
    pub fn is_native(&self, token: Address) -> bool {
        portolan_networks::is_native(self.chain_id, token)
    }

    /// Returns a token's address for answers: the native token always has the same one.
    pub fn named_token(&self, token: Address) -> Address {
        if self.is_native(token) { NATIVE } else { token }
    }

    /// Returns the parent chain of a built-in rollup; all of these settle on Ethereum.
    pub fn parent(&self) -> Option<u64> {
        let built_in = NETWORKS.iter().find(|network| network.chain_id == self.chain_id)?;
        (built_in.data_fee != DataFee::None).then_some(portolan_networks::ETHEREUM)
    }

    /// Returns true if both have the same chain id or share a name.
    fn clashes_with(&self, other: &Self) -> bool {
        let is_name = |text: &str| [&other.slug, &other.name].into_iter().any(|name| name.eq_ignore_ascii_case(text));
        self.chain_id == other.chain_id || is_name(&self.slug) || is_name(&self.name)
    }
}

/// All networks, in the order of answers.
#[derive(Clone, Debug)]
pub struct Networks(Vec<Arc<Network>>);

impl Networks {
    /// Joins the built-in networks and `added`, which replace clashing ones that need an endpoint.
    pub fn new(added: impl IntoIterator<Item = Network>) -> Self {
        let added: Vec<Network> = added.into_iter().collect();
        let is_kept =
            |built_in: &Network| !built_in.needs_endpoint || !added.iter().any(|other| built_in.clashes_with(other));
        let built_in: Vec<Network> = NETWORKS.iter().map(built_in).filter(is_kept).collect();
        Self(built_in.into_iter().chain(added).map(Arc::new).collect())
    }

    /// Returns the networks to list; `has_endpoint` says which chain ids have an endpoint.
    pub fn listed(&self, has_endpoint: impl Fn(u64) -> bool) -> Self {
        Self(self.iter().filter(|network| !network.needs_endpoint || has_endpoint(network.chain_id)).cloned().collect())
    }

    /// Returns the networks whose chain ids pass.
    pub fn filtered(&self, passes: impl Fn(u64) -> bool) -> Self {
        Self(self.iter().filter(|network| passes(network.chain_id)).cloned().collect())
    }

    /// Iterates in the order of answers.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Network>> {
        self.0.iter()
    }

    /// Finds a network by slug or name, in any letter case.
    pub fn named(&self, text: &str) -> Option<&Arc<Network>> {
        self.iter().find(|network| network.slug.eq_ignore_ascii_case(text) || network.name.eq_ignore_ascii_case(text))
    }

    /// Finds a network by slug, name, chain id or CAIP-2 id (`eip155:137`).
    pub fn requested(&self, text: &str) -> Option<&Arc<Network>> {
        let digits = text.strip_prefix("eip155:").unwrap_or(text);
        // The parser of numbers also accepts a sign.
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let chain_id = digits.parse().ok().filter(|_| is_number);
        self.named(text).or_else(|| self.with_chain_id(chain_id?))
    }

    pub fn with_chain_id(&self, chain_id: u64) -> Option<&Arc<Network>> {
        self.iter().find(|network| network.chain_id == chain_id)
    }

    /// Returns the place in the order of answers; `usize::MAX` if unknown.
    pub fn position(&self, chain_id: u64) -> usize {
        self.iter().position(|network| network.chain_id == chain_id).unwrap_or(usize::MAX)
    }
}

/// Converts a row of the built-in table.
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
