//! The deployments of the bridges that the plugin ships with, and the network at the other end of those between two. A
//! settings file adds rows.

mod bridges;

use portolan_kits::events::{Source, shipped};
use portolan_plugin_api::events::{Event, Value};
use portolan_plugin_api::{Deployment, Protocol};

use self::bridges::BRIDGES;

const ETHEREUM: u64 = 1;
const OPTIMISM: u64 = 10;
const GNOSIS: u64 = 100;
const POLYGON: u64 = 137;
const BASE: u64 = 8_453;
const ARBITRUM: u64 = 42_161;
const LINEA: u64 = 59_144;

/// The member that a bridge's own event may not have.
const OTHER_END: &str = "remoteNetwork";

/// Both ends of bridges that lead nowhere else; their events do not say where they lead.
const ENDS: [(&str, [u64; 2]); 6] = [
    ("arbitrum-bridge", [ETHEREUM, ARBITRUM]),
    ("base-bridge", [ETHEREUM, BASE]),
    ("gnosis-bridge", [ETHEREUM, GNOSIS]),
    ("linea-bridge", [ETHEREUM, LINEA]),
    ("optimism-bridge", [ETHEREUM, OPTIMISM]),
    ("polygon-bridge", [ETHEREUM, POLYGON]),
];

/// The deployments that the plugin ships with.
pub(crate) fn shipped() -> impl Iterator<Item = Deployment<Source>> {
    shipped::services(&BRIDGES)
}

/// The protocols that the plugin ships with.
pub(crate) fn protocols() -> Vec<Protocol> {
    shipped::protocols_of(&BRIDGES)
}

/// The event with the network at the other end, where its bridge has but one.
pub(crate) fn with_other_end(mut event: Event, network: u64) -> Event {
    let leads = |slug: &str| {
        let (_, ends) = ENDS.iter().find(|(known, ends)| *known == slug && ends.contains(&network))?;
        ends.iter().copied().find(|end| *end != network)
    };
    let told = event.members.iter().any(|(name, _)| *name == OTHER_END);
    if let Some(end) = event.protocol.as_deref().and_then(leads).filter(|_| !told) {
        event.members.push((OTHER_END, Value::Network(end)));
    }
    event
}
