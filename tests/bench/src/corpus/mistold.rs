//! Mistold: an event at a log that is something else, or that tells what neither its log nor a movement of the receipt
//! has.

use std::collections::BTreeSet;

use bigdecimal::num_bigint::{BigInt, Sign};

use super::answer::Event;
use super::files::{Corpus, NATIVE, ReceiptLog, Row, Transaction};
use super::judgement::{Judgement, Subject, Tier, Wrong};
use super::movements::{self, Movement};
use super::protocol;

/// A log tells one thing, or two at once.
const TYPES_MAX: usize = 2;
/// Sums and differences are those of so many words of a log, the first.
const WORDS_MAX: usize = 64;

/// The judgements on a transaction.
pub(super) fn judge(corpus: &Corpus, mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    let logs: BTreeSet<u64> = events.iter().filter_map(|event| event.log_index).collect();
    let mut judgements = Vec::new();
    for index in logs {
        let own = protocol::at(events, index);
        let wrong = match (mined.rows.get(&index), mined.logs.iter().find(|log| log.index == index)) {
            (Some(row), _) => of_row(corpus, mined, row, &own),
            (None, Some(log)) => of_log(mined, log, &own),
            (None, None) => Some(Wrong::new("a log", "the transaction has no such log")),
        };
        let kind = own.first().map(|event| event.kind.clone()).unwrap_or_default();
        let subject = Subject::Log(index);
        judgements.extend(wrong.map(|wrong| Judgement { tier: Tier::Mistold, kind, subject, wrong: Some(wrong) }));
    }
    judgements
}

/// Rows of the core tier have nothing to expect: that tier judges them.
fn of_row(corpus: &Corpus, mined: &Transaction, row: &Row, own: &[&Event]) -> Option<Wrong> {
    let expect = row.expect.as_deref()?;
    if expect.is_empty() {
        let told: Vec<String> = own.iter().map(|event| event.short()).collect();
        return Some(Wrong::new(
            "nothing",
            format!("a {} of {} is told as {}", row.kind, row.family, told.join(" and ")),
        ));
    }
    if row.tier.starts_with("ambiguous") {
        let right = protocol::right(corpus, mined.chain_id, expect, own);
        return right.err().map(|wrong| Wrong::new(format!("ambiguous: {}", wrong.lacks), wrong.detail));
    }
    let types = || expect.iter().flat_map(|expected| &expected.types);
    let other = own.iter().find(|event| types().all(|kind| *kind != event.kind))?;
    Some(Wrong::new("type", format!("a {} of {} is told as {}", row.kind, row.family, other.short())))
}

/// At a log without a row.
fn of_log(mined: &Transaction, log: &ReceiptLog, own: &[&Event]) -> Option<Wrong> {
    let kinds: BTreeSet<&str> = own.iter().map(|event| event.kind.as_str()).collect();
    if kinds.len() > TYPES_MAX {
        return Some(Wrong::new("types", format!("it is told as {kinds:?}")));
    }
    if let Some(twice) =
        own.iter().enumerate().find(|(place, event)| own.iter().take(*place).any(|other| other == *event))
    {
        return Some(Wrong::new("twice", format!("{} is told twice", twice.1.short())));
    }
    let known = Known::of(mined, log);
    own.iter().find_map(|event| known.foreign(event))
}

/// The contents of a log, and the movements of its receipt.
struct Known {
    /// All of the log, as hex.
    log: String,
    addresses: BTreeSet<String>,
    numbers: BTreeSet<BigInt>,
}

impl Known {
    fn of(mined: &Transaction, log: &ReceiptLog) -> Self {
        let movements = movements::of(mined);
        let parties =
            movements.iter().flat_map(|Movement { token, from, to, .. }| [token, from, to].map(String::clone));
        let addresses = parties.chain(mined.sender()).chain(mined.callee()).collect();
        let words: Vec<BigInt> = words(log).into_iter().take(WORDS_MAX).collect();
        let mut numbers: BTreeSet<BigInt> = movements.iter().map(|movement| movement.raw.clone()).collect();
        numbers.extend(words.iter().cloned());
        let words: Vec<BigInt> = words.into_iter().map(signed).collect();
        for (place, one) in words.iter().enumerate() {
            numbers.insert(absolute(one));
            for other in words.iter().take(place) {
                numbers.extend([absolute(&(one + other)), absolute(&(one - other))]);
            }
        }
        Self { log: format!("{}{}{}", log.address, log.topics.concat(), log.data), addresses, numbers }
    }

    fn foreign(&self, event: &Event) -> Option<Wrong> {
        let has = |address: &String| {
            address == NATIVE || self.addresses.contains(address) || self.log.contains(address.trim_start_matches("0x"))
        };
        let wrong = |lacks: &str, what: &str| Some(Wrong::new(lacks, format!("{what} of {}", event.short())));
        if let Some(account) = event.addresses().iter().find(|account| !has(account)) {
            return wrong("account", account);
        }
        if let Some(token) = event.tokens().iter().find(|token| !has(token)) {
            return wrong("token", token);
        }
        let amounts = event.amounts();
        let amount = amounts.iter().find(|amount| amount.raw != BigInt::ZERO && !self.numbers.contains(&amount.raw))?;
        wrong("amount", &amount.raw.to_string())
    }
}

/// The words of a log but its first topic.
fn words(log: &ReceiptLog) -> Vec<BigInt> {
    let digits: String = log.topics.iter().skip(1).chain([&log.data]).map(|hex| hex.trim_start_matches("0x")).collect();
    let word = |at: usize| digits.get(at..at + 64).and_then(|word| BigInt::parse_bytes(word.as_bytes(), 16));
    (0..digits.len()).step_by(64).filter_map(word).collect()
}

fn signed(word: BigInt) -> BigInt {
    if word.bits() == 256 { word - (BigInt::from(1) << 256_u32) } else { word }
}

fn absolute(number: &BigInt) -> BigInt {
    if number.sign() == Sign::Minus { -number } else { number.clone() }
}
