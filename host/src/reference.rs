//! The reference pages of the book, generated from the tables of the code.
//!
//! Invariant: the tests compare each page with what the code says, and write it anew if `PORTOLAN_WRITE_TABLES` is set:
//! `PORTOLAN_WRITE_TABLES=1 cargo test -p portolan --lib reference`.

mod endpoints;
mod events;
mod members;
mod metrics;
mod problems;
mod reasons;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// Reads a file by its path from the package.
pub(crate) fn read(path: &str) -> String {
    let read = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    read.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Writes a file anew if that is requested, and otherwise compares it.
pub(crate) fn assert_written(path: &str, text: &str) {
    if env::var_os("PORTOLAN_WRITE_TABLES").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), text).unwrap();
    } else {
        assert!(read(path) == text, "{path}: write it anew with PORTOLAN_WRITE_TABLES=1");
    }
}

/// Compares or writes the part of a page between `<!-- NAME: … -->` and `<!-- /NAME -->`.
pub(crate) fn assert_generated(path: &str, name: &str, part: &str) {
    let (page, begin, end) = (read(path), format!("<!-- {name}: "), format!("<!-- /{name} -->\n"));
    let absent = || panic!("{path}: no {begin}… --> before {end}");
    let (before, rest) = page.split_once(&begin).unwrap_or_else(absent);
    let (source, rest) = rest.split_once('\n').unwrap_or_else(absent);
    let (_, after) = rest.split_once(&end).unwrap_or_else(absent);
    assert_written(path, &[before, &begin, source, "\n\n", part, "\n", &end, after].concat());
}

/// Returns a table of Markdown.
fn table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: impl IntoIterator<Item = [String; COLUMNS]>) -> String {
    let mut text = format!("| {} |\n{}|\n", head.join(" | "), "|---".repeat(COLUMNS));
    for row in rows {
        writeln!(text, "| {} |", row.join(" | ")).unwrap();
    }
    text
}
