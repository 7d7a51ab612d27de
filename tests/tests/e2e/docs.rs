//! The pages that the gateway serves: a book, what problems mean, and the file for language models. The book of this
//! repository is served by a test of `tests/book`.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Output;

use bytes::Bytes;
use hyper::Method;
use portolan_tests::build::workspace;
use portolan_tests::gateway::{self, Gateway, PUBLIC_URL, Setup};
use portolan_tests::http::{Response, Version, request};
use tempfile::TempDir;

/// A script, and its digest as the example of CSP level 3 has it.
const SCRIPT: &str = "alert('Hello, world.');";
const DIGEST: &str = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";

/// Files in the form of a built book. Pages are so long that they are compressed.
fn book() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    DirBuilder::new().mode(0o755).create(folder.path().join("use")).unwrap();
    let text = "<p>Portolan</p>\n".repeat(100);
    for (path, text) in [
        ("index.html", format!("<link rel=\"stylesheet\" href=\"book.css\"><script>{SCRIPT}</script>{text}")),
        ("index.md", text.clone()),
        ("use/tour.html", text.clone()),
        ("use/tour.md", text.clone()),
        ("book.css", "p{}".repeat(500)),
        ("SUMMARY.md", "# Contents\n\n[Portolan](index.md)\n\n# Use it\n\n- [A tour](use/tour.md)\n".to_owned()),
    ] {
        fs::write(folder.path().join(path), text).unwrap();
        fs::set_permissions(folder.path().join(path), Permissions::from_mode(0o644)).unwrap();
    }
    folder
}

fn serving(book: &TempDir) -> Gateway {
    Setup::default().arg("--docs").arg(book.path().to_string_lossy()).listening().unwrap()
}

fn send(gateway: &Gateway, method: &Method, path: &str, headers: &[(&str, &str)]) -> Response {
    request(gateway.base, Version::Http1, method, path, headers, Bytes::new()).unwrap()
}

fn is_html(response: &Response) -> bool {
    response.header("content-type") == Some("text/html; charset=utf-8")
}

#[test]
fn pages_run_the_scripts_that_they_were_read_with_and_load_from_nowhere_else() {
    let gateway = serving(&book());
    let moved = gateway.get("/docs").unwrap();
    assert_eq!((moved.status.as_u16(), moved.header("location")), (308, Some("docs/")));
    let page = gateway.get("/docs/?highlight=x").unwrap();
    assert!(page.status == 200 && is_html(&page), "{page:?}");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.contains(&format!("; script-src 'self' {DIGEST}; ")), "{policy}");
    let bare = gateway.get("/docs/use/tour.html").unwrap();
    assert!(bare.header("content-security-policy").unwrap().contains("; script-src 'self'; "), "{bare:?}");
    for (path, kind) in
        [("/docs/book.css", "text/css; charset=utf-8"), ("/docs/use/tour.md", "text/markdown; charset=utf-8")]
    {
        let file = gateway.get(path).unwrap();
        assert_eq!((file.status.as_u16(), file.header("content-type")), (200, Some(kind)), "{path}");
        assert_eq!(file.header("content-security-policy"), Some("default-src 'none'; sandbox"), "{path}");
    }
    let contents = gateway.get("/llms.txt").unwrap();
    assert_eq!(contents.header("content-type"), Some("text/markdown; charset=utf-8"));
    for line in [
        format!("- [Portolan]({PUBLIC_URL}/docs/index.md)\n"),
        format!("\n## Use it\n\n- [A tour]({PUBLIC_URL}/docs/use/tour.md)\n"),
    ] {
        assert!(contents.body.starts_with("# Portolan\n\n> ") && contents.body.contains(&line), "{}", contents.body);
    }
    assert_eq!(gateway.aggregate("/docs/").unwrap().status, 400, "the listener of one path takes it for an account");
}

#[test]
fn pages_keep_what_all_endpoints_promise() {
    let gateway = &serving(&book());
    for path in ["/docs/", "/docs/use/tour.html", "/docs/use/tour.md", "/docs/book.css", "/problems"] {
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
    assert_eq!(gateway.get("/llms.txt").unwrap().status, 200);
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
    let linked = book();
    symlink("/etc/passwd", linked.path().join("passwd.txt")).unwrap();
    for (docs, reason) in [
        (linked.path().to_owned(), "passwd.txt: it is a symbolic link, not a regular file"),
        (folder.path().to_owned(), "portolan.toml: the book has no file of this kind"),
        (folder.path().join("nowhere"), "is not there: build the book with `cargo book`, or correct its name"),
    ] {
        let output = refused(&docs);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.starts_with("portolan: docs.dir: ") && text.trim_end().ends_with(reason), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
