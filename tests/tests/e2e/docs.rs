//! The pages that the gateway serves: the book, what problems mean, and the file for language models.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::Path;
use std::process::Output;

use anyhow::Result;
use bytes::Bytes;
use hyper::Method;
use portolan_tests::build::workspace;
use portolan_tests::gateway::{self, Gateway, PUBLIC_URL, Setup};
use portolan_tests::http::{Response, Version, request};
use tempfile::TempDir;

/// A gateway with the book of this repository.
struct Fixture {
    gateway: Gateway,
    _folder: TempDir,
}

impl Fixture {
    fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let book = folder.path().join("book");
        portolan_book::build(&book)?;
        let gateway = Setup::default().arg("--docs").arg(book.to_string_lossy()).listening()?;
        Ok(Self { gateway, _folder: folder })
    }
}

fn send(gateway: &Gateway, method: &Method, path: &str, headers: &[(&str, &str)]) -> Response {
    request(gateway.base, Version::Http1, method, path, headers, Bytes::new()).unwrap()
}

fn is_html(response: &Response) -> bool {
    response.header("content-type") == Some("text/html; charset=utf-8")
}

/// Returns the paths that a page links to and loads, below the gateway.
fn links(page: &str, html: &str) -> Vec<String> {
    let values = [" href=\"", " src=\""].into_iter().flat_map(|begin| html.split(begin).skip(1));
    let links = values.filter_map(|rest| rest.split(['"', '#']).next());
    let own = links.filter(|link| !link.is_empty() && !link.contains("://"));
    own.map(|link| {
        let mut path: Vec<&str> = page.split('/').skip(1).collect();
        path.pop();
        for part in link.split('/') {
            if part == ".." {
                assert!(path.pop().is_some(), "{link} of {page}");
            } else {
                path.push(part);
            }
        }
        format!("/{}", path.join("/"))
    })
    .collect()
}

/// Returns a directive of the policy of a page.
fn directive(response: &Response, name: &str) -> String {
    let policy = response.header("content-security-policy").unwrap();
    let found = policy.split("; ").find(|directive| directive.starts_with(&format!("{name} ")));
    found.unwrap_or_else(|| panic!("no {name} in {policy}")).to_owned()
}

#[test]
fn every_page_and_file_of_the_book_is_served_and_runs_only_what_it_was_built_with() {
    let fixture = Fixture::start().unwrap();
    let first = fixture.gateway.get("/docs").unwrap();
    assert_eq!((first.status.as_u16(), first.header("location")), (308, Some("docs/")));
    let (mut seen, mut todo) = (BTreeSet::new(), VecDeque::from(["/docs/".to_owned(), "/problems".to_owned()]));
    let mut pages = 0;
    while let Some(path) = todo.pop_front() {
        if !seen.insert(path.clone()) {
            continue;
        }
        // Fonts and pictures are not texts.
        let head = send(&fixture.gateway, &Method::HEAD, &path, &[]);
        assert_eq!(head.status, 200, "{path}");
        assert_eq!(head.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert!(head.header("etag").is_some() && head.header("x-request-id").is_some(), "{path}");
        assert_eq!(head.header("access-control-allow-origin"), Some("*"), "{path}");
        if !is_html(&head) {
            assert_eq!(head.header("content-security-policy"), Some("default-src 'none'; sandbox"), "{path}");
            continue;
        }
        let page = fixture.gateway.get(&path).unwrap();
        assert_eq!(page.headers.get("content-security-policy"), head.headers.get("content-security-policy"));
        let scripts = directive(&page, "script-src");
        let inline: BTreeSet<&str> =
            page.body.split("<script>").skip(1).filter_map(|rest| rest.split("</script>").next()).collect();
        assert_eq!(scripts.matches(" 'sha256-").count(), inline.len(), "{path}: {scripts}");
        assert!(scripts.starts_with("script-src 'self'") && !scripts.contains("unsafe"), "{path}: {scripts}");
        assert_eq!(directive(&page, "default-src"), "default-src 'none'", "{path}");
        todo.extend(links(&path, &page.body));
        pages += 1;
    }
    let book = portolan_book::pages().unwrap();
    for page in &book {
        assert!(seen.contains(&format!("/docs/{}", page.path.with_extension("html").display())), "{page:?}");
    }
    assert!(pages > book.len() && seen.len() > pages, "{pages} pages, {} files: the walk is broken", seen.len());
}

#[test]
fn every_page_is_there_as_markdown_and_the_file_for_language_models_names_it() {
    let fixture = Fixture::start().unwrap();
    let contents = fixture.gateway.get("/llms.txt").unwrap();
    assert_eq!(contents.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(contents.body.starts_with("# Portolan\n\n> "), "{}", contents.body);
    for page in portolan_book::pages().unwrap() {
        let path = format!("/docs/{}", page.path.display());
        assert!(contents.body.contains(&format!("- [{}]({PUBLIC_URL}{path})\n", page.title)), "{path}");
        let markdown = fixture.gateway.get(&path).unwrap();
        assert_eq!(markdown.status, 200, "{path}");
        assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"), "{path}");
        let html = fixture.gateway.get(&path.replace(".md", ".html")).unwrap();
        assert!(html.body.contains("<link rel=\"alternate\" type=\"text/markdown\""), "{path}");
    }
    let tour = fs::read_to_string(workspace().join("host/docs/use/tour.md")).unwrap();
    let served = fixture.gateway.get("/docs/use/tour.md").unwrap().body;
    assert_eq!(served.lines().next(), tour.lines().next());
}

#[test]
fn pages_keep_what_all_endpoints_promise() {
    let fixture = Fixture::start().unwrap();
    let gateway = &fixture.gateway;
    for path in ["/docs/", "/docs/use/tour.html", "/docs/settings.md", "/problems", "/llms.txt"] {
        let plain = gateway.get(path).unwrap();
        assert_eq!(plain.status, 200, "{path}");
        assert_eq!(plain.header("cache-control"), Some("public, max-age=60"), "{path}");
        assert_eq!(plain.header("vary"), Some("accept-encoding"), "{path}");
        let known = send(gateway, &Method::GET, path, &[("if-none-match", plain.header("etag").unwrap())]);
        assert_eq!((known.status.as_u16(), known.body.as_str()), (304, ""), "{path}");
        let head = send(gateway, &Method::HEAD, path, &[]);
        assert_eq!(head.header("content-length"), Some(plain.body.len().to_string().as_str()), "{path}");
        for coding in ["gzip", "br", "zstd"] {
            let coded = send(gateway, &Method::GET, path, &[("accept-encoding", coding)]);
            assert_eq!(coded.header("content-encoding"), Some(coding), "{path}");
            assert!(coded.body == plain.body && coded.sent_bytes < plain.body.len(), "{path} {coding}");
        }
        let preflight = send(gateway, &Method::OPTIONS, path, &[]);
        assert_eq!((preflight.status.as_u16(), preflight.header("allow")), (204, Some("GET, HEAD, OPTIONS")), "{path}");
        assert_eq!(send(gateway, &Method::POST, path, &[]).status, 405, "{path}");
    }
    for path in ["/docs/nothing.html", "/docs/%2e%2e/Cargo.toml", "/problems/nothing"] {
        let unknown = gateway.get(path).unwrap();
        assert_eq!(unknown.status, 404, "{path}");
        assert_eq!(unknown.header("content-type"), Some("application/problem+json"), "{path}");
        assert_eq!(unknown.json().unwrap().text_at("type").unwrap(), "urn:portolan:problem:unknown-path");
    }
    let metrics = gateway.operate("/metrics").unwrap().body;
    for route in ["docs", "problems", "llms-txt"] {
        assert!(metrics.contains(&format!("route=\"{route}\"")), "{route}");
    }
}

#[test]
fn without_the_book_the_gateway_says_how_to_build_it_and_what_problems_mean() {
    let gateway = Setup::default().listening().unwrap();
    let page = gateway.get("/docs/").unwrap();
    assert!(page.status == 200 && is_html(&page) && page.body.contains("<code>cargo book</code>"), "{page:?}");
    assert_eq!(gateway.get("/docs/use/tour.html").unwrap().status, 404);
    assert!(!gateway.get("/llms.txt").unwrap().body.contains("/docs/"));

    let list = gateway.get("/problems").unwrap();
    let reference = fs::read_to_string(workspace().join("host/docs/reference/problems.md")).unwrap();
    let names: Vec<&str> = reference.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        assert!(list.body.contains(&format!("<a href=\"problems/{name}\">")), "{name}");
        let page = gateway.get(&format!("/problems/{name}")).unwrap();
        assert!(page.status == 200 && is_html(&page), "{name}: {page:?}");
        assert!(page.body.contains(&format!("<code>urn:portolan:problem:{name}</code>")), "{name}: {}", page.body);
        assert!(page.body.contains("<h2>What to do</h2>"), "{name}: {}", page.body);
    }
    // A problem of either listener names its page.
    for problem in [gateway.get("/quickswap/0x123/claimables"), gateway.aggregate("/0x123")] {
        let problem = problem.unwrap();
        let link = problem.header("link").unwrap();
        assert_eq!(link, format!("<{PUBLIC_URL}/problems/invalid-address>; rel=\"help\""));
        assert!(problem.header("access-control-expose-headers").unwrap().contains("link"));
    }
}

/// Returns what `serve` says about a folder of the book.
fn refused(docs: &Path) -> Output {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("plugins")).unwrap();
    fs::write(dir.path().join("portolan.toml"), "").unwrap();
    gateway::serve(dir.path()).unwrap().arg("--docs").arg(docs).output().unwrap()
}

#[test]
fn a_folder_that_is_not_a_book_ends_the_start_with_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("portolan.toml"), "secret").unwrap();
    for (docs, reason) in [
        (folder.path().to_owned(), "portolan.toml: books have no files of this kind"),
        (folder.path().join("nowhere"), "is not there: build the book with `cargo book`, or correct its name"),
    ] {
        let output = refused(&docs);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.starts_with("portolan: docs.dir: ") && text.trim_end().ends_with(reason), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
