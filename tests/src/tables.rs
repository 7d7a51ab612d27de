//! Files that tests generate, and tables of Markdown files. Each table stands between two comments: `<!-- NAME: … -->`, which says where
//! it is from, and `<!-- /NAME -->`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// Environment variable with which the tests write the tables.
const WRITE: &str = "PORTOLAN_WRITE_TABLES";

/// Returns true if the tests write what they generate, and do not compare it.
#[must_use]
pub fn are_written() -> bool {
    std::env::var_os(WRITE).is_some()
}

/// Compares a table of a file with the generated one, or writes it.
///
/// # Errors
/// If they differ, or the file has no such comments.
pub fn check(file: &Path, name: &str, table: &str) -> Result<()> {
    let shown = file.display();
    let text = fs::read_to_string(file).with_context(|| shown.to_string())?;
    let (begin, end) = (format!("<!-- {name}: "), format!("<!-- /{name} -->\n"));
    let missing = || format!("{shown}: no {begin}… --> before {}", end.trim_end());
    let (before, rest) = text.split_once(&begin).with_context(missing)?;
    let (source, rest) = rest.split_once('\n').with_context(missing)?;
    let (_, after) = rest.split_once(&end).with_context(missing)?;
    let generated = [before, &begin, source, "\n\n", table, "\n", &end, after].concat();
    if are_written() {
        return fs::write(file, generated).with_context(|| shown.to_string());
    }
    ensure!(text == generated, "{shown}: the table `{name}` is not up to date; write it anew with {WRITE}=1");
    Ok(())
}

/// Compares a file with the generated one, or writes it.
///
/// # Errors
/// If they differ.
pub fn check_file(file: &Path, generated: &str) -> Result<()> {
    let shown = file.display();
    if are_written() {
        return fs::write(file, generated).with_context(|| shown.to_string());
    }
    let text = fs::read_to_string(file).with_context(|| shown.to_string())?;
    ensure!(text == generated, "{shown} is not up to date; write it anew with {WRITE}=1");
    Ok(())
}
