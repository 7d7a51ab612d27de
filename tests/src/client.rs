//! The client library of the original service, as it is on npm, used by a script of `tests/client/`.
//!
//! Invariant: of the library nothing is changed; it gets the two base addresses of the gateway, as it can.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::chain;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::node;

/// For node to start and make a handful of requests.
const ANSWERED_WITHIN: Duration = Duration::from_secs(60);

/// Returns what the library makes of the gateway's answers about an account and a transaction: an object with a member
/// for each question.
///
/// # Errors
/// If the library fails, with what it printed.
pub fn fetch(gateway: &Gateway, account: &str, network: &str, hash: &str) -> Result<Json> {
    let folder = chain::prepared_once(&chain::Sources::of("client"), "testclient", |began, folder| {
        Ok(std::fs::rename(began, folder)?)
    })?;
    let (base, claimables) = (format!("http://{}", gateway.base), format!("http://{}", gateway.claimables));
    let mut node = Command::new("node");
    node.arg(folder.join("requests.mjs")).args([base.as_str(), claimables.as_str(), account, network, hash]);
    Json::parse(&node::run(&mut node, ANSWERED_WITHIN)?.success().context("the client library")?)
}
