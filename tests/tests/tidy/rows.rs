//! The rows that plugins ship with: the tables of contracts of the READMEs are those of `protocols/`.

use std::fs;
use std::path::Path;

use portolan_tests::tables;
use toml::{Table, Value};

use crate::plugins;

/// Keys of a row that no mechanism reads.
pub(crate) const PLACE: [&str; 4] = ["protocol", "network", "market", "source"];
/// Addresses of one key that a table has; of more it says how many there are.
const ADDRESSES_MAX: usize = 2;

/// Returns the rows of a plugin, file by file.
pub(crate) fn rows(plugin: &Path) -> Vec<Table> {
    let mut files: Vec<_> =
        fs::read_dir(plugin.join("protocols")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let tables = files.iter().map(|file| fs::read_to_string(file).unwrap().parse::<Table>().unwrap());
    let deployments = tables.filter_map(|table| table.get("deployment").and_then(Value::as_array).cloned());
    deployments.flatten().map(|row| row.as_table().unwrap().clone()).collect()
}

/// Returns a text, or the texts of an array.
fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::Array(array)) => array.iter().filter_map(Value::as_str).collect(),
        value => value.and_then(Value::as_str).into_iter().collect(),
    }
}

/// Returns a key with its value, as a table has them.
fn cell(key: &str, value: &Value) -> String {
    let code = |text: &str| format!("`{text}`");
    match value {
        Value::Array(array) if array.len() > ADDRESSES_MAX && texts(Some(value))[0].starts_with("0x") => {
            format!("`{key}`: {} of them", array.len())
        }
        Value::Array(_) => {
            format!("`{key}` {}", texts(Some(value)).into_iter().map(code).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => format!("`{key}` {}", code(text)),
        other => format!("`{key}` {other}"),
    }
}

fn table(plugin: &Path) -> String {
    let mut text = "| protocol | network | market | keys | source |\n|---|---|---|---|---|\n".to_owned();
    for row in rows(plugin) {
        let slug = row["protocol"].as_str().unwrap();
        let keys = row.iter().filter(|(key, _)| !PLACE.contains(&key.as_str())).map(|(key, value)| cell(key, value));
        let keys = keys.collect::<Vec<_>>().join("; ");
        let sources = texts(row.get("source"));
        let sources: Vec<_> = (1..).zip(sources).map(|(place, url)| format!("[{place}]({url})")).collect();
        let market = row.get("market").and_then(Value::as_str).unwrap_or("main");
        let (networks, sources) = (texts(row.get("network")).join(", "), sources.join(" "));
        text += &format!("| [`{slug}`](protocols/{slug}.toml) | {networks} | `{market}` | {keys} | {sources} |\n");
    }
    text
}

#[test]
fn the_tables_of_contracts_are_those_of_the_rows() {
    for plugin in plugins() {
        tables::check(&plugin.join("README.md"), "rows", &table(&plugin)).unwrap();
    }
}
