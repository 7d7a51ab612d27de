//! SushiSwap: claimable rewards and stakes of its MasterChefs (Ethereum) and MiniChefs (six networks), SUSHI in the
//! SushiBar, and what its share (xSUSHI) redeems to; events of its pools and chefs.
//!
//! Chefs and vaults are kits'. Invariant: each deployment is a part of its own, whose failure leaves the others' rows
//! in the answer and is told there. It does not answer positions in pools, or other networks than the rows of
//! `deployments.rs` and of the settings file name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::events::{EventTable, Scope, Source, tables};
use portolan_kits::master_chef::{self, Kind, MasterChef};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Composition, Deployment, Error, FarmingPosition, Plugin, Protocol, Question,
    Settings, SettingsError,
};

use deployments::Contracts;

/// The plugin.
#[derive(Debug)]
pub struct Sushiswap {
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<Contracts>>,
    emitters: Vec<Deployment<Source>>,
    events: EventTable,
}

impl Plugin for Sushiswap {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(deployments::shipped())?;
        let chefs = deployments.iter().filter_map(|row| match &row.mechanism {
            Contracts::Chef(chef) => Some(chef_events(row, chef)),
            Contracts::Bar(_) => None,
        });
        let emitters = settings.shipped(deployments::emitters()).into_iter().chain(chefs).collect();
        Ok(Self {
            protocols: settings.protocols(&[deployments::protocol()], &deployments),
            deployments,
            emitters,
            events: EventTable::parse(&[tables::UNISWAP_V2, tables::UNISWAP_V3, tables::MASTER_CHEF].concat())?,
        })
    }

    fn catalogue(&self) -> Catalogue {
        let served = |row: &Deployment<Contracts>| match &row.mechanism {
            Contracts::Chef(chef) => row.served(&[Question::CLAIMABLES, Question::FARMING], chef.contracts()),
            Contracts::Bar(bar) => row.served(&[Question::FARMING, Question::COMPOSITION], [bar.address]),
        };
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: self.deployments.iter().map(served).collect(),
            claims: master_chef::claim_templates().into(),
            event_topics: Some(self.events.topics().collect()),
        }
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        let mut parts = Vec::new();
        for row in self.asked(cx) {
            if let Contracts::Chef(chef) = &row.mechanism {
                parts.push(chef.claimables(cx, &row.market, vault_type(chef.kind()), account));
            }
        }
        cx.emit_all(parts).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<FarmingPosition>, Error> {
        let parts: Vec<_> = self.asked(cx).map(|row| farming(cx, row, account)).collect();
        cx.emit_all(parts).await
    }

    async fn compositions(&self, cx: &Chain, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        let bars = self.asked(cx).filter_map(|row| match &row.mechanism {
            Contracts::Bar(bar) if tokens.contains(&bar.address) => Some(bar.composition(cx)),
            _ => None,
        });
        let bars: Vec<_> = bars.collect();
        cx.emit_all(bars).await
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.events.events(cx, transaction, &self.emitters, Scope::Attributed).await
    }
}

impl Sushiswap {
    /// The deployments that a job is about.
    fn asked(&self, cx: &Chain) -> impl Iterator<Item = &Deployment<Contracts>> {
        self.deployments.iter().filter(|row| row.protocol == cx.protocol() && row.network == cx.network())
    }
}

async fn farming(cx: &Chain, row: &Deployment<Contracts>, account: Address) -> Result<Vec<FarmingPosition>, Error> {
    match &row.mechanism {
        Contracts::Chef(chef) => chef.farming(cx, &row.market, vault_type(chef.kind()), account).await,
        Contracts::Bar(bar) => bar.farming(cx, &row.market, BAR_VAULT_TYPE, account).await,
    }
}

/// What a chef emits is its protocol's.
fn chef_events(row: &Deployment<Contracts>, chef: &MasterChef) -> Deployment<Source> {
    Source::of(&["chef"]).contracts(chef.contracts()).deployed(&row.protocol, row.network, &row.market)
}

/// The answer's `vaultType` of a bar.
const BAR_VAULT_TYPE: &str = "xsushi";

/// The answer's `vaultType` and `type` of farms.
fn vault_type(kind: Kind) -> &'static str {
    match kind {
        Kind::V1 | Kind::V2 => "sushi-masterchef",
        Kind::Mini => "sushi-minichefV2",
    }
}

portolan_plugin_api::export!(Sushiswap);
