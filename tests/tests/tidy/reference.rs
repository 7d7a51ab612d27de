//! The reference pages of the book name everything that the code has: metrics, events, paths,
//! parameters and headers.

use std::fs;

use portolan_tests::build::workspace;

use crate::{assert_none, code, sources};

/// Names of one kind: which texts of which files they are, and the page that has to say each.
struct NamedOnPage {
    kind: &'static str,
    /// Sources begin with one of these paths.
    files: &'static [&'static str],
    /// Text before the quoted name, on its line or the one before.
    before: &'static str,
    /// How many there are at least: else the search is broken.
    least: usize,
    page: &'static str,
}

const NAMES: [NamedOnPage; 6] = [
    NamedOnPage {
        kind: "event type",
        files: &["plugin-api/events/src/kind.rs"],
        before: "    (",
        least: 35,
        page: "reference/events.md",
    },
    NamedOnPage {
        kind: "endpoint",
        files: &["host/src/paths.rs"],
        before: " => ",
        least: 15,
        page: "reference/endpoints.md",
    },
    NamedOnPage {
        kind: "header",
        files: &["host/src/http/view/header.rs"],
        before: "HeaderName::from_static(",
        least: 3,
        page: "reference/endpoints.md",
    },
    NamedOnPage {
        kind: "counter",
        files: &["host/"],
        before: "describe_counter!(",
        least: 10,
        page: "operate/monitoring.md",
    },
    NamedOnPage {
        kind: "gauge",
        files: &["host/"],
        before: "describe_gauge!(",
        least: 10,
        page: "operate/monitoring.md",
    },
    NamedOnPage {
        kind: "histogram",
        files: &["host/"],
        before: "describe_histogram!(",
        least: 3,
        page: "operate/monitoring.md",
    },
];

impl NamedOnPage {
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let is_meant = |path: &str| self.files.iter().any(|start| path.starts_with(start));
        for (_, source) in sources().into_iter().filter(|(path, _)| is_meant(path)) {
            let without_tests = source.split("#[cfg(test)]").next().unwrap_or_default();
            let lines: Vec<&str> = without_tests.lines().filter(|line| code(line).next().is_some()).collect();
            for (place, line) in lines.iter().enumerate() {
                let Some((_, after)) = line.split_once(self.before) else { continue };
                // The name may stand at the beginning of the next line.
                let next = lines.get(place + 1).copied().unwrap_or_default();
                let text = if after.trim().is_empty() { next } else { after };
                names.extend(text.split('"').nth(1).map(str::to_owned));
            }
        }
        names
    }
}

#[test]
fn the_reference_names_everything_that_the_code_has() {
    let mut missing = Vec::new();
    for of in NAMES {
        let names = of.names();
        assert!(names.len() >= of.least, "{}: {names:?}: the search is broken", of.kind);
        let page = fs::read_to_string(workspace().join("host/docs").join(of.page)).unwrap();
        // A name in code font, with the labels of a metric after it, or as a heading.
        let forms = |name: &String| [format!("`{name}`"), format!("`{name}{{"), format!("# {name}\n")];
        let is_said = |name: &String| forms(name).iter().any(|form| page.contains(form));
        let unsaid = names.into_iter().filter(|name| !is_said(name));
        missing.extend(unsaid.map(|name| format!("{} `{name}` in host/docs/{}", of.kind, of.page)));
    }
    assert_none("not in the reference", missing.into_iter());
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
