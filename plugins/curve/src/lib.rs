//! Curve, pools of all generations, its routers, its DAO and its lending; Saddle's pools, which are like them.
//!
//! Events alone, those of forks without a protocol. Invariant: a protocol is named only for a contract that
//! `deployments.rs` lists, or that a registry there knows.

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
pub struct Curve(Family);

impl Plugin for Curve {
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

portolan_plugin_api::export!(Curve);
