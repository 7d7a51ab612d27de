//! Names: their registrations and renewals, in events.
//!
//! What is told stands in `events.table`, whose contracts tell it in `deployments.rs`. Invariant: a name is what the
//! event says; who knows it by its hash alone tells none. It answers nothing else.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{Family, Scope};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Error, Plugin, Settings, SettingsError};

/// What is told.
const TABLE: &str = include_str!("events.table");

/// The plugin.
#[derive(Debug)]
pub struct Names(Family);

impl Plugin for Names {
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

portolan_plugin_api::export!(Names);
