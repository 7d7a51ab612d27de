//! The last look at what leaves: JSON bodies and log lines.
//!
//! Invariant: whatever a body or a line is made of, no control character and no character that turns around what stands
//! beside it is in it. What is cleaned before ([`Text`](super::text::Text)) passes as it is.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use serde_json::value::RawValue;

/// Writes a JSON document.
pub(crate) fn write_json(sink: impl io::Write, document: &(impl Serialize + ?Sized)) -> Result<(), serde_json::Error> {
    document.serialize(&mut Serializer::with_formatter(sink, CleanFormatter))
}

/// A JSON document.
pub(crate) fn json(document: &(impl Serialize + ?Sized)) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::with_capacity(128);
    write_json(&mut bytes, document)?;
    Ok(bytes)
}

/// A JSON document that stands in others.
pub(crate) fn raw(document: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, serde_json::Error> {
    let text = String::from_utf8(json(document)?).map_err(serde_json::Error::custom)?;
    RawValue::from_string(text)
}

/// `text` with everything replaced that may not leave, but its line ends and the escapes of a terminal's colours.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    replaced(text, |c| turns_around(c) || (c.is_control() && !matches!(c, '\n' | '\t' | '\u{1b}')))
}

/// C1 controls, marks, embeddings and overrides of direction, and separators of lines. Isolates from what may be of
/// either direction are not among them: the cleaning sets them in pairs.
fn turns_around(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}' | '\u{2067}')
}

fn replaced(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_bad) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_bad(c) { char::REPLACEMENT_CHARACTER } else { c }).collect())
}

/// As compact as any, but for what strings may hold.
struct CleanFormatter;

impl Formatter for CleanFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Most are ASCII, of which one character alone is left to look for.
        if fragment.bytes().all(|byte| byte < 0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        writer.write_all(replaced(fragment, turns_around).as_bytes())
    }

    fn write_char_escape<W: ?Sized + io::Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        match escape {
            CharEscape::Quote | CharEscape::ReverseSolidus | CharEscape::Solidus => {
                CompactFormatter.write_char_escape(writer, escape)
            }
            _ => write!(writer, "{}", char::REPLACEMENT_CHARACTER),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_is_written_as_ever_where_nothing_is_wrong() {
        let honest =
            json!({"a": ["WETH \"x\" \\ /", 1.5, null, true, {}], "\u{2068}\u{5d0}\u{2069}": "\u{1f600}\u{200d}"});
        assert_eq!(json(&honest).unwrap(), serde_json::to_vec(&honest).unwrap());
    }

    #[test]
    fn nothing_that_turns_around_or_controls_leaves_in_a_document() {
        let bad = ['\u{0}', '\n', '\t', '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}', '\u{61c}', '\u{200e}', '\u{200f}'];
        let worse = [
            '\u{2028}', '\u{2029}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}',
        ];
        for c in bad.into_iter().chain(worse) {
            let document = json!({format!("k{c}"): format!("a{c}b")});
            let expected = "{\"k\u{fffd}\":\"a\u{fffd}b\"}";
            assert_eq!(String::from_utf8(json(&document).unwrap()).unwrap(), expected, "{:x}", u32::from(c));
        }
    }

    #[test]
    fn a_log_line_keeps_its_end_and_its_colours_alone() {
        assert_eq!(line("\u{1b}[32m INFO\u{1b}[0m a b\n"), "\u{1b}[32m INFO\u{1b}[0m a b\n");
        assert_eq!(line("a\u{202e}b\u{7}c\u{9b}d\r\n"), "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}\n");
    }
}
