//! Cleans foreign texts (a parser's error, a client's input, a token's name) before they are shown or logged.
//!
//! Invariant: the output has no control or direction characters except isolates around right-to-left letters.
//! [`single_line`] cuts each URL after its scheme, because RPC URLs contain keys.

pub mod output;
pub mod text;
pub mod visible;
pub mod web_url;

#[cfg(feature = "fuzzing")]
pub mod fuzzing;

use self::text::isolated;
use portolan_abi::is_invisible;

/// Joins `text` into one line; each URL is cut after `://`, up to the next space or quote.
pub fn single_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for (place, part) in text.trim().lines().map(str::trim).filter(|part| !part.is_empty()).enumerate() {
        if place > 0 {
            line.push(' ');
        }
        push_without_urls(&mut line, part);
    }
    clean(&line)
}

/// Replaces invisible characters of `text`, and cuts it to `chars_max` characters.
pub fn cut(text: &str, chars_max: usize) -> String {
    let mut cut = clean(&text.chars().take(chars_max).collect::<String>());
    if text.chars().nth(chars_max).is_some() {
        cut.push('…');
    }
    isolated(cut)
}

/// Cuts one of Portolan's own sentences, whose foreign parts are clean already, to `chars_max` characters.
pub fn shorten(sentence: &str, chars_max: usize) -> String {
    let mut short: String = sentence.chars().take(chars_max).collect();
    if short.len() < sentence.len() {
        short.push('…');
    }
    short
}

/// Removes invisible characters from a plugin's text for a log, status or report, and cuts it to `chars_max`.
pub fn plain(text: &str, chars_max: usize) -> String {
    isolated(text.chars().filter(|each| !is_invisible(*each)).take(chars_max).collect())
}

fn clean(text: &str) -> String {
    text.chars().map(|each| if is_invisible(each) { '\u{fffd}' } else { each }).collect()
}

fn push_without_urls(line: &mut String, text: &str) {
    let mut rest = text;
    while let Some(start) = rest.find("://") {
        let (before, after) = rest.split_at(start + 3);
        line.push_str(before);
        line.push('…');
        let end = after.find([' ', '\t', '\'', '"', '`']).unwrap_or(after.len());
        rest = &after[end..];
    }
    line.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_lines_become_one() {
        assert_eq!(single_line("error: a\n\n  tip: b\n"), "error: a tip: b");
    }

    #[test]
    fn a_url_keeps_its_scheme_alone() {
        assert_eq!(single_line("unknown 'https://h/KEY' and wss://k\"x"), "unknown 'https://…' and wss://…\"x");
    }

    #[test]
    fn a_long_text_is_cut_and_its_control_characters_are_replaced() {
        assert_eq!(cut("a\r\nbcdef", 5), "a\u{fffd}\u{fffd}bc…");
        assert_eq!(cut("abcde", 5), "abcde");
        assert_eq!(plain("a\r\nbcdef", 5), "abcde");
        assert_eq!(cut("a\u{202e}b", 5), "a\u{fffd}b");
        assert_eq!([plain("\u{202e}\u{5d0}b", 5), cut("\u{5d0}b", 5)], ["\u{2068}\u{5d0}b\u{2069}"; 2]);
        assert_eq!([shorten("abc", 3), shorten("abcd", 3)], ["abc", "abc…"]);
    }
}
