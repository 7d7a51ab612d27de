//! Merges the events of several sources, log by log.
//!
//! Invariant: the events of a log come from one source. The order of preference is: the host's core table, plugins
//! that know the protocol of the emitting contract, other plugins, the host's further table. Among plugins the first
//! name wins.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_assets::token::NATIVE;
use portolan_events::{Event, Kind, Transaction, Value};
use portolan_reader::{Receipt, TransactionStatus};

/// Events of one source.
#[derive(Debug)]
pub(crate) struct EventSource {
    kind: SourceKind,
    events: Vec<Event>,
}

#[derive(Debug)]
enum SourceKind {
    Core,
    /// `name@version`.
    Plugin(Arc<str>),
    Further,
}

/// An event of the preferred source.
#[derive(Clone, Debug)]
pub(crate) struct MergedEvent {
    /// `None` for the transaction's native value.
    pub(crate) log: Option<usize>,
    pub(crate) event: Event,
    /// `name@version`; `None` if it is from the host.
    pub(crate) plugin: Option<Arc<str>>,
    /// Index of the log whose event this one is part of.
    pub(crate) part_of: Option<usize>,
    /// True if it repeats the same movement of the same account as that event, and adds nothing.
    pub(crate) is_repeat: bool,
}

impl MergedEvent {
    /// Returns the contract that logged it.
    pub(crate) fn emitter(&self, transaction: &Transaction) -> Option<Address> {
        Some(transaction.logs.get(self.log?)?.address)
    }
}

impl EventSource {
    pub(crate) fn core(events: Vec<Event>) -> Self {
        Self { kind: SourceKind::Core, events }
    }

    pub(crate) fn plugin(label: &Arc<str>, events: Vec<Event>) -> Self {
        Self { kind: SourceKind::Plugin(Arc::clone(label)), events }
    }

    pub(crate) fn further(events: Vec<Event>) -> Self {
        Self { kind: SourceKind::Further, events }
    }

    /// Rank of the source; the lowest counts.
    fn rank(&self, event: &Event) -> u8 {
        match self.kind {
            SourceKind::Core => 0,
            SourceKind::Plugin(_) if event.protocol.is_some() => 1,
            SourceKind::Plugin(_) => 2,
            SourceKind::Further => 3,
        }
    }
}

/// The merged events of a transaction.
#[derive(Debug)]
pub(crate) struct MergedEvents {
    /// In log order.
    pub(crate) events: Vec<MergedEvent>,
    /// Indexes of the logs without an event.
    pub(crate) undecoded: Vec<usize>,
}

/// Merges the events of all sources. `logs` is the number of logs. Plugins among the sources come in the order of
/// their names.
pub(crate) fn merge(sources: Vec<EventSource>, logs: usize) -> MergedEvents {
    let mut best: Vec<Option<(u8, usize)>> = vec![None; logs];
    for (place, source) in sources.iter().enumerate() {
        for event in &source.events {
            let Some(best) = best.get_mut(event.log) else { continue };
            let this = (source.rank(event), place);
            *best = Some(best.map_or(this, |best| best.min(this)));
        }
    }
    let mut events = Vec::new();
    for (place, source) in sources.into_iter().enumerate() {
        let counts =
            |event: &Event| best.get(event.log).is_some_and(|best| best.is_some_and(|(_, source)| source == place));
        let plugin = match source.kind {
            SourceKind::Plugin(label) => Some(label),
            SourceKind::Core | SourceKind::Further => None,
        };
        let own = source.events.into_iter().filter(counts);
        events.extend(own.map(|event| MergedEvent {
            log: Some(event.log),
            event,
            plugin: plugin.clone(),
            part_of: None,
            is_repeat: false,
        }));
    }
    // The sort is stable: events of one log stay in their source's order.
    events.sort_by_key(|merged| merged.event.log);
    let undecoded = best.iter().enumerate().filter(|(_, best)| best.is_none());
    MergedEvents { events, undecoded: undecoded.map(|(place, _)| place).collect() }
}

/// Returns what the transaction brought its sender from the parent chain, whether or not it succeeded.
pub(crate) fn deposit(receipt: &Receipt, parent: Option<u64>) -> Option<MergedEvent> {
    if receipt.deposited.is_zero() {
        return None;
    }
    let [user, recipient] = ["user", "recipient"].map(|name| (name, Value::Address(receipt.from)));
    let amount = ("amount", Value::Amount { raw: receipt.deposited, of: Some(NATIVE) });
    let remote = parent.map(|chain_id| ("remoteNetwork", Value::Network(chain_id)));
    let members = [user, recipient, ("asset", Value::Token(NATIVE)), amount].into_iter().chain(remote).collect();
    of_transaction("BRIDGE_IN", members)
}

/// Returns the transaction's own native value. A creation moves it to the created contract.
pub(crate) fn native(receipt: &Receipt) -> Option<MergedEvent> {
    if receipt.status != TransactionStatus::Succeeded || receipt.value.is_zero() {
        return None;
    }
    let to = receipt.to.or(receipt.created).map(|to| ("to", Value::Address(to)));
    let paid = [("asset", Value::Token(NATIVE)), ("amount", Value::Amount { raw: receipt.value, of: Some(NATIVE) })];
    let members = std::iter::once(("from", Value::Address(receipt.from))).chain(to).chain(paid).collect();
    of_transaction("TRANSFER", members)
}

/// Builds an event from the transaction's own fields.
fn of_transaction(kind: &str, members: Vec<(&'static str, Value)>) -> Option<MergedEvent> {
    let event = Event { log: 0, kind: Kind::named(kind)?, protocol: None, members };
    Some(MergedEvent { log: None, event, plugin: None, part_of: None, is_repeat: false })
}
