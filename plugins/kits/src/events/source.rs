//! Contracts that emit a protocol's events: a list, and ways to recognize others.

use std::collections::BTreeMap;

use portolan_plugin_api::{
    Address, B256, Deployment, FromKeys, Keys, SettingsError, SolValue, U256, alloy::primitives::keccak256,
};

/// Contracts of one deployment, and the table sections that decode their events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// All sections if empty.
    sections: Vec<String>,
    contracts: Vec<Address>,
    checks: Vec<Check>,
}

/// How an unlisted contract is recognized.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Check {
    /// This view of a registry returns a nonzero word for it.
    Registry { registry: Address, view: String },
    /// For a registry with one contract per token: the contract's own view returns a token, and this view of the
    /// registry returns the contract for that token.
    ByOwn { registry: Address, view: String, own: String },
    /// Its address follows from its factory, its code and its tokens; no other contract can have it.
    Create2 { factory: Address, init_code_hash: B256, salt: Salt },
}

/// CREATE2 salt (EIP-1014) of a factory's pools, before hashing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Salt {
    /// `abi.encodePacked(token0, token1)`, as Uniswap v2:
    /// <https://github.com/Uniswap/v2-core/blob/v1.0.1/contracts/UniswapV2Factory.sol#L30>.
    Packed,
    /// `abi.encode(token0, token1)`, as Algebra, from its deployer:
    /// <https://github.com/cryptoalgebra/AlgebraV1/blob/main/src/core/contracts/AlgebraPoolDeployer.sol>.
    Encoded,
    /// `abi.encode(token0, token1, fee)`, as Uniswap v3, PancakeSwap v3 from its deployer:
    /// <https://github.com/Uniswap/v3-core/blob/v1.0.0/contracts/UniswapV3PoolDeployer.sol#L35>.
    WithFee,
    /// `abi.encodePacked(token0, token1, stable)`, as Velodrome v2; `stable` is tried both ways instead of read:
    /// <https://github.com/velodrome-finance/contracts/blob/main/contracts/factories/PoolFactory.sol>.
    WithStable,
}

/// Names of the salts in settings.
const SALTS: [(&str, Salt); 4] = [
    ("packed", Salt::Packed),
    ("encoded", Salt::Encoded),
    ("with-fee", Salt::WithFee),
    ("with-stable", Salt::WithStable),
];

/// A view used to recognize a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct View<'a> {
    pub(super) contract: Address,
    pub(super) name: &'a str,
    /// Its `address` argument, if any.
    pub(super) argument: Option<Address>,
}

/// First words that views returned. Missing views and failed reads are absent.
pub(super) type Words<'a> = BTreeMap<View<'a>, U256>;

impl Source {
    /// Keys of a row for contracts that emit events; it has at least one of `contracts`, `registry` and `factory`:
    /// - `sections` (array of texts, optional): the sections of the plugin's tables whose events the contracts emit;
    ///   all if missing
    /// - `contracts` (array of addresses, optional): the contracts
    /// - `registry`, `view` (address and name of a view, optional): all contracts for which `view(address)` of the
    ///   registry returns anything but zero
    /// - `factory`, `init_code_hash`, `salt` (address, 32 bytes, and `packed`, `encoded`, `with-fee` or `with-stable`,
    ///   optional): all contracts that the factory deployed with CREATE2
    pub const KEYS: &'static [&'static str] =
        &["sections", "contracts", "registry", "view", "factory", "init_code_hash", "salt"];

    /// Creates a source without contracts for these table sections, or for all if empty.
    pub fn of(sections: &[&str]) -> Self {
        let sections = sections.iter().map(|section| (*section).to_owned()).collect();
        Self { sections, contracts: Vec::new(), checks: Vec::new() }
    }

    /// Adds listed contracts.
    #[must_use]
    pub fn contracts(mut self, contracts: impl IntoIterator<Item = Address>) -> Self {
        self.contracts.extend(contracts);
        self
    }

    /// Adds the contracts for which this view of a registry returns a nonzero first word. The contract is its only
    /// argument: `isPool` for `isPool(address)`.
    #[must_use]
    pub fn registry(mut self, registry: Address, view: &str) -> Self {
        self.checks.push(Check::Registry { registry, view: view.to_owned() });
        self
    }

    /// Adds the contracts that this view of a registry returns as its first word. Its argument is the address that the
    /// contract's `own` view returns: `stakingRewardsInfoByStakingToken` for `stakingToken`.
    #[must_use]
    pub fn registry_by(mut self, registry: Address, view: &str, own: &str) -> Self {
        self.checks.push(Check::ByOwn { registry, view: view.to_owned(), own: own.to_owned() });
        self
    }

    /// Adds the contracts that this factory, or its deployer if it has one, deployed with CREATE2.
    #[must_use]
    pub fn factory(mut self, factory: Address, init_code_hash: B256, salt: Salt) -> Self {
        self.checks.push(Check::Create2 { factory, init_code_hash, salt });
        self
    }

    /// Converts it to a deployment of a protocol on a network.
    pub fn deployed(self, protocol: &str, network: u64, market: &str) -> Deployment<Self> {
        Deployment { protocol: protocol.to_owned(), network, market: market.to_owned(), mechanism: self }
    }

    /// Iterates over the contracts for the catalogue: its own, registries and factories.
    pub fn listed(&self) -> impl Iterator<Item = Address> {
        let registries = self.checks.iter().map(|check| match check {
            Check::Registry { registry, .. } | Check::ByOwn { registry, .. } => *registry,
            Check::Create2 { factory, .. } => *factory,
        });
        self.contracts.iter().copied().chain(registries)
    }

    /// Sorts contracts: listed ones first, then registries, then factories.
    pub(crate) fn by_evidence(sources: impl IntoIterator<Item = Deployment<Self>>) -> Vec<Deployment<Self>> {
        let mut sources: Vec<_> = sources.into_iter().collect();
        sources.sort_by_key(|source| source.mechanism.evidence());
        sources
    }

    /// Returns how directly the contracts are known: 0 for a list, 1 for a registry, 2 for a factory.
    fn evidence(&self) -> u8 {
        match self.checks.first() {
            _ if !self.contracts.is_empty() => 0,
            None | Some(Check::Registry { .. } | Check::ByOwn { .. }) => 1,
            Some(Check::Create2 { .. }) => 2,
        }
    }

    pub(super) fn has(&self, section: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|own| own == section)
    }

    pub(super) fn lists(&self, contract: Address) -> bool {
        self.contracts.contains(&contract)
    }

    /// Iterates over the views that help to recognize an unlisted contract.
    pub(super) fn views(&self, contract: Address) -> impl Iterator<Item = View<'_>> {
        let own = move |name| View { contract, name, argument: None };
        self.checks.iter().flat_map(move |check| match check {
            Check::Registry { registry, view } => vec![about(*registry, view, contract)],
            Check::ByOwn { own: name, .. } => vec![own(name)],
            Check::Create2 { salt: Salt::WithFee, .. } => PARTS.map(own).to_vec(),
            Check::Create2 { .. } => PARTS[..2].iter().copied().map(own).collect(),
        })
    }

    /// Iterates over the views to read next, given the replies of the first ones.
    pub(super) fn further_views(&self, contract: Address, words: &Words<'_>) -> impl Iterator<Item = View<'_>> {
        self.checks.iter().filter_map(move |check| match check {
            Check::ByOwn { registry, view, own } => {
                let own = View { contract, name: own, argument: None };
                Some(about(*registry, view, words.get(&own).copied().and_then(token)?))
            }
            Check::Registry { .. } | Check::Create2 { .. } => None,
        })
    }

    pub(super) fn knows(&self, contract: Address, words: &Words<'_>) -> bool {
        self.checks.iter().any(|check| match check {
            Check::Registry { registry, view } => {
                words.get(&about(*registry, view, contract)).is_some_and(|word| !word.is_zero())
            }
            Check::ByOwn { .. } => self
                .further_views(contract, words)
                .any(|view| words.get(&view).copied().and_then(token) == Some(contract)),
            Check::Create2 { factory, init_code_hash, salt } => salt
                .of(PARTS.map(|name| words.get(&View { contract, name, argument: None }).copied()))
                .iter()
                .any(|salt| factory.create2(salt, init_code_hash) == contract),
        })
    }
}

/// Returns a registry's view about an address.
fn about<'a>(registry: Address, view: &'a str, address: Address) -> View<'a> {
    View { contract: registry, name: view, argument: Some(address) }
}

/// Views whose words make up salts.
const PARTS: [&str; 3] = ["token0", "token1", "fee"];

impl Salt {
    /// Returns the possible salts of a pool with these words; empty if the contract does not return valid ones.
    fn of(self, [token0, token1, fee]: [Option<U256>; 3]) -> Vec<B256> {
        let (Some(token0), Some(token1)) = (token0.and_then(token), token1.and_then(token)) else { return Vec::new() };
        let encoded = match self {
            Self::Packed => vec![(token0, token1).abi_encode_packed()],
            Self::Encoded => vec![(token0, token1).abi_encode()],
            Self::WithFee => fee.map(|fee| (token0, token1, fee).abi_encode()).into_iter().collect(),
            Self::WithStable => [false, true].map(|stable| (token0, token1, stable).abi_encode_packed()).to_vec(),
        };
        encoded.iter().map(keccak256).collect()
    }
}

/// Returns the address in a word; `None` if the padding is not zero.
fn token(word: U256) -> Option<Address> {
    let word = word.to_be_bytes::<32>();
    let (padding, token) = word.split_first_chunk::<12>()?;
    (*padding == [0; 12]).then(|| Address::from_slice(token))
}

impl FromKeys for Source {
    const KEYS: &'static [&'static str] = Self::KEYS;

    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        let source = Self::of(&keys.texts("sections")?).contracts(keys.addresses("contracts")?);
        let source = match (keys.address_opt("registry")?, keys.function("view")?) {
            (Some(registry), Some(view)) => source.registry(registry, view),
            (None, None) => source,
            (Some(_), None) => return Err(SettingsError::new("missing beside `registry`").at("view")),
            (None, Some(_)) => return Err(SettingsError::new("missing beside `view`").at("registry")),
        };
        let (hash, salt) = (keys.text("init_code_hash")?, keys.text("salt")?);
        let source = match (keys.address_opt("factory")?, hash, salt) {
            (Some(factory), Some(hash), Some(salt)) => source.factory(factory, parse_hash(hash)?, parse_salt(salt)?),
            (None, None, None) => source,
            (None, ..) => return Err(SettingsError::new("missing beside `init_code_hash` and `salt`").at("factory")),
            (Some(_), None, _) => return Err(SettingsError::new("missing beside `factory`").at("init_code_hash")),
            (Some(_), _, None) => return Err(SettingsError::new("missing beside `factory`").at("salt")),
        };
        if source.contracts.is_empty() && source.checks.is_empty() {
            return Err(SettingsError::new("missing; give `contracts`, `registry` or `factory`").at("contracts"));
        }
        Ok(source)
    }
}

fn parse_hash(text: &str) -> Result<B256, SettingsError> {
    let hash = text.strip_prefix("0x").filter(|digits| digits.len() == 64).and_then(|digits| digits.parse().ok());
    hash.ok_or_else(|| SettingsError::new(format!("{text:?} is not 0x and 64 hex digits")).at("init_code_hash"))
}

fn parse_salt(text: &str) -> Result<Salt, SettingsError> {
    let salt = SALTS.iter().find(|(name, _)| *name == text).map(|(_, salt)| *salt);
    let known = SALTS.map(|(name, _)| name).join(", ");
    salt.ok_or_else(|| SettingsError::new(format!("{text:?} is not one of {known}")).at("salt"))
}
