//! Fuzzing of a transaction's events from arbitrary bytes: decoded by the host's tables, merged with a plugin's
//! events, with tokens of arbitrary metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use alloy::primitives::{Address, B256, Bytes, U256};
use portolan_abi::codec;
use portolan_abi::map::Finding;
use portolan_assets::resolve::Tokens;
use portolan_assets::token::{DecimalsSource, TEXT_CHARS_MAX, Token};
use portolan_base::network::Networks;
use portolan_base::sanitize::text::Text;
use portolan_events::{Decoding, Event, Log, Table, Transaction, ViewResult};
use portolan_plugins::Snapshot;
use portolan_reader::TransactionStatus;
use portolan_validation::validate_events;

use super::{account, rows};
use crate::budget::AnswerBudget;
use crate::events::merge::{self, EventSource, MergedEvent, MergedEvents};
use crate::events::movements::{Movement, Movements};
use crate::events::native::NativeLogs;
use crate::events::summary::{Summary, SummaryFormatter};
use crate::events::tables::Tables;
use crate::events::user_operations::UserOperations;
use crate::gateway::answer::{AccountEffects, Answer, Items, TransactionEvents};

/// Maximum number of events of one source.
const EVENTS_MAX: usize = 300;
/// Maximum number of steps with views.
const STEPS_MAX: usize = 8;
/// Maximum characters of a sentence: six clauses, receipts, unexplained movements, permissions; four members each.
const SENTENCE_CHARS_MAX: usize = 10_000;
/// Maximum number of logs of the transaction.
const LOGS_MAX: usize = 64;

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::read().unwrap_or_else(|error| unreachable!("{error}")));
static TOPICS: LazyLock<Vec<B256>> =
    LazyLock::new(|| [&TABLES.core, &TABLES.further].into_iter().flat_map(Table::topics).collect());
static NETWORKS: LazyLock<Networks> = LazyLock::new(|| Networks::new([]));

/// Takes parts from the beginning of the bytes; zeros after their end.
struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (part, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        part
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    fn short(&mut self) -> usize {
        usize::from(u16::from_be_bytes([self.byte(), self.byte()]))
    }

    /// Returns one of few addresses, so that contracts repeat.
    fn address(&mut self) -> Address {
        Address::repeat_byte(self.byte() % 16)
    }

    /// Returns an address, a small number, or any word.
    fn word(&mut self) -> B256 {
        match self.byte() {
            kind @ 0..=127 => Address::repeat_byte(kind % 16).into_word(),
            128..=191 => U256::from(self.short()).into(),
            _ => B256::right_padding_from(self.bytes(32)),
        }
    }

    /// Returns the first topic of a row of the tables, or any word.
    fn topic(&mut self) -> B256 {
        let place = self.short();
        TOPICS.get(place).copied().unwrap_or_else(|| self.word())
    }

    /// Returns words, or bytes of any length.
    fn data(&mut self) -> Bytes {
        match self.byte() {
            words @ 0..=127 => (0..words).flat_map(|_| self.word()).collect(),
            _ => {
                let length = self.short();
                Bytes::copy_from_slice(self.bytes(length))
            }
        }
    }

    fn log(&mut self, index: u64) -> Log {
        let (address, shape) = (self.address(), self.byte());
        let topics = (0..shape % 5).map(|place| if place == 0 { self.topic() } else { self.word() }).collect();
        Log { index, address, topics, data: self.data() }
    }
}

/// Returns the events, and an answer without items.
pub(crate) fn fuzzed_events(bytes: &[u8]) -> (TransactionEvents, Answer) {
    let mut parts = Parts(bytes);
    let (flags, logs, found) = (parts.byte(), usize::from(parts.byte()) % LOGS_MAX, parts.short());
    let found = parts.bytes(found);
    let transaction = Transaction {
        hash: B256::ZERO,
        from: parts.address(),
        to: (flags & 1 == 0).then(|| parts.address()),
        value: U256::from(parts.byte()),
        // Indexes count within the block.
        logs: (7..).take(logs).map(|index| parts.log(index)).collect(),
    };
    let wrapped_native = Some(Address::repeat_byte(1));
    let network = portolan_events::Network { chain_id: if flags & 2 == 0 { 1 } else { 137 }, wrapped_native };
    let [core, further] = [&TABLES.core, &TABLES.further].map(|table| decode(table, &transaction, network, &mut parts));
    let sources = vec![
        EventSource::core(core),
        EventSource::plugin(&"fuzzed@1.0.0".into(), of_plugin(found, logs)),
        EventSource::further(further),
    ];
    let MergedEvents { events: mut merged, undecoded } = merge::merge(sources, logs);
    crate::events::part_of::link(&mut merged, &transaction, wrapped_native);
    let roots = merged.iter().filter(|merged| merged.part_of.is_none()).count();
    assert!(merged.is_empty() || roots > 0, "every event is part of another");
    let wanted: BTreeSet<Address> = merged.iter().flat_map(rows::tokens).collect();
    let tokens: Tokens = wanted.into_iter().filter_map(|address| token(address, &mut parts)).collect();
    let account = (flags & 4 != 0).then(|| Box::new(effects(&merged, &transaction, &tokens)));
    let events = merged.into_iter().filter_map(|merged| rows::row(merged, &tokens, &Snapshot::default())).collect();
    let (transaction, tokens, networks) = (Arc::new(transaction), Arc::new(tokens), NETWORKS.clone());
    let events = TransactionEvents { transaction, events, undecoded, tokens, networks, account, _log_permit: None };
    let budget = AnswerBudget::ample();
    let (items, about_account) = (Items::Networks(Vec::new()), true);
    let (blocks, missing, jobs) = (Vec::new(), Vec::new(), Vec::new());
    (events, Answer { items, blocks, missing, jobs, about_account, budget, currency: None })
}

/// Returns the transaction's effects on its sender.
fn effects(merged: &[MergedEvent], transaction: &Transaction, tokens: &Tokens) -> AccountEffects {
    let (account, wrapped) = (transaction.from, Some(Address::repeat_byte(1)));
    let movements = Movements::of(merged, transaction, account, NativeLogs::default());
    let (protocols, networks) = (BTreeMap::new(), &*NETWORKS);
    let formatter = SummaryFormatter { tokens, protocols: &protocols, networks, native: "ETH" };
    let (status, operations, has_undecoded) = (TransactionStatus::Succeeded, UserOperations::default(), false);
    let summary = Summary {
        account,
        transaction,
        status,
        operations,
        events: merged,
        movements: &movements,
        has_undecoded,
        wrapped,
        formatter,
    };
    let summary = summary.sentence();
    assert!((1..SENTENCE_CHARS_MAX).contains(&summary.as_str().chars().count()), "{summary}");
    let rows =
        |movements: Vec<Movement>| movements.into_iter().map(|movement| account::row(movement, tokens)).collect();
    let (incoming, outgoing) = (rows(movements.incoming), rows(movements.outgoing));
    let (omitted, gas, native, incomplete) = (0, None, None, None);
    AccountEffects { account, summary, incoming, outgoing, omitted, gas, native, incomplete }
}

fn decode(
    table: &Table,
    transaction: &Transaction,
    network: portolan_events::Network,
    parts: &mut Parts<'_>,
) -> Vec<Event> {
    let mut decoding = Decoding::new(table, transaction, network).at_most(EVENTS_MAX);
    for _ in 0..STEPS_MAX {
        let calls = decoding.next_calls();
        if calls.is_empty() {
            break;
        }
        let result = |_| match parts.byte() {
            0..=15 => ViewResult::ReadFailed,
            16..=31 => ViewResult::Reverted,
            length @ 32..=63 => ViewResult::Returned(Bytes::copy_from_slice(parts.bytes(length.into()))),
            _ => ViewResult::Returned(parts.address().into_word().into()),
        };
        decoding.record(calls.iter().map(result).collect());
    }
    let decoded = decoding.finish();
    assert!(decoded.events.len() <= EVENTS_MAX && decoded.incomplete_logs <= transaction.logs.len());
    decoded.events.into_iter().map(|(event, _)| event).collect()
}

fn of_plugin(found: &[u8], logs: usize) -> Vec<Event> {
    let findings: Vec<Finding> = codec::decode(found).unwrap_or_default();
    let (events, _) = validate_events(&findings, logs, &BTreeSet::from(["fuzzed"]));
    events
}

/// Returns a token of arbitrary metadata; `None` for some, as if it could not be read.
fn token(address: Address, parts: &mut Parts<'_>) -> Option<Arc<Token>> {
    let network = NETWORKS.with_chain_id(1)?;
    let decimals = parts.byte();
    let length = usize::from(parts.byte() % 128);
    let text = Text::clean(&String::from_utf8_lossy(parts.bytes(length)), TEXT_CHARS_MAX);
    let token = Token {
        network: Arc::clone(network),
        address,
        name: text.clone(),
        symbol: text,
        is_listed: decimals.is_multiple_of(2),
        is_lookalike: false,
        decimals,
        decimals_source: DecimalsSource::Contract,
        logo: None,
        kind: "SINGLE".into(),
        total_supply: U256::MAX,
        underlying: Vec::new(),
        price: None,
    };
    (decimals < 250).then(|| Arc::new(token))
}
