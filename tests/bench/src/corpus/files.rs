//! A folder with real transactions: their receipts, the truth about each log, and what is known of tokens and pools.
//!
//! Invariant: a line that cannot be read is an error, and so is a truth without its receipt; nothing is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// All of a folder.
#[derive(Debug)]
pub(super) struct Corpus {
    pub(super) transactions: Vec<Transaction>,
    pub(super) tokens: Vec<Token>,
    pub(super) pools: Vec<Pool>,
    /// Kind of a truth row → types that it is decoded as; none where it is outside the vocabulary.
    pub(super) kinds: BTreeMap<String, Option<Vec<String>>>,
}

/// A transaction, and the truth about it.
#[derive(Debug)]
pub(super) struct Transaction {
    pub(super) chain_id: u64,
    /// Its network's name.
    pub(super) network: String,
    pub(super) hash: String,
    /// As nodes answer.
    pub(super) transaction: Value,
    pub(super) receipt: Value,
    pub(super) rows: Vec<Row>,
}

/// The truth about a log.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) log_index: u64,
    pub(super) contract: String,
    pub(super) kind: String,
    pub(super) family: String,
    pub(super) tier: String,
    #[serde(default)]
    pub(super) args: Map<String, Value>,
    /// The token of fungible amounts.
    #[serde(default)]
    pub(super) asset: Option<String>,
    #[serde(default)]
    pub(super) decimals: Option<u32>,
}

/// What a token says of itself, as far as known.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Token {
    pub(super) chain_id: u64,
    pub(super) address: String,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) symbol: Option<String>,
    #[serde(default)]
    pub(super) decimals: Option<u8>,
}

/// A pool of two tokens.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pool {
    pub(super) chain_id: u64,
    pub(super) address: String,
    pub(super) token0: String,
    pub(super) token1: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mined {
    chain_id: u64,
    hash: String,
    tx: Value,
    receipt: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Truth {
    chain_id: u64,
    network: String,
    hash: String,
    logs: Vec<Row>,
}

impl Corpus {
    /// Reads a folder.
    ///
    /// # Errors
    /// Names the file and line that cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let kinds = folder.join("kinds.json");
        let kinds = fs::read_to_string(&kinds).with_context(|| kinds.display().to_string())?;
        let mut mined: BTreeMap<(u64, String), Mined> = BTreeMap::new();
        for row in lines::<Mined>(folder, "receipts.jsonl")? {
            mined.insert((row.chain_id, row.hash.to_lowercase()), row);
        }
        let mut transactions = Vec::new();
        for truth in lines::<Truth>(folder, "truth.jsonl")? {
            let hash = truth.hash.to_lowercase();
            let own = mined.remove(&(truth.chain_id, hash)).with_context(|| format!("no receipt of {}", truth.hash))?;
            transactions.push(Transaction {
                chain_id: truth.chain_id,
                network: truth.network,
                hash: own.hash,
                transaction: own.tx,
                receipt: own.receipt,
                rows: truth.logs,
            });
        }
        ensure!(!transactions.is_empty(), "no transaction in {}", folder.display());
        Ok(Self {
            transactions,
            tokens: lines(folder, "tokens.jsonl")?,
            pools: lines(folder, "pools.jsonl")?,
            kinds: serde_json::from_str(&kinds).context("kinds.json")?,
        })
    }

    /// The chains that it has transactions of.
    pub(super) fn chain_ids(&self) -> BTreeSet<u64> {
        self.transactions.iter().map(|transaction| transaction.chain_id).collect()
    }

    /// Whether the tokens of a pool are known.
    pub(super) fn knows_pool(&self, chain_id: u64, address: &str) -> bool {
        self.pools.iter().any(|pool| pool.chain_id == chain_id && pool.address.eq_ignore_ascii_case(address))
    }
}

fn lines<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>> {
    let file = folder.join(name);
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| serde_json::from_str(line).with_context(|| format!("{name}:{}", at + 1))).collect()
}
