//! The contents of the benchmark's chain, and the packages that make it.
//!
//! Invariant: what is expected comes from the genesis, never from a side.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use alloy::primitives::{Address, U256};
use anyhow::{Context as _, Result};
use serde::Deserialize;

use portolan_tests::build::workspace;
use portolan_tests::chain;

const LOCK: &str = "package-lock.json";

/// The accounts and tokens of a chain.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct World {
    pub chain_id: u64,
    pub accounts: Vec<Address>,
    pub tokens: Vec<Address>,
    /// For each account its balances that are not zero, by the token's place.
    pub held: Vec<BTreeMap<usize, U256>>,
    /// Contracts that pay their place and one of the token at their place.
    pub farms: Vec<Address>,
    /// Creation code.
    pub multicall3: String,
}

impl World {
    /// Reads the file that the chain's genesis was written with.
    ///
    /// # Errors
    /// A file that is no such world.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read(path).with_context(|| path.display().to_string())?;
        serde_json::from_slice(&text).with_context(|| path.display().to_string())
    }

    /// The tokens that an account has, and how much of each.
    pub(super) fn held(&self, who: usize) -> Result<impl Iterator<Item = (Address, U256)>> {
        let held = self.held.get(who).with_context(|| format!("no account {who}"))?;
        Ok(held.iter().filter_map(|(place, amount)| Some((*self.tokens.get(*place)?, *amount))))
    }
}

/// A folder with a chain's genesis and its [`World`].
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) packages: PathBuf,
    pub(super) genesis: PathBuf,
    pub(super) world: PathBuf,
}

/// Writes the genesis of a chain with so many tokens.
pub(super) fn prepare(tokens: usize) -> Result<Prepared> {
    let packages = packages()?;
    let folder = packages.join(tokens.to_string());
    let arguments = ["genesis.mjs".to_owned(), folder.display().to_string(), tokens.to_string()];
    chain::run(Command::new("node").args(arguments), &packages)?;
    Ok(Prepared { packages, genesis: folder.join("genesis.json"), world: folder.join("world.json") })
}

/// The folder with viem, solc and anvil, and this benchmark's scripts beside them.
fn packages() -> Result<PathBuf> {
    chain::require("node", chain::NODE_MIN)?;
    chain::require("npm", chain::NPM_MIN)?;
    let (folder, sources) = (chain::target_folder()?.join("bench-reads"), workspace().join("tests"));
    let wanted = fs::read(sources.join("chain").join(LOCK))?;
    // The lock file is copied last, so a folder that has it is complete.
    if fs::read(folder.join(LOCK)).ok() != Some(wanted) {
        install(&sources.join("chain"), &folder)?;
    }
    for entry in fs::read_dir(sources.join("bench/chain"))? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join(entry.file_name()))?;
    }
    Ok(folder)
}

fn install(from: &Path, folder: &Path) -> Result<()> {
    let began = folder.with_extension("installing");
    for old in [folder, &began].into_iter().filter(|old| old.exists()) {
        fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
    }
    fs::create_dir_all(&began)?;
    for file in ["package.json", LOCK] {
        fs::copy(from.join(file), began.join(file))?;
    }
    chain::run(Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]), &began)?;
    fs::rename(&began, folder).with_context(|| folder.display().to_string())
}
