//! The content security policy of a page: it loads from this gateway alone, and runs only the scripts that it was read
//! with.
//!
//! Invariant: a script runs if it is a file of the gateway or if its digest is in the policy, which is made when the page
//! is read. Digests are those of CSP level 3: SHA-256 over the text of the element or attribute.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::HeaderValue;
use sha2::{Digest as _, Sha256};

/// Files that pages load, and texts: opened by themselves, they run and load nothing.
pub(super) const OF_FILES: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// Returns the policy of an HTML page.
pub(super) fn of_page(html: &[u8]) -> HeaderValue {
    let found = Inline::of(&String::from_utf8_lossy(html));
    let attributes = match found.attributes.as_str() {
        "" => String::new(),
        digests => format!("; style-src-attr 'unsafe-hashes'{digests}"),
    };
    let policy = format!(
        "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'; form-action 'none'; \
         frame-ancestors 'self'; frame-src 'self'; img-src 'self' data:; script-src 'self'{}; style-src 'self'{}{attributes}",
        found.scripts, found.styles
    );
    // Digests are letters that every header takes; without them, nothing would run.
    HeaderValue::from_str(&policy).unwrap_or(OF_FILES)
}

/// Digests of what stands within a page, each after a space.
#[derive(Debug, Default, PartialEq, Eq)]
struct Inline {
    scripts: String,
    styles: String,
    /// Those of attributes `style`.
    attributes: String,
}

impl Inline {
    fn of(html: &str) -> Self {
        // Parsers read both line ends as one.
        let html = html.replace("\r\n", "\n");
        let (mut scripts, mut styles, mut attributes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut rest = html.as_str();
        while let Some(tag) = Tag::next(&mut rest) {
            // A value with an entity is not the text that browsers compare, and its digest would only be of no use.
            attributes.extend(tag.attribute("style").map(digest));
            match tag.name.to_ascii_lowercase().as_str() {
                name @ ("script" | "style") => {
                    let text = content(&mut rest, name);
                    match name {
                        "script" if tag.attribute("src").is_none() => scripts.insert(digest(text)),
                        "style" => styles.insert(digest(text)),
                        _ => false,
                    };
                }
                _ => {}
            }
        }
        let [scripts, styles, attributes] = [scripts, styles, attributes].map(|digests| digests.into_iter().collect());
        Self { scripts, styles, attributes }
    }
}

/// An opening tag.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// Takes everything up to the end of the next opening tag; `None` if there is none.
    fn next(rest: &mut &'a str) -> Option<Self> {
        loop {
            let (_, after) = rest.split_once('<')?;
            *rest = after;
            if let Some(comment) = after.strip_prefix("!--") {
                *rest = comment.split_once("-->").map_or("", |(_, after)| after);
            } else if after.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                let (tag, after) = after.split_at(tag_end(after));
                *rest = after;
                let (name, attributes) = tag.split_at(tag.find(is_separator).unwrap_or(tag.len()));
                return Some(Self { name, attributes });
            }
        }
    }

    /// Returns the value of an attribute, empty without one.
    fn attribute(&self, wanted: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(is_separator);
            let (name, after) =
                rest.split_at(rest.find(|letter| is_separator(letter) || letter == '=').unwrap_or(rest.len()));
            if name.is_empty() && after.is_empty() {
                return None;
            }
            let (value, after) = value(after);
            if name.eq_ignore_ascii_case(wanted) {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// Returns the value after an attribute's name, and what follows it.
fn value(after_name: &str) -> (&str, &str) {
    let Some(text) = after_name.trim_start().strip_prefix('=') else { return ("", after_name) };
    let text = text.trim_start();
    let quoted = |quote| text.strip_prefix(quote).map(|text: &str| text.split_once(quote).unwrap_or((text, "")));
    let bare = || text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    quoted('"').or_else(|| quoted('\'')).unwrap_or_else(bare)
}

/// Returns the place of the `>` that ends a tag: one that is not within quotes.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (place, letter) in tag.char_indices() {
        match (letter, quote) {
            ('>', None) => return place,
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// Takes the text of an element that has no elements in it.
fn content<'a>(rest: &mut &'a str, name: &str) -> &'a str {
    let text = rest.strip_prefix('>').unwrap_or(rest);
    let end = format!("</{name}");
    let is_end =
        |place: &usize| text.get(*place..place + end.len()).is_some_and(|found| found.eq_ignore_ascii_case(&end));
    let place = text.match_indices('<').map(|(place, _)| place).find(is_end).unwrap_or(text.len());
    let (content, after) = text.split_at(place);
    *rest = after;
    content
}

fn is_separator(letter: char) -> bool {
    letter.is_whitespace() || letter == '/'
}

fn digest(text: &str) -> String {
    format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of CSP level 3, 8.3: `alert('Hello, world.');`.
    const HELLO: &str = "alert('Hello, world.');";
    const HELLO_DIGEST: &str = " 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";

    fn scripts(html: &str) -> String {
        Inline::of(html).scripts
    }

    #[test]
    fn inline_scripts_are_named_by_their_digests() {
        for html in [
            format!("<script>{HELLO}</script>"),
            format!("<SCRIPT type=module>{HELLO}</Script >"),
            format!("<p title=\"<script>\"><script data-a='>'>{HELLO}</script>"),
            format!("<!-- <script>1</script> --><script>{HELLO}</script><script>{HELLO}</script>"),
            format!("<script src=\"a.js\">ignored</script><script\n>{HELLO}</script>"),
            format!("<pre>&lt;script&gt;1&lt;/script&gt;</pre><script>{HELLO}"),
        ] {
            assert_eq!(scripts(&html), HELLO_DIGEST, "{html}");
        }
        for html in
            ["", "<script src=a.js></script>", "<scripted>1</scripted>", "< script>1", "<script", "<!-- <script>1"]
        {
            assert_eq!(scripts(html).matches("sha256").count(), usize::from(html == "<script"), "{html}");
        }
        assert_eq!(scripts("<script>\r\n</script>"), scripts("<script>\n</script>"));
        let both = scripts("<script>1</script><style>a</style><script>'<script>'</script>");
        assert_eq!(both.matches("sha256").count(), 2, "{both}");
    }

    #[test]
    fn styles_are_named_by_their_digests_too() {
        let found = Inline::of("<style>a{}</style><p class=x style = 'color:red'><br style=\"clear: both\"/>");
        assert_eq!(found.scripts, "");
        assert_eq!(found.styles, digest("a{}"));
        assert!(found.attributes.contains(&digest("color:red")) && found.attributes.contains(&digest("clear: both")));
        assert_eq!(found.attributes.matches("sha256").count(), 2);
    }

    #[test]
    fn a_policy_loads_from_nowhere_else_and_never_runs_what_it_does_not_name() {
        let policy = of_page(format!("<script>{HELLO}</script><p style='a'>").as_bytes());
        let policy = policy.to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; base-uri 'none';"), "{policy}");
        assert!(
            policy.contains(&format!("; script-src 'self'{HELLO_DIGEST}; style-src 'self'; style-src-attr")),
            "{policy}"
        );
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("unsafe-eval") && !policy.contains("http"),
            "{policy}"
        );
        assert!(of_page(b"<p>").to_str().unwrap().ends_with("; script-src 'self'; style-src 'self'"));
    }
}
