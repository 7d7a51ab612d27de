//! Tables for terminals.

use std::fmt::Write as _;

/// Formats the head and the rows in aligned columns, one line each.
pub(super) fn columns<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = [head.map(str::to_owned)].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        let padded = row.iter().zip(widths);
        let cells: Vec<String> =
            padded.map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count()))).collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}
