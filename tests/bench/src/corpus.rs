//! `corpus`: how well the gateway decodes real transactions, by a truth about each of their logs.
//!
//! Invariant: the gateway is the real one with all plugins, and what it reads of a chain comes from a node: an anvil
//! with contracts at the addresses of the corpus's tokens and pools. Only receipts and transactions are the folder's.

pub(crate) mod contract;
mod files;
mod network;
mod row;
mod score;
mod table;

use std::path::Path;

use anyhow::Result;

use self::files::Corpus;
use self::network::Network;
use self::table::Table;
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, Setup};

/// Scores the gateway on a folder and prints the tables and every failure; returns whether all bars are met.
///
/// # Errors
/// A folder that is none, and whatever does not come up.
pub fn run(folder: &Path, mut report: impl FnMut(&str)) -> Result<bool> {
    let corpus = Corpus::read(folder)?;
    let chain_ids = corpus.chain_ids();
    let networks: Vec<Network> = chain_ids.iter().map(|id| Network::start(&corpus, *id)).collect::<Result<_>>()?;
    let gateway = gateway(&networks)?;
    let refused = refused(&gateway)?;
    refused.iter().for_each(|plugin| report(plugin));
    let mut table = Table::default();
    for transaction in &corpus.transactions {
        let path = format!("/events/decode/{}?network={}&detail=full", transaction.hash, transaction.network);
        let response = gateway.get(&path)?;
        if let Some(missing) = response.header("portolan-partial") {
            report(&format!("{}: partial: {missing}", transaction.hash));
        }
        let answer = match response.status.as_u16() {
            200 => Ok(response.json()?),
            status => Err(format!("{status} {}", response.body.trim())),
        };
        for failure in table.add(transaction, &score::transaction(&corpus, transaction, answer)) {
            report(&failure);
        }
    }
    table.lines().iter().for_each(|line| report(line));
    Ok(refused.is_empty() && table.is_enough())
}

/// With all plugins as they are shipped, and nothing else than these networks.
fn gateway(networks: &[Network]) -> Result<Gateway> {
    let built = build::built_alike()?;
    let plugins = build::plugins()?;
    let setup = Setup::default().host(&built.host());
    let setup = plugins.iter().fold(setup, |setup, (_, file)| setup.plugin(&built.plugin(file), &[]));
    let setup = networks.iter().fold(setup, |setup, network| network.named_in(setup));
    setup.start()
}

/// The plugins that the gateway does not serve, with what it says of them.
fn refused(gateway: &Gateway) -> Result<Vec<String>> {
    let loaded = gateway.plugins()?;
    let refused = |name: String| {
        let row = loaded.iter().find(|row| row.text_at("plugin").is_ok_and(|plugin| plugin == name));
        let is_active = row.is_some_and(|row| row.text_at("state").is_ok_and(|state| state == "active"));
        let reason = row.and_then(|row| row.text_at("reason").ok()).unwrap_or("it is not there");
        (!is_active).then(|| format!("plugin {name} is not active: {reason}"))
    };
    Ok(build::plugins()?.into_iter().filter_map(|(name, _)| refused(name)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
