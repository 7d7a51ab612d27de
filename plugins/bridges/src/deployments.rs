//! The protocols that the plugin ships with, and the network at the other end of those between two. A settings file
//! adds rows.

mod bridges;
mod canonical;
mod farms;

use portolan_kits::protocol::Emitters::Listed;
use portolan_kits::protocol::{EmitterRow, ProtocolRow};
use portolan_plugin_api::events::{Event, Value};

use bridges::{ACROSS, AGGLAYER, AXELAR, CCTP, CELER, CONNEXT, DEBRIDGE, RELAY, SOCKET, STARGATE, SYNAPSE, WORMHOLE};
use canonical::{ARBITRUM_BRIDGE, BASE_BRIDGE, GNOSIS_BRIDGE, LINEA_BRIDGE, OPTIMISM_BRIDGE, POLYGON_BRIDGE};

pub(crate) use farms::{CHEFS, DEPLOYMENTS, FARMS_V2, LOCKS};

/// The protocols that the plugin ships with.
pub(crate) const PROTOCOLS: &[ProtocolRow] = &[
    ACROSS,
    STARGATE,
    CCTP,
    AGGLAYER,
    SYNAPSE,
    CELER,
    DEBRIDGE,
    CONNEXT,
    WORMHOLE,
    AXELAR,
    RELAY,
    SOCKET,
    OPTIMISM_BRIDGE,
    BASE_BRIDGE,
    ARBITRUM_BRIDGE,
    POLYGON_BRIDGE,
    LINEA_BRIDGE,
    GNOSIS_BRIDGE,
];

/// Those that lead from each of two networks to the other one.
const BETWEEN_TWO: &[ProtocolRow] =
    &[OPTIMISM_BRIDGE, BASE_BRIDGE, ARBITRUM_BRIDGE, POLYGON_BRIDGE, LINEA_BRIDGE, GNOSIS_BRIDGE];

/// The member that the log of a bridge between two networks does not have.
const OTHER_END: &str = "remoteNetwork";

/// Adds the network at the other end, where the event's bridge is between two.
pub(crate) fn with_other_end(mut event: Event, network: u64) -> Event {
    let other_end = event.protocol.as_deref().and_then(|slug| other_end(slug, network));
    if let Some(other_end) = other_end
        && event.members.iter().all(|(name, _)| *name != OTHER_END)
    {
        event.members.push((OTHER_END, Value::Network(other_end)));
    }
    event
}

/// The network to which a bridge leads from `network`.
fn other_end(slug: &str, network: u64) -> Option<u64> {
    let bridge = BETWEEN_TWO.iter().find(|bridge| bridge.slug == slug)?;
    match bridge.emitters {
        [EmitterRow { contracts: Listed([([one], _), ([other], _)]), .. }] if *one == network => Some(*other),
        [EmitterRow { contracts: Listed([([one], _), ([other], _)]), .. }] if *other == network => Some(*one),
        _ => None,
    }
}
