//! Acme's events: what the logs of its staking contracts mean.
//!
//! `table.events` describes the events, and the files of `protocols` list the contracts that emit them. Anyone can emit
//! a log that looks like one of these, so logs of other contracts are skipped.

#[cfg(test)]
mod tests;

use portolan_plugin_api::events::{Event, Table, Transaction};
use portolan_plugin_api::*;

/// The events: a row for each.
const TABLE: &str = include_str!("table.events");

/// The rows that the plugin ships with: `protocols/acme.toml`.
const ROWS: Rows = rows!("protocols", &[Emitters::KEYS]);

/// The plugin: the parsed table, and the contracts whose logs it decodes.
#[derive(Debug)]
pub struct Acme {
    table: Table,
    deployments: Deployments<Emitters>,
}

/// The keys of a row in a settings file.
#[derive(Clone, Debug, FromKeys)]
struct Emitters {
    /// The contracts that emit the events.
    contracts: Vec<Address>,
}

impl Plugin for Acme {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let table = Table::parse(TABLE).map_err(|error| SettingsError::new(error.to_string()))?;
        Ok(Self { table, deployments: settings.serve_rows(ROWS)? })
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.deployments.catalogue(&[Question::EVENTS], |emitters| emitters.contracts.iter().copied());
        Catalogue { event_topics: Some(self.table.topics().collect()), ..served }
    }

    async fn events(&self, cx: &JobContext, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let decoded = cx.decode(&self.table, transaction).await?;
        let own = decoded.into_iter().filter_map(|(event, _section)| {
            let emitter = transaction.logs[event.log].address;
            Some(Event { protocol: Some(self.protocol_of(cx.network(), emitter)?), ..event })
        });
        Ok(own.collect())
    }
}

impl Acme {
    /// Returns the slug of the protocol that lists the contract on this network.
    fn protocol_of(&self, network: u64, emitter: Address) -> Option<String> {
        let lists = |row: &&Deployment<Emitters>| row.network == network && row.mechanism.contracts.contains(&emitter);
        self.deployments.iter().find(lists).map(|row| row.protocol.clone())
    }
}

portolan_plugin_api::export!(Acme);
