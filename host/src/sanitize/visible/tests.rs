//! Texts, honest and not.

use super::*;

fn clean(text: &str) -> String {
    visible(text, 64)
}

#[test]
fn a_text_is_one_line_with_single_spaces() {
    let cases = [
        ("a\u{202e}b\u{0007}c", "abc"),
        ("  a \t\r\n\u{2028}\u{a0}\u{3000} b\u{200b} \u{200b}c ", "a b c"),
        ("\u{2066}U\u{fe0f}S\u{e0055}D\u{ad}\u{3164}C\u{e007f}", "USDC"),
        ("\u{5e9}\u{5e7}\u{5dc} \u{923}\u{93f} \u{20bf}", "\u{5e9}\u{5e7}\u{5dc} \u{923}\u{93f} \u{20bf}"),
        (" \n\u{200b}\u{2060} ", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(clean(text), expected);
        assert_eq!(clean(expected), expected);
    }
}

#[test]
fn a_text_has_at_most_64_characters_and_256_bytes() {
    let widest = "\u{1f600}".repeat(300);
    assert_eq!((clean(&widest).chars().count(), clean(&widest).len()), (64, 256));
    let spaced = format!("{} {}", "x".repeat(63), "y");
    assert_eq!(clean(&spaced), "x".repeat(63), "no space at the end");
    let hidden = format!("{}name", "\u{200b}".repeat(1 << 20));
    assert_eq!(clean(&hidden), "");
}

/// General category and property by Unicode's own files; a sample of each range's ends and of its neighbours.
#[test]
fn what_is_invisible_is_what_unicode_says() {
    let cf = ['\u{ad}', '\u{600}', '\u{605}', '\u{61c}', '\u{6dd}', '\u{70f}', '\u{890}', '\u{8e2}', '\u{180e}'];
    let cf_too = ['\u{200b}', '\u{200f}', '\u{202a}', '\u{202e}', '\u{2060}', '\u{2064}', '\u{2066}', '\u{2069}'];
    let cf_more = ['\u{206f}', '\u{feff}', '\u{fff9}', '\u{fffb}', '\u{110bd}', '\u{13430}', '\u{e0001}', '\u{e007f}'];
    let ignorable = ['\u{34f}', '\u{115f}', '\u{17b4}', '\u{180b}', '\u{3164}', '\u{fe0f}', '\u{ffa0}', '\u{e01ef}'];
    let separators = ['\u{2028}', '\u{2029}', '\n', '\u{85}', '\u{7f}', '\0'];
    for c in [&cf[..], &cf_too, &cf_more, &ignorable, &separators].concat() {
        assert!(is_invisible(c), "{:x}", u32::from(c));
    }
    let seen = [' ', 'a', '\u{ac}', '\u{ae}', '\u{5d0}', '\u{606}', '\u{61b}', '\u{200a}', '\u{2010}', '\u{2027}'];
    let seen_too = ['\u{202f}', '\u{205f}', '\u{2070}', '\u{fe10}', '\u{fffd}', '\u{1f600}', '\u{dffff}', '\u{e1000}'];
    for c in [&seen[..], &seen_too].concat() {
        assert!(!is_invisible(c), "{:x}", u32::from(c));
    }
}

#[test]
fn the_table_of_what_is_invisible_is_in_order() {
    assert!(INVISIBLE.iter().all(|(first, last)| first <= last));
    assert!(INVISIBLE.is_sorted_by(|(_, last), (next, _)| last < next));
}
