//! Names and symbols of tokens as text that cannot change what stands around it.
//!
//! Invariant: what comes out is one line of a bounded number of characters, so of at most four times as many bytes.

use std::cmp::Ordering;

use alloy::sol_types::abi;
use alloy::sol_types::abi::token::PackedSeqToken;

/// Of a name or symbol; the longest honest ones are names of pool shares.
pub(super) const CHARS_MAX: usize = 64;

/// Of a text that are looked at; a token may tell a megabyte, or hide a name behind marks that nobody sees.
const LOOKED_AT_MAX_BYTES: usize = 1024;

/// A `string`, or a `bytes32` as tokens of 2017 have it; cleaned and cut.
pub(super) fn decode(returned: &[u8]) -> String {
    let text = match <&[u8; 32]>::try_from(returned) {
        Ok(word) => word.split(|byte| *byte == 0).next().unwrap_or_default(),
        // A string is encoded as bytes are, and need not be UTF-8.
        Err(_) => abi::decode::<PackedSeqToken<'_>>(returned).map(|token| token.0).unwrap_or_default(),
    };
    clean(&String::from_utf8_lossy(&text[..text.len().min(LOOKED_AT_MAX_BYTES)]))
}

/// Without characters that would let a token's name change what stands around it, and with single spaces.
pub(crate) fn clean(text: &str) -> String {
    cleaned(text, CHARS_MAX)
}

/// The same of a text that may have so many characters.
pub(crate) fn cleaned(text: &str, chars_max: usize) -> String {
    let text = &text[..text.floor_char_boundary(LOOKED_AT_MAX_BYTES)];
    let seen: String = text.chars().filter(|c| c.is_whitespace() || !is_invisible(*c)).collect();
    cut(&seen.split_whitespace().collect::<Vec<_>>().join(" "), chars_max)
}

/// The first characters.
pub(super) fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect::<String>().trim_end().to_owned()
}

/// Controls, separators of lines and paragraphs, format characters (general category Cf: direction marks, embeddings,
/// overrides and isolates, joiners, tags), and what else is ignored by default (variation selectors, fillers).
pub(crate) fn is_invisible(c: char) -> bool {
    let place = |(first, last): &(char, char)| match () {
        () if *last < c => Ordering::Less,
        () if *first > c => Ordering::Greater,
        () => Ordering::Equal,
    };
    c.is_control() || INVISIBLE.binary_search_by(place).is_ok()
}

/// Zl, Zp, Cf and Default_Ignorable_Code_Point of Unicode 17: <https://www.unicode.org/Public/17.0.0/ucd/>.
#[rustfmt::skip]
static INVISIBLE: [(char, char); 25] = [
    ('\u{ad}', '\u{ad}'), ('\u{34f}', '\u{34f}'), ('\u{600}', '\u{605}'), ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'), ('\u{70f}', '\u{70f}'), ('\u{890}', '\u{891}'), ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'), ('\u{17b4}', '\u{17b5}'), ('\u{180b}', '\u{180f}'), ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'), ('\u{2060}', '\u{206f}'), ('\u{3164}', '\u{3164}'), ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'), ('\u{ffa0}', '\u{ffa0}'), ('\u{fff0}', '\u{fffb}'), ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'), ('\u{13430}', '\u{1343f}'), ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'), ('\u{e0000}', '\u{e0fff}'),
];

#[cfg(test)]
mod tests;
