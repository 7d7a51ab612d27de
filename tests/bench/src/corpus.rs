//! `corpus`: how well the gateway decodes real transactions, by a truth about each of their logs and by what the
//! wallet's user would name.
//!
//! Invariant: the gateway is the real one with all plugins, and what it reads of a chain comes from a node: an anvil
//! with contracts that answer as the folder says. Only receipts and transactions are the folder's own. The rules are
//! pure functions over a transaction, its truth and the events that are told of it.

mod answer;
pub(crate) mod contract;
mod core;
mod double;
mod failure;
mod files;
mod judgement;
mod misnamed;
mod mistold;
mod movements;
mod native_logs;
mod network;
mod protocol;
mod score;
mod table;
mod wallet;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use self::answer::Event;
use self::files::{Corpus, Transaction};
use self::network::Network;
use self::table::Table;
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;

/// Files that a run writes, a line of JSON for each thing.
#[derive(Debug, Default)]
pub struct Outputs {
    /// Every answer: `chainId`, `hash`, `status`, `items`, `undecoded`.
    pub answers: Option<PathBuf>,
    /// Everything that is wrong, with what was expected and what is told; and the logs that nothing tells.
    pub failures: Option<PathBuf>,
}

/// Scores the gateway on a folder, and prints tables, the causes of failures, and what it all comes to; returns whether
/// all bars are met.
///
/// # Errors
/// A folder that is none, whatever does not come up, and a file that cannot be written.
pub fn run(folder: &Path, outputs: &Outputs, mut report: impl FnMut(&str)) -> Result<bool> {
    let mut corpus = Corpus::read(folder)?;
    native_logs::complete(&mut corpus);
    let networks: Vec<Network> =
        corpus.chain_ids().into_iter().map(|id| Network::start(&corpus, id)).collect::<Result<_>>()?;
    let gateway = gateway(&networks)?;
    let refused = refused(&gateway)?;
    refused.iter().for_each(|plugin| report(plugin));
    let (mut answers, mut failures) = (Lines::to(outputs.answers.as_deref())?, Lines::to(outputs.failures.as_deref())?);
    let mut table = Table::default();
    for mined in &corpus.transactions {
        let (line, events) = answer(&gateway, mined, &mut report)?;
        answers.write(&line)?;
        let judgements = score::transaction(&corpus, mined, &events);
        for failure in table.add(&corpus, mined, &events, &judgements) {
            failures.write(&serde_json::to_string(&failure)?)?;
        }
    }
    answers.end()?;
    failures.end()?;
    table.lines().iter().for_each(|line| report(line));
    Ok(refused.is_empty() && table.is_enough())
}

/// Fetches the gateway's answer about a transaction: as a line, and its events. A refusal has none.
fn answer(gateway: &Gateway, mined: &Transaction, report: &mut impl FnMut(&str)) -> Result<(Json, Vec<Event>)> {
    let path = format!("/events/decode/{}?network={}&detail=full", mined.hash, mined.network);
    let response = gateway.get(&path)?;
    if let Some(missing) = response.header("portolan-partial") {
        report(&format!("{}: partial: {missing}", mined.hash));
    }
    let status = response.status.as_u16();
    let empty = || Json::Array(Vec::new());
    let (items, undecoded) = match status {
        200 => {
            let body = response.json()?;
            (body.at("items")?.clone(), body.get("undecoded").cloned().unwrap_or_else(empty))
        }
        _ => {
            report(&format!("{}: {status} {}", mined.hash, response.body.trim()));
            (empty(), empty())
        }
    };
    let events = answer::events(&items)?;
    let line = Json::object([
        ("chainId", Json::number(mined.chain_id)),
        ("hash", Json::text(mined.hash.as_str())),
        ("status", Json::number(status)),
        ("items", items),
        ("undecoded", undecoded),
    ]);
    Ok((line, events))
}

/// A file that is written line by line, or none.
struct Lines(Option<BufWriter<File>>);

impl Lines {
    fn to(file: Option<&Path>) -> Result<Self> {
        let open = |file: &Path| File::create(file).map(BufWriter::new).with_context(|| file.display().to_string());
        Ok(Self(file.map(open).transpose()?))
    }

    fn write(&mut self, line: &impl std::fmt::Display) -> Result<()> {
        match &mut self.0 {
            Some(file) => Ok(writeln!(file, "{line}")?),
            None => Ok(()),
        }
    }

    fn end(self) -> Result<()> {
        match self.0 {
            Some(mut file) => Ok(file.flush()?),
            None => Ok(()),
        }
    }
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
