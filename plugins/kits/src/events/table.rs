//! Parsed event tables, and the decoding of transactions by them.

use std::collections::{BTreeMap, BTreeSet};

use portolan_plugin_api::events::{Event, Table, Transaction};
use portolan_plugin_api::{Address, B256, Deployment, Error, JobContext, SettingsError};

use super::owners;
use super::source::Source;
use crate::boxed::Boxed;

/// Contracts whose events are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// All contracts. Those of forks and unknown contracts have no protocol.
    All,
    /// Only the protocols' own contracts.
    Attributed,
}

/// Event tables of a plugin.
#[derive(Debug)]
pub struct EventTables(Vec<ScopedTable>);

/// A parsed table with its scope.
#[derive(Debug)]
struct ScopedTable {
    scope: Scope,
    table: Table,
    /// Sections that may decode a log, by its first topic.
    sections: BTreeMap<B256, BTreeSet<String>>,
}

impl EventTables {
    /// Parses tables. Events of `all` are reported for any contract, those of `attributed` only for the protocols' own
    /// contracts.
    ///
    /// # Errors
    /// Names the first wrong line. Tests of the plugins parse all shipped tables.
    pub fn parse(all: &[&str], attributed: &[&str]) -> Result<Self, SettingsError> {
        let scopes = [(Scope::All, all), (Scope::Attributed, attributed)];
        let tables = scopes.into_iter().filter(|(_, texts)| !texts.is_empty());
        tables.map(|(scope, texts)| ScopedTable::parse(scope, &texts.join("\n"))).collect::<Result<_, _>>().map(Self)
    }

    /// Iterates over the first topics of all events, for the catalogue.
    pub fn topics(&self) -> impl Iterator<Item = B256> {
        self.0.iter().flat_map(|table| table.sections.keys().copied())
    }

    /// Decodes a transaction. Each event gets the slug of the network's first deployment whose contract emitted it.
    ///
    /// The owners of contracts are read in the same batch as the views of the tables. If an owner cannot be read, the
    /// event is reported without a protocol or left out, and the answer says so.
    ///
    /// # Errors
    /// None; failures are reported as missing.
    pub fn events<'a>(
        &'a self,
        cx: &'a JobContext,
        transaction: &'a Transaction,
        deployments: &'a [Deployment<Source>],
    ) -> Boxed<'a, Vec<Event>> {
        Box::pin(async move {
            let rows = cx.rows(deployments);
            let sources: Vec<(&str, &Source)> = rows.map(|row| (row.protocol.as_str(), &row.mechanism)).collect();
            let decoded = cx.join(self.0.iter().map(|table| table.events(cx, transaction, &sources))).await?;
            Ok(decoded.concat())
        })
    }
}

impl ScopedTable {
    fn parse(scope: Scope, text: &str) -> Result<Self, SettingsError> {
        let table = Table::parse(text).map_err(|error| SettingsError::new(format!("the table of events: {error}")))?;
        let mut sections: BTreeMap<B256, BTreeSet<String>> = BTreeMap::new();
        for row in table.rows() {
            sections.entry(row.topic()).or_default().insert(row.section().to_owned());
        }
        Ok(Self { scope, table, sections })
    }

    async fn events(
        &self,
        cx: &JobContext,
        transaction: &Transaction,
        sources: &[(&str, &Source)],
    ) -> Result<Vec<Event>, Error> {
        if self.scope == Scope::Attributed && sources.is_empty() {
            return Ok(Vec::new());
        }
        let owners = owners::find(cx, self.emitters(transaction), sources);
        let (owners, decoded) = cx.join((owners, cx.decode(&self.table, transaction))).await?;
        let attributed = decoded.into_iter().filter_map(|(event, section)| {
            let emitter = transaction.logs.get(event.log)?.address;
            let protocol = owners.get(&(emitter, section.as_str())).map(|slug| (*slug).to_owned());
            Some(Event { protocol, ..event })
        });
        Ok(attributed.filter(|event| self.scope == Scope::All || event.protocol.is_some()).collect())
    }

    /// Returns the contracts that emitted a log with a known topic, with the sections that may decode it.
    fn emitters(&self, transaction: &Transaction) -> BTreeSet<(Address, &str)> {
        let emitted =
            transaction.logs.iter().filter_map(|log| Some((log.address, self.sections.get(log.topics.first()?)?)));
        emitted
            .flat_map(|(emitter, sections)| sections.iter().map(move |section| (emitter, section.as_str())))
            .collect()
    }
}
