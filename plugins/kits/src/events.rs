//! Events that a table tells, and the protocols whose contracts emitted them.
//!
//! A deployment is a [`Source`]: which contracts emit the rows of which sections; settings keys `sections`, `contracts`,
//! `registry` with `view`, and `factory` with `init_code_hash` and `salt`. A plugin that does nothing else is a
//! [`Family`]; one with other deployments beside them has an [`EventTable`]. Invariant: a protocol is named only for a
//! contract that is listed, that a registry knows, or whose address follows from its factory.

mod owners;
pub mod shipped;
mod source;
pub mod tables;

use std::collections::{BTreeMap, BTreeSet};

use portolan_plugin_api::events::{Event, Table, Transaction};
use portolan_plugin_api::{
    Address, B256, Catalogue, Chain, Deployment, Error, Protocol, Question, Settings, SettingsError,
};

pub use self::source::{Salt, Source};
use crate::both::both;

/// Which events are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of forks and of contracts that nobody knows too, without a protocol: for the plugin of a family.
    All,
    /// Only those of the protocols' own contracts: for one protocol that shares its events with others.
    Attributed,
}

/// A table, parsed.
#[derive(Debug)]
pub struct EventTable {
    table: Table,
    /// The sections that may tell a log, by its first topic.
    sections: BTreeMap<B256, BTreeSet<String>>,
}

impl EventTable {
    /// Reads a table.
    ///
    /// # Errors
    /// The first line that is wrong. A shipped table has none: a plugin's tests read it.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let table = Table::parse(text).map_err(|error| SettingsError::new(format!("the table of events: {error}")))?;
        let mut sections: BTreeMap<B256, BTreeSet<String>> = BTreeMap::new();
        for row in table.rows() {
            sections.entry(row.topic()).or_default().insert(row.section().to_owned());
        }
        Ok(Self { table, sections })
    }

    /// What the catalogue names.
    pub fn topics(&self) -> impl Iterator<Item = B256> {
        self.sections.keys().copied()
    }

    /// Tells a transaction: each event with the slug of the first of the network's `rows` whose contract emitted it.
    ///
    /// Whose contracts they are is asked in the same wave as what the table wants. Where it cannot be read, the event
    /// is told without a protocol or not at all, and the answer says so.
    ///
    /// # Errors
    /// None of its own.
    pub async fn events(
        &self,
        cx: &Chain,
        transaction: &Transaction,
        rows: &[Deployment<Source>],
        scope: Scope,
    ) -> Result<Vec<Event>, Error> {
        let here = rows.iter().filter(|row| row.network == cx.network());
        let sources: Vec<(&str, &Source)> = here.map(|row| (row.protocol.as_str(), &row.mechanism)).collect();
        if scope == Scope::Attributed && sources.is_empty() {
            return Ok(Vec::new());
        }
        let owners = owners::find(cx, self.emitters(transaction), &sources);
        let (owners, decoded) = both(owners, cx.decode(&self.table, transaction)).await?;
        let attributed = decoded.into_iter().filter_map(|(event, section)| {
            let emitter = transaction.logs.get(event.log)?.address;
            let protocol = owners.get(&(emitter, section.as_str())).map(|slug| (*slug).to_owned());
            Some(Event { protocol, ..event })
        });
        Ok(attributed.filter(|event| scope == Scope::All || event.protocol.is_some()).collect())
    }

    /// The contracts that emitted something that may be told, with the sections that may tell it.
    fn emitters(&self, transaction: &Transaction) -> BTreeSet<(Address, &str)> {
        let emitted =
            transaction.logs.iter().filter_map(|log| Some((log.address, self.sections.get(log.topics.first()?)?)));
        emitted
            .flat_map(|(emitter, sections)| sections.iter().map(move |section| (emitter, section.as_str())))
            .collect()
    }
}

/// The events of a family of protocols: all that a plugin needs that answers nothing else.
#[derive(Debug)]
pub struct Family {
    table: EventTable,
    scope: Scope,
    protocols: Vec<Protocol>,
    deployments: Vec<Deployment<Source>>,
}

impl Family {
    /// The shipped deployments, changed by the settings. Tables of several files are one text.
    ///
    /// # Errors
    /// For a row of the settings that is wrong, or a table that is none.
    pub fn new(
        settings: &Settings,
        table: &str,
        scope: Scope,
        protocols: &[Protocol],
        shipped: impl IntoIterator<Item = Deployment<Source>>,
    ) -> Result<Self, SettingsError> {
        let deployments = settings.deployments(shipped)?;
        let protocols = settings.protocols(protocols, &deployments);
        Ok(Self { table: EventTable::parse(table)?, scope, protocols, deployments })
    }

    /// For [`portolan_plugin_api::Plugin::catalogue`].
    pub fn catalogue(&self) -> Catalogue {
        let served = |row: &Deployment<Source>| row.served(&[Question::EVENTS], row.mechanism.listed());
        Catalogue {
            protocols: self.protocols.clone(),
            deployments: self.deployments.iter().map(served).collect(),
            claims: Vec::new(),
            event_topics: Some(self.table.topics().collect()),
        }
    }

    /// For [`portolan_plugin_api::Plugin::events`].
    ///
    /// # Errors
    /// As [`EventTable::events`].
    pub async fn events(&self, cx: &Chain, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        self.table.events(cx, transaction, &self.deployments, self.scope).await
    }
}
