//! What the standard streams are: terminals with a width and colours, or pipes.
//!
//! Invariant: nothing that others wrote reaches a terminal with control characters; see [`shown`].

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use clap::builder::styling::{AnsiColor, Style};
use portolan_base::sanitize;
use rustix::termios::tcgetwinsize;

use crate::cli::ColorWhen;

/// Style of what needs attention.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
pub(crate) const HEAD: Style = Style::new().bold();

/// Maximum characters of one text; longer ones are cut.
const TEXT_CHARS_MAX: usize = 1_000;

/// Returns the columns of the terminal that stdout is; `None` if it is a pipe or has no size.
pub(crate) fn width() -> Option<u16> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(size.ws_col)
}

/// Returns true if a stream gets colours: `NO_COLOR` counts if it is not empty (<https://no-color.org>).
pub(crate) fn has_colors(stream: &impl IsTerminal, when: ColorWhen) -> bool {
    let is_refused = || env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => stream.is_terminal() && !is_refused(),
    }
}

/// Returns a text in a style.
pub(crate) fn styled(text: &str, style: Style, has_colors: bool) -> String {
    if has_colors { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Returns a text of others as one line without invisible characters, so that it cannot write to a terminal.
pub(crate) fn shown(text: &str) -> String {
    sanitize::cut(text, TEXT_CHARS_MAX)
}

/// Returns a text of others, whole, with invisible characters replaced.
pub(crate) fn clean(text: &str) -> String {
    sanitize::cut(text, usize::MAX)
}

/// Writes a line about the program to stderr; nobody could read the error of a closed stream.
pub(crate) fn note(text: &dyn Display) {
    let _ = writeln!(io::stderr(), "portolan: {text}");
}

/// Writes a line about something that is missing or failed to stderr.
pub(crate) fn warn(text: &dyn Display, when: ColorWhen) {
    let stream = io::stderr();
    note(&styled(&text.to_string(), WARNING, has_colors(&stream, when)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_write_to_a_terminal() {
        for hostile in ["\u{1b}]0;owned\u{7}", "\u{9b}31mred", "a\r\nb", "\u{202e}abc", "a\u{200b}b"] {
            let text = shown(hostile);
            assert!(
                !text.chars().any(|each| each.is_control() || ('\u{200b}'..='\u{202e}').contains(&each)),
                "{text:?}"
            );
        }
        assert_eq!(shown("USD₮0"), "USD₮0");
        assert_eq!(shown(&"a".repeat(5_000)).chars().count(), TEXT_CHARS_MAX + 1);
    }

    #[test]
    fn colours_are_switched_by_the_flag() {
        let pipe = tempfile::tempfile().unwrap();
        let cases = [(ColorWhen::Always, true), (ColorWhen::Never, false), (ColorWhen::Auto, false)];
        for (when, expected) in cases {
            assert_eq!(has_colors(&pipe, when), expected, "{when:?}");
        }
        assert_eq!(styled("a", HEAD, true), "\u{1b}[1ma\u{1b}[0m");
        assert_eq!(styled("a", HEAD, false), "a");
    }
}
