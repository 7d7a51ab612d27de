//! Foreign text (from a token, a plugin, a settings file) that is safe to embed in other text.
//!
//! Invariant: only the cleaning creates one. It is one line of visible characters, bounded in length. Right-to-left
//! letters are isolated (U+2068 … U+2069), so that they cannot reorder the text around them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use portolan_abi::is_invisible;

use super::visible::visible;

/// First strong isolate, and pop directional isolate.
const ISOLATE: [char; 2] = ['\u{2068}', '\u{2069}'];

/// Blocks of right-to-left letters and of their numbers: the ranges whose default `Bidi_Class` is R or AL, and the
/// presentation forms.
/// <https://www.unicode.org/Public/17.0.0/ucd/extracted/DerivedBidiClass.txt>
static RIGHT_TO_LEFT: [(char, char); 5] = [
    ('\u{590}', '\u{8ff}'),
    ('\u{fb1d}', '\u{fdff}'),
    ('\u{fe70}', '\u{feff}'),
    ('\u{10800}', '\u{10fff}'),
    ('\u{1e800}', '\u{1efff}'),
];

/// A cleaned text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Text(String);

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl Text {
    /// Removes invisible characters of `text`, collapses spaces, and cuts it to `chars_max` characters.
    pub fn clean(text: &str, chars_max: usize) -> Self {
        Self(isolated(visible(text, chars_max)))
    }

    /// Cleans a text whose outer spaces matter because it is joined with others. The caller limits its length.
    pub fn words(text: &str) -> Self {
        Self(isolated(text.chars().filter(|c| !is_invisible(*c)).collect()))
    }

    /// Cuts the text to `chars_max` characters, not counting the two of the isolate.
    pub fn cut(&self, chars_max: usize) -> Self {
        if self.0.chars().count() <= chars_max { self.clone() } else { Self::clean(&self.0, chars_max) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Joins texts; each stays isolated from the others.
impl FromIterator<Self> for Text {
    fn from_iter<T: IntoIterator<Item = Self>>(texts: T) -> Self {
        Self(texts.into_iter().map(|text| text.0).collect())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(any(test, feature = "testing"))]
impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

#[cfg(any(test, feature = "testing"))]
impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::words(text)
    }
}

/// Isolates `text` if its letters would reorder the text around it.
pub(super) fn isolated(text: String) -> String {
    let reorders = |c: char| RIGHT_TO_LEFT.iter().any(|(first, last)| (*first..=*last).contains(&c));
    if text.is_ascii() || !text.chars().any(reorders) {
        return text;
    }
    let [start, end] = ISOLATE;
    format!("{start}{text}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEBREW: &str = "\u{5e9}\u{5e7}\u{5dc}";

    #[test]
    fn letters_from_right_to_left_are_isolated() {
        assert_eq!(Text::clean(HEBREW, 64).as_str(), format!("\u{2068}{HEBREW}\u{2069}"));
        // Arabic, Thaana, N'Ko, presentation forms, Adlam.
        for text in ["\u{627}x", "x\u{784}", "\u{7ca}", "\u{fefc}", "\u{1e900}"] {
            assert_eq!(Text::clean(text, 64).as_str(), format!("\u{2068}{text}\u{2069}"));
        }
        for text in ["WETH", "\u{923}\u{93f}", "\u{20bf}", "\u{4e2d}", "\u{3b1}"] {
            assert_eq!(Text::clean(text, 64).as_str(), text);
        }
    }

    #[test]
    fn what_a_text_brings_of_isolates_and_overrides_is_gone() {
        let hostile = format!("\u{202e}\u{2069}{HEBREW}\u{2068}\u{7}");
        assert_eq!(Text::clean(&hostile, 64), Text::clean(HEBREW, 64));
        assert_eq!(Text::words(" a\u{2067} b\n").as_str(), " a b");
    }

    #[test]
    fn an_isolate_is_closed_however_it_is_cut_and_cleaning_again_changes_nothing() {
        let long = Text::clean(&"\u{5e9}".repeat(100), 64);
        assert_eq!(long.as_str().chars().count(), 66);
        let cut = long.cut(5);
        assert_eq!(cut.as_str(), format!("\u{2068}{}\u{2069}", "\u{5e9}".repeat(5)));
        assert_eq!(Text::clean(cut.as_str(), 64), cut);
        assert_eq!(long.cut(66), long);
    }

    #[test]
    fn texts_beside_each_other_are_each_closed() {
        let pair: Text = [Text::clean(HEBREW, 64), Text::words("/"), Text::clean("USDC", 64)].into_iter().collect();
        assert_eq!(pair.as_str(), format!("\u{2068}{HEBREW}\u{2069}/USDC"));
    }
}
