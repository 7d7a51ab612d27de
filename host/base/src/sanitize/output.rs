//! Final cleaning of all output: JSON bodies and log lines.
//!
//! Invariant: output contains no control or direction-changing characters, except that log lines may have line ends,
//! tabs and colour escapes. Text cleaned before ([`Text`](super::text::Text)) passes unchanged.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use serde_json::value::RawValue;

/// Form of raw JSON numbers, which have more digits than a binary float can hold. Integers are always written as
/// numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Numbers {
    #[default]
    Plain,
    /// As strings of the same digits.
    Quoted,
}

/// Writes a JSON document.
pub fn write_json(
    sink: impl io::Write,
    document: &(impl Serialize + ?Sized),
    numbers: Numbers,
) -> Result<(), serde_json::Error> {
    document.serialize(&mut Serializer::with_formatter(sink, CleanFormatter { numbers }))
}

/// Serializes a JSON document.
pub fn json(document: &(impl Serialize + ?Sized)) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::with_capacity(128);
    write_json(&mut bytes, document, Numbers::Plain)?;
    Ok(bytes)
}

/// Serializes a JSON object for embedding in other documents.
pub fn raw(document: &(impl Serialize + ?Sized), numbers: Numbers) -> Result<Box<RawValue>, serde_json::Error> {
    let mut bytes = Vec::with_capacity(128);
    write_json(&mut bytes, document, numbers)?;
    RawValue::from_string(String::from_utf8(bytes).map_err(serde_json::Error::custom)?)
}

/// Replaces everything in `text` that a log line may not have; line ends, tabs and colour escapes stay.
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, |c| turns_around(c) || (c.is_control() && !matches!(c, '\n' | '\t' | '\u{1b}')))
}

/// C1 controls; direction marks, embeddings and overrides; line separators. First strong isolates are not included,
/// because the cleaning adds them in pairs.
fn turns_around(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}' | '\u{2067}')
}

fn replaced(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_bad) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_bad(c) { char::REPLACEMENT_CHARACTER } else { c }).collect())
}

/// Compact JSON, with string contents cleaned and raw numbers in the chosen form.
struct CleanFormatter {
    numbers: Numbers,
}

impl Formatter for CleanFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Strings are mostly ASCII, of which only DEL has to be replaced here.
        if fragment.bytes().all(|byte| byte < 0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        writer.write_all(replaced(fragment, turns_around).as_bytes())
    }

    fn write_raw_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        match self.numbers {
            Numbers::Quoted if is_number(fragment) => write!(writer, "\"{fragment}\""),
            Numbers::Quoted | Numbers::Plain => writer.write_all(fragment.as_bytes()),
        }
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

/// Returns true if a JSON value is a number; no other begins with these characters.
fn is_number(value: &str) -> bool {
    value.starts_with(|first: char| first == '-' || first.is_ascii_digit())
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
    fn raw_numbers_are_strings_where_they_are_wanted_so_and_integers_never() {
        let number = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let of = |numbers| {
            let object = raw(&json!({"decimals": 18}), numbers).unwrap();
            let list = [number("-1.5"), number("1E+59"), number("null"), number("true"), object];
            let mut bytes = Vec::new();
            write_json(&mut bytes, &(list, 7, "8"), numbers).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(of(Numbers::Plain), r#"[[-1.5,1E+59,null,true,{"decimals":18}],7,"8"]"#);
        assert_eq!(of(Numbers::Quoted), r#"[["-1.5","1E+59",null,true,{"decimals":18}],7,"8"]"#);
    }

    #[test]
    fn a_log_line_keeps_its_end_and_its_colours_alone() {
        assert_eq!(line("\u{1b}[32m INFO\u{1b}[0m a b\n"), "\u{1b}[32m INFO\u{1b}[0m a b\n");
        assert_eq!(line("a\u{202e}b\u{7}c\u{9b}d\r\n"), "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}\n");
    }
}
