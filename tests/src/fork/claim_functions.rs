//! The operator's file of claim functions that a fork needs: the shipped table binds some functions to the contracts of
//! the rows that ship, and a fork's contracts stand elsewhere.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context as _, Result};
use toml::{Table, Value};

use crate::build;

/// Returns the functions that the shipped table binds, with the contracts that it names.
///
/// # Errors
/// If the table cannot be read.
pub fn bound() -> Result<Vec<(String, BTreeSet<String>)>> {
    let path = build::workspace().join("plugin-api/validation/claim-functions.toml");
    let table: Table = fs::read_to_string(&path).with_context(|| path.display().to_string())?.parse()?;
    let row = |(call, value): (String, Value)| Some((call, addresses(value.get("contracts")?)));
    Ok(table.into_iter().filter_map(row).collect())
}

/// Returns the rows that let claims call each of these functions on the contracts of a settings file.
///
/// # Errors
/// If one of them cannot be read.
pub fn of_settings(file: &str) -> Result<String> {
    let file: Table = file.parse()?;
    let contracts = file.get("deployment").map(addresses).unwrap_or_default();
    let contracts: Vec<Value> = contracts.into_iter().map(Value::String).collect();
    if contracts.is_empty() {
        return Ok(String::new());
    }
    let row = |(call, _): (String, _)| {
        let source = Value::String("https://code.example".to_owned());
        let row = [("source", source), ("contracts", Value::Array(contracts.clone()))];
        (call, Value::Table(row.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()))
    };
    Ok(toml::to_string(&bound()?.into_iter().map(row).collect::<Table>())?)
}

/// Returns all addresses in a value.
fn addresses(value: &Value) -> BTreeSet<String> {
    match value {
        Value::String(text) if text.starts_with("0x") && text.len() == 42 => BTreeSet::from([text.to_lowercase()]),
        Value::Array(values) => values.iter().flat_map(addresses).collect(),
        Value::Table(table) => table.iter().flat_map(|(_, value)| addresses(value)).collect(),
        _ => BTreeSet::new(),
    }
}
