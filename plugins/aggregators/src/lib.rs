//! Swaps through aggregators and order books: what was sold and bought in all, whatever pools lay on the way.
//!
//! Events alone, those of forks without a protocol. Invariant: a protocol is named only for a router that
//! `deployments.rs` lists.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{Family, Scope};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Error, Plugin, Settings, SettingsError};

/// Events and what they are made of, one row each.
const TABLE: &str = include_str!("events.table");

/// The plugin.
#[derive(Debug)]
pub struct Aggregators(Family);

impl Plugin for Aggregators {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        Family::new(settings, TABLE, Scope::All, &deployments::protocols(), deployments::shipped()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue()
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.0.events(cx, transaction).await
    }
}

portolan_plugin_api::export!(Aggregators);
