//! Tables for terminals: a head and a line for each row, without borders, so that other tools can read them too.
//!
//! Invariant: cells have no control characters, whoever wrote them.

use std::io;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table};

use crate::cli::ColorWhen;
use crate::terminal::{self, HEAD};

/// Blanks between columns.
const GAP: u16 = 2;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextColumn {
    pub(crate) head: &'static str,
    /// True for numbers: they end at the right, and are never wrapped.
    pub(crate) is_number: bool,
}

impl TextColumn {
    pub(crate) const fn text(head: &'static str) -> Self {
        Self { head, is_number: false }
    }
}

/// How a table is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableStyle {
    /// Columns of the terminal, to wrap long texts; `None` to write each row as one line.
    pub(crate) width: Option<u16>,
    pub(crate) has_colors: bool,
}

impl TableStyle {
    /// Returns the style of a table on stdout.
    pub(crate) fn of_stdout(when: ColorWhen) -> Self {
        Self { width: terminal::width(), has_colors: terminal::has_colors(&io::stdout(), when) }
    }
}

/// Returns the table as lines.
pub(crate) fn table(columns: &[TextColumn], rows: impl Iterator<Item = Vec<String>>, style: TableStyle) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(columns.iter().map(|column| column.head));
    let cleaned = |row: Vec<String>| row.iter().map(|cell| terminal::shown(cell)).collect::<Vec<_>>();
    table.add_rows(rows.map(cleaned));
    match style.width {
        Some(width) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    let last = columns.len().saturating_sub(1);
    for (place, column) in columns.iter().enumerate() {
        let Some(own) = table.column_mut(place) else { continue };
        own.set_padding((0, if place == last { 0 } else { GAP }));
        if column.is_number {
            own.set_constraint(ColumnConstraint::ContentWidth);
            own.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = String::new();
    for (place, line) in table.lines().enumerate() {
        let line = line.trim_end();
        text += &if place == 0 { terminal::styled(line, HEAD, style.has_colors) } else { line.to_owned() };
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [TextColumn; 3] =
        [TextColumn::text("name"), TextColumn { head: "amount", is_number: true }, TextColumn::text("token")];

    fn rows(cells: [[&str; 3]; 2]) -> impl Iterator<Item = Vec<String>> {
        cells.map(|row| row.map(str::to_owned).to_vec()).into_iter()
    }

    #[test]
    fn columns_are_aligned_and_numbers_end_at_the_right() {
        let text = table(&COLUMNS, rows([["a", "1.5", "X"], ["longer name", "10", "Y"]]), TableStyle::default());
        assert_eq!(text, "name         amount  token\na               1.5  X\nlonger name      10  Y\n");
    }

    #[test]
    fn a_narrow_terminal_wraps_texts_and_never_numbers() {
        let style = TableStyle { width: Some(36), has_colors: false };
        let cells = [["a name of many words", "0.000000000000000001", "X"], ["b", "2", "Y"]];
        let text = table(&COLUMNS, rows(cells), style);
        assert!(text.lines().all(|line| line.chars().count() <= 36), "{text}");
        assert!(text.lines().any(|line| line.contains("0.000000000000000001")), "{text}");
        assert!(text.lines().count() > 3, "{text}");
    }

    #[test]
    fn a_hostile_name_stays_in_its_cell() {
        let cells = [["\u{1b}[2Jevil\nname\tx", "1", "\u{9b}2J"], ["b", "2", "Y"]];
        let text = table(&COLUMNS, rows(cells), TableStyle::default());
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(!text.chars().any(|each| each.is_control() && each != '\n'), "{text:?}");
        let colored = table(&COLUMNS, rows(cells), TableStyle { width: None, has_colors: true });
        assert!(colored.starts_with("\u{1b}[1mname") && colored.matches('\u{1b}').count() == 2, "{colored:?}");
    }
}
