//! Aave v3 and its forks Spark and Seamless: what an account has lent and borrowed, and the rewards that it can claim.
//! Events of its pools and controllers; those of forks and of other versions are told by the plugin `lending`.
//!
//! The mechanism is a kit's; here are protocols, deployments and words. Invariant: each deployment is a part of its
//! own, whose failure leaves the others' rows in the answer and is told there. It answers nothing about accounts in
//! Aave's safety module, older versions, or other networks than the rows of `deployments.rs` and of the settings file
//! name.

mod deployments;
#[cfg(test)]
mod tests;

use portolan_kits::aave_v3::{self, Labels};
use portolan_kits::events::{EventTable, Scope, Source, tables};
use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, Chain, Claimable, Deployment, Error, LendingPosition, Plugin, Protocol, Question, Settings,
    SettingsError,
};

/// The answer's `type` of rewards.
const REWARD_TYPE: &str = "aave-v3-rewards";

/// The plugin.
#[derive(Debug)]
pub struct AaveV3 {
    protocols: Vec<Protocol>,
    deployments: Vec<Titled>,
    emitters: Vec<Deployment<Source>>,
    events: EventTable,
}

/// A deployment, and what names of its rows begin with.
#[derive(Debug)]
struct Titled {
    row: Deployment<aave_v3::AaveV3>,
    title: String,
}

impl Plugin for AaveV3 {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let rows = settings.deployments(deployments::shipped())?;
        let protocols = settings.protocols(&deployments::protocols(), &rows);
        let titled = |row: Deployment<_>| Titled { title: deployments::title(&protocols, &row), row };
        let events = EventTable::parse(tables::AAVE)?;
        let emitters = rows.iter().map(emitters).collect();
        Ok(Self { deployments: rows.into_iter().map(titled).collect(), emitters, protocols, events })
    }

    fn catalogue(&self) -> Catalogue {
        let served = |Titled { row, .. }: &Titled| {
            let questions = [row.mechanism.questions(), &[Question::EVENTS]].concat();
            row.served(&questions, row.mechanism.contracts())
        };
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: self.deployments.iter().map(served).collect(),
            claims: aave_v3::claim_templates().into(),
            event_topics: Some(self.events.topics().collect()),
        }
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.emit_all(self.asked(cx).map(|it| it.row.mechanism.claimables(cx, it.labels(), account))).await
    }

    async fn lending(&self, cx: &Chain, account: Address) -> Result<Vec<LendingPosition>, Error> {
        cx.emit_all(self.asked(cx).map(|it| it.row.mechanism.lending(cx, it.labels(), account))).await
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.events.events(cx, transaction, &self.emitters, Scope::Attributed).await
    }
}

impl AaveV3 {
    /// The deployments that a job is about.
    fn asked(&self, cx: &Chain) -> impl Iterator<Item = &Titled> {
        self.deployments.iter().filter(|it| it.row.protocol == cx.protocol() && it.row.network == cx.network())
    }
}

/// What a market's contracts emit is its protocol's.
fn emitters(row: &Deployment<aave_v3::AaveV3>) -> Deployment<Source> {
    let source = Source::of(&["pool", "rewards"]).contracts(row.mechanism.contracts());
    source.deployed(&row.protocol, row.network, &row.market)
}

impl Titled {
    fn labels(&self) -> Labels<'_> {
        Labels { market: &self.row.market, title: &self.title, reward_type: REWARD_TYPE }
    }
}

portolan_plugin_api::export!(AaveV3);
