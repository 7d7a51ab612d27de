//! Event tables.

use std::collections::HashMap;

use alloy::primitives::B256;

use crate::constants::Constants;
use crate::row::Row;
use crate::row_text::{RowText, Signatures};

/// An event table.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    /// Row indices by first topic, in order.
    by_topic: HashMap<B256, Vec<usize>>,
}

/// The first error in a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}line {line}: {what}", if table.is_empty() { String::new() } else { format!("table {table}, ") })]
pub struct TableError {
    /// Name of the table, or empty.
    pub table: String,
    /// Line, from 1; the first one of a row with several.
    pub line: usize,
    /// Error message.
    pub what: String,
}

/// A row, heading or definition. Indented lines continue it.
struct Statement {
    line: usize,
    /// Text in one line, without comments.
    text: String,
}

/// A table being parsed, with the context of its next statement.
#[derive(Debug, Default)]
struct TableParser {
    table: Table,
    name: String,
    /// Number of lines before the table, as a text may have several tables.
    offset: usize,
    section: String,
    signatures: Signatures,
    constants: Constants,
}

impl Table {
    /// Parses a table, or several in one text that each begin with a name.
    ///
    /// # Errors
    /// The first wrong line.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut parser = TableParser::default();
        let mut statement: Option<Statement> = None;
        for (line, text) in text.lines().enumerate().map(|(line, text)| (line + 1, without_comment(text))) {
            if text.is_empty() {
                continue;
            }
            if text.starts_with(char::is_whitespace) {
                let what = "an indented line continues a row, and there is none";
                let statement = statement.as_mut().ok_or_else(|| parser.error(line, what.to_owned()))?;
                statement.text.push(' ');
                statement.text.push_str(text.trim_start());
                continue;
            }
            parser.add(statement.replace(Statement { line, text: text.to_owned() }))?;
        }
        parser.add(statement)?;
        Ok(parser.table)
    }

    /// Iterates over the rows in order. A row with several array sizes appears once per size.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    /// Iterates over the first topics of the rows, each once, in order.
    pub fn topics(&self) -> impl Iterator<Item = B256> {
        let first =
            |index: usize, row: &Row| self.by_topic.get(&row.topic()).is_some_and(|of| of.first() == Some(&index));
        self.rows.iter().enumerate().filter(move |(index, row)| first(*index, row)).map(|(_, row)| row.topic())
    }

    /// Iterates over the rows with a first topic.
    pub(crate) fn rows_of(&self, topic: &B256) -> impl Iterator<Item = &Row> {
        self.by_topic.get(topic).into_iter().flatten().filter_map(|index| self.rows.get(*index))
    }

    fn push(&mut self, row: Row) {
        self.by_topic.entry(row.topic()).or_default().push(self.rows.len());
        self.rows.push(row);
    }
}

impl TableParser {
    fn add(&mut self, statement: Option<Statement>) -> Result<(), TableError> {
        let Some(Statement { line, text }) = statement else { return Ok(()) };
        self.add_statement(line, &text).map_err(|what| self.error(line, what))
    }

    fn add_statement(&mut self, line: usize, text: &str) -> Result<(), String> {
        if let Some(heading) = text.strip_prefix('[') {
            self.section = heading.strip_suffix(']').ok_or("a heading has the form [name]")?.to_owned();
            self.signatures.clear();
        } else if let Some(name) = text.strip_prefix("table ") {
            let table = std::mem::take(&mut self.table);
            *self = Self { table, name: name.trim().to_owned(), offset: line - 1, ..Self::default() };
        } else if let Some(constant) = text.strip_prefix("const ") {
            self.constants.add(constant)?;
        } else {
            let text = RowText::split(text, &mut self.signatures)?;
            let rows = Row::parse_all(&self.section, line - self.offset, &text, &self.constants)?;
            rows.into_iter().for_each(|row| self.table.push(row));
        }
        Ok(())
    }

    fn error(&self, line: usize, what: String) -> TableError {
        TableError { table: self.name.clone(), line: line - self.offset, what }
    }
}

/// Cuts the comment off a line.
fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before).trim_end()
}
