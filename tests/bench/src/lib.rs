//! The benchmarks: of reads, Portolan beside viem's multicall and alloy's MulticallBuilder, in one run on one chain;
//! of balances, an answer of the gateway beside a viem script; and of events, what one long transaction costs.
//!
//! Each side is a process of its own that reads what its driver names and verifies what it got; rounds go through all
//! sides in turn, and medians are compared. Invariant: whatever is started here ends with its value.

mod accounts;
mod aggregate;
mod alarm;
mod answers;
mod balances;
mod bare;
mod capacity;
pub mod corpus;
mod declared;
mod deeds;
mod delay;
mod events;
mod explorer;
mod fleet;
mod growth;
mod isolation;
mod joined;
mod lists;
mod load;
pub mod meter;
mod node;
mod overhead;
pub mod peer;
mod peers;
mod positions;
mod reloads;
mod shipped;
mod simulations;
mod soak;
mod stand_in;
mod streams;
mod table;
mod tally;
pub mod world;

use std::path::Path;

use anyhow::{Result, bail};

use self::table::Verdict;

type Say<'a> = &'a mut dyn FnMut(&str);
type Section = fn(Say<'_>, &mut Verdict) -> Result<()>;

const SECTIONS: [(&str, Section); 14] = [
    ("peers", peers::run),
    ("growth", growth::run),
    ("joined", joined::run),
    ("aggregate", aggregate::run),
    ("positions", positions::run),
    ("simulations", simulations::run),
    ("answers", answers::run),
    ("overhead", overhead::run),
    ("shipped", shipped::run),
    ("accounts", accounts::run),
    ("isolation", isolation::run),
    ("reloads", reloads::run),
    ("deeds", deeds::run),
    ("explorer", explorer::run),
];

const FLEET_SECTIONS: [(&str, Section); 6] = [
    ("replicas", fleet::replicas),
    ("faults", fleet::faults),
    ("start", fleet::start),
    ("noise", fleet::noise),
    ("inputs", fleet::inputs),
    ("capacity", fleet::capacity),
];

const STREAMS_SECTIONS: [(&str, Section); 2] = [("rows", streams::rows), ("watchers", streams::watchers)];

/// Runs the named sections, or all; whether every bound that is not about time holds.
///
/// # Errors
/// Whatever does not come up, and a side that answers wrongly.
pub fn run(names: &[&str], say: impl FnMut(&str)) -> Result<bool> {
    run_sections("reads", &SECTIONS, names, say)
}

/// Runs the named sections of the benchmark of fleets, or all; whether every bound that is not about time holds.
///
/// # Errors
/// Whatever does not come up, and a side that answers wrongly.
pub fn run_fleet(names: &[&str], say: impl FnMut(&str)) -> Result<bool> {
    run_sections("fleet", &FLEET_SECTIONS, names, say)
}

/// Runs the named sections of the benchmark of streams, or all; whether every bound that is not about time holds.
///
/// # Errors
/// Whatever does not come up, and a stream that ends early.
pub fn run_streams(names: &[&str], say: impl FnMut(&str)) -> Result<bool> {
    run_sections("streams", &STREAMS_SECTIONS, names, say)
}

fn run_sections(
    command: &str,
    sections: &[(&str, Section)],
    names: &[&str],
    mut say: impl FnMut(&str),
) -> Result<bool> {
    if let Some(name) = names.iter().find(|name| sections.iter().all(|(section, _)| section != *name)) {
        let known: Vec<String> = sections.iter().map(|(section, _)| format!("[{section}]")).collect();
        bail!("no section {name}: usage: {command} {}", known.join(" "));
    }
    let mut verdict = Verdict::default();
    for (name, section) in sections {
        if names.is_empty() || names.contains(name) {
            section(&mut say, &mut verdict)?;
        }
    }
    verdict.report(&mut say);
    Ok(verdict.holds())
}

/// Runs the benchmark of balances; whether every bound that is not about time holds.
///
/// # Errors
/// Whatever does not come up, and a side that answers wrongly.
pub fn run_balances(mut say: impl FnMut(&str)) -> Result<bool> {
    let mut verdict = Verdict::default();
    balances::run(&mut say, &mut verdict)?;
    verdict.report(&mut say);
    Ok(verdict.holds())
}

/// Runs the benchmark of lists; whether every bound that is not about time holds.
///
/// # Errors
/// Whatever does not come up, and an answer that is wrong.
pub fn run_lists(mut say: impl FnMut(&str)) -> Result<bool> {
    let mut verdict = Verdict::default();
    lists::run(&mut say, &mut verdict)?;
    verdict.report(&mut say);
    Ok(verdict.holds())
}

/// Attacks a gateway for so many minutes; whether every bound that is not about time holds.
///
/// # Errors
/// Whatever does not come up, and an answer that is wrong before the attacks.
pub fn run_soak(minutes: f64, mut say: impl FnMut(&str)) -> Result<bool> {
    let mut verdict = Verdict::default();
    soak::run(minutes, &mut say, &mut verdict)?;
    verdict.report(&mut say);
    Ok(verdict.holds())
}

/// Serves the answer that a file holds, for the benchmark of lists.
///
/// # Errors
/// A file that holds none, and a port that cannot be bound.
pub fn serve_bare(file: &Path) -> Result<()> {
    lists::serve(file)
}

/// Runs the benchmark of events; whether every bound that is not about time holds.
///
/// # Errors
/// Whatever does not come up, and an answer that is wrong.
pub fn run_events(mut say: impl FnMut(&str)) -> Result<bool> {
    let mut verdict = Verdict::default();
    events::run(&mut say, &mut verdict)?;
    verdict.report(&mut say);
    Ok(verdict.holds())
}
