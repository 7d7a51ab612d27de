//! The explorer's pages, and every file that they may load, with their headers.

use std::path::Path;
use std::{fs, io};

use anyhow::{Result, bail, ensure};

use super::{Output, Stage};
use crate::http::Response;

/// The policy of the explorer. The operators' page loads no image from other sites.
const POLICY: &str = "default-src 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'; form-action 'none'; \
                      frame-ancestors 'none'; img-src 'self' data: https:; script-src 'self'; style-src 'self'";

const FINAL: &str = "public, max-age=31536000, immutable";

/// Requests a path of one listener.
type Get<'a> = &'a dyn Fn(&str) -> Result<Response>;

pub(super) fn check(stage: &Stage, out: &mut Output<'_>) -> Result<()> {
    let folder = &stage.explorer;
    let of_operators = POLICY.replace(" https:", "");
    let listeners: [(&str, &str, Get<'_>); 2] = [
        ("index.html", POLICY, &|path| stage.gateway.get(path)),
        ("operators.html", &of_operators, &|path| stage.gateway.operate(path)),
    ];
    let assets = assets(folder)?;
    let mut wrong = Vec::new();
    for (page, policy, get) in listeners {
        let headers = [("content-type", "text/html; charset=utf-8"), ("content-security-policy", policy)];
        compare(get, out, "/", &folder.join(page), &headers, &mut wrong)?;
        for asset in &assets {
            compare(get, out, &format!("/{asset}"), &folder.join(asset), &[("cache-control", FINAL)], &mut wrong)?;
        }
    }
    if !wrong.is_empty() {
        bail!("{} wrong of the explorer:\n{}", wrong.len(), wrong.join("\n"));
    }
    let files = assets.len();
    out.line(format_args!("\nboth pages of the explorer and their {files} files are served as they were built"))
}

/// The paths of what the pages load: at least one script.
fn assets(folder: &Path) -> Result<Vec<String>> {
    let path = |entry: io::Result<fs::DirEntry>| Ok(format!("assets/{}", entry?.file_name().to_string_lossy()));
    let assets = fs::read_dir(folder.join("assets"))?.map(path).collect::<Result<Vec<_>>>()?;
    ensure!(assets.iter().any(|path| path.ends_with(".js")), "the explorer has no script: {assets:?}");
    Ok(assets)
}

/// Compares what is served at a path with a file and with headers.
fn compare(
    get: Get<'_>,
    out: &mut Output<'_>,
    path: &str,
    file: &Path,
    headers: &[(&str, &str)],
    wrong: &mut Vec<String>,
) -> Result<()> {
    let response = get(path)?;
    out.answer(path, &response)?;
    if response.status != 200 || response.body != String::from_utf8_lossy(&fs::read(file)?) {
        wrong.push(format!("{path} is {}, and not {}", response.status, file.display()));
    }
    for (name, value) in
        [("referrer-policy", "no-referrer"), ("x-content-type-options", "nosniff")].iter().chain(headers)
    {
        if response.header(name) != Some(value) {
            wrong.push(format!("{path}: {name} is {:?}, expected {value:?}", response.header(name)));
        }
    }
    Ok(())
}
