//! Plugins that only decode events: a family of protocols, described by rows and tables.
//!
//! A plugin implements [`EventFamily`], which is data, and exports [`Family`] of it. Settings rows have the keys of
//! [`Source`]. Invariant: an event names a protocol only if its contract is listed, known to a registry, or has an
//! address that follows from its factory.

use std::marker::PhantomData;

use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{
    Catalogue, Deployments, Error, FromKeys, JobContext, Plugin, Question, Rows, Settings, SettingsError,
};

use crate::events::{EventTables, Source};

/// Rows and tables of a family.
pub trait EventFamily: 'static {
    /// Protocols with the contracts that emit their events, from files in the format of the plugin's settings.
    const ROWS: Rows;
    /// Tables whose events are reported for any contract, without a protocol for unknown contracts.
    const TABLES: &'static [&'static str];
    /// Tables whose events are reported for the protocols' own contracts only, since another plugin reports the rest.
    const SHARED_TABLES: &'static [&'static str] = &[];

    /// Completes an event on a network with facts of the rows. Called once per event.
    fn complete(event: Event, network: u64) -> Event {
        let _ = network;
        event
    }
}

/// Plugin of a family.
#[derive(Debug)]
pub struct Family<F> {
    instance: FamilyInstance,
    rows: PhantomData<fn() -> F>,
}

/// State of an instance. Not generic over the plugin, so its code is compiled once.
#[derive(Debug)]
struct FamilyInstance {
    tables: EventTables,
    deployments: Deployments<Source>,
}

impl<F: EventFamily> Plugin for Family<F> {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let tables = EventTables::parse(F::TABLES, F::SHARED_TABLES)?;
        Ok(Self { instance: FamilyInstance::new(settings, F::ROWS, tables)?, rows: PhantomData })
    }

    fn catalogue(&self) -> Catalogue {
        self.instance.catalogue()
    }

    async fn events(&self, cx: &JobContext, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let events = self.instance.tables.events(cx, transaction, &self.instance.deployments).await?;
        Ok(events.into_iter().map(|event| F::complete(event, cx.network())).collect())
    }
}

impl FamilyInstance {
    fn new(settings: &Settings, rows: Rows, tables: EventTables) -> Result<Self, SettingsError> {
        let sources = Source::by_evidence(rows.deployments(Source::from_keys)?);
        let deployments = settings.serve(&rows.protocols(), sources)?;
        Ok(Self { tables, deployments })
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.deployments.catalogue(&[Question::EVENTS], Source::listed);
        Catalogue { event_topics: Some(self.tables.topics().collect()), ..served }
    }
}
