//! Makes rows of merged events: an event whose tokens could not be read is left out, never shown half.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_events::{Asset, Value};

use crate::assets::resolve::Tokens;
use crate::events::merge::MergedEvent;
use crate::gateway::answer::Event;
use crate::registry::Snapshot;

/// The tokens that an event names.
pub(super) fn tokens(merged: &MergedEvent) -> impl Iterator<Item = Address> {
    merged.event.members.iter().flat_map(|(_, value)| {
        let (one, many): (Option<Address>, &[Asset]) = match value {
            Value::Token(token) => (Some(*token), &[]),
            Value::Amount { of, .. } => (*of, &[]),
            Value::Assets(assets) => (None, assets),
            _ => (None, &[]),
        };
        one.into_iter().chain(many.iter().filter_map(|asset| asset.token))
    })
}

/// `None` where a token that the event names could not be read.
pub(super) fn row(merged: MergedEvent, tokens: &Tokens, snapshot: &Snapshot) -> Option<Event> {
    if self::tokens(&merged).any(|token| tokens.get(token).is_err()) {
        return None;
    }
    let served = merged.event.protocol.as_ref().and_then(|slug| snapshot.served(slug));
    let protocol = served.map(|served| Arc::clone(&served.protocol));
    Some(Event { merged, protocol })
}
