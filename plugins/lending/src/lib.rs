//! Events of lending protocols: Aave in all versions with any fork, Morpho, Euler, Silo, Fraxlend, Fluid, Liquity.
//!
//! Invariant: a protocol is named only for contracts that are listed, or that its registry knows; the same events of
//! other contracts are told without one. It answers nothing about accounts.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{Family, Scope, tables};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Error, Plugin, Settings, SettingsError};

/// What is told, and of what.
fn table() -> String {
    [tables::AAVE, include_str!("events.table")].join("\n")
}

/// The plugin.
#[derive(Debug)]
pub struct Lending(Family);

impl Plugin for Lending {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let protocols = deployments::protocols();
        Family::new(settings, &table(), Scope::All, &protocols, deployments::shipped()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue()
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.0.events(cx, transaction).await
    }
}

portolan_plugin_api::export!(Lending);
