//! Morpho Blue: one contract with many isolated markets, which each lend one token against one other, and vaults that
//! lend to several of them (MetaMorpho, and vaults of version 2); and Moolah, its fork.
//!
//! A deployment is one such contract, with lists of vaults and markets; settings keys are the fields of
//! [`MorphoContracts`]. Answers lending positions (debts with their health factor). Invariant: interest is what the
//! contract would add at the block, rounded like there. A market or vault that cannot be read loses only its own row,
//! and the answer reports it. Only markets of the row and of its vaults are read: the contract has no list.

mod contracts;
mod list;
mod market;
mod position;

use std::sync::Arc;

use portolan_plugin_api::{Address, B256, JobContext, KeyField, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::erc4626;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MorphoKit {
    /// Mechanism of positions in markets.
    pub market: &'static str,
    /// Mechanism of vault shares.
    pub vault: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MorphoContracts {
    /// Contract of all markets.
    pub morpho: Address,
    /// MetaMorpho vaults, versions 1.0 and 1.1, whose markets are read.
    pub vaults: Vec<Address>,
    /// Vaults of version 2, whose markets are read.
    pub vaults_v2: Vec<Address>,
    /// Further markets, by id.
    pub markets: Vec<B256>,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Morpho {
    contracts: MorphoContracts,
    lineage: MarketsOf,
    types: MorphoKit,
}

/// Whose contract of markets it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarketsOf {
    /// A market's oracle quotes its collateral in the lent token.
    MorphoBlue,
    /// The contract itself quotes it, and what is owed in a market with a broker is what the broker says.
    Moolah,
}

impl MorphoKit {
    /// Keys of a row for Morpho Blue or a fork:
    /// - `morpho` (address): the contract of all markets
    /// - `moolah` (address, in place of `morpho`): the same of Moolah, whose markets may have brokers
    /// - `vaults`, `vaults_v2` (arrays of addresses, optional): vaults of either version; the markets that they lend to
    ///   are read
    /// - `markets` (array of hashes, optional): further markets
    pub const KEYS: &'static [&'static str] = &["morpho", "moolah", "vaults", "vaults_v2", "markets"];
}

impl Kit for MorphoKit {
    fn keys(&self) -> &'static [&'static str] {
        &["morpho", "moolah", "vaults", "vaults_v2", "markets"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let (morpho, lineage) = match (keys.address_opt("morpho")?, keys.address_opt("moolah")?) {
            (Some(morpho), None) => (morpho, MarketsOf::MorphoBlue),
            (None, Some(moolah)) => (moolah, MarketsOf::Moolah),
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => return Err(SettingsError::new("a row has `morpho` or `moolah`").at("moolah")),
        };
        let contracts = MorphoContracts {
            morpho,
            vaults: keys.addresses("vaults")?,
            vaults_v2: keys.addresses("vaults_v2")?,
            markets: Vec::from_key(keys, "markets", "")?,
        };
        if contracts.vaults.is_empty() && contracts.vaults_v2.is_empty() && contracts.markets.is_empty() {
            let why = "missing; a morpho needs `vaults`, `vaults_v2` or `markets`, for it lists no markets itself";
            return Err(SettingsError::new(why).at("vaults"));
        }
        Ok(Some(Morpho { contracts, lineage, types: *self }.shared()))
    }
}

impl DeploymentReader for Morpho {
    fn contracts(&self) -> Vec<Address> {
        [self.contracts.morpho].into_iter().chain(self.vaults()).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns a position per market, and one per vault.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        let parts: [Boxed<'a, Vec<Position>>; 2] = [
            Box::pin(position::positions(cx, self, labels, account)),
            Box::pin(erc4626::positions(cx, labels, self.types.vault, self.vaults(), account)),
        ];
        Box::pin(async move {
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl Morpho {
    /// Iterates over the vaults of all versions.
    fn vaults(&self) -> impl Iterator<Item = Address> {
        self.contracts.vaults.iter().chain(self.contracts.vaults_v2.iter()).copied()
    }
}
