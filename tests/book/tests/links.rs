//! The built book is whole: every page is there in both forms, every link leads somewhere, and nothing is loaded from
//! another host.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

/// Files of the book, by their paths.
struct Built {
    folder: TempDir,
    files: BTreeSet<PathBuf>,
}

impl Built {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        portolan_book::build(&folder.path().join("book")).unwrap();
        let (mut files, mut folders) = (BTreeSet::new(), vec![folder.path().join("book")]);
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.strip_prefix(folder.path().join("book")).unwrap().to_owned());
                }
            }
        }
        Self { folder, files }
    }

    /// Returns the texts of all files with an extension.
    fn texts(&self, extension: &str) -> BTreeMap<&Path, String> {
        let is_meant = |path: &&PathBuf| path.extension().is_some_and(|found| found == extension);
        let text = |path| fs::read_to_string(self.folder.path().join("book").join(path)).unwrap();
        self.files.iter().filter(is_meant).map(|path| (path.as_path(), text(path))).collect()
    }
}

/// Returns the values of an attribute of all elements.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let begin = format!(" {attribute}=\"");
    html.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Returns the file that a link of a page leads to, and its anchor.
fn target<'a>(page: &Path, link: &'a str) -> (PathBuf, &'a str) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return (page.to_owned(), anchor);
    }
    let mut target = page.parent().unwrap().to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => assert!(target.pop(), "{link} of {} leads out of the book", page.display()),
            part => target.push(part),
        }
    }
    (target, anchor)
}

fn is_outside(link: &str) -> bool {
    link.contains("://") || link.starts_with("//")
}

#[test]
fn every_link_of_the_book_leads_to_a_page_and_its_heading() {
    let book = Built::new();
    let pages = book.texts("html");
    let ids: BTreeMap<&Path, BTreeSet<&str>> =
        pages.iter().map(|(path, html)| (*path, values(html, "id").into_iter().collect())).collect();
    let (mut dead, mut seen) = (Vec::new(), 0);
    for (page, html) in &pages {
        for link in [values(html, "href"), values(html, "src")].concat().into_iter().filter(|link| !is_outside(link)) {
            let (file, anchor) = target(page, link);
            seen += 1;
            let has_anchor = anchor.is_empty() || ids.get(file.as_path()).is_none_or(|ids| ids.contains(anchor));
            if !book.files.contains(&file) || !has_anchor {
                dead.push(format!("{} links to {link}", page.display()));
            }
        }
    }
    assert!(seen > 1_000, "{seen} links: the search is broken");
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn every_page_of_the_contents_is_there_as_html_and_as_markdown_whose_links_are_alive() {
    let book = Built::new();
    let sources = book.texts("md");
    let pages = portolan_book::pages().unwrap();
    assert!(pages.len() > 50, "{} pages: the contents are broken", pages.len());
    for page in &pages {
        assert!(book.files.contains(&page.path.with_extension("html")), "{}", page.path.display());
        assert!(sources.contains_key(page.path.as_path()), "{}", page.path.display());
    }
    assert_eq!(sources.len(), pages.len() + 1, "all of them and the contents");
    let contents = &sources[Path::new("SUMMARY.md")];
    for page in &pages {
        assert!(contents.contains(&format!("]({})", page.path.display())), "{}", page.path.display());
    }
    for (path, text) in &sources {
        for (_, link) in portolan_book::links(text).into_iter().filter(|(_, link)| !is_outside(link)) {
            let (file, _) = target(path, &link);
            assert!(book.files.contains(&file), "{} links to {link}", path.display());
        }
    }
}

#[test]
fn nothing_is_loaded_from_another_host() {
    for (page, html) in Built::new().texts("html") {
        for element in html.split('<').filter(|element| !element.starts_with("a ")) {
            let loaded = [values(element, "src"), values(element, "href")].concat();
            assert!(!loaded.iter().any(|link| is_outside(link)), "{}: <{element}", page.display());
        }
        assert!(!html.contains(" onclick=") && !html.contains("javascript:"), "{}", page.display());
    }
}
