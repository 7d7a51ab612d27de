//! Networks known to Portolan: the built-in ones in the order of their table, then those of the configuration.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::NATIVE;
use portolan_networks::{DataFee, NETWORKS};

/// How clients and operators name a network, for error texts.
pub const FORMS: &str = "a slug, a name, a chain id or eip155:CHAIN_ID";

/// Namespace of EVM networks in CAIP ids: <https://chainagnostic.org/CAIPs/caip-2>.
pub const CAIP2_PREFIX: &str = "eip155:";

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
    /// Returns the CAIP-2 id: `eip155:137`.
    pub fn caip2(&self) -> String {
        format!("{CAIP2_PREFIX}{}", self.chain_id)
    }

    /// Returns the CAIP-10 id of an account: `eip155:137:` and the address with its checksum.
    pub fn caip10(&self, account: Address) -> String {
        format!("{}:{account}", self.caip2())
    }

    /// Returns the CAIP-19 id of a token: `eip155:1/erc20:` and the address with its checksum, or
    /// `eip155:1/slip44:60` for the native token, if its coin type is known.
    pub fn caip19(&self, token: Address) -> Option<String> {
        if self.is_native(token) {
            let coin_type = portolan_networks::native_coin_type(self.chain_id)?;
            return Some(format!("{}/slip44:{coin_type}", self.caip2()));
        }
        Some(format!("{}/erc20:{token}", self.caip2()))
    }

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

    /// Finds a network in one of the [`FORMS`].
    pub fn named(&self, text: &str) -> Option<&Arc<Network>> {
        let is_named = |network: &&Arc<Network>| {
            network.slug.eq_ignore_ascii_case(text) || network.name.eq_ignore_ascii_case(text)
        };
        self.iter().find(is_named).or_else(|| self.with_chain_id(chain_id(text)?))
    }

    pub fn with_chain_id(&self, chain_id: u64) -> Option<&Arc<Network>> {
        self.iter().find(|network| network.chain_id == chain_id)
    }

    /// Returns the place in the order of answers; `usize::MAX` if unknown.
    pub fn position(&self, chain_id: u64) -> usize {
        self.iter().position(|network| network.chain_id == chain_id).unwrap_or(usize::MAX)
    }
}

/// Reads a decimal chain id or a CAIP-2 id.
fn chain_id(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(CAIP2_PREFIX).unwrap_or(text);
    // The parser of numbers also accepts a sign.
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
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
        wrapped_native: listing.wrapped_native,
        data_fee: row.data_fee,
        needs_endpoint: row.needs_endpoint,
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::address;

    use super::*;

    /// An example of EIP-55.
    const TOKEN: Address = address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");

    #[test]
    fn a_network_is_named_by_slug_name_chain_id_or_caip_2() {
        let networks = Networks::new([]);
        let chain_id = |text: &str| networks.named(text).map(|network| network.chain_id);
        for text in ["smartchain", "SmartChain", "bsc", "BSC", "56", "eip155:56"] {
            assert_eq!(chain_id(text), Some(56), "{text}");
        }
        for text in ["", "eip155:", "eip155:bsc", "EIP155:56", "+56", "-56", "56.0", "0x38", "eip155:56:", "bip122:56"]
        {
            assert_eq!(chain_id(text), None, "{text}");
        }
        assert_eq!(chain_id("18446744073709551616"), None, "2^64");
    }

    #[test]
    fn ids_have_the_forms_of_the_standards() {
        let networks = Networks::new([]);
        let of = |slug: &str, token| networks.named(slug).unwrap().caip19(token);
        let polygon = networks.named("polygon").unwrap();
        assert_eq!(polygon.caip2(), "eip155:137");
        assert_eq!(polygon.caip10(TOKEN), "eip155:137:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
        let erc20 = "eip155:1/erc20:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        assert_eq!(of("ethereum", TOKEN).as_deref(), Some(erc20));
        // The example of CAIP-20, and a second address of the native token.
        assert_eq!(of("ethereum", NATIVE).as_deref(), Some("eip155:1/slip44:60"));
        let second = address!("0000000000000000000000000000000000001010");
        assert_eq!(of("polygon", second).as_deref(), Some("eip155:137/slip44:966"));
        // SLIP-44 has one coin type for Avalanche's X-Chain and one for its C-Chain.
        assert_eq!(of("avalanchex", NATIVE), None);
    }
}
