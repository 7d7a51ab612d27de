//! Markdown of the tables for readers of other texts than the book.

/// Returns Markdown without its links, which begin at pages of the book.
pub(crate) fn plain(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some((before, label, after)) = link(rest) {
        text.push_str(before);
        text.push_str(label);
        rest = after;
    }
    text + rest
}

/// Splits a text at its first link: what is before, the link's words, and what is after.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (head, tail) = text.split_once("](")?;
    let (before, label) = head.rsplit_once('[')?;
    let (_, after) = tail.split_once(')')?;
    Some((before, label, after))
}

/// Returns a sentence with a capital letter.
pub(crate) fn sentence(markdown: &str) -> String {
    let text = plain(markdown);
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_loses_its_links_alone() {
        let cases = [
            ("[a tour](../use/tour.md)", "a tour"),
            ("see [a](b.md#c), and [d](e)", "see a, and d"),
            ("`[answers] reads_max`", "`[answers] reads_max`"),
            ("no link", "no link"),
        ];
        for (markdown, expected) in cases {
            assert_eq!(plain(markdown), expected);
        }
    }
}
