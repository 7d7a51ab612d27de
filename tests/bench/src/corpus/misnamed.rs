//! Misnamed: an event under the name of a protocol that its contract is known not to be of.

use super::answer::Event;
use super::files::{Row, Transaction};
use super::judgement::{Judgement, Subject, Tier, Wrong};

/// The judgements on a transaction.
pub(super) fn judge(mined: &Transaction, events: &[Event]) -> Vec<Judgement> {
    let judged = events.iter().filter_map(|event| {
        let row = mined.rows.get(&event.log_index?)?;
        let (kind, subject) = (event.kind.clone(), Subject::Log(row.log_index));
        wrong(row, event).map(|wrong| Judgement { tier: Tier::Misnamed, kind, subject, wrong: Some(wrong) })
    });
    judged.collect()
}

/// Returns the error in the event's protocol name; a missing name is not an error.
pub(super) fn wrong(row: &Row, event: &Event) -> Option<Wrong> {
    let (slug, known) = (event.protocol.as_deref()?, row.protocols());
    let contradicts = !known.is_empty() && !known.contains(&slug);
    let disproves = row.not_protocols.iter().any(|other| other == slug);
    (contradicts || disproves)
        .then(|| Wrong::new("protocol", format!("{slug} is not {known:?}, or one of {:?}", row.not_protocols)))
}

/// How many rows are named, and how many there are, of those that must be decoded and whose protocol is known.
pub(super) fn named(mined: &Transaction, events: &[Event]) -> (usize, usize) {
    let must = |row: &&Row| row.expect.as_ref().is_some_and(|expect| !expect.is_empty());
    let known: Vec<&Row> = mined.rows.values().filter(must).filter(|row| !row.protocols().is_empty()).collect();
    let is_named = |row: &&&Row| {
        let own = |event: &&Event| event.log_index == Some(row.log_index);
        events
            .iter()
            .filter(own)
            .any(|event| event.protocol.as_deref().is_some_and(|slug| row.protocols().contains(&slug)))
    };
    (known.iter().filter(is_named).count(), known.len())
}
