//! Rows of merged events. An event whose tokens could not be read is left out, never shown in part.
//!
//! Invariant: what a log says is shown, whatever its token reports about itself. An amount of a token without decimals
//! is a raw integer, and the token is also reported as missing.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_assets::resolve::{TokenFailure, Tokens};
use portolan_events::{Asset, Value};
use portolan_plugins::Snapshot;

use crate::events::merge::MergedEvent;
use crate::gateway::answer::Event;

/// Tokens that an event names.
pub(super) fn tokens(merged: &MergedEvent) -> impl Iterator<Item = Address> {
    let alone = merged.event.members.iter().filter_map(|(_, value)| match value {
        Value::Token(token) => Some(*token),
        _ => None,
    });
    alone.chain(amounts(merged))
}

/// Tokens of an event that are missing or lack decimals, with the reason.
pub(super) fn missing<'a>(
    merged: &'a MergedEvent,
    tokens: &'a Tokens,
) -> impl Iterator<Item = (Address, TokenFailure)> + 'a {
    let has_amount = |token| amounts(merged).any(|of| of == token);
    let found = move |token| if has_amount(token) { tokens.get(token) } else { tokens.named(token) };
    self::tokens(merged).filter_map(move |token| Some((token, found(token).err()?)))
}

/// Tokens of the event's amounts.
fn amounts(merged: &MergedEvent) -> impl Iterator<Item = Address> {
    merged.event.members.iter().flat_map(|(_, value)| {
        let (one, many): (Option<Address>, &[Asset]) = match value {
            Value::Amount { of, .. } => (*of, &[]),
            Value::Assets(assets) => (None, assets),
            _ => (None, &[]),
        };
        one.into_iter().chain(many.iter().filter_map(|asset| asset.token))
    })
}

/// Returns `None` if a token that the event names could not be read.
pub(super) fn row(merged: MergedEvent, tokens: &Tokens, snapshot: &Snapshot) -> Option<Event> {
    if self::tokens(&merged).any(|token| tokens.named(token).is_err()) {
        return None;
    }
    let served = merged.event.protocol.as_ref().and_then(|slug| snapshot.served(slug));
    let protocol = served.map(|served| Arc::clone(&served.protocol));
    Some(Event { merged, protocol })
}
