//! Where a protocol's events come from: contracts that are listed, and ways to tell that another one belongs to it.

use std::collections::BTreeMap;

use portolan_plugin_api::{
    Address, B256, Deployment, Keys, Mechanism, SettingsError, SolValue, U256, alloy::primitives::keccak256,
};

/// The contracts of one deployment, and the sections of the table whose events they emit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Empty for all.
    sections: Vec<String>,
    contracts: Vec<Address>,
    checks: Vec<Check>,
}

/// How a contract that is not listed is known to belong to the deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Check {
    /// This view of a registry about it, of type `address`, answers anything but zero.
    Registry { registry: Address, view: String },
    /// This view of a registry about what the contract's own view tells answers the contract: a registry that has one
    /// for each token.
    ByOwn { registry: Address, view: String, own: String },
    /// Its address follows from its factory, its code and its own tokens: nobody else can have it.
    Create2 { factory: Address, init_code_hash: B256, salt: Salt },
}

/// What a factory deploys its pools with, each hashed: EIP-1014's salt.
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
}

/// The names of the salts in settings.
const SALTS: [(&str, Salt); 3] = [("packed", Salt::Packed), ("encoded", Salt::Encoded), ("with-fee", Salt::WithFee)];

/// A view that answers whose a contract is: contract, name, and its argument of type `address`.
pub(super) type View<'a> = (Address, &'a str, Option<Address>);
/// The first words of their answers; nothing of those that refused or could not be read.
pub(super) type Words<'a> = BTreeMap<View<'a>, U256>;

impl Source {
    /// Of these sections of the table, all where there is none named; without any contracts yet.
    pub fn of(sections: &[&str]) -> Self {
        let sections = sections.iter().map(|section| (*section).to_owned()).collect();
        Self { sections, contracts: Vec::new(), checks: Vec::new() }
    }

    /// These belong to it.
    #[must_use]
    pub fn contracts(mut self, contracts: impl IntoIterator<Item = Address>) -> Self {
        self.contracts.extend(contracts);
        self
    }

    /// Contracts belong to it of which this view of a registry, with the contract as its only argument, tells anything
    /// but zero in its first word: `isPool` for `isPool(address)`.
    #[must_use]
    pub fn registry(mut self, registry: Address, view: &str) -> Self {
        self.checks.push(Check::Registry { registry, view: view.to_owned() });
        self
    }

    /// Contracts belong to it that this view of a registry answers, in its first word, about the address that the
    /// contract's `own` view tells: `stakingRewardsInfoByStakingToken` about `stakingToken`.
    #[must_use]
    pub fn registry_by(mut self, registry: Address, view: &str, own: &str) -> Self {
        self.checks.push(Check::ByOwn { registry, view: view.to_owned(), own: own.to_owned() });
        self
    }

    /// Contracts belong to it that this factory (or its deployer, where it has one) deployed with CREATE2.
    #[must_use]
    pub fn factory(mut self, factory: Address, init_code_hash: B256, salt: Salt) -> Self {
        self.checks.push(Check::Create2 { factory, init_code_hash, salt });
        self
    }

    /// As a deployment of a protocol on a network.
    pub fn deployed(self, protocol: &str, network: u64, market: &str) -> Deployment<Self> {
        Deployment { protocol: protocol.to_owned(), network, market: market.to_owned(), mechanism: self }
    }

    /// What the catalogue lists.
    pub fn listed(&self) -> impl Iterator<Item = Address> {
        let registries = self.checks.iter().map(|check| match check {
            Check::Registry { registry, .. } | Check::ByOwn { registry, .. } => *registry,
            Check::Create2 { factory, .. } => *factory,
        });
        self.contracts.iter().copied().chain(registries)
    }

    pub(super) fn has(&self, section: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|own| own == section)
    }

    pub(super) fn lists(&self, contract: Address) -> bool {
        self.contracts.contains(&contract)
    }

    /// The views that tell whether a contract that is not listed belongs to it.
    pub(super) fn views(&self, contract: Address) -> impl Iterator<Item = View<'_>> {
        self.checks.iter().flat_map(move |check| match check {
            Check::Registry { registry, view } => vec![(*registry, view.as_str(), Some(contract))],
            Check::ByOwn { own, .. } => vec![(contract, own.as_str(), None)],
            Check::Create2 { salt: Salt::WithFee, .. } => PARTS.map(|part| (contract, part, None)).to_vec(),
            Check::Create2 { .. } => PARTS[..2].iter().map(|part| (contract, *part, None)).collect(),
        })
    }

    /// The views that come after those, by what they answered.
    pub(super) fn further_views(&self, contract: Address, words: &Words<'_>) -> impl Iterator<Item = View<'_>> {
        self.checks.iter().filter_map(move |check| match check {
            Check::ByOwn { registry, view, own } => {
                let told = words.get(&(contract, own.as_str(), None)).copied().and_then(token)?;
                Some((*registry, view.as_str(), Some(told)))
            }
            Check::Registry { .. } | Check::Create2 { .. } => None,
        })
    }

    pub(super) fn knows(&self, contract: Address, words: &Words<'_>) -> bool {
        self.checks.iter().any(|check| match check {
            Check::Registry { registry, view } => {
                words.get(&(*registry, view.as_str(), Some(contract))).is_some_and(|word| !word.is_zero())
            }
            Check::ByOwn { .. } => self
                .further_views(contract, words)
                .any(|view| words.get(&view).copied().and_then(token) == Some(contract)),
            Check::Create2 { factory, init_code_hash, salt } => salt
                .of(PARTS.map(|part| words.get(&(contract, part, None)).copied()))
                .is_some_and(|salt| factory.create2(salt, init_code_hash) == contract),
        })
    }
}

/// What salts are made of.
const PARTS: [&str; 3] = ["token0", "token1", "fee"];

impl Salt {
    /// Nothing where the contract does not tell its parts, or tells something that no pool does.
    fn of(self, [token0, token1, fee]: [Option<U256>; 3]) -> Option<B256> {
        let tokens = (token(token0?)?, token(token1?)?);
        Some(keccak256(match self {
            Self::Packed => tokens.abi_encode_packed(),
            Self::Encoded => tokens.abi_encode(),
            Self::WithFee => (tokens.0, tokens.1, fee?).abi_encode(),
        }))
    }
}

/// Nothing for what is no address.
fn token(word: U256) -> Option<Address> {
    let word = word.to_be_bytes::<32>();
    let (padding, token) = word.split_first_chunk::<12>()?;
    (*padding == [0; 12]).then(|| Address::from_slice(token))
}

impl Mechanism for Source {
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
    salt.ok_or_else(|| SettingsError::new(format!("{text:?} is none of {known}")).at("salt"))
}
