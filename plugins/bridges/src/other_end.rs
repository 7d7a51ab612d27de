//! The network at the other end of a bridge between two.
//!
//! Invariant: the rows of such a bridge have two networks, and it leads from each of them to the other one and nowhere
//! else.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::events::{Event, Value};

use crate::Bridges;

/// Bridges that lead from each of two networks to the other one.
const BETWEEN_TWO: [&str; 6] =
    ["optimism-bridge", "base-bridge", "arbitrum-bridge", "polygon-bridge", "linea-bridge", "gnosis-bridge"];

/// The member that the log of a bridge between two networks does not have.
const OTHER_END: &str = "remoteNetwork";

/// Adds the network at the other end, where the event's bridge is between two.
pub(crate) fn added(mut event: Event, network: u64) -> Event {
    let other_end = event.protocol.as_deref().and_then(|slug| other_end(slug, network));
    if let Some(other_end) = other_end
        && event.members.iter().all(|(name, _)| *name != OTHER_END)
    {
        event.members.push((OTHER_END, Value::Network(other_end)));
    }
    event
}

/// Returns the network to which a bridge leads from `network`.
fn other_end(slug: &str, network: u64) -> Option<u64> {
    if !BETWEEN_TWO.contains(&slug) {
        return None;
    }
    let ends: Vec<u64> = Bridges::ROWS.networks(slug).collect();
    match ends[..] {
        [one, other] if one == network => Some(other),
        [one, other] if other == network => Some(one),
        _ => None,
    }
}
