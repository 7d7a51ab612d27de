//! Values of a parsed file, with their places.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::Fault;

/// A value with its place in the text.
pub(crate) type Placed<'a> = Spanned<DeValue<'a>>;

/// A table whose keys are taken one by one; what is left over is unknown.
#[derive(Debug)]
pub(crate) struct Taken<'t, 'a> {
    /// Place of the table.
    pub(crate) span: Range<usize>,
    /// Entries, in the order of the text.
    entries: Vec<(&'t Spanned<Cow<'a, str>>, &'t Placed<'a>)>,
}

impl<'t, 'a> Taken<'t, 'a> {
    pub(crate) fn new(span: Range<usize>, table: &'t DeTable<'a>) -> Self {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Self { span, entries }
    }

    /// Takes a key that may be missing.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'t Placed<'a>> {
        let place = self.entries.iter().position(|(name, _)| name.get_ref() == key)?;
        Some(self.entries.remove(place).1)
    }

    /// Takes a text that may be missing.
    pub(crate) fn text(&mut self, key: &str) -> Result<Option<&'t str>, Fault> {
        self.take(key).map(|value| text(key, value)).transpose()
    }

    /// Takes a text.
    pub(crate) fn needed(&mut self, key: &str) -> Result<&'t str, Fault> {
        let missing = Fault::of(&self.span, format!("key `{key}`: missing"));
        self.text(key)?.ok_or(missing)
    }

    /// Takes an array of tables, which may be missing.
    pub(crate) fn tables(&mut self, key: &str) -> Result<Vec<Taken<'t, 'a>>, Fault> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let wrong = |span: Range<usize>| Fault::of(&span, format!("write `[[{key}]]`"));
        let array = value.get_ref().as_array().ok_or_else(|| wrong(value.span()))?;
        let table = |row: &'t Placed<'a>| match row.get_ref() {
            DeValue::Table(table) => Ok(Taken::new(row.span(), table)),
            _ => Err(wrong(row.span())),
        };
        array.iter().map(table).collect()
    }

    /// Returns the entries that were not taken.
    pub(crate) fn rest(self) -> impl Iterator<Item = (&'t str, Range<usize>, &'t Placed<'a>)> {
        self.entries.into_iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
    }

    /// Refuses entries that were not taken.
    pub(crate) fn end(self, known: &str) -> Result<(), Fault> {
        match self.entries.first() {
            None => Ok(()),
            Some((key, _)) => {
                Err(Fault::of(&key.span(), format!("unknown key `{}`; known here: {known}", key.get_ref())))
            }
        }
    }
}

/// Reads a text.
pub(crate) fn text<'t>(key: &str, value: &'t Placed<'_>) -> Result<&'t str, Fault> {
    value.get_ref().as_str().ok_or_else(|| Fault::of(&value.span(), format!("key `{key}`: not a text")))
}

/// Reads a text or an array of texts, at least one.
pub(crate) fn texts<'t>(key: &str, value: &'t Placed<'_>) -> Result<Vec<&'t str>, Fault> {
    match value.get_ref().as_array() {
        None => text(key, value).map(|one| vec![one]),
        Some(array) if array.is_empty() => Err(Fault::of(&value.span(), format!("key `{key}`: empty"))),
        Some(array) => array.iter().map(|value| text(key, value)).collect(),
    }
}
