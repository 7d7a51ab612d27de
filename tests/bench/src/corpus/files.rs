//! A folder with real transactions: their receipts, the truth about each log and each leg of a wallet, and what is known
//! of contracts.
//!
//! Invariant: a line that cannot be read is an error, and so is a truth without its receipt; nothing is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use alloy::primitives::U256;
use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::contract::DECIMALS;

/// The name of the native token.
pub(super) const NATIVE: &str = "native";
/// The native token of every EVM network has so many.
const NATIVE_DECIMALS: u32 = 18;

/// The tier of logs of native movements, which need not be told.
pub(super) const OPEN: &str = "ambiguous-native";

/// All of a folder.
#[derive(Debug)]
pub(super) struct Corpus {
    pub(super) transactions: Vec<Transaction>,
    pub(super) tokens: Vec<Token>,
    pub(super) pools: Vec<Pool>,
    pub(super) views: Vec<RecordedView>,
    /// The first topics of logs that tell an account nothing.
    bookkeeping: BTreeSet<String>,
    /// By chain and token.
    decimals: BTreeMap<(u64, String), u32>,
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
    pub(super) logs: Vec<ReceiptLog>,
    /// By the log's index.
    pub(super) rows: BTreeMap<u64, Row>,
    /// The movements that the wallet's user would name.
    pub(super) legs: Vec<Leg>,
}

/// A log of a receipt, in lower case.
#[derive(Clone, Debug)]
pub(super) struct ReceiptLog {
    pub(super) index: u64,
    pub(super) address: String,
    pub(super) topics: Vec<String>,
    pub(super) data: String,
}

/// The truth about a log.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) log_index: u64,
    pub(super) contract: String,
    #[serde(default)]
    pub(super) event: String,
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
    /// The events that may be at this log; nothing of the vocabulary if it is empty, anything if it is `None`.
    #[serde(default)]
    pub(super) expect: Option<Vec<Expected>>,
    /// Logs that tell the same movement.
    #[serde(default)]
    pub(super) same_as: Vec<u64>,
    /// The slug that its contract is known to have, or a list of them.
    #[serde(default)]
    pub(super) protocol: Value,
    #[serde(default)]
    pub(super) not_protocols: Vec<String>,
}

/// Requirements on an event.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Expected {
    #[serde(rename = "type")]
    pub(super) types: Vec<String>,
    /// Members with what they must be, or with a list of what they may be.
    #[serde(flatten)]
    pub(super) members: BTreeMap<String, Value>,
}

/// A movement out of an account or into it, or an action.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Leg {
    pub(super) counterparty: String,
    pub(super) action: Vec<String>,
    pub(super) direction: Direction,
    pub(super) account: String,
    /// The contract dealt with.
    #[serde(default)]
    pub(super) with: Option<String>,
    #[serde(default)]
    pub(super) asset: Option<String>,
    #[serde(default)]
    pub(super) also_asset: Vec<String>,
    #[serde(default)]
    pub(super) decimals: Option<u32>,
    #[serde(default)]
    pub(super) raw: Option<String>,
    #[serde(default)]
    pub(super) also_raw: Vec<String>,
    #[serde(default)]
    pub(super) logs: Vec<u64>,
}

/// Seen from the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Direction {
    Out,
    In,
    None,
}

/// A token's own description, as far as known.
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

/// A contract's reply to a call.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedView {
    pub(super) chain_id: u64,
    pub(super) to: String,
    /// The whole call.
    pub(super) data: String,
    pub(super) result: String,
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wallet {
    chain_id: u64,
    hash: String,
    legs: Vec<Leg>,
}

#[derive(Deserialize)]
struct Topic {
    topic: String,
}

impl Corpus {
    /// Reads a folder.
    ///
    /// # Errors
    /// Names the file and line that cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let key = |chain_id: u64, hash: &str| (chain_id, hash.to_lowercase());
        let mined = lines::<Mined>(folder, "receipts.jsonl")?.into_iter();
        let mut mined: BTreeMap<_, Mined> = mined.map(|row| (key(row.chain_id, &row.hash), row)).collect();
        let wallets = lines::<Wallet>(folder, "wallet.jsonl")?.into_iter();
        let mut wallets: BTreeMap<_, Vec<Leg>> = wallets.map(|row| (key(row.chain_id, &row.hash), row.legs)).collect();
        let mut transactions = Vec::new();
        for truth in lines::<Truth>(folder, "truth.jsonl")? {
            let key = key(truth.chain_id, &truth.hash);
            let own = mined.remove(&key).with_context(|| format!("no receipt of {}", truth.hash))?;
            let legs = wallets.remove(&key).unwrap_or_default();
            transactions.push(Transaction::new(truth, own, legs)?);
        }
        ensure!(!transactions.is_empty(), "no transaction in {}", folder.display());
        let unknown = wallets.keys().next();
        ensure!(unknown.is_none(), "wallet.jsonl names {unknown:?}, which truth.jsonl does not");
        let bookkeeping = folder.join("bookkeeping.json");
        let bookkeeping = fs::read_to_string(&bookkeeping).with_context(|| bookkeeping.display().to_string())?;
        let bookkeeping: Vec<Topic> = serde_json::from_str(&bookkeeping).context("bookkeeping.json")?;
        let (tokens, views) = (lines(folder, "tokens.jsonl")?, lines(folder, "views.jsonl")?);
        Ok(Self {
            transactions,
            decimals: decimals(&tokens, &views),
            tokens,
            pools: lines(folder, "pools.jsonl")?,
            views,
            bookkeeping: bookkeeping.into_iter().map(|row| row.topic.to_lowercase()).collect(),
        })
    }

    /// The chains that it has transactions of.
    pub(super) fn chain_ids(&self) -> BTreeSet<u64> {
        self.transactions.iter().map(|transaction| transaction.chain_id).collect()
    }

    /// The decimals of a token, where they are known.
    pub(super) fn decimals(&self, chain_id: u64, token: &str) -> Option<u32> {
        if token == NATIVE {
            return Some(NATIVE_DECIMALS);
        }
        self.decimals.get(&(chain_id, token.to_owned())).copied()
    }

    /// Returns true if a log means nothing to an account.
    pub(super) fn is_bookkeeping(&self, mined: &Transaction, log: &ReceiptLog) -> bool {
        let row = mined.rows.get(&log.index);
        let tiers = ["bookkeeping", OPEN];
        let by_row = |row: &Row| tiers.contains(&row.tier.as_str()) || row.expect.as_ref().is_some_and(Vec::is_empty);
        row.is_some_and(by_row) || log.topics.first().is_some_and(|topic| self.bookkeeping.contains(topic))
    }
}

impl Transaction {
    fn new(truth: Truth, own: Mined, legs: Vec<Leg>) -> Result<Self> {
        let logs = own.receipt["logs"].as_array().context("a receipt without logs")?;
        let logs: Vec<ReceiptLog> =
            logs.iter().map(ReceiptLog::of).collect::<Option<_>>().context("a log that is none")?;
        let rows: BTreeMap<u64, Row> = truth.logs.into_iter().map(|row| (row.log_index, row)).collect();
        let unknown = rows.keys().find(|index| logs.iter().all(|log| log.index != **index));
        ensure!(unknown.is_none(), "{}: a truth about log {unknown:?}, which is not there", truth.hash);
        Ok(Self {
            chain_id: truth.chain_id,
            network: truth.network,
            hash: own.hash,
            transaction: own.tx,
            receipt: own.receipt,
            logs,
            rows,
            legs,
        })
    }

    /// The address that sent it.
    pub(super) fn sender(&self) -> Option<String> {
        self.transaction["from"].as_str().map(str::to_lowercase)
    }

    /// The address that it called or created.
    pub(super) fn callee(&self) -> Option<String> {
        let text = |value: &Value| value.as_str().map(str::to_lowercase);
        text(&self.transaction["to"]).or_else(|| text(&self.receipt["contractAddress"]))
    }

    /// Returns true if it is a deposit that brought ether from another network.
    pub(super) fn is_deposit(&self) -> bool {
        self.transaction["mint"].as_str().and_then(|mint| mint.parse::<U256>().ok()).is_some_and(|mint| !mint.is_zero())
    }

    /// The native value that it sent, if any.
    pub(super) fn value(&self) -> Option<U256> {
        let value: U256 = self.transaction["value"].as_str()?.parse().ok()?;
        (!value.is_zero() && self.receipt["status"] == "0x1").then_some(value)
    }
}

impl ReceiptLog {
    fn of(log: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_lowercase);
        Some(Self {
            index: u64::from_str_radix(log["logIndex"].as_str()?.strip_prefix("0x")?, 16).ok()?,
            address: text(&log["address"])?,
            topics: log["topics"].as_array()?.iter().map(text).collect::<Option<_>>()?,
            data: text(&log["data"])?,
        })
    }
}

impl Row {
    /// Returns true if an event of this type may be at its log.
    pub(super) fn expects(&self, kind: &str) -> bool {
        self.expect.iter().flatten().flat_map(|expected| &expected.types).any(|expected| expected == kind)
    }

    /// The slugs that its contract is known to have.
    pub(super) fn protocols(&self) -> Vec<&str> {
        choices(&self.protocol)
    }
}

/// The texts that a value is one of.
pub(super) fn choices(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn decimals(tokens: &[Token], views: &[RecordedView]) -> BTreeMap<(u64, String), u32> {
    let listed = tokens.iter().filter_map(|token| Some((token.chain_id, &token.address, token.decimals?.into())));
    let viewed = views.iter().filter(|view| view.data.trim_start_matches("0x") == DECIMALS).filter_map(|view| {
        let word: U256 = view.result.parse().ok()?;
        Some((view.chain_id, &view.to, word.try_into().ok()?))
    });
    listed.chain(viewed).map(|(chain_id, token, decimals)| ((chain_id, token.to_lowercase()), decimals)).collect()
}

fn lines<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>> {
    let file = folder.join(name);
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| serde_json::from_str(line).with_context(|| format!("{name}:{}", at + 1))).collect()
}
