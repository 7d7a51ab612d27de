//! Reduces a text to visible characters, so that it cannot change the text around it.
//!
//! Invariant: the output is one line of at most `chars_max` characters, so of at most four times as many bytes.

use portolan_abi::is_invisible;

/// Maximum bytes of a text that are read. A token may return a megabyte, or hide a name behind invisible marks.
pub const INPUT_BYTES_MAX: usize = 1024;

/// Removes invisible characters of `text`, collapses spaces, and cuts it to `chars_max` characters.
pub(crate) fn visible(text: &str, chars_max: usize) -> String {
    let text = &text[..text.floor_char_boundary(INPUT_BYTES_MAX)];
    let seen: String = text.chars().filter(|c| c.is_whitespace() || !is_invisible(*c)).collect();
    truncate(&seen.split_whitespace().collect::<Vec<_>>().join(" "), chars_max)
}

/// Returns the first `chars_max` characters, without spaces at the end.
fn truncate(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests;
