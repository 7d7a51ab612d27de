//! An operator's troubles beside the network: a loader that refuses, settings of a ConfigMap, signals, a second
//! gateway, and a client with more connections than it may have.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::crowd::connect;
use portolan_tests::gateway::{self, Gateway, Setup};
use portolan_tests::{http, wait};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncWriteExt as _;

const QUICKSWAP: &str = "libquickswap.so";
/// For whatever a gateway does by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);
/// Nothing listens there.
const NO_NODE: &str = "http://127.0.0.1:9";

fn eventually(what: &str, gateway: &Gateway, look: impl Fn() -> Result<()>) {
    wait::until(what, SOON, look).unwrap_or_else(|error| panic!("{error:#}\n{}", gateway.log()));
}

fn is_logged(gateway: &Gateway, text: &str) -> Result<()> {
    ensure!(gateway.log().contains(text), "not logged: {text}");
    Ok(())
}

/// Waits until the row of a file has that state, and `reason` in its reason.
fn has_row(gateway: &Gateway, file: &str, state: &str, reason: &str) {
    eventually(reason, gateway, || {
        let rows = gateway.plugins()?;
        let row = rows.iter().find(|row| row.text_at("file").is_ok_and(|name| name == file)).context("no row")?;
        ensure!(row.text_at("state")? == state, "{row}");
        ensure!(reason.is_empty() || row.text_at("reason")?.contains(reason), "{row}");
        Ok(())
    });
}

fn serves(gateway: &Gateway) {
    eventually("quickswap", gateway, || gateway.serves(&["quickswap".to_owned()]));
}

/// The dylib as if it was built for a C library that is not there yet, and that library's version.
fn for_a_newer_library(dylib: &Path) -> (Vec<u8>, String) {
    const VERSION: &[u8] = b"\0GLIBC_2.";
    let mut bytes = fs::read(dylib).unwrap();
    let is_version = |at: &usize| {
        let rest = &bytes[*at..];
        rest.starts_with(VERSION) && matches!(rest[VERSION.len()..], [b'0'..=b'9', b'0'..=b'9', 0, ..])
    };
    let at = (0..bytes.len()).find(is_version).context("no version of two digits").unwrap();
    let digits = at + VERSION.len();
    bytes[digits] = b'9';
    let version = String::from_utf8(bytes[at + 1..digits + 2].to_vec()).unwrap();
    (bytes, version)
}

#[test]
fn a_library_for_a_newer_system_is_refused_with_what_it_needs() {
    let gateway = Setup::default().rpc("polygon", NO_NODE).listening().unwrap();
    let (bytes, version) = for_a_newer_library(&build::built().unwrap().plugin(QUICKSWAP));
    gateway.drop_in(QUICKSWAP, &bytes).unwrap();
    let words = format!("it needs glibc {}, which is newer than this system's", version.trim_start_matches("GLIBC_"));
    has_row(&gateway, QUICKSWAP, "rejected", &words);
    is_logged(&gateway, &words).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(QUICKSWAP);
    fs::write(&file, &bytes).unwrap();
    let mut check = Command::new(build::built().unwrap().host());
    let check = check.args(["plugin", "check"]).arg(&file).arg("--rpc").arg(format!("polygon={NO_NODE}"));
    let said = String::from_utf8(check.env_clear().output().unwrap().stderr).unwrap();
    assert!(said.contains(&words), "{said}");
}

#[test]
fn a_settings_file_of_a_config_map_is_read_and_swapped_and_a_link_out_of_the_folder_is_not() {
    let built = build::built().unwrap();
    let gateway = Setup::default().rpc("polygon", NO_NODE).plugin(&built.plugin(QUICKSWAP), &["quickswap"]);
    let gateway = gateway.listening().unwrap();
    serves(&gateway);
    let plugins = gateway.plugins_dir();
    // As the kubelet does it: a new folder, and a link that is renamed over the one before.
    let mount = |version: &str, text: &str| {
        fs::create_dir(plugins.join(version)).unwrap();
        fs::write(plugins.join(version).join("quickswap.toml"), text).unwrap();
        symlink(version, plugins.join("..data_tmp")).unwrap();
        fs::rename(plugins.join("..data_tmp"), plugins.join("..data")).unwrap();
    };
    mount("..2024_01", "first = 1");
    symlink("..data/quickswap.toml", plugins.join("quickswap.toml")).unwrap();
    has_row(&gateway, QUICKSWAP, "active", "unknown field `first`");
    mount("..2024_02", "second = 1");
    fs::remove_dir_all(plugins.join("..2024_01")).unwrap();
    has_row(&gateway, QUICKSWAP, "active", "unknown field `second`");
    mount("..2024_03", "shipped = true");
    eventually("good settings", &gateway, || {
        let rows = gateway.plugins()?;
        ensure!(rows.iter().all(|row| row.text_at("reason").is_err()), "{rows:?}");
        Ok(())
    });
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.toml"), "shipped = true").unwrap();
    fs::remove_file(plugins.join("quickswap.toml")).unwrap();
    symlink(outside.path().join("a.toml"), plugins.join("quickswap.toml")).unwrap();
    has_row(&gateway, QUICKSWAP, "active", "a symbolic link out of its folder");
    serves(&gateway);
}

#[test]
fn signals_that_reload_other_programs_are_ignored_and_told() {
    let mut gateway = Setup::default().rpc("polygon", NO_NODE).listening().unwrap();
    let process = Pid::from_raw(i32::try_from(gateway.process()).unwrap()).unwrap();
    for (signal, name) in [(Signal::HUP, "SIGHUP"), (Signal::USR1, "SIGUSR1"), (Signal::USR2, "SIGUSR2")] {
        kill_process(process, signal).unwrap();
        eventually(name, &gateway, || is_logged(&gateway, name));
    }
    assert_eq!(gateway.operate("/healthz").unwrap().status, 200);
    gateway.sigterm().unwrap();
    assert_eq!(gateway.exited().unwrap().code(), Some(0), "{}", gateway.log());
}

#[test]
fn a_second_gateway_does_not_start_on_a_state_folder_and_commands_go_on() {
    let built = build::built().unwrap();
    let setup = Setup::default().rpc("polygon", NO_NODE).plugin(&built.plugin(QUICKSWAP), &["quickswap"]);
    let mut gateway = setup.listening().unwrap();
    serves(&gateway);
    let dir = gateway.plugins_dir().parent().unwrap().to_owned();
    let second = ended(&dir);
    let said = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("process id {}", gateway.process())), "{said}");

    let listed = gateway.plugin_command(&["list"]).unwrap().output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let mut show = Command::new(built.host());
    let shown =
        show.args(["state", "show", "--state"]).arg(dir.join("state")).env_clear().env("HOME", &dir).output().unwrap();
    assert!(shown.status.success(), "{shown:?}");
    // A lock file that a killed process leaves locks nobody out.
    let has_lock = |state: &Path| -> Result<()> {
        ensure!(state.join("lock").exists());
        Ok(())
    };
    gateway.kill_and_relaunch(has_lock).unwrap();
    serves(&gateway);
}

/// A gateway with the folders of `dir` that is expected to end at once.
fn ended(dir: &Path) -> Output {
    let mut command = gateway::serve(dir).unwrap();
    for flag in ["--listen", "--claimables-listen", "--operators-listen"] {
        command.args([flag, "127.0.0.1:0"]);
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    if wait::until("its end", http::DEADLINE, || child.try_wait()?.context("it runs")).is_err() {
        child.kill().unwrap();
    }
    child.wait_with_output().unwrap()
}

#[test]
fn figures_of_events_that_alerts_wait_for_are_there_before_the_first_event() {
    let built = build::built().unwrap();
    let setup = Setup::default().plugin(&built.plugin(QUICKSWAP), &["quickswap"]).rpc("polygon", NO_NODE);
    let gateway = setup.listening().unwrap();
    serves(&gateway);
    let figures = gateway.operate("/metrics").unwrap().body;
    let version = figures.lines().find_map(|line| line.strip_prefix("portolan_build_info{version=\""));
    assert!(version.is_some_and(|rest| rest.ends_with("\"} 1") && rest.len() > "\"} 1".len()), "{figures}");
    for of_process in [
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_start_time_seconds",
        "portolan_memory_limit_bytes",
    ] {
        let value = figures.lines().find_map(|line| line.strip_prefix(of_process)?.strip_prefix(' '));
        assert!(value.is_some_and(|value| value.parse::<f64>().unwrap() > 0.0), "{of_process}: {figures}");
    }
    // The scraper's own.
    assert!(figures.contains("\nportolan_connections{listener=\"operators\"} 1\n"), "{figures}");
    for listener in ["base", "claimables", "operators"] {
        for bound in ["per_client_max", "max"] {
            let row = format!("\nportolan_connections_refused_total{{listener=\"{listener}\",bound=\"{bound}\"}} 0\n");
            assert!(figures.contains(&row), "{row}{figures}");
        }
        let row = format!("\nportolan_connections_displaced_total{{listener=\"{listener}\"}} 0\n");
        assert!(figures.contains(&row), "{row}{figures}");
    }
    for row in [
        "portolan_answers_partial_total{route=\"all-claimables\"} 0",
        "portolan_answers_shed_total 0",
        "portolan_plugin_fallbacks_total{plugin=\"quickswap\"} 0",
        "portolan_plugin_loads_total{plugin=\"quickswap\"} 1",
        "portolan_plugin_rejections_total{step=\"quarantine\"} 0",
        "portolan_replies_total{network=\"polygon\",from=\"node\"} 0",
    ] {
        assert!(figures.contains(&format!("\n{row}\n")), "{row}\n{figures}");
    }
}

#[test]
fn a_client_beyond_its_connections_is_refused_with_a_line_and_a_figure() {
    // A node that takes connections and never answers.
    let node = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", node.local_addr().unwrap());
    let limits = "[connections]\nmax = 10\nper_client_max = 1\n[answers]\ndeadline_ms = 20000";
    let gateway = Setup::default().config(limits).rpc("polygon", &url).listening().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let figures = |row: &str| -> Result<()> {
        let body = gateway.operate("/metrics")?.body;
        ensure!(body.lines().any(|line| line.starts_with(row)), "{body}");
        Ok(())
    };
    let mut held = runtime.block_on(connect(1, gateway.base)).unwrap();
    let account = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    let request = format!("GET /{account}/native-balance?network=polygon HTTP/1.1\r\nhost: x\r\n\r\n");
    runtime.block_on(held.write_all(request.as_bytes())).unwrap();
    eventually("an answer under way", &gateway, || figures("portolan_answers_in_flight 1"));
    let second = runtime.block_on(connect(1, gateway.base));
    let refused = "portolan_connections_refused_total{listener=\"base\",bound=\"per_client_max\"} 1";
    eventually("the refusal", &gateway, || figures(refused));
    eventually("its line", &gateway, || is_logged(&gateway, "this address has per_client_max of them, all in use"));
    eventually("the client", &gateway, || is_logged(&gateway, "127.0.0.1"));
    drop((held, second, node));
}
