//! The protocol tier: exactly one event at a log, of a type that the truth names, with every member right in its role.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use bigdecimal::num_bigint::BigInt;
use serde_json::Value;

use super::answer::{Amount, Event};
use super::files::{Corpus, Expected, Row, Transaction, choices};
use super::judgement::{Judgement, Subject, Tier, Wrong};
use super::misnamed;

/// A token, open where it is none, and a raw amount.
type Pair = (Option<String>, BigInt);

/// The judgements on a transaction.
pub(super) fn judge(corpus: &Corpus, mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    let rows = mined.rows.values().filter(|row| row.tier == "protocol");
    let rows = rows.filter_map(|row| Some((row, row.expect.as_deref().filter(|expect| !expect.is_empty())?)));
    let mut judged: BTreeMap<u64, (&Row, String, Result<(), Wrong>)> = BTreeMap::new();
    for (row, expect) in rows {
        let own = at(events, row.log_index);
        let named = own.iter().find_map(|event| misnamed::wrong(row, event));
        let right = right(corpus, mined.chain_id, expect, &own).and_then(|()| named.map_or(Ok(()), Err));
        let types: Vec<String> = expect.iter().map(|expected| expected.types.join("/")).collect();
        judged.insert(row.log_index, (row, types.join("+"), right));
    }
    let is_right = |log: &u64| judged.get(log).is_some_and(|(_, _, right)| right.is_ok());
    let judgement = |(log, (row, kind, right)): (&u64, &(&Row, String, Result<(), Wrong>))| {
        let stays_untold = at(events, *log).is_empty() && row.same_as.iter().any(is_right);
        let wrong = right.clone().err().filter(|_| !stays_untold);
        Judgement { tier: Tier::Protocol, kind: kind.clone(), subject: Subject::Log(*log), wrong }
    };
    judged.iter().map(judgement).collect()
}

/// The events at a log.
pub(super) fn at(events: &[Event], log: u64) -> Vec<&Event> {
    events.iter().filter(|event| event.log_index == Some(log)).collect()
}

/// Checks that the events at a log are those required: as many, and each of them right.
pub(super) fn right(corpus: &Corpus, chain_id: u64, expect: &[Expected], own: &[&Event]) -> Result<(), Wrong> {
    if own.is_empty() {
        return Err(Wrong::untold());
    }
    if let [expected] = expect
        && let Some(pays) = expected.members.get("pays")
    {
        return paid(corpus, chain_id, expected, pays, own);
    }
    if own.len() != expect.len() {
        return Err(Wrong::new("one event", format!("there are {} events in place of {}", own.len(), expect.len())));
    }
    // Each of several is found among those that are left.
    let mut left: Vec<&Event> = own.to_vec();
    for expected in expect {
        let faults: Vec<Vec<String>> = left.iter().map(|event| faults(corpus, chain_id, expected, event)).collect();
        let best = faults.iter().enumerate().min_by_key(|(_, faults)| faults.len());
        let Some((place, wrong)) = best else { return Err(Wrong::untold()) };
        refused(wrong)?;
        left.remove(place);
    }
    Ok(())
}

/// Checks what one log pays, in one event or in several.
fn paid(corpus: &Corpus, chain_id: u64, expected: &Expected, pays: &Value, own: &[&Event]) -> Result<(), Wrong> {
    let others = expected.members.iter().filter(|(name, _)| *name != "pays");
    let others = Expected {
        types: expected.types.clone(),
        members: others.map(|(name, value)| (name.clone(), value.clone())).collect(),
    };
    let mut wrong: Vec<String> = own.iter().flat_map(|event| faults(corpus, chain_id, &others, event)).collect();
    let told: Vec<Amount> = own.iter().flat_map(|event| event.moved()).collect();
    if !same_set(&pairs(pays), &told) {
        wrong.push(format!("pays: {pays}"));
    }
    refused(&wrong)
}

fn refused(faults: &[String]) -> Result<(), Wrong> {
    if faults.is_empty() {
        return Ok(());
    }
    let mut names: Vec<&str> = faults.iter().filter_map(|fault| fault.split(':').next()).collect();
    names.sort_unstable();
    names.dedup();
    Err(Wrong::new(names.join(", "), faults.join("; ")))
}

/// Returns the faults of an event, each after the name of its member.
fn faults(corpus: &Corpus, chain_id: u64, expected: &Expected, event: &Event) -> Vec<String> {
    let mut found = Vec::new();
    if !expected.types.contains(&event.kind) {
        found.push(format!("type: {} is not one of {}", event.kind, expected.types.join(", ")));
    }
    for (name, wanted) in &expected.members {
        let (is_right, told) = match name.as_str() {
            "assets" => (same_set(&pairs(wanted), &event.assets()), None),
            _ => {
                let told = event.member(name);
                (is_one_of(wanted, told.as_deref()), told)
            }
        };
        if !is_right {
            found.push(format!("{name}: {} is not {wanted}", told.unwrap_or_else(|| "what is told".to_owned())));
        }
    }
    found.extend(inexact(corpus, chain_id, event).map(|amount| format!("decimals: of {amount:?}")));
    found
}

/// An amount whose decimal form is not its integer in units of its token.
pub(super) fn inexact(corpus: &Corpus, chain_id: u64, event: &Event) -> Option<Amount> {
    let is_exact = |amount: &Amount| {
        let decimals = amount.token.as_deref().and_then(|token| corpus.decimals(chain_id, token));
        decimals.is_none_or(|decimals| amount.is_exact(decimals))
    };
    event.amounts().into_iter().find(|amount| !is_exact(amount))
}

fn is_one_of(wanted: &Value, told: Option<&str>) -> bool {
    match (wanted, told) {
        (_, None) => false,
        (Value::Bool(flag), Some(told)) => told == flag.to_string(),
        (wanted, Some(told)) => choices(wanted).iter().any(|choice| choice.eq_ignore_ascii_case(told)),
    }
}

fn pairs(list: &Value) -> Vec<Pair> {
    let pair =
        |pair: &Value| Some((pair[0].as_str().map(str::to_lowercase), BigInt::from_str(pair[1].as_str()?).ok()?));
    list.as_array().into_iter().flatten().filter_map(pair).collect()
}

/// Returns true if exactly these amounts are reported, in any order, apart from zeros.
fn same_set(wanted: &[Pair], told: &[Amount]) -> bool {
    let mut left: Vec<&Amount> = told.iter().filter(|amount| amount.raw != BigInt::ZERO).collect();
    let nonzero = || wanted.iter().filter(|(_, raw)| *raw != BigInt::ZERO);
    // Open tokens last: they take what the others left.
    let (named, open): (Vec<&Pair>, Vec<&Pair>) = nonzero().partition(|(token, _)| token.is_some());
    let found = named.into_iter().chain(open).all(|(token, raw)| {
        let same = |amount: &&Amount| amount.raw == *raw && (token.is_none() || amount.token == *token);
        left.iter().position(same).map(|place| left.remove(place)).is_some()
    });
    found && left.is_empty()
}
