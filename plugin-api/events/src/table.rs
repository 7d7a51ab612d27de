//! Tables of events, parsed.

use std::collections::HashMap;

use alloy::primitives::B256;

use crate::row::Row;

/// A table of events.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    /// Indexes of the rows of a first topic, in their order.
    by_topic: HashMap<B256, Vec<usize>>,
}

/// The first error in a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TableError {
    /// Line, from 1. Of a row with several lines, its first.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl Table {
    /// Parses a table.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut table = Self::default();
        let mut section = String::new();
        let mut row: Option<(usize, String)> = None;
        for (line, text) in text.lines().enumerate().map(|(line, text)| (line + 1, without_comment(text))) {
            let wrong = |what: &str| TableError { line, what: what.to_owned() };
            if text.trim().is_empty() {
                continue;
            }
            if text.starts_with(char::is_whitespace) {
                let (_, row) =
                    row.as_mut().ok_or_else(|| wrong("an indented line continues a row, and there is none"))?;
                row.push_str(text);
                continue;
            }
            table.add(&section, row.take())?;
            match text.trim_end().strip_prefix('[') {
                Some(name) => {
                    let name = name.strip_suffix(']').ok_or_else(|| wrong("a heading has the form [name]"))?;
                    name.clone_into(&mut section);
                }
                None => row = Some((line, text.to_owned())),
            }
        }
        table.add(&section, row)?;
        Ok(table)
    }

    fn add(&mut self, section: &str, row: Option<(usize, String)>) -> Result<(), TableError> {
        let Some((line, text)) = row else { return Ok(()) };
        let row = Row::parse(section, line, &text).map_err(|what| TableError { line, what })?;
        self.by_topic.entry(row.topic()).or_default().push(self.rows.len());
        self.rows.push(row);
        Ok(())
    }

    /// The rows, in their order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    /// The first topics of the rows' logs, each once, in the order of the rows.
    pub fn topics(&self) -> impl Iterator<Item = B256> {
        let first =
            |index: usize, row: &Row| self.by_topic.get(&row.topic()).is_some_and(|of| of.first() == Some(&index));
        self.rows.iter().enumerate().filter(move |(index, row)| first(*index, row)).map(|(_, row)| row.topic())
    }

    /// The rows of a first topic.
    pub(crate) fn rows_of(&self, topic: &B256) -> impl Iterator<Item = &Row> {
        self.by_topic.get(topic).into_iter().flatten().filter_map(|index| self.rows.get(*index))
    }
}

/// A comment begins at a `#` at the beginning of the line or behind a space; within an expression `#` is an index.
fn without_comment(line: &str) -> &str {
    let begins =
        |at: &usize| line.get(..*at).is_some_and(|before| !before.ends_with(|last: char| !last.is_whitespace()));
    let comment = line.match_indices('#').map(|(at, _)| at).find(begins);
    comment.and_then(|at| line.get(..at)).unwrap_or(line)
}
