//! Hop: claimable rewards and stakes of its liquidity providers' staking on Optimism, Arbitrum and Polygon, and the
//! events of that and of its bridges.
//!
//! The mechanisms are a kit's. Invariant: each deployment of staking is a part of its own, whose failure leaves the
//! others' rows in the answer and is told there. It does not answer pools, or other networks than the rows of
//! `deployments.rs` and of the settings file name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{EventTable, Scope, Source, tables};
use portolan_kits::staking_rewards::{self, StakingRewards};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Deployment, Error, FarmingPosition, Plugin, Protocol, Question, Settings,
    SettingsError,
};

/// What is told of bridges; what is told of farms is a kit's.
const TABLE: &str = include_str!("events.table");
/// The answer's `type` of claimables.
const CLAIMABLE_TYPE: &str = "hop-reward";
/// The answer's `vaultType`.
const VAULT_TYPE: &str = "hop-staking-rewards";

/// The plugin.
#[derive(Debug)]
pub struct Hop {
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<StakingRewards>>,
    bridges: Vec<Deployment<Source>>,
    farms: Vec<Deployment<Source>>,
    events_of_bridges: EventTable,
    events_of_farms: EventTable,
}

impl Plugin for Hop {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        let protocols = settings.protocols(&[deployments::protocol()], &deployments);
        let farms = |row: &Row| row.mechanism.emitters().deployed(&row.protocol, row.network, &row.market);
        Ok(Self {
            protocols,
            bridges: settings.shipped(deployments::bridges()),
            farms: deployments.iter().map(farms).collect(),
            deployments,
            events_of_bridges: EventTable::parse(TABLE)?,
            events_of_farms: EventTable::parse(tables::STAKING_REWARDS)?,
        })
    }

    fn catalogue(&self) -> Catalogue {
        let questions = [Question::CLAIMABLES, Question::FARMING];
        let staking = self.deployments.iter().map(|row| row.served(&questions, row.mechanism.contracts()));
        let bridges = self.bridges.iter().map(|row| row.served(&[Question::EVENTS], row.mechanism.listed()));
        let topics = self.events_of_bridges.topics().chain(self.events_of_farms.topics());
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: staking.chain(bridges).collect(),
            claims: staking_rewards::claim_templates().into(),
            event_topics: Some(topics.collect()),
        }
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.emit_all(self.asked(cx).map(|row| claimables(cx, row, account))).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<FarmingPosition>, Error> {
        cx.emit_all(self.asked(cx).map(|row| farming(cx, row, account))).await
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let of_bridges = self.events_of_bridges.events(cx, transaction, &self.bridges, Scope::All);
        let of_farms = self.events_of_farms.events(cx, transaction, &self.farms, Scope::Attributed);
        cx.emit_all([of_bridges, of_farms]).await
    }
}

type Row = Deployment<StakingRewards>;

async fn claimables(cx: &Chain, row: &Row, account: Address) -> Result<Vec<Claimable>, Error> {
    let farms = row.mechanism.list(cx, &row.market).await?;
    row.mechanism.claimables(cx, &row.market, CLAIMABLE_TYPE, farms, account).await
}

async fn farming(cx: &Chain, row: &Row, account: Address) -> Result<Vec<FarmingPosition>, Error> {
    let farms = row.mechanism.list(cx, &row.market).await?;
    row.mechanism.farming(cx, &row.market, VAULT_TYPE, farms, account).await
}

impl Hop {
    /// The deployments that a job is about.
    fn asked(&self, cx: &Chain) -> impl Iterator<Item = &Deployment<StakingRewards>> {
        self.deployments.iter().filter(|row| row.protocol == cx.protocol() && row.network == cx.network())
    }
}

portolan_plugin_api::export!(Hop);
