//! Plugins that answer events alone: a family of protocols, described by rows and tables.
//!
//! A plugin implements [`EventFamily`], which is data, and exports [`Family`] of it. Settings rows have the keys of
//! [`Source`]. Invariant: a protocol is named only for a contract that is listed, that a registry knows, or whose
//! address follows from its factory.

use std::marker::PhantomData;

use portolan_plugin_api::events::{Event, Transaction};
use portolan_plugin_api::{Catalogue, Chain, Deployments, Error, Plugin, Question, Settings, SettingsError};

use crate::events::{EventTables, Source};
use crate::protocol::{self, ProtocolRow};

/// The rows and tables of a family.
pub trait EventFamily: 'static {
    /// The protocols, with the contracts that emit their events.
    const PROTOCOLS: &'static [ProtocolRow];
    /// Tables whose events are reported for any contract, without a protocol for contracts that nobody knows.
    const TABLES: &'static [&'static str];
    /// Tables whose events are reported for the protocols' own contracts only, since another plugin reports the rest.
    const SHARED_TABLES: &'static [&'static str] = &[];

    /// Completes an event on a network with what follows from the rows alone. Called once for each event.
    fn complete(event: Event, network: u64) -> Event {
        let _ = network;
        event
    }
}

/// The plugin of a family.
#[derive(Debug)]
pub struct Family<F> {
    instance: FamilyInstance,
    rows: PhantomData<fn() -> F>,
}

/// What an instance serves. It does not depend on the plugin's type, so that its code stands once.
#[derive(Debug)]
struct FamilyInstance {
    tables: EventTables,
    deployments: Deployments<Source>,
}

impl<F: EventFamily> Plugin for Family<F> {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let tables = EventTables::parse(F::TABLES, F::SHARED_TABLES)?;
        Ok(Self { instance: FamilyInstance::new(settings, F::PROTOCOLS, tables)?, rows: PhantomData })
    }

    fn catalogue(&self) -> Catalogue {
        self.instance.catalogue()
    }

    async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let events = self.instance.tables.events(cx, transaction, &self.instance.deployments).await?;
        Ok(events.into_iter().map(|event| F::complete(event, cx.network())).collect())
    }
}

impl FamilyInstance {
    fn new(settings: &Settings, rows: &[ProtocolRow], tables: EventTables) -> Result<Self, SettingsError> {
        let deployments = settings.serve(&protocol::protocols(rows), protocol::sources(rows))?;
        Ok(Self { tables, deployments })
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.deployments.catalogue(&[Question::EVENTS], Source::listed);
        Catalogue { event_topics: Some(self.tables.topics().collect()), ..served }
    }
}
