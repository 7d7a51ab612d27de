//! QuickSwap on Polygon: claimable rewards and stakes of its farms, stakes of QUICK in the Dragon's Lair, and what its
//! share (dQUICK) redeems to; events of its pools.
//!
//! Farms and vaults are kits'. Invariant: each deployment is a part of its own, whose failure leaves the others' rows
//! in the answer and is told there. It does not answer positions in pools,
//! v3 farms, or other networks than the rows of `deployments.rs` and of the settings file name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{EventTable, Scope, Source, tables};
use portolan_kits::staking_rewards::{self, Farms, Rewards};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Composition, Deployment, Error, FarmingPosition, Plugin, Protocol, Question,
    Settings, SettingsError,
};

use deployments::Contracts;

/// The plugin.
#[derive(Debug)]
pub struct Quickswap {
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<Contracts>>,
    emitters: Vec<Deployment<Source>>,
    events: EventTable,
}

impl Plugin for Quickswap {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        let farms = deployments.iter().filter_map(|row| match &row.mechanism {
            Contracts::Farms(farms) => Some(farms.emitters().deployed(&row.protocol, row.network, &row.market)),
            Contracts::Lair(_) => None,
        });
        let emitters = settings.shipped(deployments::emitters()).into_iter().chain(farms).collect();
        Ok(Self {
            protocols: settings.protocols(&[deployments::protocol()], &deployments),
            deployments,
            emitters,
            events: EventTable::parse(&[tables::UNISWAP_V2, tables::UNISWAP_V3, tables::STAKING_REWARDS].concat())?,
        })
    }

    fn catalogue(&self) -> Catalogue {
        let served = |row: &Deployment<Contracts>| match &row.mechanism {
            Contracts::Farms(farms) => row.served(&[Question::CLAIMABLES, Question::FARMING], farms.contracts()),
            Contracts::Lair(lair) => row.served(&[Question::FARMING, Question::COMPOSITION], [lair.address]),
        };
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: self.deployments.iter().map(served).collect(),
            claims: staking_rewards::claim_templates().into(),
            event_topics: Some(self.events.topics().collect()),
        }
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        let parts = self.listed(cx).await?.into_iter().map(|part| claimables(cx, part, account));
        cx.emit_all(parts).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<FarmingPosition>, Error> {
        let parts = self.listed(cx).await?.into_iter().map(|part| farming(cx, part, account));
        cx.emit_all(parts).await
    }

    async fn compositions(&self, cx: &Chain, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        let lairs = self.asked(cx).filter_map(|row| match &row.mechanism {
            Contracts::Lair(lair) if tokens.contains(&lair.address) => Some(lair.composition(cx)),
            _ => None,
        });
        let lairs: Vec<_> = lairs.collect();
        cx.emit_all(lairs).await
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.events.events(cx, transaction, &self.emitters, Scope::Attributed).await
    }
}

/// A deployment, and its farms where it is one of farms.
type Listed<'a> = (&'a Deployment<Contracts>, Result<Option<Farms>, Error>);

impl Quickswap {
    /// The deployments that a job is about.
    fn asked(&self, cx: &Chain) -> impl Iterator<Item = &Deployment<Contracts>> {
        self.deployments.iter().filter(|row| row.protocol == cx.protocol() && row.network == cx.network())
    }

    /// The same with their lists. All lists are awaited here, so that what is asked of the account leaves in one wave.
    async fn listed(&self, cx: &Chain) -> Result<Vec<Listed<'_>>, Error> {
        let rows: Vec<_> = self.asked(cx).map(|row| list(cx, row)).collect();
        cx.join(rows).await
    }
}

/// A list that fails costs its own deployment.
async fn list<'a>(cx: &Chain, row: &'a Deployment<Contracts>) -> Result<Listed<'a>, Error> {
    let farms = match &row.mechanism {
        Contracts::Farms(farms) => farms.list(cx, &row.market).await.map(Some),
        Contracts::Lair(_) => Ok(None),
    };
    Ok((row, farms))
}

async fn claimables(cx: &Chain, (row, listed): Listed<'_>, account: Address) -> Result<Vec<Claimable>, Error> {
    match (&row.mechanism, listed?) {
        (Contracts::Farms(farms), Some(listed)) => {
            farms.claimables(cx, &row.market, vault_type(farms.rewards()), listed, account).await
        }
        _ => Ok(Vec::new()), // A lair has nothing to claim.
    }
}

async fn farming(cx: &Chain, (row, listed): Listed<'_>, account: Address) -> Result<Vec<FarmingPosition>, Error> {
    match (&row.mechanism, listed?) {
        (Contracts::Farms(farms), Some(listed)) => {
            farms.farming(cx, &row.market, vault_type(farms.rewards()), listed, account).await
        }
        (Contracts::Lair(lair), _) => lair.farming(cx, &row.market, LAIR_VAULT_TYPE, account).await,
        (Contracts::Farms(_), None) => Ok(Vec::new()),
    }
}

/// The answer's `vaultType` of a lair.
const LAIR_VAULT_TYPE: &str = "quickswap-dquick";

/// The answer's `vaultType` and `type` of farms.
fn vault_type(rewards: Rewards) -> &'static str {
    match rewards {
        Rewards::Single => "quickswap-reward-rewardPool",
        Rewards::Dual => "quickswap-dual-reward-pool",
    }
}

portolan_plugin_api::export!(Quickswap);
