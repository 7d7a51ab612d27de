//! Honest and hostile texts.

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
