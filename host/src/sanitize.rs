//! Cleans foreign texts (a parser's error, a client's input, a token's name) before they are shown or logged.
//!
//! Invariant: what comes out has no control characters, and [`single_line`] leaves no more of a URL than its scheme,
//! because RPC URLs hold keys.

pub(crate) mod visible;

/// `text` on one line; whatever follows a `://` up to a space or quote is left out.
pub(crate) fn single_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for (place, part) in text.trim().lines().map(str::trim).filter(|part| !part.is_empty()).enumerate() {
        if place > 0 {
            line.push(' ');
        }
        push_without_urls(&mut line, part);
    }
    clean(&line)
}

/// `text` with control characters replaced, cut to `chars_max` characters.
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    let mut cut = clean(&text.chars().take(chars_max).collect::<String>());
    if text.chars().nth(chars_max).is_some() {
        cut.push('…');
    }
    cut
}

/// A plugin's words for a log line, a status or a report: without control characters, at most `chars_max` characters.
pub(crate) fn plain(text: &str, chars_max: usize) -> String {
    text.chars().filter(|each| !each.is_control()).take(chars_max).collect()
}

fn clean(text: &str) -> String {
    text.chars().map(|each| if each.is_control() { '\u{fffd}' } else { each }).collect()
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
    }
}
