//! Events of GMX v1 and of its forks, and of GMX v2: swaps, liquidity, stakes and rewards.
//!
//! Invariant: a protocol is named only for contracts that are listed; the same events of forks are told without one.
//! Positions are not told: the vocabulary has no word for them. It answers nothing about accounts.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{Family, Scope};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Error, Plugin, Settings, SettingsError};

/// What is told, and of what.
const TABLE: &str = include_str!("events.table");

/// The plugin.
#[derive(Debug)]
pub struct Gmx(Family);

impl Plugin for Gmx {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let protocols = deployments::protocols();
        Family::new(settings, TABLE, Scope::All, &protocols, deployments::shipped()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue()
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.0.events(cx, transaction).await
    }
}

portolan_plugin_api::export!(Gmx);
