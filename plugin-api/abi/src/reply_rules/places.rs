//! Where a finding is wrong, in words.

use crate::map::{Claimable, Composition, Event, Position};

/// Names a claimable.
pub fn claimable_place(found: &Claimable) -> String {
    format!("claimable of {:#x}", found.contract)
}

/// Names a position.
pub fn position_place(found: &Position) -> String {
    format!("position in {:#x}", found.contract)
}

/// Names a composition.
pub fn composition_place(found: &Composition) -> String {
    format!("composition of {:#x}", found.token)
}

/// Names an event.
pub fn event_place(found: &Event) -> String {
    format!("event of log {}", found.log)
}
