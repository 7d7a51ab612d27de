//! The encoded cases of event tables are what viem makes of those that are written by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_tests::chain::prepared;

/// Where tables stand; every plugin may have one.
const ROOTS: [&str; 3] = ["../host/src/events", "../plugins", "../examples/plugins"];
/// A folder of a plugin's, of the kits' tables, and no deeper.
const DEPTH_MAX: usize = 5;

fn cases(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && depth < DEPTH_MAX && !path.ends_with("target") {
            cases(&path, depth + 1, found);
        } else if path.to_string_lossy().ends_with(".cases.json") {
            found.push(path);
        }
    }
}

#[test]
fn every_case_is_encoded_as_viem_encodes_it_now() {
    let mut found = Vec::new();
    for root in ROOTS {
        cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root), 0, &mut found);
    }
    assert!(found.len() > 2, "{found:?}");
    let script = prepared().unwrap().join("events.mjs");
    let output = Command::new("node").arg(script).arg("--check").args(&found).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
}
