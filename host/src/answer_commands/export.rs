//! Comma-separated values (RFC 4180, with line feeds alone).
//!
//! Invariant: no cell is a formula. Spreadsheets compute a cell that begins with one of [`FORMULA`], and the texts of
//! tokens and plugins are others': such a cell begins with an apostrophe here, unless it is a number.

use crate::terminal;

/// What formulas begin with in spreadsheets: <https://owasp.org/www-community/attacks/CSV_Injection>.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Returns a line for the heads and one for each row.
pub(super) fn csv(
    heads: impl Iterator<Item = &'static str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> csv::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(heads)?;
    for row in rows {
        writer.write_record(row.iter().map(|text| cell(text)))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Returns a text that is no formula and has no control characters.
fn cell(text: &str) -> String {
    let text = terminal::clean(text);
    match text.starts_with(FORMULA) && !is_number(&text) {
        true => format!("'{text}"),
        false => text,
    }
}

/// Returns true for a number of JSON, which has an exponent if it is very small.
fn is_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_read_back_as_they_are() {
        let rows = [["a,b", "say \"hi\""], ["0.000000000000000001", "-1.5"]].map(|row| row.map(str::to_owned).to_vec());
        let written = csv(["name", "amount"].into_iter(), rows.clone().into_iter()).unwrap();
        let text = String::from_utf8(written).unwrap();
        assert_eq!(text, "name,amount\n\"a,b\",\"say \"\"hi\"\"\"\n0.000000000000000001,-1.5\n");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let read: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        assert_eq!(read, rows);
    }

    #[test]
    fn a_formula_becomes_a_text() {
        let cases = [
            ("=HYPERLINK(\"http://evil\")", "'=HYPERLINK(\"http://evil\")"),
            ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("-", "'-"),
            ("-1.", "'-1."),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("＝1", "'＝1"),
            ("-1.5", "-1.5"),
            ("-1.2407415E-33", "-1.2407415E-33"),
            ("USDC", "USDC"),
            ("\t=1", "\u{fffd}=1"),
            ("\u{1b}[2J", "\u{fffd}[2J"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(cell(text), expected, "{text:?}");
        }
    }
}
