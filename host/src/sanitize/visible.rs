//! Reduces a text to characters that are seen, so that it cannot change the text around it.
//!
//! Invariant: what comes out is one line of a bounded number of characters, so of at most four times as many bytes.

use portolan_abi::is_invisible;

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

#[cfg(test)]
mod tests;
