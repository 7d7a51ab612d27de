//! Events of farms, reward pools, lockers and vaults: MasterChef and StakingRewards with all their forks, Convex and
//! Aura, Stargate, Yearn, Pendle.
//!
//! Invariant: what anyone may emit (`Staked`, `Deposit`) is told only with evidence: a view of the contract, or the
//! transfer beside it. A protocol is named only for contracts that are listed. It answers nothing about accounts.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{Family, Scope, tables};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Error, Plugin, Settings, SettingsError};

/// What is told, and of what.
fn table() -> String {
    [tables::MASTER_CHEF, tables::STAKING_REWARDS, include_str!("events.table")].join("\n")
}

/// The plugin.
#[derive(Debug)]
pub struct Farms(Family);

impl Plugin for Farms {
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

portolan_plugin_api::export!(Farms);
