//! The gateway's own HTML: whole pages, and lines of Markdown within them.

use std::fmt::Write as _;

/// The only style of these pages. Its digest is in their policy, as that of any other page.
const STYLE: &str = "body{max-width:45rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}\
    code,pre{font-family:ui-monospace,monospace}pre{padding:.5rem;overflow:auto;border:1px solid}\
    td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}\
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}a{color:#8ab4f8}}";

/// Returns a whole page; `body` is HTML.
pub(super) fn document(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} - Portolan</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Returns a text that shows itself, in elements and in quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Returns a line of Markdown, which may have code and links. `href` returns what a link's target is on the page; without
/// it, the link is its text alone.
pub(super) fn line(markdown: &str, href: &dyn Fn(&str) -> Option<String>) -> String {
    let (mut html, mut rest) = (String::new(), markdown);
    while let Some(at) = rest.find(['`', '[']) {
        let (before, from) = rest.split_at(at);
        html += &escaped(before);
        let Some((part, after)) = code(from).or_else(|| link(from, href)) else {
            let (mark, after) = from.split_at(1);
            html += mark;
            rest = after;
            continue;
        };
        html += &part;
        rest = after;
    }
    html + &escaped(rest)
}

fn code(from: &str) -> Option<(String, &str)> {
    let (code, after) = from.strip_prefix('`')?.split_once('`')?;
    Some((format!("<code>{}</code>", escaped(code)), after))
}

fn link<'a>(from: &'a str, href: &dyn Fn(&str) -> Option<String>) -> Option<(String, &'a str)> {
    let (text, rest) = from.strip_prefix('[')?.split_once("](")?;
    let (target, after) = rest.split_once(')').filter(|_| !text.contains(']'))?;
    let (mut html, text) = (String::new(), line(text, &|_| None));
    match href(target) {
        // Writing to a text never fails.
        Some(href) => drop(write!(html, "<a href=\"{}\">{text}</a>", escaped(&href))),
        None => html = text,
    }
    Some((html, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_links_become_elements_and_all_else_is_shown() {
        let href = |target: &str| target.strip_prefix("in/").map(|page| format!("../{page}"));
        for (markdown, expected) in [
            ("plain & <b>", "plain &amp; &lt;b&gt;"),
            ("`a<b` and `c`", "<code>a&lt;b</code> and <code>c</code>"),
            ("see [`x` y](in/z).", "see <a href=\"../z\"><code>x</code> y</a>."),
            ("see [x](in/\"z).", "see <a href=\"../&quot;z\">x</a>."),
            ("see [x](out).", "see x."),
            ("`[answers] a` [b](in/c)", "<code>[answers] a</code> <a href=\"../c\">b</a>"),
            ("[a] `b", "[a] `b"),
            ("[a] [b](in/c)", "[a] <a href=\"../c\">b</a>"),
        ] {
            assert_eq!(line(markdown, &href), expected);
        }
    }

    #[test]
    fn a_title_is_shown_as_it_is() {
        let page = document("a</title><script>", "");
        assert!(page.contains("<title>a&lt;/title&gt;&lt;script&gt; - Portolan</title>"), "{page}");
    }
}
