//! Troves, deposits and stakes of Liquity, pools of Aave v2 and its forks, Aave's safety module and Umbrella, markets and
//! vaults of Morpho, vaults of Euler and Fluid, silos; and events of lending protocols: Aave in all versions with any fork,
//! Morpho, Euler, Silo, Fraxlend, Fluid, Liquity.
//!
//! Invariant: a protocol is named only for contracts that are listed, or that its registry knows; the same events of
//! other contracts are reported without one.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow, EventSources};
use portolan_kits::events::tables;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGaps;
use portolan_kits::protocol::ProtocolRow;

/// The events that no other plugin reports.
const OWN_TABLE: &str = include_str!("table.events");

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Lending;

impl AccountProtocols for Lending {
    const PROTOCOLS: &'static [ProtocolRow] = deployments::PROTOCOLS;
    const KITS: &'static [&'static dyn Kit] = &[
        &deployments::LIQUITY,
        &deployments::AAVE_V2,
        &deployments::SAFETY_MODULES,
        &deployments::UMBRELLA,
        &deployments::morpho::MORPHO,
        &deployments::euler::EULER,
        &deployments::fluid::FLUID,
        &deployments::silo::SILO,
        &KnownGaps,
        &EventSources,
    ];
    const DEPLOYMENTS: &'static [DeploymentRow] = deployments::DEPLOYMENTS;
    const TABLES: &'static [&'static str] = &[tables::AAVE, OWN_TABLE];
}

portolan_plugin_api::export!(Accounts<Lending>);
