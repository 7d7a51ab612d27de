//! The score of one answer: a verdict for each row of the truth that counts, and for each event that has no truth.

use std::str::FromStr as _;

use anyhow::{Context as _, Result};
use bigdecimal::num_bigint::BigInt;

use super::files::{Corpus, Row, Transaction};
use super::row::{self, Event};
use portolan_tests::json::Json;

/// Types that any token emits: where a log is no such thing, they are invented.
const OF_TOKENS: [&str; 7] =
    ["TRANSFER", "MINT", "BURN", "APPROVAL", "NFT_TRANSFER", "NFT_APPROVAL", "APPROVAL_FOR_ALL"];
/// The value that a transaction sends comes before all logs.
const VALUE: &str = "TRANSFER of value";

/// What counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Core,
    Protocol,
    /// Decoded as something that it is not; never right.
    Mistold,
}

/// How a row, or an event without one, was decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) tier: Tier,
    /// The type that the truth expects; of an event without a truth its own.
    pub(super) kind: String,
    pub(super) place: String,
    /// What is wrong, if anything.
    pub(super) wrong: Option<String>,
}

/// The verdicts on an answer with `detail=full`, or on what came in its place.
pub(super) fn transaction(corpus: &Corpus, mined: &Transaction, answer: Result<Json, String>) -> Vec<Judgement> {
    let events = answer.and_then(|answer| row::events(&answer).map_err(|error| format!("{error:#}")));
    let (events, refusal) = match events {
        Ok(events) => (events, None),
        Err(refusal) => (Vec::new(), Some(refusal)),
    };
    let mut verdicts = vec![value(mined, &events)];
    for truth in &mined.rows {
        let own: Vec<&Event> = events.iter().filter(|event| event.log_index == Some(truth.log_index)).collect();
        let place = format!("log {} {} {} {}", truth.log_index, truth.contract, truth.kind, truth.family);
        let types = corpus.kinds.get(&truth.kind).and_then(Option::as_deref);
        let wrong = |judged: Result<(), String>| judged.err().map(|wrong| refusal.clone().unwrap_or(wrong));
        match (truth.tier.as_str(), types) {
            ("core", _) => {
                let wrong = wrong(row::core(truth, &own));
                verdicts.push(Judgement { tier: Tier::Core, kind: truth.kind.clone(), place, wrong });
            }
            ("protocol", Some(types)) => {
                let known = corpus.knows_pool(mined.chain_id, &truth.contract);
                let (wrong, kind) = (wrong(row::protocol(truth, types, known, &own)), types.join("/"));
                verdicts.push(Judgement { tier: Tier::Protocol, kind, place: place.clone(), wrong });
                verdicts.extend(invented(&own, truth, Some(types), &place));
            }
            (tier, _) => {
                verdicts.extend(invented(&own, truth, types, &place));
                if tier != "protocol" {
                    verdicts.extend(mistold(corpus, &own, truth, types, &place));
                }
            }
        }
    }
    verdicts.extend(without_truth(mined, &events));
    verdicts.retain(|verdict| verdict.kind != VALUE || verdict.wrong.is_some() || sent(mined).is_some());
    verdicts
}

/// What the transaction itself sent, where it did.
fn sent(mined: &Transaction) -> Option<BigInt> {
    let digits = mined.transaction["value"].as_str()?.strip_prefix("0x")?;
    let value = BigInt::parse_bytes(digits.as_bytes(), 16)?;
    (value > BigInt::ZERO && mined.receipt["status"] == "0x1").then_some(value)
}

/// The value is an event once, in the first place, and only where there is one.
fn value(mined: &Transaction, events: &[Event]) -> Judgement {
    let reported: Vec<&Event> = events.iter().filter(|event| event.log_index.is_none()).collect();
    let judged = match (sent(mined), reported.as_slice()) {
        (None, []) => Ok(()),
        (Some(value), [one]) if events.first().is_some_and(|first| first.log_index.is_none()) => {
            same_value(mined, &value, one).map_err(|error| format!("{error:#}"))
        }
        (value, reported) => Err(format!("{value:?} was sent and decoded {} times, or not first", reported.len())),
    };
    Judgement { tier: Tier::Core, kind: VALUE.to_owned(), place: "value".to_owned(), wrong: judged.err() }
}

fn same_value(mined: &Transaction, value: &BigInt, reported: &Event) -> Result<()> {
    let text = |name: &str| mined.transaction[name].as_str().map(str::to_lowercase);
    let to = text("to").or_else(|| mined.receipt["contractAddress"].as_str().map(str::to_lowercase));
    let raw = BigInt::from_str(reported.metadata.text_at("amountRaw")?)?;
    let same = reported.kind == "TRANSFER"
        && text("from").as_deref() == Some(reported.metadata.text_at("from")?)
        && to.as_deref() == reported.metadata.text_at("to").ok()
        && reported.metadata.text_at("asset/type")? == "NATIVE"
        && raw == *value;
    same.then_some(()).with_context(|| format!("decoded {} {}", reported.kind, reported.metadata))
}

/// Events of tokens at a log that is something else.
fn invented(own: &[&Event], truth: &Row, types: Option<&[String]>, place: &str) -> Vec<Judgement> {
    let right = |kind: &String| types.is_some_and(|types| types.contains(kind));
    let wrong = own.iter().filter(|event| OF_TOKENS.contains(&event.kind.as_str()) && !right(&event.kind));
    wrong
        .map(|event| reported_wrongly(Tier::Core, event, place, &format!("a {} of {}", truth.kind, truth.family)))
        .collect()
}

/// Events of a type that stands for some other kind than the row's.
fn mistold(corpus: &Corpus, own: &[&Event], truth: &Row, types: Option<&[String]>, place: &str) -> Vec<Judgement> {
    let is_other = |event: &&&Event| {
        let reported = &event.kind;
        *reported != truth.kind
            && !types.is_some_and(|types| types.contains(reported))
            && corpus.kinds.values().flatten().any(|types| types.contains(reported))
            && !OF_TOKENS.contains(&reported.as_str())
    };
    let what = format!("a {} of {} ({})", truth.kind, truth.family, truth.tier);
    own.iter().filter(is_other).map(|event| reported_wrongly(Tier::Mistold, event, place, &what)).collect()
}

/// Events of tokens at logs of which the truth says nothing, and of any type at logs that are not there.
fn without_truth(mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    let index = |log: &serde_json::Value| {
        log["logIndex"].as_str().and_then(|text| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok())
    };
    let logs: Vec<u64> = mined.receipt["logs"].as_array().into_iter().flatten().filter_map(index).collect();
    let judged = |event: &Event| {
        let at = event.log_index?;
        let what = match (logs.contains(&at), mined.rows.iter().any(|row| row.log_index == at)) {
            (false, _) => "no log at all",
            (true, false) if OF_TOKENS.contains(&event.kind.as_str()) => "a log of which the truth knows nothing",
            _ => return None,
        };
        Some(reported_wrongly(Tier::Core, event, &format!("log {at}"), what))
    };
    events.iter().filter_map(judged).collect()
}

fn reported_wrongly(tier: Tier, event: &Event, place: &str, what: &str) -> Judgement {
    let wrong = Some(format!("{what} was decoded as {} {}", event.kind, event.metadata));
    Judgement { tier, kind: event.kind.clone(), place: place.to_owned(), wrong }
}
