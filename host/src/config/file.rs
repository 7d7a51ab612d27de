//! The configuration file: TOML out of which each setting and each table is taken once. Invariant: what nothing took
//! is an error.

use std::fs;
use std::io::Read;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::ConfigError;

/// Maximum size; a configuration of every network and a thousand prices has a tenth of it.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Stands for the name of a plugin in the key of a table.
const PLUGIN: &str = "<plugin>";

pub(super) fn read(path: &str) -> Result<String, ConfigError> {
    let unreadable = |error: std::io::Error| ConfigError::new(path, format!("cannot be read: {error}"));
    let mut text = String::new();
    let file = fs::File::open(path).map_err(unreadable)?;
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(ConfigError::new(path, format!("is larger than {FILE_BYTES_MAX} bytes")));
    }
    Ok(text)
}

/// The keys of a file that have not been taken out yet; empty without a file.
#[derive(Debug, Default)]
pub(super) struct ConfigFile<'i> {
    pub(super) name: &'i str,
    text: &'i str,
    table: DeTable<'i>,
}

impl<'i> ConfigFile<'i> {
    pub(super) fn parse(name: &'i str, text: &'i str) -> Result<Self, ConfigError> {
        let empty = Self { name, text, table: DeTable::new() };
        let table = DeTable::parse(text).map_err(|error| {
            let key = empty.key_of_line(error.span());
            empty.refusal(error.span(), &key, error.message())
        })?;
        Ok(Self { table: table.into_inner(), ..empty })
    }

    /// Takes the value of a dotted key.
    pub(super) fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, ConfigError> {
        let Some(value) = remove(&mut self.table, key) else { return Ok(None) };
        serde_path_to_error::deserialize(ValueDeserializer::from(value)).map(Some).map_err(|error| {
            let segments = error.path().iter().filter(|segment| !matches!(segment, Segment::Unknown));
            let key = segments.fold(key.to_owned(), |key, segment| format!("{key}.{segment}"));
            self.refusal(error.inner().span(), &key, error.inner().message())
        })
    }

    /// Refuses the first key that is neither known nor that of a table with known ones.
    pub(super) fn refuse_unknown(&self, known: &[&str]) -> Result<(), ConfigError> {
        self.refuse_unknown_in(&self.table, "", known)
    }

    fn refuse_unknown_in(&self, table: &DeTable<'_>, prefix: &str, known: &[&str]) -> Result<(), ConfigError> {
        let names = names_in(prefix, known);
        for (name, value) in table {
            let (text, key) = (name.get_ref().as_ref(), format!("{prefix}{}", name.get_ref()));
            let is_named = text != PLUGIN && names.contains(&text);
            match value.get_ref() {
                _ if !is_named && names.contains(&PLUGIN) && is_plugin_name(text) => {}
                _ if !is_named => {
                    let reason = format!("unknown field `{text}`, expected {}", one_of(&names));
                    return Err(self.refusal(Some(name.span()), &key, &reason));
                }
                _ if known.contains(&key.as_str()) => {}
                DeValue::Table(inner) => self.refuse_unknown_in(inner, &format!("{key}."), known)?,
                other => {
                    let reason = format!("invalid type: {}, expected a table", other.type_str());
                    return Err(self.refusal(Some(value.span()), &key, &reason));
                }
            }
        }
        Ok(())
    }

    /// Formats `file, line 3: key: …`.
    fn refusal(&self, span: Option<Range<usize>>, key: &str, reason: &str) -> ConfigError {
        let colon = if key.is_empty() { "" } else { ": " };
        ConfigError::new(format!("{}, line {}{colon}{key}", self.name, self.line(span) + 1), reason)
    }

    fn line(&self, span: Option<Range<usize>>) -> usize {
        let before = span.and_then(|span| self.text.get(..span.start)).unwrap_or_default();
        before.matches('\n').count()
    }

    /// Returns the key at the start of a line that does not parse, or nothing.
    fn key_of_line(&self, span: Option<Range<usize>>) -> String {
        let line = self.text.lines().nth(self.line(span)).and_then(|line| line.split_once('='));
        let is_plain = |key: &&str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        line.map(|(key, _)| key.trim()).filter(is_plain).unwrap_or_default().to_owned()
    }
}

fn remove<'i>(table: &mut DeTable<'i>, key: &str) -> Option<Spanned<DeValue<'i>>> {
    match key.split_once('.') {
        None => table.remove(key),
        Some((name, rest)) => match table.get_mut(name)?.get_mut() {
            DeValue::Table(inner) => remove(inner, rest),
            _ => None,
        },
    }
}

/// Returns the names in the table whose keys begin with `prefix`, each once.
fn names_in<'k>(prefix: &str, known: &[&'k str]) -> Vec<&'k str> {
    let mut names = Vec::new();
    for key in known.iter().filter_map(|key| key.strip_prefix(prefix)) {
        let name = key.split('.').next().unwrap_or(key);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().filter(|name| **name != PLUGIN).map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        _ if names.contains(&PLUGIN) => format!("{} or the name of a plugin", quoted.join(", ")),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

/// Returns true for kebab-case.
pub(super) fn is_plugin_name(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.split('-').all(is_part)
}
