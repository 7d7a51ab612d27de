//! Plugins that answer questions about accounts with kits, described by rows.
//!
//! A plugin implements [`AccountProtocols`], which is data, and exports [`Accounts`] of it. Invariant: each deployment
//! is a part of its own, whose failure leaves the others' findings in the answer and is reported there. Its tables of
//! events are as a [`Family`](crate::family::Family)'s.

mod event_sources;

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;

use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, Chain, ClaimTemplate, Claimable, Composition, Deployment, Error, Keys, Lineage, Plugin,
    Position, Protocol, Question, Settings, SettingsError,
};

use crate::boxed::Boxed;
use crate::events::{EventTables, Source};
use crate::kit::{Deployed, Kit, Labels};
use crate::protocol::{self, ProtocolRow};

pub use event_sources::EventSources;

/// The rows of a plugin's protocols.
pub trait AccountProtocols: 'static {
    /// The protocols, with the contracts that emit their events beside those of [`Self::DEPLOYMENTS`]. Settings change
    /// these contracts where [`EventSources`] is one of [`Self::KITS`]. The catalogue lists them where the plugin has [`Self::TABLES`].
    const PROTOCOLS: &'static [ProtocolRow];
    /// The mechanisms. A settings row belongs to the first of which it has keys; the last one takes what is left.
    const KITS: &'static [&'static dyn Kit];
    /// The deployments that the plugin ships with.
    const DEPLOYMENTS: &'static [DeploymentRow];
    /// Titles of protocols by slug, where names of findings begin with another word than the company's name.
    const TITLES: &'static [(&'static str, &'static str)] = &[];
    /// Tables whose events are reported for any contract.
    const TABLES: &'static [&'static str] = &[];
    /// Tables whose events are reported for the protocols' own contracts only, since another plugin reports the rest.
    const SHARED_TABLES: &'static [&'static str] = &[];

    /// Completes an event on a network with what follows from the rows alone. Called once for each event.
    fn complete(event: Event, network: u64) -> Event {
        let _ = network;
        event
    }
}

/// A shipped deployment.
#[derive(Clone, Copy, Debug)]
pub struct DeploymentRow {
    /// Slug of the protocol.
    pub protocol: &'static str,
    /// EIP-155 chain id.
    pub network: u64,
    /// Tells apart several of one protocol on one network; `main` where there is one.
    pub market: &'static str,
    /// The contracts, made by a kit.
    pub contracts: &'static dyn Deployed,
}

/// The plugin of account protocols.
#[derive(Debug)]
pub struct Accounts<P> {
    instance: AccountInstance,
    rows: PhantomData<fn() -> P>,
}

/// What an instance serves. It does not depend on the plugin's type, so that its code stands once.
#[derive(Debug)]
struct AccountInstance {
    protocols: Vec<Protocol>,
    claims: Vec<ClaimTemplate>,
    lineages: Vec<Lineage>,
    deployments: Vec<Deployment<Titled>>,
    /// The contracts that emit events; the first [`Self::listed`] of them are deployments of the catalogue.
    sources: Vec<Deployment<Source>>,
    listed: usize,
    tables: EventTables,
}

/// The rows of [`AccountProtocols`] as values.
struct AccountRows {
    protocols: &'static [ProtocolRow],
    kits: &'static [&'static dyn Kit],
    deployments: &'static [DeploymentRow],
    titles: &'static [(&'static str, &'static str)],
    tables: &'static [&'static str],
    shared_tables: &'static [&'static str],
}

/// The contracts of a deployment and its title.
#[derive(Debug)]
struct Titled {
    contracts: Arc<dyn Deployed>,
    title: String,
}

impl<P: AccountProtocols> Plugin for Accounts<P> {
    const ROWS_DECIDE: bool = true;

    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let rows = AccountRows {
            protocols: P::PROTOCOLS,
            kits: P::KITS,
            deployments: P::DEPLOYMENTS,
            titles: P::TITLES,
            tables: P::TABLES,
            shared_tables: P::SHARED_TABLES,
        };
        Ok(Self { instance: AccountInstance::new(settings, rows)?, rows: PhantomData })
    }

    fn catalogue(&self) -> Catalogue {
        self.instance.catalogue()
    }

    async fn claimables(&self, cx: &Chain, account: Address) -> Result<Vec<Claimable>, Error> {
        self.instance.claimables(cx, account).await
    }

    async fn farming(&self, cx: &Chain, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::FARMING, account).await
    }

    async fn lending(&self, cx: &Chain, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::LENDING, account).await
    }

    async fn pooling(&self, cx: &Chain, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::POOLING, account).await
    }

    async fn locked(&self, cx: &Chain, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::LOCKED, account).await
    }

    async fn compositions(&self, cx: &Chain, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        self.instance.compositions(cx, tokens).await
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let events = self.instance.tables.events(cx, transaction, &self.instance.sources).await?;
        Ok(events.into_iter().map(|event| P::complete(event, cx.network())).collect())
    }
}

/// Reads a settings row by the first kit of which it has keys.
fn read(kits: &[&dyn Kit], keys: &Keys<'_>) -> Result<Arc<dyn Deployed>, SettingsError> {
    let is_its = |place: usize, kit: &dyn Kit| {
        kit.keys().is_empty() || place + 1 == kits.len() || kit.keys().iter().any(|key| keys.has(key))
    };
    for (_, kit) in kits.iter().enumerate().filter(|(place, kit)| is_its(*place, **kit)) {
        if let Some(contracts) = kit.read(keys)? {
            return Ok(contracts);
        }
    }
    Err(SettingsError::new("has no keys of any mechanism"))
}

/// A deployment without its contracts.
fn place<M>(row: &Deployment<M>) -> Deployment<()> {
    Deployment::new(&row.protocol, row.network, ()).market(&row.market)
}

/// Whether a row that is about events alone stands for a shipped emitter.
fn replaces(row: &Deployment<Arc<dyn Deployed>>, source: &Deployment<Source>) -> bool {
    place(row) == place(source) && row.mechanism.questions() == [Question::EVENTS]
}

/// The contracts that emit a deployment's events, as its protocol's.
fn emitters(row: &Deployment<Arc<dyn Deployed>>) -> Option<Deployment<Source>> {
    Some(row.mechanism.emitters()?.deployed(&row.protocol, row.network, &row.market))
}

impl DeploymentRow {
    fn deployment(&self) -> Deployment<Arc<dyn Deployed>> {
        Deployment::new(self.protocol, self.network, self.contracts.shared()).market(self.market)
    }
}

/// Names begin with the protocol's title or company, and with the market where it is one of several.
fn titled(row: Deployment<Arc<dyn Deployed>>, protocols: &[Protocol], titles: &[(&str, &str)]) -> Deployment<Titled> {
    let titled = titles.iter().find(|(slug, _)| *slug == row.protocol).map(|(_, title)| *title);
    let company = protocols.iter().find(|protocol| protocol.slug == row.protocol).map(|it| it.company.name.as_str());
    let title = titled.or(company).unwrap_or(&row.protocol);
    let title = if row.market == "main" { title.to_owned() } else { format!("{title} {}", row.market) };
    let Deployment { protocol, network, market, mechanism: contracts } = row;
    Deployment { protocol, network, market, mechanism: Titled { contracts, title } }
}

fn labels(row: &Deployment<Titled>) -> Labels<'_> {
    Labels { market: &row.market, title: &row.mechanism.title }
}

/// A deployment under a question: its labels, and its contracts once they are resolved.
struct Part<'a> {
    labels: Labels<'a>,
    contracts: Result<Arc<dyn Deployed>, Error>,
}

impl AccountInstance {
    fn new(settings: &Settings, rows: AccountRows) -> Result<Self, SettingsError> {
        let shipped = rows.deployments.iter().map(DeploymentRow::deployment);
        let deployments = settings.deployments_by(shipped, |keys| read(rows.kits, keys))?;
        let mut sources = settings.shipped(protocol::sources(rows.protocols));
        sources.retain(|source| !deployments.iter().any(|row| replaces(row, source)));
        let listed = if rows.tables.is_empty() { 0 } else { sources.len() };
        let named = deployments.iter().map(place).chain(sources[..listed].iter().map(place));
        let protocols = settings.protocols(&protocol::protocols(rows.protocols), &named.collect::<Vec<_>>());
        Ok(Self {
            claims: rows.kits.iter().flat_map(|kit| kit.claim_templates()).collect(),
            lineages: rows.kits.iter().flat_map(|kit| kit.lineages()).collect(),
            listed,
            sources: sources.into_iter().chain(deployments.iter().filter_map(emitters)).collect(),
            tables: EventTables::parse(rows.tables, rows.shared_tables)?,
            deployments: deployments.into_iter().map(|row| titled(row, &protocols, rows.titles)).collect(),
            protocols,
        })
    }

    fn catalogue(&self) -> Catalogue {
        let answers = |row: &Deployment<Titled>| {
            let contracts = &row.mechanism.contracts;
            row.served(&contracts.questions(), contracts.contracts())
        };
        let deployments = self.deployments.iter().map(answers);
        let emits = |row: &Deployment<Source>| row.served(&[Question::EVENTS], row.mechanism.listed());
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: deployments.chain(self.sources[..self.listed].iter().map(emits)).collect(),
            claims: self.claims.clone(),
            event_topics: Some(self.tables.topics().collect()),
            lineages: Some(self.lineages.clone()),
            hosts: self.hosts(),
        }
    }

    /// The hosts of all deployments, each once; `None` where there are none.
    fn hosts(&self) -> Option<Vec<String>> {
        let hosts: BTreeSet<String> = self.deployments.iter().flat_map(|row| row.mechanism.contracts.hosts()).collect();
        (!hosts.is_empty()).then(|| hosts.into_iter().collect())
    }

    /// The deployments of the job that answer a question.
    fn answering(&self, cx: &Chain, question: Question) -> impl Iterator<Item = &Deployment<Titled>> {
        cx.rows(&self.deployments).filter(move |row| row.mechanism.contracts.questions().contains(&question))
    }

    /// The same, resolved; one that fails to resolve costs its own findings.
    async fn parts(&self, cx: &Chain, question: Question) -> Result<Vec<Part<'_>>, Error> {
        let parts = self.answering(cx, question).map(|row| async move {
            let contracts = &row.mechanism.contracts;
            let resolved = contracts.resolve(cx, &row.market).await;
            let contracts = resolved.map(|resolved| resolved.unwrap_or_else(|| Arc::clone(contracts)));
            Ok(Part { labels: labels(row), contracts })
        });
        cx.join(parts).await
    }

    fn claimables<'a>(&'a self, cx: &'a Chain, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let parts = self.parts(cx, Question::CLAIMABLES).await?.into_iter();
            cx.gather(parts.map(|it| async move { it.contracts?.claimables(cx, it.labels, account).await })).await
        })
    }

    fn positions<'a>(&'a self, cx: &'a Chain, question: Question, account: Address) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let parts = self.parts(cx, question).await?.into_iter();
            cx.gather(parts.map(|it| async move { it.contracts?.positions(cx, it.labels, question, account).await }))
                .await
        })
    }

    fn compositions<'a>(&'a self, cx: &'a Chain, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let parts = self.answering(cx, Question::COMPOSITION).map(|row| &row.mechanism.contracts);
            cx.gather(parts.map(|contracts| contracts.compositions(cx, tokens))).await
        })
    }
}
