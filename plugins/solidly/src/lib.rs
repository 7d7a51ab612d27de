//! Velodrome, Aerodrome and other heirs of Solidly: pools, gauges, locks and votes.
//!
//! Events alone. Their first pairs and their concentrated pools emit what Uniswap's do: of those, only what a factory
//! here knows is told, as the plugin `uniswap` tells the rest. Invariant: a protocol is named only for a contract that
//! `deployments.rs` lists, or that a factory or voter there knows.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::both;
use portolan_kits::events::{EventTable, Scope, Source, tables};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Deployment, Error, Plugin, Protocol, Question, Settings, SettingsError};

/// Events and what they are made of, one row each.
const TABLE: &str = include_str!("events.table");

/// The plugin.
#[derive(Debug)]
pub struct Solidly {
    own: EventTable,
    shared: EventTable,
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<Source>>,
}

impl Plugin for Solidly {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        let shared = [tables::UNISWAP_V2, tables::UNISWAP_V3].concat();
        Ok(Self {
            own: EventTable::parse(TABLE)?,
            shared: EventTable::parse(&shared)?,
            protocols: settings.protocols(&deployments::protocols(), &deployments),
            deployments,
        })
    }

    fn catalogue(&self) -> Catalogue {
        let topics = self.own.topics().chain(self.shared.topics());
        let served = |row: &Deployment<Source>| row.served(&[Question::EVENTS], row.mechanism.listed());
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: self.deployments.iter().map(served).collect(),
            claims: Vec::new(),
            event_topics: Some(topics.collect()),
        }
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let own = self.own.events(cx, transaction, &self.deployments, Scope::All);
        let shared = self.shared.events(cx, transaction, &self.deployments, Scope::Attributed);
        let (own, shared) = both(own, shared).await?;
        Ok([own, shared].concat())
    }
}

portolan_plugin_api::export!(Solidly);
