//! Bridges: what left a network and what arrived on it, in events.
//!
//! What is told stands in `events.table`, whose contracts tell it in `deployments.rs`. Invariant: a network at the
//! other end is told only where the event names it, or where its contract is of a bridge between two. It answers
//! nothing else.

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
pub struct Bridges(Family);

impl Plugin for Bridges {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let protocols = deployments::protocols();
        Family::new(settings, TABLE, Scope::All, &protocols, deployments::shipped()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue()
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let events = self.0.events(cx, transaction).await?;
        Ok(events.into_iter().map(|event| deployments::with_other_end(event, cx.network())).collect())
    }
}

portolan_plugin_api::export!(Bridges);
