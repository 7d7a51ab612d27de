//! Hop: claimable rewards and stakes of its liquidity providers' staking on Optimism, Arbitrum and Polygon.
//!
//! The mechanism is a kit's. Invariant: each deployment is a part of its own, whose failure leaves the others' rows in
//! the answer and is told there. It does not answer pools, or other networks than the rows of `deployments.rs`
//! and of the settings file name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::staking_rewards::{self, StakingRewards};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Deployment, Error, FarmingPosition, Plugin, Protocol, Question, Settings,
    SettingsError,
};

/// The answer's `type` of claimables.
const CLAIMABLE_TYPE: &str = "hop-reward";
/// The answer's `vaultType`.
const VAULT_TYPE: &str = "hop-staking-rewards";

/// The plugin.
#[derive(Debug)]
pub struct Hop {
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<StakingRewards>>,
}

impl Plugin for Hop {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        Ok(Self { protocols: settings.protocols(&[deployments::protocol()], &deployments), deployments })
    }

    fn catalogue(&self) -> Catalogue {
        let catalogue = Catalogue::new().protocols(self.protocols.clone()).claims(staking_rewards::claim_templates());
        let questions = [Question::Claimables, Question::Farming];
        self.deployments
            .iter()
            .fold(catalogue, |catalogue, row| catalogue.deployment(row, &questions, row.mechanism.contracts()))
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.gather(self.asked(cx).map(|row| claimables(cx, row, account))).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<FarmingPosition>, Error> {
        cx.gather(self.asked(cx).map(|row| farming(cx, row, account))).await
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
