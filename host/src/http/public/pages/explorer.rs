//! The explorer: a page for people at the base listener, one for operators at theirs, and the files that both load.
//!
//! Invariant: its pages run only scripts that are files of this gateway, and no site shows them in a frame.

use hyper::header::{HeaderMap, HeaderValue, REFERRER_POLICY};

use super::page_folder::PageFolder;
use super::{ASSETS, INDEX, OPERATORS, Page};
use crate::http::public::caching;

/// Tokens have images at sites of their lists.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'; form-action 'none'; \
     frame-ancestors 'none'; img-src 'self' data: https:; script-src 'self'; style-src 'self'",
);

/// The operators' page loads nothing from elsewhere.
const POLICY_OF_OPERATORS: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'; form-action 'none'; \
     frame-ancestors 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'",
);

/// The explorer's page with the files that it loads, by their paths; nothing if it is not built.
pub(super) fn pages(explorer: &PageFolder) -> impl Iterator<Item = (String, Page)> {
    with_files(explorer, INDEX, POLICY)
}

/// The operators' page with the files that it loads, by their paths; nothing if it is not built.
pub(super) fn pages_of_operators(explorer: &PageFolder) -> impl Iterator<Item = (String, Page)> {
    with_files(explorer, OPERATORS, POLICY_OF_OPERATORS)
}

fn with_files(explorer: &PageFolder, name: &str, policy: HeaderValue) -> impl Iterator<Item = (String, Page)> {
    let page = explorer.file(name).map(|file| {
        // The names of what it loads change with each build.
        ("/".to_owned(), Page::new(file, policy, caching::VALIDATED_BY_ALL).with(no_referrer()))
    });
    let files = explorer.files().filter(|(path, _)| path.starts_with(ASSETS));
    // The build names each by what is in it.
    let made = |file| Page::file(file, caching::FINAL_FOR_ALL).with(no_referrer());
    let files = files.map(move |(path, file)| (format!("/{path}"), made(file)));
    page.into_iter().chain(files)
}

/// Sites that images come from do not learn which account is looked at.
fn no_referrer() -> HeaderMap {
    HeaderMap::from_iter([(REFERRER_POLICY, HeaderValue::from_static("no-referrer"))])
}
