//! The client library of the original service, as it is on npm, used by a script of `tests/client/`.
//!
//! Invariant: of the library nothing is changed; it gets the two base addresses of the gateway, as it can.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::chain;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::wait;

/// For node to start and make a handful of requests.
const ANSWERED_WITHIN: Duration = Duration::from_secs(60);

/// Returns what the library makes of the gateway's answers about an account and a transaction: an object with a member
/// for each question.
///
/// # Errors
/// If the library fails, with what it printed.
pub fn fetch(gateway: &Gateway, account: &str, network: &str, hash: &str) -> Result<Json> {
    let folder = chain::prepared_once("client", "testclient", |began, folder| Ok(std::fs::rename(began, folder)?))?;
    let (base, claimables) = (format!("http://{}", gateway.base), format!("http://{}", gateway.claimables));
    let mut node = Command::new("node")
        .arg(folder.join("requests.mjs"))
        .args([base.as_str(), claimables.as_str(), account, network, hash])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run node")?;
    let (stdout, stderr) = (drained(node.stdout.take()), drained(node.stderr.take()));
    let ended = wait::until("the client library", ANSWERED_WITHIN, || node.try_wait()?.context("it still runs"));
    if ended.is_err() {
        let _ = node.kill(); // It may have ended meanwhile.
        let _ = node.wait();
    }
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    let (status, _) = ended.with_context(|| stderr.clone())?;
    ensure!(status.success(), "the client library: {status}\n{stderr}");
    Json::parse(&stdout)
}

/// Reads a pipe to its end, so that nobody blocks on it.
fn drained(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        // Output that is not UTF-8 is not an answer either.
        let _ = pipe.map(|mut pipe| pipe.read_to_string(&mut text));
        text
    })
}
