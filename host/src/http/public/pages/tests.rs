//! Pages by their paths.

use hyper::header::{ALLOW, REFERRER_POLICY};
use hyper::{Method, Request};

use super::*;

fn book() -> PageFolder {
    PageFolder::with(&[
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

/// Names that a build does not make, and that a request writes otherwise than the folder.
fn explorer() -> PageFolder {
    PageFolder::with(&[
        ("index.html", "<script>1</script>"),
        ("operators.html", "<h1>Operators</h1>"),
        ("assets/main-a1.js", "1"),
        ("assets/a..b.js", "2"),
        ("assets/a%2eb.js", "3"),
        ("assets/deep/part.js", "4"),
        ("assets/index.html", "5"),
    ])
}

fn pages() -> Pages {
    Pages::new(&book(), &explorer(), "https://portolan.example/api/").unwrap()
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
        "/assets",
        "/assets/",
        "/assets/gone.js",
        "/assets/../index.html",
        "/assets/%2e%2e/index.html",
        "/assets/..%2findex.html",
        "/assets//main-a1.js",
        "/assets/main-a1.js%00",
        "/assets/operators.html",
    ] {
        assert!(matches!(get(&pages(), path), Err(Problem::UnknownPath(_))), "{path}");
    }
    for path in ["/networks", "//", "//docs/", "//assets/main-a1.js", "/documents", "/Docs/", "/0x00/docs"] {
        assert!(matches!(get(&pages(), path), Ok(None)), "{path}");
    }
}

/// As the contract of the explorer has them.
const EXPLORER_POLICY: &str = "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'; \
                               form-action 'none'; frame-ancestors 'none'; img-src 'self' data: https:; \
                               script-src 'self'; style-src 'self'";

#[test]
fn the_explorer_stands_at_the_root_and_runs_no_script_that_is_not_a_file() {
    let pages = pages();
    for path in ["/", "/?theme=dark", "/?%ff"] {
        let page = get(&pages, path).unwrap().unwrap();
        assert_eq!((page.status().as_u16(), page.body().bytes.as_ref()), (200, &b"<script>1</script>"[..]), "{path}");
        assert_eq!(page.headers()[CONTENT_SECURITY_POLICY], EXPLORER_POLICY);
        assert_eq!(page.headers()[REFERRER_POLICY], "no-referrer");
        assert_eq!(page.headers()[CACHE_CONTROL], "public, no-cache");
        assert_eq!(page.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(page.headers()[VARY], "accept-encoding");
    }
    assert!(matches!(get(&pages, "/index.html"), Ok(None)), "it has one path");
    assert!(matches!(get(&pages, "/operators.html"), Ok(None)), "it is of another listener");
}

#[test]
fn files_of_the_explorer_are_found_by_their_decoded_names_and_kept_for_ever() {
    let pages = pages();
    for (path, text) in [
        ("/assets/main-a1.js", "1"),
        ("/assets/main-a1.js?v=2", "1"),
        ("/assets/%6dain-a1.js", "1"),
        ("/assets/a..b.js", "2"),
        ("/assets/a%252eb.js", "3"),
        ("/assets/deep/part.js", "4"),
        ("/assets/index.html", "5"),
    ] {
        let file = get(&pages, path).unwrap().unwrap();
        assert_eq!(file.body().bytes, text, "{path}");
        assert_eq!(file.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable", "{path}");
        assert_eq!(file.headers()[CONTENT_SECURITY_POLICY], "default-src 'none'; sandbox", "{path}");
        assert_eq!(file.headers()[REFERRER_POLICY], "no-referrer", "{path}");
        assert!(file.headers().contains_key(ETAG), "{path}");
    }
    assert!(get(&pages, "/assets/a%2eb.js").is_err(), "a name is decoded once");
}

#[test]
fn operators_have_a_page_of_their_own_that_loads_nothing_from_elsewhere() {
    let pages = Pages::of_operators(&explorer());
    let page = pages.get("/").unwrap();
    assert_eq!(page.body().bytes, "<h1>Operators</h1>");
    let policy = page.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert_eq!(policy, EXPLORER_POLICY.replace(" https:", ""));
    assert_eq!(pages.get("/assets/main-a1.js").unwrap().body().bytes, "1");
    for path in ["/index.html", "/operators.html", "/docs/", "/assets/../operators.html"] {
        assert!(pages.get(path).is_none(), "{path}");
    }
    assert!(Pages::of_operators(&PageFolder::default()).get("/").is_none());
}

#[test]
fn without_the_explorer_the_root_leads_to_the_book() {
    let pages = Pages::new(&book(), &PageFolder::default(), "http://127.0.0.1:8080").unwrap();
    for path in ["/", "/?x=1"] {
        let response = get(&pages, path).unwrap().unwrap();
        assert_eq!(
            (response.status().as_u16(), &response.headers()[LOCATION]),
            (307, &"docs/".parse().unwrap()),
            "{path}"
        );
    }
    assert!(matches!(get(&pages, "/assets/main-a1.js"), Err(Problem::UnknownPath(_))));
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
    let pages = Pages::new(&PageFolder::default(), &PageFolder::default(), "http://127.0.0.1:8080").unwrap();
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
