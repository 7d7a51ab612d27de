//! A recorded job: the question, and the reply to each of its reads. Replays bit for bit, without a network.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use alloy::primitives::{Address, B256, Bytes};
use portolan_abi::root::PluginRef;
use portolan_abi::{codec, map};
use serde::{Deserialize, Serialize};

use super::{Answer, Asked, Case, Outcome, Replies};
use crate::catalogue::Question;
use crate::chain::Block;
use crate::event;
use crate::events::Transaction;
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
    /// What the question is about, where it is about tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<String>,
    /// What the question is about, where it is about a transaction: as the binary interface hands it over.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    transaction: String,
    block: RecordedBlock,
    /// The blocks of other networks, by chain id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pins: BTreeMap<u64, RecordedBlock>,
    /// The settings that it ran with, as the binary interface hands them over; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    settings: String,
    reads: Vec<Recorded>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RecordedBlock {
    number: u64,
    hash: String,
    timestamp: u64,
    evm_number: u64,
}

/// One read and its reply. A read that asks the same of the same is the same read, however fresh it has to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
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
        /// What stands there.
        text: String,
    },
}

impl Fixture {
    /// Runs a case against `replies` and keeps every reply.
    pub fn record<P: Exported>(case: &Case, replies: impl Replies) -> (Outcome, Self) {
        Self::record_in(module::<P>(), case, replies)
    }

    /// The same with a plugin that was loaded from its dylib.
    pub fn record_in(plugin: PluginRef, case: &Case, mut replies: impl Replies) -> (Outcome, Self) {
        let mut reads: Vec<Recorded> = Vec::new();
        let outcome = case.run_in(plugin, |asked: &Asked| {
            let answer = replies.reply(asked);
            let read = Recorded::new(asked, &answer);
            if !reads.contains(&read) {
                reads.push(read);
            }
            answer
        });
        let fixture = Self {
            protocol: case.protocol.clone(),
            network: case.network,
            question: name(case.question).to_owned(),
            account: hex(case.account.as_slice()),
            tokens: case.tokens.iter().map(|token| hex(token.as_slice())).collect(),
            transaction: case.transaction_map().map(|told| hex(&codec::encode(&told))).unwrap_or_default(),
            block: RecordedBlock::new(case.at),
            pins: case.pins.iter().map(|(network, at)| (*network, RecordedBlock::new(*at))).collect(),
            settings: if case.settings.is_default() { String::new() } else { hex(&case.settings.encode()) },
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
        let question = QUESTIONS.iter().find(|(_, name)| *name == self.question);
        let question = question.ok_or_else(|| wrong("question", &self.question))?.0;
        let account = address("account", &self.account)?;
        let case = Case::new(&self.protocol, self.network, question, account);
        let mut case = case.settings(settings).block(self.block.parse()?);
        case.tokens = self.tokens.iter().map(|token| address("token", token)).collect::<Result<_, _>>()?;
        case.transaction = self.transaction()?;
        for (network, at) in &self.pins {
            case = case.pin(*network, at.parse()?);
        }
        let known: HashMap<_, _> = self.reads.iter().map(Recorded::parse).collect::<Result<_, _>>()?;
        Ok(case.run::<P>(|asked: &Asked| known.get(&key(asked)).cloned().unwrap_or(Answer::Unavailable)))
    }
}

impl Fixture {
    fn transaction(&self) -> Result<Option<(Transaction, Option<Address>)>, FixtureError> {
        if self.transaction.is_empty() {
            return Ok(None);
        }
        let wrong = || wrong("transaction", &self.transaction);
        let told: map::Transaction =
            codec::decode(&bytes("transaction", &self.transaction, None)?).map_err(|_| wrong())?;
        let wrapped = told.wrapped_native.map(|token| Address::from(token.0));
        Ok(Some((event::transaction(&told).map_err(|_| wrong())?, wrapped)))
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

fn key(asked: &Asked) -> Key {
    (asked.network, asked.kind, asked.mode, asked.gas_cap, asked.to, asked.from, asked.data.clone())
}

/// Zero is the first version's behaviour, and goes without saying.
fn is_first<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Recorded {
    fn new(asked: &Asked, answer: &Answer) -> Self {
        let (status, reply) = match answer {
            Answer::Ok(bytes) => ("ok", bytes.as_ref()),
            Answer::Reverted(bytes) => ("reverted", bytes.as_ref()),
            Answer::NoCode => ("no-code", &[][..]),
            Answer::GasCap => ("gas-cap", &[][..]),
            Answer::Unavailable => ("unavailable", &[][..]),
            Answer::OverBudget => ("over-budget", &[][..]),
            Answer::Unsupported => ("unsupported", &[][..]),
        };
        Self {
            network: asked.network,
            kind: asked.kind,
            to: hex(asked.to.as_slice()),
            from: asked.from.map(|from| hex(from.as_slice())),
            data: hex(&asked.data),
            mode: asked.mode,
            gas_cap: asked.gas_cap,
            status: status.to_owned(),
            reply: hex(reply),
        }
    }

    fn parse(&self) -> Result<(Key, Answer), FixtureError> {
        let reply = bytes("reply", &self.reply, None)?;
        let answer = match self.status.as_str() {
            "ok" => Answer::Ok(reply),
            "reverted" => Answer::Reverted(reply),
            "no-code" => Answer::NoCode,
            "gas-cap" => Answer::GasCap,
            "unavailable" => Answer::Unavailable,
            "over-budget" => Answer::OverBudget,
            "unsupported" => Answer::Unsupported,
            other => return Err(wrong("status", other)),
        };
        let from = self.from.as_deref().map(|from| address("from", from)).transpose()?;
        let data = bytes("data", &self.data, None)?;
        let to = address("to", &self.to)?;
        Ok(((self.network, self.kind, self.mode, self.gas_cap, to, from, data), answer))
    }
}

const QUESTIONS: [(Question, &str); 5] = [
    (Question::Claimables, "claimables"),
    (Question::Farming, "farming"),
    (Question::Lending, "lending"),
    (Question::Composition, "composition"),
    (Question::Events, "events"),
];

fn name(question: Question) -> &'static str {
    QUESTIONS.iter().find(|(known, _)| *known == question).map_or("", |(_, name)| name)
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
