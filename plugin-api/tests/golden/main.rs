//! Checks that plugins built in the past still load and answer as they did.
//!
//! `TARGET/NAME.golden` holds the output of `NAME.so`: its manifest, its catalogue, and every frame of some jobs. It is
//! regenerated with the current host's side and compared as text, so neither side may change a byte.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
#![expect(clippy::expect_used, clippy::panic, reason = "a broken expectation is how a test fails")]

mod contracts;
mod host;
mod jobs;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use goblin::elf::Elf;
use portolan_abi::note;

use crate::host::{Golden, hex};

const TARGET: &str = "x86_64-unknown-linux-gnu";

#[test]
fn the_example_answers_as_it_did() {
    check("aelin", &jobs::aelin());
}

#[test]
fn the_example_of_the_oldest_revision_that_loads_answers_as_it_did() {
    check("aelin_revision_5", &jobs::aelin());
}

#[test]
fn rows_over_a_kit_answer_as_they_did() {
    check("staked", &jobs::staked());
}

#[test]
fn a_family_of_events_answers_as_it_did() {
    check("gmx", &jobs::gmx());
}

#[test]
fn every_kind_of_finding_read_and_end_is_as_it_was() {
    check("every", &jobs::every());
}

fn check(name: &str, jobs: &[jobs::Job]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(TARGET);
    let dylib = folder.join(format!("lib{name}.so"));
    let (recorded, found) = (folder.join(format!("{name}.golden")), transcript(&dylib, jobs));
    if std::env::var_os("PORTOLAN_WRITE_GOLDEN").is_some() {
        fs::write(&recorded, &found).expect("the folder can be written to");
    }
    let expected = fs::read_to_string(&recorded).expect("it was recorded");
    for (number, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
        assert_eq!(expected, found, "{}: line {}", recorded.display(), number + 1);
    }
    assert_eq!(expected.len(), found.len(), "{}", recorded.display());
}

fn transcript(dylib: &PathBuf, jobs: &[jobs::Job]) -> String {
    let mut text = String::new();
    let mut line = |word: &str, rest: &str| {
        let rest = if rest.is_empty() { String::new() } else { format!(" {rest}") };
        writeln!(text, "{word}{rest}").expect("a text takes lines");
    };
    line("note", &manifest_note(&fs::read(dylib).expect("the dylib is there")));
    let golden = Golden::load(dylib);
    line("manifest", golden.manifest());
    for job in jobs {
        line("job", job.name);
        let instance = golden.configure(&job.settings);
        line("catalogue", &hex(&instance.catalogue()));
        instance.run(&job.start, job.contract, &mut line);
    }
    text
}

/// Returns the manifest of the dylib's note, without trailing spaces.
fn manifest_note(bytes: &[u8]) -> String {
    let elf = Elf::parse(bytes).expect("an ELF file");
    let notes = elf.iter_note_headers(bytes).expect("a file with notes").map(|note| note.expect("a note"));
    let own: Vec<_> = notes.filter(|found| found.name.trim_end_matches('\0') == note::NAME).collect();
    let [note] = own.as_slice() else { panic!("{} notes", own.len()) };
    assert_eq!((note.n_type, note.desc.len()), (note::TYPE, note::MANIFEST_BYTES));
    std::str::from_utf8(note.desc).expect("a text").trim_end().to_owned()
}
