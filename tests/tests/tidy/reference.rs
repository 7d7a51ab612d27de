//! The reference pages of the book name every metric that the code counts. Unit tests of the gateway generate the pages
//! from its tables.

use std::collections::BTreeSet;
use std::fs;

use portolan_tests::build::workspace;

use crate::{assert_none, code, sources};

/// The macros that count or set a metric, and how many metrics there are of each at least: else the search is broken.
const MACROS: [(&str, usize); 3] = [("counter!(", 10), ("gauge!(", 10), ("histogram!(", 3)];

/// Returns the names of the metrics of a macro.
fn metrics(before: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, source) in sources().into_iter().filter(|(path, _)| path.starts_with("host/")) {
        let without_tests = source.split("#[cfg(test)]").next().unwrap_or_default();
        let lines: Vec<&str> = without_tests.lines().filter(|line| code(line).next().is_some()).collect();
        for (place, line) in lines.iter().enumerate() {
            let Some((_, after)) = line.split_once(before) else { continue };
            // The name may stand at the beginning of the next line.
            let next = lines.get(place + 1).copied().unwrap_or_default();
            let text = if after.trim().is_empty() { next } else { after };
            names.extend(text.split('"').nth(1).map(str::to_owned));
        }
    }
    names
}

#[test]
fn the_table_of_metrics_has_every_metric_that_is_counted() {
    let page = fs::read_to_string(workspace().join("host/docs/reference/metrics.md")).unwrap();
    for (before, least) in MACROS {
        let names = metrics(before);
        assert!(names.len() >= least, "{before} {names:?}: the search is broken");
        let unsaid = names.into_iter().filter(|name| !page.contains(&format!("`{name}`")));
        assert_none("a metric is not in METRICS", unsaid);
    }
}

#[test]
fn the_contents_of_the_book_have_every_page() {
    let book = workspace().join("host/docs");
    let contents = fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    let mut pages = Vec::new();
    for folder in ["", "use", "operate", "reference", "design"] {
        for entry in fs::read_dir(book.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let page = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            pages.extend(Some(page).filter(|page| page.ends_with(".md") && page != "SUMMARY.md"));
        }
    }
    assert!(pages.len() > 40, "{} pages: the walk is broken", pages.len());
    assert_none(
        "not in host/docs/SUMMARY.md",
        pages.into_iter().filter(|page| !contents.contains(&format!("({page})"))),
    );
}
