//! Plugins that answer questions about accounts with kits, described by rows.
//!
//! A plugin implements [`AccountProtocols`], which is data, and exports [`Accounts`] of it. Event tables are those of a
//! [`Family`](crate::family::Family). Invariant: a failed deployment leaves the findings of the others in the answer,
//! and is reported.

mod event_sources;

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;

use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Address, Catalogue, ClaimTemplate, Claimable, Composition, Deployment, Error, FromKeys, JobContext, Keys, Lineage,
    Plugin, Position, Protocol, Question, Rows, Settings, SettingsError,
};

use crate::boxed::Boxed;
use crate::events::{EventTables, Source};
use crate::kit::{DeploymentReader, Kit, Labels};

pub use event_sources::EventSourcesKit;

/// Rows of a plugin's protocols.
pub trait AccountProtocols: 'static {
    /// Protocols and deployments that the plugin ships with, from files in the format of its settings. A row with the key
    /// `sections` has contracts that emit events, and no other keys than [`Source`]'s. The catalogue lists these rows
    /// if the plugin has [`Self::TABLES`].
    const ROWS: Rows;
    /// Mechanisms. A settings row belongs to the first with matching keys; the last takes the rest.
    const KITS: &'static [&'static dyn Kit];
    /// Titles of protocols by slug, if names of findings do not begin with the company's name.
    const TITLES: &'static [(&'static str, &'static str)] = &[];
    /// Tables whose events are reported for any contract.
    const TABLES: &'static [&'static str] = &[];
    /// Tables whose events are reported for the protocols' own contracts only, since another plugin reports the rest.
    const SHARED_TABLES: &'static [&'static str] = &[];

    /// Completes an event on a network with facts of the rows. Called once per event.
    fn complete(event: Event, network: u64) -> Event {
        let _ = network;
        event
    }
}

/// Key of a row of emitters.
const SECTIONS: &str = "sections";

/// Plugin of account protocols.
#[derive(Debug)]
pub struct Accounts<P> {
    instance: AccountInstance,
    rows: PhantomData<fn() -> P>,
}

/// State of an instance. Not generic over the plugin, so its code is compiled once.
#[derive(Debug)]
struct AccountInstance {
    protocols: Vec<Protocol>,
    claims: Vec<ClaimTemplate>,
    lineages: Vec<Lineage>,
    deployments: Vec<Deployment<Titled>>,
    /// Contracts that emit events; the first [`Self::listed`] of them are deployments of the catalogue.
    sources: Vec<Deployment<Source>>,
    listed: usize,
    tables: EventTables,
}

/// Rows of [`AccountProtocols`] as values.
struct AccountRows {
    rows: Rows,
    kits: &'static [&'static dyn Kit],
    titles: &'static [(&'static str, &'static str)],
    tables: &'static [&'static str],
    shared_tables: &'static [&'static str],
}

/// Contracts and title of a deployment.
#[derive(Debug)]
struct Titled {
    contracts: Arc<dyn DeploymentReader>,
    title: String,
}

impl<P: AccountProtocols> Plugin for Accounts<P> {
    const ROWS_DECIDE: bool = true;

    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let rows = AccountRows {
            rows: P::ROWS,
            kits: P::KITS,
            titles: P::TITLES,
            tables: P::TABLES,
            shared_tables: P::SHARED_TABLES,
        };
        Ok(Self { instance: AccountInstance::new(settings, rows)?, rows: PhantomData })
    }

    fn catalogue(&self) -> Catalogue {
        self.instance.catalogue()
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        self.instance.claimables(cx, account).await
    }

    async fn farming(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::FARMING, account).await
    }

    async fn lending(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::LENDING, account).await
    }

    async fn pooling(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::POOLING, account).await
    }

    async fn locked(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        self.instance.positions(cx, Question::LOCKED, account).await
    }

    async fn compositions(&self, cx: &JobContext, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        self.instance.compositions(cx, tokens).await
    }

    async fn events(&self, cx: &JobContext, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let events = self.instance.tables.events(cx, transaction, &self.instance.sources).await?;
        Ok(events.into_iter().map(|event| P::complete(event, cx.network())).collect())
    }
}

/// Reads a row with the first kit that takes it. A row with sections names emitters of events, whatever the kits.
fn read(kits: &[&dyn Kit], keys: &Keys<'_>) -> Result<Arc<dyn DeploymentReader>, SettingsError> {
    if keys.has(SECTIONS) {
        return Ok(Arc::new(Source::from_keys(keys)?));
    }
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

/// Returns a deployment without its contracts.
fn place<M>(row: &Deployment<M>) -> Deployment<()> {
    Deployment::new(&row.protocol, row.network, ()).market(&row.market)
}

/// Returns true if an events-only row replaces a shipped emitter.
fn replaces(row: &Deployment<Arc<dyn DeploymentReader>>, source: &Deployment<Source>) -> bool {
    place(row) == place(source) && is_events_only(row)
}

/// Returns true if a row only names emitters of events.
fn is_events_only(row: &Deployment<Arc<dyn DeploymentReader>>) -> bool {
    row.mechanism.questions() == [Question::EVENTS]
}

/// Returns the contracts that emit a deployment's events, as those of its protocol.
fn emitters(row: &Deployment<Arc<dyn DeploymentReader>>) -> Option<Deployment<Source>> {
    Some(row.mechanism.emitters()?.deployed(&row.protocol, row.network, &row.market))
}

/// Adds the title: that of the protocol or its company, with the market if there are several.
fn titled(
    row: Deployment<Arc<dyn DeploymentReader>>,
    protocols: &[Protocol],
    titles: &[(&str, &str)],
) -> Deployment<Titled> {
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

/// A deployment that answers a question, with its resolved contracts.
struct Part<'a> {
    labels: Labels<'a>,
    contracts: Result<Arc<dyn DeploymentReader>, Error>,
}

impl AccountInstance {
    fn new(settings: &Settings, rows: AccountRows) -> Result<Self, SettingsError> {
        let shipped = rows.rows.deployments(|keys| read(rows.kits, keys))?;
        let (events, shipped): (Vec<_>, Vec<_>) = shipped.into_iter().partition(is_events_only);
        let deployments = settings.deployments_by(shipped, |keys| read(rows.kits, keys))?;
        let mut sources = settings.shipped(Source::by_evidence(events.iter().filter_map(emitters)));
        sources.retain(|source| !deployments.iter().any(|row| replaces(row, source)));
        let listed = if rows.tables.is_empty() { 0 } else { sources.len() };
        let named = deployments.iter().map(place).chain(sources[..listed].iter().map(place));
        let protocols = settings.protocols(&rows.rows.protocols(), &named.collect::<Vec<_>>());
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
            let mut served = row.served(&contracts.questions(), contracts.contracts());
            served.tokens = Some(contracts.tokens()).filter(|tokens| !tokens.is_empty());
            served
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

    /// Returns the hosts of all deployments, each once; `None` if there are none.
    fn hosts(&self) -> Option<Vec<String>> {
        let hosts: BTreeSet<String> = self.deployments.iter().flat_map(|row| row.mechanism.contracts.hosts()).collect();
        (!hosts.is_empty()).then(|| hosts.into_iter().collect())
    }

    /// Iterates over the job's deployments that answer a question.
    fn answering(&self, cx: &JobContext, question: Question) -> impl Iterator<Item = &Deployment<Titled>> {
        cx.rows(&self.deployments).filter(move |row| row.mechanism.contracts.questions().contains(&question))
    }

    /// Resolves the job's deployments that answer a question. One that fails loses only its own findings.
    async fn parts(&self, cx: &JobContext, question: Question) -> Result<Vec<Part<'_>>, Error> {
        let parts = self.answering(cx, question).map(|row| async move {
            let contracts = &row.mechanism.contracts;
            let resolved = contracts.resolve(cx, &row.market).await;
            let contracts = resolved.map(|resolved| resolved.unwrap_or_else(|| Arc::clone(contracts)));
            Ok(Part { labels: labels(row), contracts })
        });
        cx.join(parts).await
    }

    fn claimables<'a>(&'a self, cx: &'a JobContext, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let parts = self.parts(cx, Question::CLAIMABLES).await?.into_iter();
            cx.gather(parts.map(|it| async move { it.contracts?.claimables(cx, it.labels, account).await })).await
        })
    }

    fn positions<'a>(&'a self, cx: &'a JobContext, question: Question, account: Address) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let parts = self.parts(cx, question).await?.into_iter();
            cx.gather(parts.map(|it| async move { it.contracts?.positions(cx, it.labels, question, account).await }))
                .await
        })
    }

    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let parts = self.answering(cx, Question::COMPOSITION).map(|row| &row.mechanism.contracts);
            cx.gather(parts.map(|contracts| contracts.compositions(cx, tokens))).await
        })
    }
}
