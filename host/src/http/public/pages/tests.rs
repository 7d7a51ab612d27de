//! Pages by their paths.

use hyper::header::ALLOW;
use hyper::{Method, Request};

use super::*;

fn book() -> Book {
    Book::with(&[
        ("index.html", "<h1>Portolan</h1>"),
        ("index.md", "# Portolan"),
        ("use/tour.html", "<script>1</script>"),
        ("use/tour.md", "# A tour"),
        ("sdk/index.html", ""),
        ("sdk/index.md", ""),
        (
            "SUMMARY.md",
            "# Contents\n\n[Portolan](index.md)\n\n# Use it\n\n- [A tour](use/tour.md)\n  - [SDK](sdk/index.md)\n- [Gone](gone.md)\n",
        ),
    ])
}

fn pages() -> Pages {
    Pages::new(&book(), "https://portolan.example/api/").unwrap()
}

fn request(method: Method, path: &str) -> Parts {
    Request::builder().method(method).uri(path).body(()).unwrap().into_parts().0
}

fn get(pages: &Pages, path: &str) -> Result<Option<Response<Arc<SharedBody>>>, Problem> {
    pages.respond(&request(Method::GET, path), false)
}

fn text(pages: &Pages, path: &str) -> String {
    let response = get(pages, path).unwrap().unwrap_or_else(|| panic!("{path} is not a page"));
    assert_eq!(response.status(), 200, "{path}");
    String::from_utf8(response.body().bytes.to_vec()).unwrap()
}

#[test]
fn pages_are_found_by_their_paths_whatever_the_parameters() {
    let pages = pages();
    for path in ["/docs/", "/docs/index.html", "/docs/?highlight=x", "/docs/%69ndex.html"] {
        assert_eq!(text(&pages, path), "<h1>Portolan</h1>", "{path}");
    }
    assert_eq!(text(&pages, "/docs/use/tour.md"), "# A tour");
    let page = get(&pages, "/docs/use/tour.html").unwrap().unwrap();
    assert_eq!(page.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
    assert!(page.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().contains("script-src 'self' 'sha256-"));
    assert!(page.headers().contains_key(ETAG));
    let source = get(&pages, "/docs/use/tour.md").unwrap().unwrap();
    assert_eq!(source.headers()[CONTENT_TYPE], "text/markdown; charset=utf-8");
    assert_eq!(source.headers()[CONTENT_SECURITY_POLICY], "default-src 'none'; sandbox");
}

#[test]
fn a_slash_too_few_or_too_many_is_corrected_relative_to_the_request() {
    for (path, location) in [
        ("/docs", "docs/"),
        ("/docs/sdk", "sdk/"),
        ("/docs/use/tour.html/", "../tour.html"),
        ("/problems/", "../problems"),
        ("/problems/deadline/", "../deadline"),
        ("/llms.txt/", "../llms.txt"),
    ] {
        let response = get(&pages(), path).unwrap().unwrap();
        assert_eq!(response.status(), 308, "{path}");
        assert_eq!(response.headers()[LOCATION], location, "{path}");
    }
}

#[test]
fn whatever_else_is_below_these_words_is_an_unknown_path() {
    for path in [
        "/docs/gone.html",
        "/docs/..",
        "/docs/../Cargo.toml",
        "/docs/%2e%2e/%2e%2e/etc/passwd",
        "/docs/..%2f..%2fetc/passwd",
        "/docs//index.html",
        "/docs/use",
        "/docs/use/",
        "/docs/.nojekyll",
        "/docs/index.html%00",
        "/docs/%ff",
        "/problems/no-such-problem",
        "/problems/deadline/more",
        "/llms.txt/more",
    ] {
        assert!(matches!(get(&pages(), path), Err(Problem::UnknownPath(_))), "{path}");
    }
    for path in ["/", "/networks", "//docs/", "/documents", "/Docs/", "/0x00/docs"] {
        assert!(matches!(get(&pages(), path), Ok(None)), "{path}");
    }
}

#[test]
fn methods_and_sizes_are_checked_as_for_other_paths() {
    let pages = pages();
    assert!(matches!(pages.respond(&request(Method::OPTIONS, "/docs/"), false), Ok(None)));
    assert!(matches!(pages.respond(&request(Method::HEAD, "/docs/"), false), Ok(Some(_))));
    let refused = pages.respond(&request(Method::POST, "/docs/"), false).unwrap_err();
    assert!(refused.response().headers().contains_key(ALLOW));
    assert!(matches!(pages.respond(&request(Method::GET, "/docs/"), true), Err(Problem::RequestTooLarge(_))));
}

#[test]
fn without_the_book_one_page_says_how_to_build_it() {
    let pages = Pages::new(&Book::default(), "http://127.0.0.1:8080").unwrap();
    assert!(text(&pages, "/docs/").contains("<code>cargo book</code>"));
    assert!(matches!(get(&pages, "/docs/use/tour.html"), Err(Problem::UnknownPath(_))));
    assert!(!text(&pages, "/problems/invalid-block").contains("docs/"), "a link to a page that is not there");
    let contents = text(&pages, "/llms.txt");
    assert!(contents.contains("](http://127.0.0.1:8080/problems)") && !contents.contains("/docs/"), "{contents}");
}

#[test]
fn every_problem_has_a_page_that_the_list_links() {
    let pages = pages();
    let list = text(&pages, "/problems");
    for of in problem_pages::all() {
        let page = text(&pages, &format!("/problems/{}", of.name));
        assert!(page.contains(&format!("<h1>{}</h1>", of.title)), "{page}");
        assert!(page.contains(&format!("<code>urn:portolan:problem:{}</code>", of.name)), "{page}");
        assert!(of.statuses.iter().all(|status| page.contains(status.as_str())), "{page}");
        assert!(list.contains(&format!("<a href=\"problems/{}\">", of.name)), "{}", of.name);
    }
}

#[test]
fn contents_name_the_markdown_of_each_page_at_the_url_that_clients_know() {
    let contents = text(&pages(), "/llms.txt");
    let book = "\n## The book\n\n- [Portolan](https://portolan.example/api/docs/index.md)\n\n## Use it\n\n\
                - [A tour](https://portolan.example/api/docs/use/tour.md)\n\
                - [SDK](https://portolan.example/api/docs/sdk/index.md)\n\n## This gateway\n";
    assert!(contents.starts_with("# Portolan\n\n> ") && contents.contains(book), "{contents}");
}
