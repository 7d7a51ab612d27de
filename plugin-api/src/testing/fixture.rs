//! A recorded job: the question, and the reply to each of its reads. Replays bit for bit, without a network.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use alloy::primitives::{Address, B256, Bytes};
use portolan_abi::map::{Block, Transaction};
use portolan_abi::root::PluginRef;
use portolan_abi::row::status;
use portolan_abi::{Question, codec};
use serde::{Deserialize, Serialize};

use super::{JobTest, Outcome, ReadRequest, ReadResult, Replies};
use crate::export::{Exported, module};
use crate::settings::Settings;

/// A recorded job, as a JSON file keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Fixture {
    protocol: String,
    network: u64,
    question: String,
    account: String,
    /// The tokens that the question is about, if it is about tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<String>,
    /// The transaction that the question is about, if it is about one: as the binary interface hands it over.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    transaction: String,
    block: RecordedBlock,
    /// The blocks of other networks, by chain id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pins: BTreeMap<u64, RecordedBlock>,
    /// The settings that it ran with, as the binary interface hands them over; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    settings: String,
    /// The entries of fact lists that earlier jobs derived, by `market/key`, as the binary interface has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    facts: BTreeMap<String, String>,
    reads: Vec<RecordedRead>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RecordedBlock {
    number: u64,
    hash: String,
    timestamp: u64,
    evm_number: u64,
}

/// One read and its reply. Reads with the same request are the same read, however fresh they have to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedRead {
    network: u64,
    kind: u8,
    to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    data: String,
    #[serde(default, skip_serializing_if = "is_first")]
    mode: u8,
    #[serde(default, rename = "gasCap", skip_serializing_if = "is_first")]
    gas_cap: u32,
    status: String,
    reply: String,
}

/// Why a fixture cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixtureError {
    /// The file.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Its JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A value in it.
    #[error("{what} {text:?} is not what a fixture holds")]
    Value {
        /// Which.
        what: &'static str,
        /// The text of the value.
        text: String,
    },
}

impl Fixture {
    /// Runs a job against `replies` and records every reply.
    pub fn record<P: Exported>(test: &JobTest, replies: impl Replies) -> (Outcome, Self) {
        Self::record_in(module::<P>(), test, replies)
    }

    /// The same with a plugin that was loaded from its dylib.
    pub fn record_in(plugin: PluginRef, test: &JobTest, mut replies: impl Replies) -> (Outcome, Self) {
        let mut reads: Vec<RecordedRead> = Vec::new();
        let outcome = test.run_in(plugin, |request: &ReadRequest| {
            let result = replies.reply(request);
            let read = RecordedRead::new(request, &result);
            if !reads.contains(&read) {
                reads.push(read);
            }
            result
        });
        let JobTest { start, settings, facts, .. } = test;
        let fixture = Self {
            protocol: start.protocol.clone(),
            network: start.chain_id,
            question: start.question.name().to_owned(),
            account: hex(start.account.as_slice()),
            tokens: start.tokens.iter().flatten().map(|token| hex(token.as_slice())).collect(),
            transaction: start.transaction.as_ref().map(|sent| hex(&codec::encode(sent))).unwrap_or_default(),
            block: RecordedBlock::new(start.block),
            pins: start.pins.iter().map(|pin| (pin.chain_id, RecordedBlock::new(pin.block))).collect(),
            settings: if settings.is_default() { String::new() } else { hex(&settings.encode()) },
            facts: facts.iter().map(|(list, entries)| (list.clone(), hex(entries))).collect(),
            reads,
        };
        (outcome, fixture)
    }

    /// Reads a fixture's file.
    ///
    /// # Errors
    /// [`FixtureError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FixtureError> {
        Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
    }

    /// Writes a fixture's file.
    ///
    /// # Errors
    /// [`FixtureError`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FixtureError> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(std::fs::write(path, text)?)
    }

    /// The settings that the job was recorded with.
    ///
    /// # Errors
    /// [`FixtureError::Value`].
    pub fn settings(&self) -> Result<Settings, FixtureError> {
        if self.settings.is_empty() {
            return Ok(Settings::default());
        }
        Settings::decode(&bytes("settings", &self.settings, None)?).map_err(|_| wrong("settings", &self.settings))
    }

    /// Replays the recorded job with these settings; a read that was not recorded finds no endpoint.
    ///
    /// # Errors
    /// [`FixtureError::Value`].
    pub fn replay<P: Exported>(&self, settings: Settings) -> Result<Outcome, FixtureError> {
        let question = Question::by_name(&self.question).ok_or_else(|| wrong("question", &self.question))?;
        let account = address("account", &self.account)?;
        let test = JobTest::new(&self.protocol, self.network, question, account);
        let mut test = test.settings(settings).block(self.block.parse()?);
        if !self.tokens.is_empty() {
            let tokens = self.tokens.iter().map(|token| address("token", token)).collect::<Result<_, _>>()?;
            test.start.tokens = Some(tokens);
        }
        test.start.transaction = self.transaction()?;
        for (network, at) in &self.pins {
            test = test.pin(*network, at.parse()?);
        }
        for (list, entries) in &self.facts {
            test.facts.insert(list.clone(), bytes("facts", entries, None)?.to_vec());
        }
        let known: HashMap<_, _> = self.reads.iter().map(RecordedRead::parse).collect::<Result<_, _>>()?;
        let reply = |request: &ReadRequest| known.get(&key(request)).cloned().unwrap_or(ReadResult::Unavailable);
        Ok(test.run::<P>(reply))
    }

    fn transaction(&self) -> Result<Option<Transaction>, FixtureError> {
        if self.transaction.is_empty() {
            return Ok(None);
        }
        let map = bytes("transaction", &self.transaction, None)?;
        codec::decode(&map).map(Some).map_err(|_| wrong("transaction", &self.transaction))
    }
}

impl RecordedBlock {
    fn new(block: Block) -> Self {
        Self {
            number: block.number,
            hash: hex(block.hash.as_slice()),
            timestamp: block.timestamp,
            evm_number: block.evm_number,
        }
    }

    fn parse(&self) -> Result<Block, FixtureError> {
        let hash = B256::from_slice(&bytes("block hash", &self.hash, Some(32))?);
        Ok(Block { number: self.number, hash, timestamp: self.timestamp, evm_number: self.evm_number })
    }
}

type Key = (u64, u8, u8, u32, Address, Option<Address>, Bytes);

fn key(request: &ReadRequest) -> Key {
    let ReadRequest { network, kind, mode, gas_cap, to, from, ref data, .. } = *request;
    (network, kind, mode, gas_cap, to, from, data.clone())
}

/// Zero is the first version's behaviour, and goes without saying.
fn is_first<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The names of statuses in a fixture.
const STATUSES: [(u8, &str); 8] = [
    (status::OK, "ok"),
    (status::REVERTED, "reverted"),
    (status::NO_CODE, "no-code"),
    (status::GAS_CAP, "gas-cap"),
    (status::UNAVAILABLE, "unavailable"),
    (status::OVER_BUDGET, "over-budget"),
    (status::UNSUPPORTED, "unsupported"),
    (status::NOT_ALLOWED, "not-allowed"),
];

impl RecordedRead {
    fn new(request: &ReadRequest, result: &ReadResult) -> Self {
        let (status, reply) = result.parts();
        let name = STATUSES.iter().find(|(known, _)| *known == status).map_or("", |(_, name)| name);
        Self {
            network: request.network,
            kind: request.kind,
            to: hex(request.to.as_slice()),
            from: request.from.map(|from| hex(from.as_slice())),
            data: hex(&request.data),
            mode: request.mode,
            gas_cap: request.gas_cap,
            status: name.to_owned(),
            reply: hex(reply),
        }
    }

    fn parse(&self) -> Result<(Key, ReadResult), FixtureError> {
        let status = STATUSES.iter().find(|(_, name)| *name == self.status);
        let status = status.ok_or_else(|| wrong("status", &self.status))?.0;
        let result = ReadResult::new(status, bytes("reply", &self.reply, None)?);
        let result = result.ok_or_else(|| wrong("status", &self.status))?;
        let from = self.from.as_deref().map(|from| address("from", from)).transpose()?;
        let data = bytes("data", &self.data, None)?;
        let to = address("to", &self.to)?;
        Ok(((self.network, self.kind, self.mode, self.gas_cap, to, from, data), result))
    }
}

fn hex(bytes: &[u8]) -> String {
    alloy::primitives::hex::encode_prefixed(bytes)
}

fn bytes(what: &'static str, text: &str, len: Option<usize>) -> Result<Bytes, FixtureError> {
    let bytes = alloy::primitives::hex::decode(text).map_err(|_| wrong(what, text))?;
    if len.is_some_and(|len| len != bytes.len()) {
        return Err(wrong(what, text));
    }
    Ok(bytes.into())
}

fn address(what: &'static str, text: &str) -> Result<Address, FixtureError> {
    bytes(what, text, Some(20)).map(|bytes| Address::from_slice(&bytes))
}

fn wrong(what: &'static str, text: &str) -> FixtureError {
    FixtureError::Value { what, text: text.to_owned() }
}
