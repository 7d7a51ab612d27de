//! Faults of authors: each ends with a sentence that says what to do, in `cargo test`, in `portolan plugin ask` and in
//! the gateway. The sentences are those of `plugin-api/docs/faults.md`.
//!
//! A process of its own: one of the faults leaves a thread that never ends.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod places;
mod table;

use std::fmt::Write as _;

use portolan_tests::{build, tables};

use crate::places::{DryRun, FaultyGateways, job_test};
use crate::table::{FAULTS, Sentence};

/// Begins a cell without a sentence.
const NONE: &str = "— ";

#[test]
fn each_fault_ends_with_what_to_do_wherever_it_is_seen() {
    let (ask, gateways) = (DryRun::start().unwrap(), FaultyGateways::start().unwrap());
    let mut rows = "| fault | `cargo test` | `portolan plugin ask` | the gateway |\n|---|---|---|---|\n".to_owned();
    for fault in &FAULTS {
        let cells = [
            cell(fault.test, || Ok(job_test(fault.name))),
            cell(fault.ask, || ask.run(fault)),
            cell(fault.gateway, || gateways.said(fault)),
        ];
        let [test, ask, gateway] = cells.map(|cell| cell.unwrap_or_else(|error| panic!("{}: {error:#}", fault.name)));
        let is_same = |cell: &str, of: &str| cell == of && !cell.starts_with(NONE);
        let same = |cell: String, of: &str| if is_same(&cell, of) { "the same".to_owned() } else { cell };
        let (gateway, ask) = (same(gateway, &ask), same(ask, &test));
        writeln!(rows, "| {} | {test} | {ask} | {gateway} |", fault.what).unwrap();
    }
    if cfg!(target_arch = "x86_64") {
        tables::check(&build::workspace().join("plugin-api/docs/faults.md"), "faults", &rows).unwrap();
    }
}

/// The cell of a place: the sentence there, which must say what to do.
fn cell(place: Sentence, said: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<String> {
    match place {
        Sentence::Cannot(why) => Ok(format!("{NONE}{why}")),
        Sentence::Says(mend) => {
            let said = said()?;
            let line = said.lines().find(|line| line.contains(mend));
            let line = line.ok_or_else(|| anyhow::anyhow!("{mend:?} is not in {said}"))?;
            Ok(places::sentence(line).replace('|', "\\|"))
        }
    }
}

#[test]
fn the_plugin_without_a_fault_is_sound_in_all_places() {
    let (ask, gateways) = (DryRun::start().unwrap(), FaultyGateways::start().unwrap());
    assert_eq!(job_test(portolan_faults::SOUND), "");
    let sound = ask.protocol(portolan_faults::SOUND).unwrap();
    assert!(sound.ends_with("1 rows; claims when tried: 1 paid\n"), "{sound}");
    assert_eq!(gateways.failures(portolan_faults::SOUND).unwrap(), "");
}
