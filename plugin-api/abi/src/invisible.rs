//! Invisible characters, and those that change the text around them.

use std::cmp::Ordering;

/// Returns true for control characters, line and paragraph separators, format characters (general category Cf:
/// direction marks, embeddings, overrides and isolates, joiners, tags), and default-ignorable ones (variation
/// selectors, fillers).
pub fn is_invisible(c: char) -> bool {
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
mod tests {
    use super::*;

    /// Samples the ends of each range and its neighbours; categories are from Unicode's files.
    #[test]
    fn what_is_invisible_is_what_unicode_says() {
        let cf = ['\u{ad}', '\u{600}', '\u{605}', '\u{61c}', '\u{6dd}', '\u{70f}', '\u{890}', '\u{8e2}', '\u{180e}'];
        let cf_too = ['\u{200b}', '\u{200f}', '\u{202a}', '\u{202e}', '\u{2060}', '\u{2064}', '\u{2066}', '\u{2069}'];
        let cf_more =
            ['\u{206f}', '\u{feff}', '\u{fff9}', '\u{fffb}', '\u{110bd}', '\u{13430}', '\u{e0001}', '\u{e007f}'];
        let ignorable =
            ['\u{34f}', '\u{115f}', '\u{17b4}', '\u{180b}', '\u{3164}', '\u{fe0f}', '\u{ffa0}', '\u{e01ef}'];
        let separators = ['\u{2028}', '\u{2029}', '\n', '\u{85}', '\u{7f}', '\0'];
        for c in [&cf[..], &cf_too, &cf_more, &ignorable, &separators].concat() {
            assert!(is_invisible(c), "{:x}", u32::from(c));
        }
        let seen = [' ', 'a', '\u{ac}', '\u{ae}', '\u{5d0}', '\u{606}', '\u{61b}', '\u{200a}', '\u{2010}', '\u{2027}'];
        let seen_too =
            ['\u{202f}', '\u{205f}', '\u{2070}', '\u{fe10}', '\u{fffd}', '\u{1f600}', '\u{dffff}', '\u{e1000}'];
        for c in [&seen[..], &seen_too].concat() {
            assert!(!is_invisible(c), "{:x}", u32::from(c));
        }
    }

    #[test]
    fn the_table_of_what_is_invisible_is_in_order() {
        assert!(INVISIBLE.iter().all(|(first, last)| first <= last));
        assert!(INVISIBLE.is_sorted_by(|(_, last), (next, _)| last < next));
    }
}
