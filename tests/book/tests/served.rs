//! The book of this repository, as the gateway serves it.

use std::collections::{BTreeSet, VecDeque};
use std::fs;

use bytes::Bytes;
use hyper::Method;
use portolan_tests::build::workspace;
use portolan_tests::gateway::{Gateway, PUBLIC_URL, Setup};
use portolan_tests::http::{Response, Version, request};

/// A gateway with the book. It holds the book in memory, so the folder may go.
fn gateway() -> Gateway {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    portolan_book::build(&book).unwrap();
    Setup::default().arg("--docs").arg(book.to_string_lossy()).listening().unwrap()
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
    let gateway = gateway();
    let first = gateway.get("/docs").unwrap();
    assert_eq!((first.status.as_u16(), first.header("location")), (308, Some("docs/")));
    let (mut seen, mut todo) = (BTreeSet::new(), VecDeque::from(["/docs/".to_owned(), "/problems".to_owned()]));
    let mut pages = 0;
    while let Some(path) = todo.pop_front() {
        if !seen.insert(path.clone()) {
            continue;
        }
        // Fonts and pictures are not texts.
        let head = send(&gateway, &Method::HEAD, &path, &[]);
        assert_eq!(head.status, 200, "{path}");
        assert_eq!(head.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert!(head.header("etag").is_some() && head.header("x-request-id").is_some(), "{path}");
        assert_eq!(head.header("access-control-allow-origin"), Some("*"), "{path}");
        if !is_html(&head) {
            assert_eq!(head.header("content-security-policy"), Some("default-src 'none'; sandbox"), "{path}");
            continue;
        }
        let page = gateway.get(&path).unwrap();
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
    let gateway = gateway();
    let contents = gateway.get("/llms.txt").unwrap();
    assert_eq!(contents.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(contents.body.starts_with("# Portolan\n\n> "), "{}", contents.body);
    for page in portolan_book::pages().unwrap() {
        let path = format!("/docs/{}", page.path.display());
        assert!(contents.body.contains(&format!("- [{}]({PUBLIC_URL}{path})\n", page.title)), "{path}");
        let markdown = gateway.get(&path).unwrap();
        assert_eq!(markdown.status, 200, "{path}");
        assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"), "{path}");
        let html = gateway.get(&path.replace(".md", ".html")).unwrap();
        assert!(html.body.contains("<link rel=\"alternate\" type=\"text/markdown\""), "{path}");
    }
    let tour = fs::read_to_string(workspace().join("host/docs/use/tour.md")).unwrap();
    let served = gateway.get("/docs/use/tour.md").unwrap().body;
    assert_eq!(served.lines().next(), tour.lines().next());
}
