//! Tables of events.

use std::collections::HashMap;

use alloy::primitives::B256;

use crate::constants::Constants;
use crate::row::Row;
use crate::row_text::{RowText, Signatures};

/// A table of events.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    /// Indexes of the rows of a first topic, in their order.
    by_topic: HashMap<B256, Vec<usize>>,
}

/// The first error in a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}line {line}: {what}", if table.is_empty() { String::new() } else { format!("table {table}, ") })]
pub struct TableError {
    /// Name of the table; empty if it has none.
    pub table: String,
    /// Line, from 1. Of a row with several lines, its first.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// A row, a heading or a definition: it begins a line, and continues in indented lines.
struct Statement {
    line: usize,
    /// Without comments, in one line.
    text: String,
}

/// A table that is being parsed, and what its next statement is parsed by.
#[derive(Debug, Default)]
struct TableParser {
    table: Table,
    name: String,
    /// The line before its first: a text may have several tables.
    offset: usize,
    section: String,
    signatures: Signatures,
    constants: Constants,
}

impl Table {
    /// Parses a table, or several in one text, of which each begins with its name.
    ///
    /// # Errors
    /// The first line that is wrong.
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

    /// The rows, in their order. A row of several array sizes stands once for each.
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

/// A line up to its comment.
fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before).trim_end()
}
