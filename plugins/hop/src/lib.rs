//! Hop: claimable rewards and stakes of its liquidity providers' staking on Optimism, Arbitrum and Polygon, and the
//! events of its bridges.
//!
//! The mechanisms are a kit's. Invariant: each deployment of staking is a part of its own, whose failure leaves the
//! others' rows in the answer and is told there. It does not answer pools, or other networks than the rows of
//! `deployments.rs` and of the settings file name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{EventTable, Scope, Source};
use portolan_kits::staking_rewards::{self, StakingRewards};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Deployment, Error, FarmingPosition, Plugin, Protocol, Question, Settings,
    SettingsError,
};

/// What is told of bridges.
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
    events: EventTable,
}

impl Plugin for Hop {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        let protocols = settings.protocols(&[deployments::protocol()], &deployments);
        let bridges = settings.shipped(deployments::bridges());
        Ok(Self { protocols, deployments, bridges, events: EventTable::parse(TABLE)? })
    }

    fn catalogue(&self) -> Catalogue {
        let catalogue = Catalogue::new().protocols(self.protocols.clone()).claims(staking_rewards::claim_templates());
        let questions = [Question::Claimables, Question::Farming];
        let catalogue = self
            .deployments
            .iter()
            .fold(catalogue, |catalogue, row| catalogue.deployment(row, &questions, row.mechanism.contracts()));
        self.bridges.iter().fold(catalogue.events(self.events.topics()), |catalogue, row| {
            catalogue.deployment(row, &[Question::Events], row.mechanism.listed())
        })
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.gather(self.asked(cx).map(|row| claimables(cx, row, account))).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<FarmingPosition>, Error> {
        cx.gather(self.asked(cx).map(|row| farming(cx, row, account))).await
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let here = self.bridges.iter().filter(|row| row.network == cx.network());
        let sources: Vec<_> = here.map(|row| (row.protocol.as_str(), &row.mechanism)).collect();
        self.events.events(cx, transaction, &sources, Scope::All).await
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
