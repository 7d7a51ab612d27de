//! Double: a movement told more often than it was made, by two contracts or two topics. One of them relays the other.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Amount, Event};
use super::files::Transaction;
use super::judgement::{Judgement, Subject, Tier, Wrong};
use super::movements::{self, Movement};

/// Types that tell one kind of movement.
const KINDS: [&[&str]; 8] = [
    &["CLAIM"],
    &["BORROW"],
    &["BRIDGE_IN"],
    &["WITHDRAW", "UNSTAKE", "UNLOCK", "VAULT_WITHDRAW", "REMOVE_LIQUIDITY", "COLLECT_FEES"],
    &["REPAY"],
    &["BRIDGE_OUT"],
    &["SUPPLY", "STAKE", "LOCK", "VAULT_DEPOSIT", "ADD_LIQUIDITY"],
    &["SWAP"],
];

/// Two events are doubles if they agree in this: the place of their kind, their user, and the amounts moved.
type Key = (usize, String, Vec<Amount>);

/// The judgements on a transaction.
pub(super) fn judge(mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    let mut groups: BTreeMap<Key, Vec<&Event>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.moves()) {
        if let Some(key) = key(event) {
            groups.entry(key).or_default().push(event);
        }
    }
    let movements = movements::of(mined);
    let judged = groups.iter().filter_map(|((_, user, amounts), own)| {
        let sources: BTreeSet<(Option<&String>, Option<&String>)> =
            own.iter().map(|event| (event.contract.as_ref(), topic(mined, event))).collect();
        let made = amounts.iter().map(|amount| times(&movements, user, amount)).max().unwrap_or_default();
        if sources.len() < 2 || own.len() <= made {
            return None;
        }
        let told: Vec<String> = own.iter().map(|event| format!("{:?} {}", event.log_index, event.short())).collect();
        let wrong = Wrong::new("a relay", format!("moved {made} times and told {}: {}", own.len(), told.join(" and ")));
        let (first, last) = (own.first()?, own.last()?);
        let subject = Subject::Log(last.log_index?);
        Some(Judgement { tier: Tier::Double, kind: first.kind.clone(), subject, wrong: Some(wrong) })
    });
    judged.collect()
}

/// None of an event that moves nothing that is known.
fn key(event: &Event) -> Option<Key> {
    let kind = KINDS.iter().position(|kinds| kinds.contains(&event.kind.as_str()))?;
    let user = ["user", "recipient", "owner"].iter().find_map(|member| event.member(member))?;
    let members = match event.kind.as_str() {
        "SWAP" => ["fromAmount", "toAmount"].as_slice(),
        _ => &["amount"],
    };
    let mut amounts: Vec<Amount> = members.iter().filter_map(|member| event.amount(member)).collect();
    amounts.extend(event.assets());
    amounts.sort();
    (!amounts.is_empty()).then_some((kind, user, amounts))
}

fn topic<'a>(mined: &'a Transaction, event: &Event) -> Option<&'a String> {
    mined.logs.iter().find(|log| Some(log.index) == event.log_index)?.topics.first()
}

/// How often a user sent or got an amount.
fn times(movements: &[Movement], user: &str, amount: &Amount) -> usize {
    let is_of = |movement: &&Movement| {
        movement.raw == amount.raw
            && amount.token.as_ref().is_none_or(|token| *token == movement.token)
            && [&movement.from, &movement.to].contains(&&user.to_owned())
    };
    movements.iter().filter(is_of).count()
}
