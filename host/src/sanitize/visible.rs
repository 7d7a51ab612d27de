//! Reduces a text to characters that are seen, so that it cannot change the text around it.
//!
//! Invariant: what comes out is one line of a bounded number of characters, so of at most four times as many bytes.

use std::cmp::Ordering;

/// Bytes of a text that are looked at; a token may return a megabyte, or hide a name behind marks that nobody sees.
pub(crate) const INPUT_BYTES_MAX: usize = 1024;

/// `text` without invisible characters, with single spaces, cut to `chars_max` characters.
pub(crate) fn visible(text: &str, chars_max: usize) -> String {
    let text = &text[..text.floor_char_boundary(INPUT_BYTES_MAX)];
    let seen: String = text.chars().filter(|c| c.is_whitespace() || !is_invisible(*c)).collect();
    truncate(&seen.split_whitespace().collect::<Vec<_>>().join(" "), chars_max)
}

/// The first `chars_max` characters.
fn truncate(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect::<String>().trim_end().to_owned()
}

/// Whether `c` is a control, a separator of lines or paragraphs, a format character (general category Cf: direction
/// marks, embeddings, overrides and isolates, joiners, tags), or ignorable by default (variation selectors, fillers).
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
