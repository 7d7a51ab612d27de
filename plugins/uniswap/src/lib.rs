//! Uniswap, all versions, and PancakeSwap: swaps, liquidity and fees of their pools and positions, those of forks
//! without a protocol.
//!
//! Events alone. Invariant: a protocol is named only for a pool whose address follows from its factory, or a contract
//! that `deployments.rs` lists.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{Family, Scope, tables};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Error, Plugin, Settings, SettingsError};

/// What is not shared with plugins of forks.
const OWN: &str = include_str!("events.table");

/// Events and what they are made of, one row each.
fn table() -> String {
    [tables::UNISWAP_V2, tables::UNISWAP_V3, OWN].concat()
}

/// The plugin.
#[derive(Debug)]
pub struct Uniswap(Family);

impl Plugin for Uniswap {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        Family::new(settings, &table(), Scope::All, &deployments::protocols(), deployments::shipped()).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue()
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.0.events(cx, transaction).await
    }
}

portolan_plugin_api::export!(Uniswap);
