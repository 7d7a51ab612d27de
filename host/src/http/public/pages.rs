//! Pages for people, and for what reads for them: the explorer, the book, what problems mean, `/llms.txt`, and the
//! description of the API.
//!
//! Invariant: every page is made when the gateway starts. A request opens no file: its path is a key of a table.

pub(crate) mod page_folder;

mod contents;
mod explorer;
mod html;
mod policy;
mod problem_pages;

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, LOCATION, VARY,
};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use percent_encoding::percent_decode_str;

use self::page_folder::{PageFile, PageFolder};
use crate::gateway::problem::{Problem, quoted};
use crate::http::public::caching;
use crate::http::public::route::{self, Verb};
use crate::http::public::shared_body::SharedBody;
use crate::http::{limit, openapi};

/// The first words of all pages' paths, as in `paths.rs`.
const WORDS: [&str; 5] = ["assets", "docs", "problems", "llms.txt", "openapi.json"];

/// The explorer.
const ROOT: &str = "/";

/// The description of the API.
const OPENAPI: &str = "/openapi.json";

/// Folder of the book in paths.
const DOCS: &str = "/docs/";

/// The file that stands for its folder.
const INDEX: &str = "index.html";

/// The page of operators, in the folder of the explorer.
const OPERATORS: &str = "operators.html";

/// The folder of what the explorer's pages load, in the folder of the explorer and in paths.
const ASSETS: &str = "assets/";

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// What stands at [`DOCS`] without the book.
const NO_BOOK: &str = "<h1>The book is not built</h1>\n\
    <p>This gateway has no built book to serve. In the repository,</p>\n\
    <pre><code>cargo book</code></pre>\n\
    <p>writes it to <code>target/book</code>, and <code>cargo ship</code> lays it out beside the program as \
    <code>portolan-docs</code>. Name the folder by the flag <code>--docs</code> or the setting <code>docs.dir</code>, and \
    start the gateway again. Until then, the pages are in <code>host/docs</code> of the repository.</p>\n\
    <p><a href=\"../problems\">What problems mean</a> stands here without it.</p>\n";

/// All pages, by their paths.
#[derive(Debug, Default)]
pub(crate) struct Pages(BTreeMap<String, Page>);

/// A page, or a file that pages load.
#[derive(Clone, Debug)]
struct Page {
    headers: HeaderMap,
    body: Arc<SharedBody>,
}

impl Pages {
    /// Makes all pages of the base listener. `public_url` is its URL for clients.
    ///
    /// # Errors
    /// The description of the API cannot be written.
    pub(crate) fn new(book: &PageFolder, explorer: &PageFolder, public_url: &str) -> Result<Self, serde_json::Error> {
        let mut pages = Self(explorer::pages(explorer).collect());
        for (path, file) in book.files() {
            pages.insert(format!("{DOCS}{path}"), Page::of_book(file));
        }
        if book.is_empty() {
            pages.insert(format!("{DOCS}{INDEX}"), Page::html("The book is not built", NO_BOOK));
        }
        pages.insert("/problems".into(), Page::html("Problems", &problem_pages::list(book)));
        for of in problem_pages::all() {
            pages.insert(format!("/problems/{}", of.name), Page::html(of.title, &problem_pages::page(of, book)));
        }
        let contents = contents::llms_txt(book, public_url.trim_end_matches('/'));
        pages.insert("/llms.txt".into(), Page::of_book(&PageFile { kind: MARKDOWN, bytes: contents.into() }));
        pages.insert(OPENAPI.into(), Page::of_book(&PageFile { kind: JSON, bytes: openapi::body()?.into() }));
        Ok(pages)
    }

    /// Makes the pages of the operators' listener; none without the explorer.
    pub(crate) fn of_operators(explorer: &PageFolder) -> Self {
        Self(explorer::pages_of_operators(explorer).collect())
    }

    fn insert(&mut self, path: String, page: Page) {
        if let Some(folder) = path.strip_suffix(INDEX) {
            self.0.insert(folder.to_owned(), page.clone());
        }
        self.0.insert(path, page);
    }

    /// Returns the page that is requested; `None` for other paths and for preflights.
    pub(in crate::http) fn respond(
        &self,
        head: &Parts,
        has_body: bool,
    ) -> Result<Option<Response<Arc<SharedBody>>>, Problem> {
        let encoded = head.uri.path();
        if encoded != ROOT && !encoded.split('/').nth(1).is_some_and(|word| WORDS.contains(&word)) {
            return Ok(None);
        }
        if route::verb(&head.method)? == Verb::Preflight {
            return Ok(None);
        }
        limit::check(head, has_body)?;
        // Pages for people do not read parameters, which links from elsewhere may gain.
        if encoded == OPENAPI {
            route::check_none(head.uri.query().unwrap_or_default())?;
        }
        self.get(encoded).or_else(|| self.moved(encoded)).map(Some).ok_or_else(|| Self::none(encoded))
    }

    /// Returns the page at a path, as it is in a request.
    pub(in crate::http) fn get(&self, encoded: &str) -> Option<Response<Arc<SharedBody>>> {
        self.0.get(percent_decode_str(encoded).decode_utf8_lossy().as_ref()).map(Page::response)
    }

    /// Returns the problem of a path without a page.
    pub(in crate::http) fn none(encoded: &str) -> Problem {
        let path = percent_decode_str(encoded).decode_utf8_lossy();
        Problem::UnknownPath(format!("there is no page at {}", quoted(&path)))
    }

    /// Returns a redirect to the page that has a trailing slash more or less; without the explorer, from its place to the
    /// book.
    fn moved(&self, path: &str) -> Option<Response<Arc<SharedBody>>> {
        if path == ROOT {
            let location = HeaderValue::from_static(DOCS.trim_start_matches('/'));
            return Some(redirect(StatusCode::TEMPORARY_REDIRECT, location));
        }
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let (target, location) = match path.strip_suffix('/') {
            Some(bare) => (bare.to_owned(), format!("../{}", name(bare))),
            None => (format!("{path}/"), format!("{}/", name(path))),
        };
        // Relative, so that it holds behind a proxy that serves below a path.
        let location = HeaderValue::from_str(&location).ok().filter(|_| self.0.contains_key(&target))?;
        Some(redirect(StatusCode::PERMANENT_REDIRECT, location))
    }
}

fn redirect(status: StatusCode, location: HeaderValue) -> Response<Arc<SharedBody>> {
    let mut response = Response::new(Arc::default());
    *response.status_mut() = status;
    response.headers_mut().extend([(LOCATION, location), (CACHE_CONTROL, caching::LIST)]);
    response
}

impl Page {
    fn new(file: &PageFile, policy: HeaderValue, caching: HeaderValue) -> Self {
        let tag = caching::tag(&file.bytes);
        let headers = [
            (CACHE_CONTROL, caching),
            (CONTENT_SECURITY_POLICY, policy),
            (CONTENT_TYPE, HeaderValue::from_static(file.kind)),
            (VARY, HeaderValue::from_static("accept-encoding")),
        ];
        let headers = headers.into_iter().chain(tag.clone().map(|tag| (ETAG, tag))).collect();
        Self { headers, body: Arc::new(SharedBody::new(file.bytes.clone(), tag)) }
    }

    /// A file that pages load.
    fn file(file: &PageFile, caching: HeaderValue) -> Self {
        Self::new(file, policy::OF_FILES, caching)
    }

    /// A page of the book, or a file that they load.
    fn of_book(file: &PageFile) -> Self {
        let policy = if file.kind == HTML { policy::of_page(&file.bytes) } else { policy::OF_FILES };
        Self::new(file, policy, caching::LIST)
    }

    fn html(title: &str, body: &str) -> Self {
        Self::of_book(&PageFile { kind: HTML, bytes: html::document(title, body).into() })
    }

    /// Adds headers.
    fn with(mut self, headers: HeaderMap) -> Self {
        self.headers.extend(headers);
        self
    }

    fn response(&self) -> Response<Arc<SharedBody>> {
        let mut response = Response::new(Arc::clone(&self.body));
        response.headers_mut().clone_from(&self.headers);
        response
    }
}

#[cfg(test)]
mod tests;
