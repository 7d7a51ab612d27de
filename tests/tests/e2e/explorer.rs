//! The explorer that a gateway serves from a folder, and the operators' page: headers, paths, access, and folders that
//! are refused. `cargo demo -- --once` compares the explorer of this repository.

use std::fs::{self, DirBuilder, File, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Output;

use bytes::Bytes;
use hyper::Method;
use portolan_tests::gateway::{self, Gateway, Setup};
use portolan_tests::http::{self, Response, Version, request};
use portolan_tests::problem;
use tempfile::TempDir;

const POLICY: &str = "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'; form-action 'none'; \
                      frame-ancestors 'none'; img-src 'self' data: https:; script-src 'self'; style-src 'self'";
const SCRIPT: &str = "/assets/main-a1.js";
const TOKEN: &str = "c0ffee-c0ffee-c0ffee-c0ffee";

/// Files in the form of a built explorer, so long that they are compressed.
fn built() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    build_at(folder.path());
    folder
}

fn build_at(folder: &Path) {
    for (path, text) in [
        ("index.html", "<h1>Explorer</h1>\n".repeat(100)),
        ("operators.html", "<h1>Operators</h1>\n".repeat(100)),
        ("assets/main-a1.js", "export {};\n".repeat(200)),
        ("assets/main-a1.css", "p{}\n".repeat(500)),
        ("assets/a..b%2e.js", "export {};\n".to_owned()),
        (".vite/license.md", "MIT".to_owned()),
    ] {
        write(&folder.join(path), &text);
    }
}

fn write(path: &Path, text: &str) {
    DirBuilder::new().recursive(true).mode(0o755).create(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
}

fn setup(explorer: &Path) -> Setup {
    Setup::default().arg("--explorer").arg(explorer.to_string_lossy())
}

fn send(gateway: &Gateway, method: &Method, path: &str, headers: &[(&str, &str)]) -> Response {
    request(gateway.base, Version::Http1, method, path, headers, Bytes::new()).unwrap()
}

/// The status of a path as it is, which a client's URL parser would change.
fn raw_status(to: std::net::SocketAddr, path: &str) -> u16 {
    http::raw(to, format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap().status.as_u16()
}

#[test]
fn the_explorer_runs_files_of_its_gateway_alone() {
    let gateway = setup(built().path()).listening().unwrap();
    for path in ["/", "/?theme=dark&%ff"] {
        let page = gateway.get(path).unwrap();
        assert_eq!((page.status.as_u16(), page.body.lines().next()), (200, Some("<h1>Explorer</h1>")), "{path}");
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", POLICY),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "public, no-cache"),
        ] {
            assert_eq!(page.header(name), Some(value), "{path}: {name}");
        }
    }
    for (path, kind) in [
        (SCRIPT, "text/javascript; charset=utf-8"),
        ("/assets/main-a1.css", "text/css; charset=utf-8"),
        ("/assets/a..b%252e.js", "text/javascript; charset=utf-8"),
    ] {
        let file = gateway.get(path).unwrap();
        for (name, value) in [
            ("content-type", kind),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "public, max-age=31536000, immutable"),
        ] {
            assert_eq!(file.header(name), Some(value), "{path}: {name}");
        }
    }
    assert_eq!(gateway.aggregate("/").unwrap().status, 404, "the listener of one path has no page");
    let metrics = gateway.operate("/metrics").unwrap().body;
    assert!(
        metrics.contains("portolan_http_requests_total{listener=\"base\",route=\"explorer\",status=\"200\"} 5\n"),
        "{metrics}"
    );
}

#[test]
fn the_explorer_keeps_what_all_pages_promise() {
    let gateway = &setup(built().path()).listening().unwrap();
    for path in ["/", SCRIPT, "/assets/main-a1.css"] {
        let plain = gateway.get(path).unwrap();
        assert_eq!(plain.header("vary"), Some("accept-encoding"), "{path}");
        let known = send(gateway, &Method::GET, path, &[("if-none-match", plain.header("etag").unwrap())]);
        assert_eq!((known.status.as_u16(), known.body.as_str()), (304, ""), "{path}");
        let head = send(gateway, &Method::HEAD, path, &[]);
        assert_eq!(
            (head.header("content-length"), head.body.as_str()),
            (Some(plain.body.len().to_string().as_str()), "")
        );
        for coding in ["gzip", "br", "zstd"] {
            let coded = send(gateway, &Method::GET, path, &[("accept-encoding", coding)]);
            assert_eq!(coded.header("content-encoding"), Some(coding), "{path}");
            assert!(coded.body == plain.body && coded.sent_bytes < plain.body.len(), "{path} {coding}");
        }
        assert_eq!(send(gateway, &Method::OPTIONS, path, &[]).status, 204, "{path}");
        assert_eq!(send(gateway, &Method::POST, path, &[]).status, 405, "{path}");
    }
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let root = tempfile::tempdir().unwrap();
    build_at(&root.path().join("explorer"));
    write(&root.path().join("secret.js"), "secret");
    let gateway = setup(&root.path().join("explorer")).listening().unwrap();
    for path in [
        "/assets",
        "/assets/",
        "/assets/..",
        "/assets/../index.html",
        "/assets/../../secret.js",
        "/assets/%2e%2e/%2e%2e/secret.js",
        "/assets/..%2f..%2fsecret.js",
        "/assets/%252e%252e/index.html",
        "/assets//main-a1.js",
        "/assets/main-a1.js%00",
        "/assets/.vite/license.md",
        "/assets/a..b%2e.js",
        "/operators.html",
        "/index.html",
        "/.vite/license.md",
        "//",
    ] {
        for listener in [gateway.base, gateway.operators] {
            assert_eq!(raw_status(listener, path), 404, "{path}");
        }
    }
    let unknown = gateway.get("/assets/gone.js").unwrap();
    assert!(problem::detail(&unknown, 404, "unknown-path").unwrap().contains("/assets/gone.js"));
}

#[test]
fn a_request_opens_no_file() {
    let explorer = built();
    let gateway = setup(explorer.path()).listening().unwrap();
    let before = ["/", SCRIPT].map(|path| gateway.get(path).unwrap().body);
    for file in ["index.html", "assets/main-a1.js"] {
        write(&explorer.path().join(file), "changed");
    }
    assert_eq!(["/", SCRIPT].map(|path| gateway.get(path).unwrap().body), before);
    explorer.close().unwrap();
    assert_eq!(["/", SCRIPT].map(|path| gateway.get(path).unwrap().body), before);
}

#[test]
fn without_the_explorer_the_root_leads_to_the_book() {
    let gateway = Setup::default().listening().unwrap();
    for path in ["/", "/?x=1"] {
        let moved = gateway.get(path).unwrap();
        assert_eq!((moved.status.as_u16(), moved.header("location")), (307, Some("docs/")), "{path}");
    }
    assert_eq!(gateway.get(SCRIPT).unwrap().status, 404);
    problem::detail(&gateway.operate("/").unwrap(), 404, "unknown-path").unwrap();
}

#[test]
fn the_operators_page_is_for_the_hosts_of_their_listener_and_loads_nothing_from_elsewhere() {
    let gateway = setup(built().path()).listening().unwrap();
    let page = gateway.operate("/?x").unwrap();
    assert_eq!((page.status.as_u16(), page.body.lines().next()), (200, Some("<h1>Operators</h1>")));
    let policy = POLICY.replace(" https:", "");
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", policy.as_str()),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
    let headers = [("if-none-match", page.header("etag").unwrap())];
    let known = request(gateway.operators, Version::H2c, &Method::GET, "/", &headers, Bytes::new()).unwrap();
    assert_eq!((known.status.as_u16(), known.body.as_str()), (304, ""));
    let head = request(gateway.operators, Version::Http1, &Method::HEAD, SCRIPT, &[], Bytes::new()).unwrap();
    assert_eq!((head.status.as_u16(), head.header("content-length")), (200, Some("2200")));
    for path in ["/", SCRIPT] {
        let refused =
            http::raw(gateway.operators, format!("GET {path} HTTP/1.1\r\nhost: evil.example\r\n\r\n").as_bytes());
        problem::detail(&refused.unwrap(), 403, "host-not-allowed").unwrap();
        assert_eq!(
            request(gateway.operators, Version::Http1, &Method::POST, path, &[], Bytes::new()).unwrap().status,
            405
        );
    }
}

#[test]
fn the_operators_page_needs_no_token_and_what_it_shows_does() {
    let gateway = setup(built().path()).variable("PORTOLAN_OPERATORS_TOKEN", TOKEN).listening().unwrap();
    for path in ["/", "/?x=1", SCRIPT] {
        assert_eq!(gateway.operate(path).unwrap().status, 200, "{path}");
    }
    for path in
        ["/plugins", "/networks", "/lists", "/metrics", "/readyz", "/history", "/history/", "/else", "//", "//plugins"]
    {
        assert_eq!(raw_status(gateway.operators, path), 401, "{path}");
    }
    // They are names of files that there are not.
    for path in ["/assets/../plugins", "/assets/%2e%2e/plugins", "/assets/..%2fplugins", "/assets/plugins"] {
        assert_eq!(raw_status(gateway.operators, path), 404, "{path}");
    }
    let headers = [("authorization", format!("Bearer {TOKEN}"))];
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for path in ["/", "/history", "/plugins"] {
        let answer = request(gateway.operators, Version::Http1, &Method::GET, path, &headers, Bytes::new()).unwrap();
        assert_eq!(answer.status, 200, "{path}");
    }
}

/// Returns what `serve` says about a folder of the explorer.
fn refused(explorer: &Path) -> Output {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("plugins")).unwrap();
    fs::write(dir.path().join("portolan.toml"), "").unwrap();
    gateway::serve(dir.path()).unwrap().arg("--explorer").arg(explorer).output().unwrap()
}

#[test]
fn a_folder_that_is_not_an_explorer_ends_the_start_with_one_line() {
    let changed = |change: &dyn Fn(&Path)| {
        let folder = built();
        change(folder.path());
        folder
    };
    let symbolic = "it is a symbolic link, not a regular file";
    let root = tempfile::tempdir().unwrap();
    let real = built();
    symlink(real.path(), root.path().join("link")).unwrap();
    let cases: [(TempDir, PathBuf, &str); 11] = [
        (
            changed(&|path| fs::remove_file(path.join("index.html")).unwrap()),
            "".into(),
            "has no index.html, so it is not a built explorer",
        ),
        (
            changed(&|path| fs::remove_file(path.join("operators.html")).unwrap()),
            "".into(),
            "has no operators.html, so it is not a built explorer",
        ),
        (changed(&|path| symlink("/etc/passwd", path.join("assets/passwd.txt")).unwrap()), "".into(), symbolic),
        (changed(&|path| symlink("/etc", path.join("assets/etc")).unwrap()), "".into(), symbolic),
        (changed(&|path| drop(UnixListener::bind(path.join("assets/a.js")).unwrap())), "".into(), "not a regular file"),
        (
            changed(&|path| {
                write(&path.join("assets/huge.js"), "");
                File::options().write(true).open(path.join("assets/huge.js")).unwrap().set_len(1 << 40).unwrap();
            }),
            "".into(),
            "more than 33554432 bytes in all files",
        ),
        (
            changed(&|path| write(&path.join("assets/key.pem"), "secret")),
            "".into(),
            "key.pem: the explorer has no file of this kind",
        ),
        (
            changed(&|path| write(&path.join("src/main.js"), "")),
            "".into(),
            "main.js: the explorer has no file at this place",
        ),
        (
            changed(&|path| fs::set_permissions(path.join("index.html"), Permissions::from_mode(0o666)).unwrap()),
            "".into(),
            "index.html: every user may write it",
        ),
        (root, "link".into(), "is a symbolic link"),
        (
            tempfile::tempdir().unwrap(),
            "nowhere".into(),
            "is not there: build the explorer with `npm run build` in examples/explorer, or correct its name",
        ),
    ];
    for (folder, below, reason) in cases {
        let output = refused(&folder.path().join(below));
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.starts_with("portolan: explorer.dir: ") && text.contains(reason), "{reason}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
