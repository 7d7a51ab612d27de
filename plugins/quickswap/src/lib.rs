//! QuickSwap on Polygon: claimable rewards and stakes of its farms, and stakes of QUICK in the Dragon's Lair (dQUICK).
//!
//! Farms are a kit's; the lair is this plugin's own. Invariant: each deployment is a part of its own, whose failure
//! leaves the others' rows in the answer and is told there. It does not answer pools, v3 farms, or other networks
//! than the rows of `deployments.rs` and of the settings file name.

mod contracts;
mod deployments;
mod lair;
#[cfg(test)]
mod tests;

use portolan_kits::staking_rewards::{self, Rewards};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Deployment, Error, FarmingPosition, Plugin, Protocol, Question, Settings,
    SettingsError,
};

use deployments::Contracts;

/// The plugin.
#[derive(Debug)]
pub struct Quickswap {
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<Contracts>>,
}

impl Plugin for Quickswap {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        Ok(Self { protocols: settings.protocols(&[deployments::protocol()], &deployments), deployments })
    }

    fn catalogue(&self) -> Catalogue {
        let catalogue = Catalogue::new().protocols(self.protocols.clone()).claims(staking_rewards::claim_templates());
        self.deployments.iter().fold(catalogue, |catalogue, row| match &row.mechanism {
            Contracts::Farms(farms) => {
                catalogue.deployment(row, &[Question::Claimables, Question::Farming], farms.contracts())
            }
            Contracts::Lair(lair) => catalogue.deployment(row, &[Question::Farming], [lair.address]),
        })
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        let mut parts = Vec::new();
        for row in self.asked(cx) {
            if let Contracts::Farms(farms) = &row.mechanism {
                parts.push(farms.claimables(cx, &row.market, vault_type(farms.rewards()), account));
            }
        }
        cx.gather(parts).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<FarmingPosition>, Error> {
        let parts: Vec<_> = self.asked(cx).map(|row| farming(cx, row, account)).collect();
        cx.gather(parts).await
    }
}

impl Quickswap {
    /// The deployments that a job is about.
    fn asked(&self, cx: &Chain) -> impl Iterator<Item = &Deployment<Contracts>> {
        self.deployments.iter().filter(|row| row.protocol == cx.protocol() && row.network == cx.network())
    }
}

async fn farming(cx: &Chain, row: &Deployment<Contracts>, account: Address) -> Result<Vec<FarmingPosition>, Error> {
    match &row.mechanism {
        Contracts::Farms(farms) => farms.farming(cx, &row.market, vault_type(farms.rewards()), account).await,
        Contracts::Lair(lair) => lair.farming(cx, &row.market, account).await,
    }
}

/// The answer's `vaultType` and `type` of farms.
fn vault_type(rewards: Rewards) -> &'static str {
    match rewards {
        Rewards::Single => "quickswap-reward-rewardPool",
        Rewards::Dual => "quickswap-dual-reward-pool",
    }
}

portolan_plugin_api::export!(Quickswap);
