//! `portolan serve --check`: what a start would find, without one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use portolan_tests::build;
use portolan_tests::chain::Chain;

/// Runs the check on a folder of plugins and an endpoint of Polygon.
fn check(folder: &Path, url: &str) -> Output {
    let mut command = Command::new(build::built().unwrap().host());
    command.args(["serve", "--check", "--rpc", &format!("polygon={url}")]).env_clear();
    command.arg("--plugins").arg(folder.join("plugins")).arg("--state").arg(folder.join("state"));
    command.output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let plugins = folder.path().join("plugins");
    fs::create_dir(&plugins).unwrap();
    // Written by this process, whoever may write the original.
    let bytes = fs::read(build::built().unwrap().plugin("libquickswap.so")).unwrap();
    fs::write(plugins.join("libquickswap.so"), bytes).unwrap();
    folder
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn what_is_sound_is_said_and_nothing_is_left_behind() {
    let (chain, folder) = (Chain::start("polygon").unwrap(), folder());
    let output = check(folder.path(), &chain.url);
    let lines = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let [plugin, endpoint, last] = &lines[..] else { panic!("{lines:?}") };
    assert!(plugin.starts_with("plugin   quickswap ") && plugin.ends_with(" active"), "{plugin}");
    let host = chain.url.trim_start_matches("http://").trim_end_matches('/');
    assert_eq!(*endpoint, format!("endpoint polygon {host} primary"));
    assert_eq!(last, "all is sound");
    assert!(!folder.path().join("state").exists());
}

#[test]
fn a_file_that_is_no_plugin_and_an_endpoint_that_does_not_answer_are_named() {
    let folder = folder();
    fs::write(folder.path().join("plugins/libother.so"), "no library").unwrap();
    // Nobody listens there once it is closed.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let output = check(folder.path(), &format!("http://{closed}"));
    let lines = lines(&output);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("plugin   libother.so ") && line.contains(" rejected: ")),
        "{lines:?}"
    );
    let endpoint = lines.iter().find(|line| line.starts_with(&format!("endpoint polygon {closed} "))).unwrap();
    assert!(endpoint.ends_with(": no connection, or one that broke"), "{endpoint}");
    assert_eq!(lines.last().map(String::as_str), Some("something is wrong"));
}

#[test]
fn a_wrong_configuration_is_misuse_as_it_is_without_the_flag() {
    let folder = folder();
    let mut command = Command::new(build::built().unwrap().host());
    let output = command.args(["serve", "--check", "--rpc", "mars=http://127.0.0.1:1"]).env_clear();
    let output = output.arg("--plugins").arg(folder.path()).arg("--state").arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("mars"), "{output:?}");
}
