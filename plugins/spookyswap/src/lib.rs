//! SpookySwap on Fantom: claimable rewards and stakes of its three generations of farms, and events of these and
//! of its pairs.
//!
//! The mechanism is a kit's. Invariant: each deployment is a part of its own, whose failure leaves the others' rows in
//! the answer and is told there. It does not answer xBOO, positions in pools, or other networks than the rows of
//! `deployments.rs` and of the settings file name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{EventTable, Scope, Source, tables};
use portolan_kits::master_chef::{self, Kind, MasterChef};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Deployment, Error, FarmingPosition, Plugin, Protocol, Question, Settings,
    SettingsError,
};

/// The plugin.
#[derive(Debug)]
pub struct Spookyswap {
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<MasterChef>>,
    emitters: Vec<Deployment<Source>>,
    events: EventTable,
}

impl Plugin for Spookyswap {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        let chefs = deployments.iter().map(chef_events);
        let emitters = settings.shipped(deployments::emitters()).into_iter().chain(chefs).collect();
        Ok(Self {
            protocols: settings.protocols(&[deployments::protocol()], &deployments),
            deployments,
            emitters,
            events: EventTable::parse(&[tables::UNISWAP_V2, tables::MASTER_CHEF].concat())?,
        })
    }

    fn catalogue(&self) -> Catalogue {
        let questions = [Question::CLAIMABLES, Question::FARMING];
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: self.deployments.iter().map(|row| row.served(&questions, row.mechanism.contracts())).collect(),
            claims: master_chef::claim_templates().into(),
            event_topics: Some(self.events.topics().collect()),
        }
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        let part = |row: &Deployment<MasterChef>| (row.market.clone(), row.mechanism.clone());
        let parts = self
            .asked(cx)
            .map(part)
            .map(async |(market, chef)| chef.claimables(cx, &market, vault_type(chef.kind()), account).await);
        cx.emit_all(parts).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<FarmingPosition>, Error> {
        let part = |row: &Deployment<MasterChef>| (row.market.clone(), row.mechanism.clone());
        let parts = self
            .asked(cx)
            .map(part)
            .map(async |(market, chef)| chef.farming(cx, &market, vault_type(chef.kind()), account).await);
        cx.emit_all(parts).await
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.events.events(cx, transaction, &self.emitters, Scope::Attributed).await
    }
}

impl Spookyswap {
    /// The deployments that a job is about.
    fn asked(&self, cx: &Chain) -> impl Iterator<Item = &Deployment<MasterChef>> {
        self.deployments.iter().filter(|row| row.protocol == cx.protocol() && row.network == cx.network())
    }
}

/// What a chef emits is its protocol's.
fn chef_events(row: &Deployment<MasterChef>) -> Deployment<Source> {
    Source::of(&["chef"]).contracts(row.mechanism.contracts()).deployed(&row.protocol, row.network, &row.market)
}

/// The answer's `vaultType` and `type`.
fn vault_type(kind: Kind) -> &'static str {
    match kind {
        Kind::V1 => "master-chef-v1",
        Kind::V2 => "master-chef-v2",
        Kind::Mini => "mini-chef",
    }
}

portolan_plugin_api::export!(Spookyswap);
