//! The examples of the API's description: answers of the demo, which have to stay as they were recorded.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use hyper::Method;

use super::check::fetch;
use super::{Output, Stage};
use crate::build;
use crate::http::{self, Response, Version};
use crate::json::Json;
use crate::tables;

/// Rows of a list that an example shows.
const ROWS_SHOWN: usize = 2;

/// The id of the requests whose problems are examples.
const REQUEST_ID: (&str, &str) = ("x-request-id", "example-1");

/// Name of the event that leaves something to revoke.
pub(super) const UNLIMITED_APPROVAL: &str = "unlimited approval";

/// The examples of everything that the main gateway answers.
pub(super) fn check(stage: &Stage, out: &mut Output<'_>) -> Result<()> {
    let farmer = stage.world.address("farmer")?;
    let (chain, truth) = stage.world.chain("polygon")?;
    let swap = truth.event_named("swap")?.transaction(chain)?;
    let approval = truth.event_named(UNLIMITED_APPROVAL)?;
    let [owner, token, spender] = ["owner", "asset", "spender"].map(|name| approval.raw()?.text_at(name));
    let approvals = format!("/{}/approvals", owner?);
    for (name, path) in [
        ("networks", "/networks".to_owned()),
        ("protocols", "/protocols".to_owned()),
        ("coverage", "/protocols/coverage".to_owned()),
        ("clear-signing", "/sushiswap/clear-signing.json".to_owned()),
        ("all-claimables", format!("/claimables/{farmer}?network=polygon")),
        ("all-positions", format!("/positions/{farmer}?include=aave_v3")),
        ("claim-plan", format!("/{farmer}/claim-plan?network=polygon&include=quickswap")),
        ("approvals", format!("{approvals}?network=polygon")),
        ("revoke-plan", format!("{approvals}/plan?network=polygon&token={}&spender={}", token?, spender?)),
        ("events", format!("/events/decode/{swap}?network=polygon")),
        ("native-balance", format!("/balance/{farmer}/native-balance?network=polygon")),
        ("claimables", format!("/quickswap/{farmer}/claimables")),
        ("farming", format!("/sushiswap/farming/{farmer}/positions")),
        ("lending", format!("/aave_v3/lending/{farmer}/positions")),
        ("borrowing", format!("/aave_v3/borrowing/{farmer}/positions")),
    ] {
        keep(name, &fetch(&stage.gateway, &path, out)?, 200)?;
    }
    for (status, path) in [
        (400, "/claimables/0x123".to_owned()),
        (404, format!("/no_such_protocol/{farmer}/claimables")),
        (413, format!("/events/decode/{swap}?network=polygon&max-logs=1")),
        (503, format!("/events/decode/{swap}?network=avalanche")),
    ] {
        let to = stage.gateway.base;
        let response = http::request(to, Version::Http1, &Method::GET, &path, &[REQUEST_ID], Bytes::new())?;
        out.answer(&path, &response)?;
        out.described(&path, &response)?;
        keep(&format!("problem-{status}"), &response, status)?;
    }
    Ok(())
}

/// Compares an answer with the recorded one, or records it.
///
/// # Errors
/// If they differ, or the answer has another status.
pub(super) fn keep(name: &str, response: &Response, status: u16) -> Result<()> {
    ensure!(response.status == status, "{name} is {}: {}", response.status, response.body);
    let answer = match response.json()? {
        Json::Array(mut rows) => {
            ensure!(!rows.is_empty(), "the example {name} is empty");
            rows.truncate(ROWS_SHOWN);
            Json::Array(rows)
        }
        answer => answer,
    };
    let file = file(name);
    if tables::are_written() {
        return fs::write(&file, answer.pretty()).with_context(|| file.display().to_string());
    }
    let recorded = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let differences = answer.differences(&Json::parse(&recorded)?);
    ensure!(differences.is_empty(), "{}: the answer is another now: {}", file.display(), differences.join("; "));
    Ok(())
}

fn file(name: &str) -> PathBuf {
    build::workspace().join(format!("host/docs/reference/examples/{name}.json"))
}
