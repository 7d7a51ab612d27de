//! What each problem means: a page for each, and their list, from the table of `http/problem_types.rs`.

use std::fmt::Write as _;

use super::html::{escaped, line};
use crate::http::problem_types::{PROBLEM_TYPES, ProblemType};
use crate::http::public::pages::page_folder::PageFolder;

/// Folder in the book that links of the table begin in.
const REFERENCE: &str = "reference/";

/// Returns all types of problems.
pub(super) fn all() -> impl Iterator<Item = &'static ProblemType> {
    PROBLEM_TYPES.into_iter()
}

/// Returns the list of all problems, as the body of a page.
pub(super) fn list(book: &PageFolder) -> String {
    let mut html = "<h1>Problems</h1>\n<p>Each is one <code>type</code> of problem documents (RFC 9457). The member \
                    <code>detail</code> of a document says more about its case.</p>\n<table>\n\
                    <tr><th>problem</th><th>status</th><th>what happened</th></tr>\n"
        .to_owned();
    for of in all() {
        let (name, happened) = (escaped(of.name), line(of.happened, &|target| href(target, "", book)));
        // Writing to a text never fails.
        let _ = writeln!(
            html,
            "<tr><td><a href=\"problems/{name}\">{name}</a></td><td>{}</td><td>{happened}</td></tr>",
            statuses(of)
        );
    }
    html + "</table>\n"
}

/// Returns what one problem means, as the body of a page.
pub(super) fn page(of: &ProblemType, book: &PageFolder) -> String {
    let href = |target: &str| href(target, "../", book);
    format!(
        "<p><a href=\"../problems\">All problems</a></p>\n<h1>{}</h1>\n\
         <p>Status {}, <code>urn:portolan:problem:{}</code></p>\n\
         <h2>What happened</h2>\n<p>{}</p>\n<h2>What to do</h2>\n<p>{}</p>\n",
        escaped(of.title),
        statuses(of),
        escaped(of.name),
        line(of.happened, &href),
        line(of.remedy, &href),
    )
}

fn statuses(of: &ProblemType) -> String {
    of.statuses.iter().map(|status| status.as_str().to_owned()).collect::<Vec<_>>().join(", ")
}

/// Returns where a link of the table leads from a page; `up` is the way from the page to the root. A problem has a page of
/// its own, and a page of the book counts if the gateway has it.
fn href(target: &str, up: &str, book: &PageFolder) -> Option<String> {
    if let Some(name) = target.strip_prefix('#') {
        return all().any(|of| of.name == name).then(|| format!("{up}problems/{name}"));
    }
    let (path, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
    let path = path.strip_prefix("../").map_or_else(|| format!("{REFERENCE}{path}"), str::to_owned);
    let page = format!("{}.html", path.strip_suffix(".md")?);
    book.file(&page).map(|_| format!("{up}docs/{page}{anchor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_other_problems_and_to_pages_that_there_are() {
        let book = PageFolder::with(&[("use/blocks.html", ""), ("reference/endpoints.html", "")]);
        for (target, expected) in [
            ("#name-not-found", Some("../problems/name-not-found")),
            ("#nothing", None),
            ("../use/blocks.md", Some("../docs/use/blocks.html")),
            ("../use/blocks.md#forms", Some("../docs/use/blocks.html#forms")),
            ("../use/networks.md", None),
            ("endpoints.md", Some("../docs/reference/endpoints.html")),
            ("endpoints.txt", None),
        ] {
            assert_eq!(href(target, "../", &book).as_deref(), expected, "{target}");
        }
    }

    #[test]
    fn each_problem_says_what_happened_and_what_to_do_in_the_markdown_that_pages_know() {
        for of in all() {
            for text in [of.happened, of.remedy] {
                assert!(!text.is_empty(), "{}", of.name);
                let foreign = ["**", "__", "<", "![", "](http", "\n"].into_iter().find(|mark| text.contains(mark));
                assert_eq!(foreign, None, "{}: {text}", of.name);
                assert_eq!(text.matches('`').count() % 2, 0, "{}: {text}", of.name);
            }
        }
    }
}
