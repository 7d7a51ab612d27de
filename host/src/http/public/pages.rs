//! Pages for people, and for what reads for them: the book, what problems mean, `/llms.txt`, and the description of
//! the API.
//!
//! Invariant: every page is made when the gateway starts. A request opens no file: its path is a key of a table.

pub(crate) mod book;

mod contents;
mod html;
mod policy;
mod problem_pages;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue, LOCATION, VARY};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use percent_encoding::percent_decode_str;

use self::book::Book;
use crate::gateway::problem::{Problem, quoted};
use crate::http::public::caching;
use crate::http::public::route::{self, Verb};
use crate::http::public::shared_body::SharedBody;
use crate::http::{limit, openapi};

/// The first words of all pages' paths, as in `paths.rs`.
const WORDS: [&str; 4] = ["docs", "problems", "llms.txt", "openapi.json"];

/// The description of the API.
const OPENAPI: &str = "/openapi.json";

/// Folder of the book in paths.
const DOCS: &str = "/docs/";

/// The file that stands for its folder.
const INDEX: &str = "index.html";

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
    kind: &'static str,
    policy: HeaderValue,
    body: Arc<SharedBody>,
}

impl Pages {
    /// Makes all pages. `public_url` is the base listener's URL for clients.
    ///
    /// # Errors
    /// The description of the API cannot be written.
    pub(crate) fn new(book: &Book, public_url: &str) -> Result<Self, serde_json::Error> {
        let mut pages = Self::default();
        for (path, file) in book.files() {
            pages.insert(format!("{DOCS}{path}"), Page::new(file.kind, file.bytes.clone()));
        }
        if book.is_empty() {
            pages.insert(format!("{DOCS}{INDEX}"), Page::html("The book is not built", NO_BOOK));
        }
        pages.insert("/problems".into(), Page::html("Problems", &problem_pages::list(book)));
        for of in problem_pages::all() {
            pages.insert(format!("/problems/{}", of.name), Page::html(of.title, &problem_pages::page(of, book)));
        }
        let contents = contents::llms_txt(book, public_url.trim_end_matches('/'));
        pages.insert("/llms.txt".into(), Page::new(MARKDOWN, contents.into()));
        pages.insert(OPENAPI.into(), Page::new(JSON, openapi::body()?.into()));
        Ok(pages)
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
        if !encoded.split('/').nth(1).is_some_and(|word| WORDS.contains(&word)) {
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
        let path = percent_decode_str(encoded).decode_utf8_lossy();
        let page = self.0.get(path.as_ref()).map(Page::response).or_else(|| self.moved(encoded));
        page.map(Some).ok_or_else(|| Problem::UnknownPath(format!("there is no page at {}", quoted(&path))))
    }

    /// Returns a redirect to the page that has a trailing slash more or less.
    fn moved(&self, path: &str) -> Option<Response<Arc<SharedBody>>> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let (target, location) = match path.strip_suffix('/') {
            Some(bare) => (bare.to_owned(), format!("../{}", name(bare))),
            None => (format!("{path}/"), format!("{}/", name(path))),
        };
        // Relative, so that it holds behind a proxy that serves below a path.
        let location = HeaderValue::from_str(&location).ok().filter(|_| self.0.contains_key(&target))?;
        let mut response = Response::new(Arc::default());
        *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
        response.headers_mut().extend([(LOCATION, location), (CACHE_CONTROL, caching::LIST)]);
        Some(response)
    }
}

impl Page {
    fn new(kind: &'static str, bytes: Bytes) -> Self {
        let policy = if kind == HTML { policy::of_page(&bytes) } else { policy::OF_FILES };
        let tag = caching::tag(&bytes);
        Self { kind, policy, body: Arc::new(SharedBody::new(bytes, tag)) }
    }

    fn html(title: &str, body: &str) -> Self {
        Self::new(HTML, html::document(title, body).into())
    }

    fn response(&self) -> Response<Arc<SharedBody>> {
        let mut response = Response::new(Arc::clone(&self.body));
        let headers = response.headers_mut();
        headers.extend([(CACHE_CONTROL, caching::LIST), (CONTENT_SECURITY_POLICY, self.policy.clone())]);
        headers.extend([
            (CONTENT_TYPE, HeaderValue::from_static(self.kind)),
            (VARY, HeaderValue::from_static("accept-encoding")),
        ]);
        headers.extend(self.body.tag.clone().map(|tag| (ETAG, tag)));
        response
    }
}

#[cfg(test)]
mod tests;
