//! The deployments of the bridges that the plugin ships with, and the network at the other end of those between two. A
//! settings file adds rows.

mod bridges;
mod canonical;

use portolan_kits::events::{Source, shipped};
use portolan_plugin_api::events::{Event, Value};
use portolan_plugin_api::{Deployment, Protocol};

use self::bridges::BRIDGES;
use self::canonical::CANONICAL;

/// The member that a bridge's own event may not have.
const OTHER_END: &str = "remoteNetwork";

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::services(&BRIDGES).chain(shipped::services(&CANONICAL))
}

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    [shipped::protocols_of(&BRIDGES), shipped::protocols_of(&CANONICAL)].concat()
}

/// The event with the network at the other end, where its bridge has but one.
pub(crate) fn with_other_end(mut event: Event, network: u64) -> Event {
    let leads = |slug: &str| match CANONICAL.iter().find(|bridge| bridge.slug == slug)?.contracts {
        [(one, _), (other, _)] if *one == network => Some(*other),
        [(one, _), (other, _)] if *other == network => Some(*one),
        _ => None,
    };
    let told = event.members.iter().any(|(name, _)| *name == OTHER_END);
    if let Some(end) = event.protocol.as_deref().and_then(leads).filter(|_| !told) {
        event.members.push((OTHER_END, Value::Network(end)));
    }
    event
}
