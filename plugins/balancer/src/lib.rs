//! Balancer, three versions: swaps and liquidity, those of forks without a protocol.
//!
//! Events alone. Invariant: a protocol is named only for a vault that `deployments.rs` lists, or a pool that its
//! factory knows.

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
pub struct Balancer(Family);

impl Plugin for Balancer {
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

portolan_plugin_api::export!(Balancer);
