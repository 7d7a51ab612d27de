//! Positions that another project recorded on chains, replayed: the replies of contracts that it kept answer the reads
//! of our plugins, and our amounts have to be its amounts.
//!
//! A record has what contracts replied at a block, and what the other project found there for an account; see
//! `tests/peers/README.md`. Invariant: no amount that is compared comes from anything but replies of a chain. What else
//! a read needs is named with its reason, and a read without any reply finds no endpoint.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use abi_stable::library::lib_header_from_path;
use abi_stable::std_types::{RResult, RSlice};
use alloy::primitives::{Address, B256, Bytes, U256};
use portolan_abi::codec;
use portolan_abi::map::{Catalogue, Settings};
use portolan_abi::root::PluginRef;
use portolan_abi::row::kind;
use portolan_plugin_api::testing::{End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::{Block, LegRole, Question};
use portolan_tests::build;
use serde::{Deserialize, Serialize};

/// Amounts of the other project that our answers have to the last digit, over all records.
const SAME: usize = 90;
/// Where to write, for `tests/peers/record.mjs`, what each record lacks and what our plugins answer.
const WRITE_TO: &str = "PORTOLAN_PEERS_WRITE";
/// Time of a block whose record has none.
const TIME_UNKNOWN_S: u64 = 1_700_000_000;

/// What is owed to an account, apart from what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Held,
    Claimable,
}

/// Token and smallest units.
type Amount = (Part, Address, U256);
/// The same, and why the other side does not have it.
type Apart = (Part, Address, U256, String);

/// A file of `tests/peers`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The file of the other project.
    #[serde(rename = "source")]
    _source: String,
    plugin: String,
    protocol: String,
    network: u64,
    account: Address,
    block: u64,
    /// Time of the block, in seconds; absent if no reply has it.
    timestamp: Option<u64>,
    /// Amounts that both have.
    same: Vec<Amount>,
    /// Amounts of ours alone.
    ours: Vec<Apart>,
    /// Amounts of the other project alone.
    theirs: Vec<Apart>,
    /// Target, calldata and the chain's reply; no reply is a call that reverted.
    replies: Vec<(Address, Bytes, Option<Bytes>)>,
    /// Replies that are no amount of the account, in the order in which they count, after those of the chain.
    wiring: Vec<Wiring>,
}

/// What replies to reads that the other project did not make.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wiring {
    /// Target; any contract if absent.
    to: Option<Address>,
    /// How the calldata begins.
    data: Bytes,
    /// No reply is a call that reverts.
    reply: Option<Bytes>,
    /// Where it is known from, or why nothing that is compared depends on it.
    why: String,
    /// True for a number that nothing depends on that is compared: the test exchanges it for another one.
    #[serde(default)]
    is_filler: bool,
}

impl Wiring {
    fn answers(&self, read: &ReadRequest) -> bool {
        self.to.is_none_or(|to| to == read.to) && read.data.starts_with(&self.data)
    }

    /// With other numbers, where it is a filler: each that is not zero is one more.
    fn exchanged(&self) -> Self {
        let mut other = self.clone();
        let reply = self.reply.as_deref().filter(|_| self.is_filler);
        other.reply = reply.map(|reply| reply.chunks(32).flat_map(next).collect()).or(other.reply);
        other
    }
}

fn next(word: &[u8]) -> Vec<u8> {
    match U256::try_from_be_slice(word) {
        Some(number) if !number.is_zero() => (number + U256::ONE).to_be_bytes::<32>().to_vec(),
        _ => word.to_vec(),
    }
}

/// What a record lacks, and what our plugin answers.
#[derive(Debug, Default, Serialize)]
struct Written {
    unanswered: Vec<(Address, Option<Address>, Bytes)>,
    messages: Vec<String>,
    amounts: Vec<(Part, Address, String)>,
}

fn records() -> Vec<(String, Record)> {
    let folder = build::workspace().join("tests/peers/records");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let named = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let record = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, record)
    };
    files.into_iter().map(named).collect()
}

/// A plugin's functions, out of its dylib; it stays loaded.
fn load(plugin: &str) -> PluginRef {
    let file = build::built().unwrap().plugin(&format!("lib{}.so", plugin.replace('-', "_")));
    lib_header_from_path(&file).unwrap().init_root_module::<PluginRef>().unwrap()
}

/// The questions about accounts that the plugin answers with the rows that ship.
fn declared(record: &Record, plugin: PluginRef) -> BTreeSet<Question> {
    let settings = codec::encode(&Settings { shipped: true, ..Settings::default() });
    let RResult::ROk(instance) = (plugin.configure())(RSlice::from_slice(&settings)) else {
        panic!("{} refuses its own rows", record.plugin);
    };
    let catalogue: Catalogue = codec::decode(&(plugin.catalogue())(&instance)).unwrap();
    (plugin.drop_instance())(instance);
    let rows = catalogue.deployments.iter();
    let rows = rows.filter(|row| (row.protocol.as_str(), row.chain_id) == (&record.protocol, record.network));
    let questions = rows.flat_map(|row| row.questions.iter().copied());
    questions.filter(|question| ![Question::EVENTS, Question::COMPOSITION].contains(question)).collect()
}

/// Runs a question of a record.
fn run(record: &Record, plugin: PluginRef, question: Question, written: &mut Written) -> Outcome {
    let known: HashMap<(Address, &Bytes), Option<&Bytes>> =
        record.replies.iter().map(|(to, data, reply)| ((*to, data), reply.as_ref())).collect();
    let timestamp = record.timestamp.unwrap_or(TIME_UNKNOWN_S);
    let block = Block { number: record.block, hash: B256::repeat_byte(1), timestamp, evm_number: record.block };
    let test = JobTest::new(&record.protocol, record.network, question, record.account).block(block);
    test.run_in(plugin, |read: &ReadRequest| {
        if read.network != record.network || read.kind != kind::CALL {
            written.messages.push(format!("a read of kind {} of {:#x}", read.kind, read.to));
            return ReadResult::Unavailable;
        }
        let recorded = known.get(&(read.to, &read.data)).copied();
        if recorded.is_none() {
            written.unanswered.push((read.to, read.from, read.data.clone()));
        }
        let wired = || record.wiring.iter().find(|row| row.answers(read)).map(|row| row.reply.as_ref());
        match recorded.or_else(wired) {
            Some(Some(reply)) => ReadResult::Ok(reply.clone()),
            Some(None) => ReadResult::Reverted(Bytes::new()),
            None => ReadResult::Unavailable,
        }
    })
}

/// Every amount of an answer: of legs, of what they redeem to, and of payments.
fn amounts(outcome: &Outcome) -> Vec<Amount> {
    let mut found = Vec::new();
    for leg in outcome.legs() {
        let is_owed = [LegRole::REWARD_OWED, LegRole::FEE_OWED].contains(&leg.role);
        let part = if is_owed { Part::Claimable } else { Part::Held };
        let own = leg.position.legs.iter().find(|own| own.token == leg.token && own.amount == leg.amount);
        let redeemed = own.and_then(|own| own.redeems_to.as_deref()).unwrap_or_default();
        // Shares of what they redeem to are counted by their own token.
        let is_shares = redeemed.iter().any(|redeemed| redeemed.token == leg.token);
        found.push((part, if is_shares { leg.contract } else { leg.token }, leg.amount));
        found.extend(redeemed.iter().map(|redeemed| (part, redeemed.token, redeemed.amount)));
    }
    found.extend(outcome.payments().iter().map(|row| (Part::Claimable, row.token, row.amount)));
    found
}

/// Asks all questions of a record: what our plugin answers, sorted, without repetition.
fn answered(record: &Record, written: &mut Written) -> Vec<Amount> {
    let plugin = load(&record.plugin);
    let mut found = Vec::new();
    for question in declared(record, plugin) {
        let outcome = run(record, plugin, question, written);
        written.messages.push(format!(
            "{}: {:?} {} {}",
            question.name(),
            outcome.end,
            outcome.message,
            outcome.invalid_replies
        ));
        assert!(matches!(outcome.end, End::Complete | End::Partial | End::Failed), "{outcome:?}");
        found.extend(amounts(&outcome));
    }
    found.retain(|(_, _, amount)| !amount.is_zero());
    found.sort_unstable();
    found.dedup();
    found
}

fn write(to: &Path, name: &str, written: &mut Written, found: &[Amount]) {
    written.unanswered.sort();
    written.unanswered.dedup();
    written.amounts = found.iter().map(|(part, token, amount)| (*part, *token, amount.to_string())).collect();
    fs::write(to.join(format!("{name}.json")), serde_json::to_string(written).unwrap()).unwrap();
}

#[test]
fn recorded_positions_of_a_peer_are_answered_alike() {
    let write_to = std::env::var_os(WRITE_TO).map(PathBuf::from);
    let (mut same, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    for (name, mut record) in records() {
        let mut written = Written::default();
        let found = answered(&record, &mut written);
        if let Some(to) = &write_to {
            write(to, &name, &mut written, &found);
        }
        *same.entry(record.protocol.clone()).or_default() += record.same.len();
        let apart = |(part, token, amount, _): &Apart| (*part, *token, *amount);
        let mut expected: Vec<Amount> = record.same.iter().copied().chain(record.ours.iter().map(apart)).collect();
        expected.sort_unstable();
        if expected != found {
            wrong.push(format!("{name}: expected {expected:#?}, found {found:#?}: {:#?}", written.messages));
        }
        let reasons = record.ours.iter().chain(&record.theirs).map(|(.., why)| why);
        let sources = record.wiring.iter().map(|row| &row.why);
        if record.same.is_empty() || reasons.chain(sources).any(String::is_empty) {
            wrong.push(format!("{name}: nothing is compared, or a reason lacks"));
        }
        record.wiring = record.wiring.iter().map(Wiring::exchanged).collect();
        if answered(&record, &mut written) != found {
            wrong.push(format!("{name}: an amount depends on a reply that no chain gave"));
        }
        if record.theirs.iter().any(|amount| found.contains(&apart(amount))) {
            wrong.push(format!("{name}: an amount that stands apart is ours too"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(same.values().sum::<usize>(), SAME, "{same:#?}");
}
