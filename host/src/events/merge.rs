//! Which teller's word counts, log by log.
//!
//! Invariant: one teller for a log. First the host's core, then who knows the protocol of the emitting contract, then
//! other plugins, last the host's further rows; among plugins the first name.

use std::sync::Arc;

use portolan_events::{Event, Kind, Value};
use portolan_reader::Receipt;

use crate::assets::token::NATIVE;
use crate::registry::Instance;

/// Who tells events, and what.
#[derive(Debug)]
pub(super) struct Teller {
    who: Who,
    events: Vec<Event>,
}

#[derive(Debug)]
enum Who {
    Core,
    Plugin(Arc<Instance>),
    Further,
}

/// An event that counts.
#[derive(Clone, Debug)]
pub(super) struct Story {
    /// `None` for the transaction's native value.
    pub(super) log: Option<usize>,
    pub(super) event: Event,
    /// `None` where the host told it.
    pub(super) plugin: Option<Arc<Instance>>,
}

impl Teller {
    pub(super) fn core(events: Vec<Event>) -> Self {
        Self { who: Who::Core, events }
    }

    pub(super) fn plugin(instance: &Arc<Instance>, events: Vec<Event>) -> Self {
        Self { who: Who::Plugin(Arc::clone(instance)), events }
    }

    pub(super) fn further(events: Vec<Event>) -> Self {
        Self { who: Who::Further, events }
    }

    /// The lower one counts.
    fn rank(&self, event: &Event) -> u8 {
        match self.who {
            Who::Core => 0,
            Who::Plugin(_) if event.protocol.is_some() => 1,
            Who::Plugin(_) => 2,
            Who::Further => 3,
        }
    }
}

/// The events that count, in the order of the `logs` logs, and the places of the logs that nobody tells. Of plugins,
/// the tellers are in the order of their names.
pub(super) fn merge(tellers: Vec<Teller>, logs: usize) -> (Vec<Story>, Vec<usize>) {
    let mut best: Vec<Option<(u8, usize)>> = vec![None; logs];
    for (place, teller) in tellers.iter().enumerate() {
        for event in &teller.events {
            let Some(best) = best.get_mut(event.log) else { continue };
            let this = (teller.rank(event), place);
            *best = Some(best.map_or(this, |best| best.min(this)));
        }
    }
    let mut stories = Vec::new();
    for (place, teller) in tellers.into_iter().enumerate() {
        let counts =
            |event: &Event| best.get(event.log).is_some_and(|best| best.is_some_and(|(_, teller)| teller == place));
        let plugin = match teller.who {
            Who::Plugin(instance) => Some(instance),
            Who::Core | Who::Further => None,
        };
        let events = teller.events.into_iter().filter(counts);
        stories.extend(events.map(|event| Story { log: Some(event.log), event, plugin: plugin.clone() }));
    }
    // Stable: events of one log stay in their teller's order.
    stories.sort_by_key(|story| story.event.log);
    let undecoded = best.iter().enumerate().filter(|(_, best)| best.is_none());
    (stories, undecoded.map(|(place, _)| place).collect())
}

/// The native value that the transaction itself moved. A creation moves it to the contract that it created.
pub(super) fn native(receipt: &Receipt) -> Option<Story> {
    if !receipt.succeeded || receipt.value.is_zero() {
        return None;
    }
    let to = receipt.to.or(receipt.created).map(|to| ("to", Value::Address(to)));
    let paid = [("asset", Value::Token(NATIVE)), ("amount", Value::Amount { raw: receipt.value, of: Some(NATIVE) })];
    let members = std::iter::once(("from", Value::Address(receipt.from))).chain(to).chain(paid).collect();
    let event = Event { log: 0, kind: Kind::named("TRANSFER")?, protocol: None, members };
    Some(Story { log: None, event, plugin: None })
}
