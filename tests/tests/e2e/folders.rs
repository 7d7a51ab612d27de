//! Folders and files that other users may have written, links, and pipes: refused with the reason, and nothing waits.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::gateway::{self, Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::{http, wait};
use rustix::fs::{CWD, FileType, Mode, mknodat};

const QUICKSWAP: &str = "libquickswap.so";
const HOSTILE: &str = "libportolan_hostile.so";
/// For whatever a gateway does by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);
/// Nothing listens there, and nothing here reads a chain.
const NO_NODE: &str = "http://127.0.0.1:9";

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn make_pipe(path: &Path) -> Result<()> {
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

/// Waits until `/plugins` shows a rejected row of `file` with `reason`.
fn rejects(gateway: &Gateway, file: &str, reason: &str) {
    has_row(gateway, file, "rejected", reason);
}

/// Waits until `/plugins` shows a row of `file` in that state with `reason`.
fn has_row(gateway: &Gateway, file: &str, state: &str, reason: &str) {
    let look = || -> Result<()> {
        let rows = gateway.plugins()?;
        let of_file = |row: &&Json| row.text_at("file").is_ok_and(|name| name == file);
        let row = rows.iter().find(of_file).with_context(|| format!("no row of {file}"))?;
        ensure!(row.text_at("state")? == state && row.text_at("reason")?.contains(reason), "{row}");
        Ok(())
    };
    wait::until(reason, SOON, look).unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()));
}

fn serves(gateway: &Gateway, slug: &str) {
    let look = || gateway.serves(&[slug.to_owned()]);
    wait::until(slug, SOON, look).unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()));
}

#[test]
fn a_pipe_in_place_of_a_settings_file_costs_that_plugin_alone() {
    let built = build::built().unwrap();
    let mut gateway =
        Setup::default().rpc("polygon", NO_NODE).plugin(&built.plugin(QUICKSWAP), &["quickswap"]).listening().unwrap();
    serves(&gateway, "quickswap");
    let plugins = gateway.plugins_dir();
    fs::copy(built.plugin(HOSTILE), plugins.join(HOSTILE)).unwrap();
    set_mode(&plugins.join(HOSTILE), 0o644);
    serves(&gateway, "steady");

    let settings = plugins.join("portolan-hostile.toml");
    gateway.known_good_has(&["portolan-hostile"]).unwrap();
    gateway.kill_and_relaunch(|_| make_pipe(&settings)).unwrap();
    serves(&gateway, "quickswap");
    let refused = "portolan-hostile.toml: it is a named pipe, not a regular file";
    has_row(&gateway, HOSTILE, "active", &format!("the last known good one: {refused}"));
    serves(&gateway, "steady");
    // Without anything that is known to be good, that plugin alone is missing.
    gateway.kill_and_relaunch(|state| Ok(fs::remove_file(state.join("known-good"))?)).unwrap();
    serves(&gateway, "quickswap");
    rejects(&gateway, HOSTILE, refused);
    fs::remove_file(&settings).unwrap();
    serves(&gateway, "steady");
}

#[test]
fn a_plugin_that_others_may_write_and_a_link_are_refused_until_they_are_mended() {
    let built = build::built().unwrap();
    let gateway = Setup::default().rpc("polygon", NO_NODE).listening().unwrap();
    let file = gateway.plugins_dir().join(QUICKSWAP);
    symlink(built.plugin(QUICKSWAP), &file).unwrap();
    rejects(&gateway, QUICKSWAP, "it is a symbolic link, not a regular file");
    fs::remove_file(&file).unwrap();
    fs::copy(built.plugin(QUICKSWAP), &file).unwrap();
    set_mode(&file, 0o666);
    rejects(&gateway, QUICKSWAP, "every user may write it (mode 0666): chmod o-w");
    set_mode(&file, 0o644);
    serves(&gateway, "quickswap");

    // The folder is checked at each scan: what is in force stays, and nothing new is loaded.
    set_mode(&gateway.plugins_dir(), 0o777);
    let logged = || ensure_logged(&gateway, "every user may write it (mode 0777): chmod o-w");
    wait::until("a line of the log", SOON, logged).unwrap();
    gateway.serves(&["quickswap".to_owned()]).unwrap();
}

fn ensure_logged(gateway: &Gateway, text: &str) -> Result<()> {
    ensure!(gateway.log().contains(text), "not logged: {text}");
    Ok(())
}

/// The exit code and stderr of a gateway that does not start.
fn refused(dir: &Path) -> (Option<i32>, String) {
    fs::write(dir.join("portolan.toml"), "[networks.polygon]\nrpc = []").unwrap();
    let mut command = gateway::serve(dir).unwrap();
    for flag in ["--listen", "--claimables-listen", "--operators-listen"] {
        command.args([flag, "127.0.0.1:0"]);
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let ended = wait::until("the refusal", http::DEADLINE, || child.try_wait()?.context("it runs"));
    if ended.is_err() {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_folder_that_others_may_write_or_that_is_a_link_ends_the_start() {
    type Spoil = fn(&Path);
    let folder: fn(&Path) = |path| DirBuilder::new().mode(0o755).create(path).unwrap();
    let cases: [(Spoil, &str); 5] = [
        (|dir| set_mode(&dir.join("plugins"), 0o777), "plugins: every user may write it (mode 0777): chmod o-w"),
        (
            |dir| set_mode(&dir.join("state"), 0o1777),
            "state: every user may write it (mode 1777): chmod o-w, or name a folder inside it",
        ),
        (|dir| link(&dir.join("plugins")), "plugins: it is a symbolic link: name the folder that it leads to"),
        (|dir| link(&dir.join("state")), "state: it is a symbolic link: name the folder that it leads to"),
        (|dir| symlink(dir.join("precious"), dir.join("state/staged")).unwrap(), "state/staged: it is a symbolic link"),
    ];
    for (spoil, reason) in cases {
        let dir = tempfile::tempdir().unwrap();
        for name in ["plugins", "state", "precious"] {
            folder(&dir.path().join(name));
        }
        fs::write(dir.path().join("precious/file"), "1").unwrap();
        spoil(dir.path());
        let (code, stderr) = refused(dir.path());
        assert!(code == Some(1) && stderr.contains(reason), "{reason}: {code:?} {stderr}");
        assert!(dir.path().join("precious/file").exists(), "{reason}: a file elsewhere is gone");
    }
}

/// Moves a folder, and leaves a link to it.
fn link(folder: &Path) {
    let moved = folder.with_extension("moved");
    fs::rename(folder, &moved).unwrap();
    symlink(moved, folder).unwrap();
}
