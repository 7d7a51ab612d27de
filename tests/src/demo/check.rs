//! Every endpoint about every account, printed and compared to the last digit.

use std::io::Write;

use anyhow::{Result, bail};

use super::Stage;
use crate::http::Response;
use crate::json::Json;
use crate::truth::{self, ACCOUNTS, Call, NETWORKS};

pub(super) fn everything(stage: &Stage, out: &mut impl Write) -> Result<()> {
    let mut wrong = Vec::new();
    let mut rows = 0;
    facts(stage, out, &mut wrong)?;
    for who in ACCOUNTS {
        for (path, expected) in questions(stage, who)? {
            rows += expected.len();
            let response = ask(stage, &path, out)?;
            complete(stage, &path, &response, &mut wrong)?;
            for fault in truth::faults(&response.json()?, &expected)? {
                wrong.push(format!("{who}: {path}: {fault}"));
            }
        }
    }
    if !wrong.is_empty() {
        bail!("{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }
    writeln!(out, "\nall {rows} rows equal the arithmetic: amounts, dollar values, rates and transactions")?;
    Ok(())
}

/// What the account answers are, by path.
fn questions(stage: &Stage, who: &str) -> Result<Vec<(String, Vec<Json>)>> {
    let account = stage.world.address(who)?;
    Ok(vec![
        (format!("/claimables/{account}"), stage.world.claimables(who, Call::Aggregate)?),
        (format!("/quickswap/{account}/claimables"), stage.world.claimables(who, Call::Protocol)?),
        (format!("/quickswap/farming/{account}/positions"), stage.world.farming(who)?),
        (format!("/quickswap/lending/{account}/positions"), Vec::new()),
    ])
}

/// The answers that no account changes.
fn facts(stage: &Stage, out: &mut impl Write, wrong: &mut Vec<String>) -> Result<()> {
    let networks = NETWORKS.map(|(slug, name, logo, _)| {
        Json::object([
            ("name", Json::text(name)),
            ("logo", Json::text(truth::network_logo(logo))),
            ("slug", Json::text(slug)),
        ])
    });
    for (path, expected) in
        [("/networks", Json::Array(networks.to_vec())), ("/protocols", Json::Array(vec![truth::quickswap()]))]
    {
        let differences = ask(stage, path, out)?.json()?.differences(&expected);
        wrong.extend(differences.into_iter().map(|difference| format!("{path}{difference}")));
    }
    let who = stage.world.address("farmer")?;
    let (own, base) = (stage.gateway.aggregate(&format!("/{who}"))?, stage.gateway.get(&format!("/claimables/{who}"))?);
    if own.body != base.body {
        wrong.push("the two addresses of the aggregate call differ".to_owned());
    }
    for path in ["/healthz", "/readyz", "/plugins"] {
        let response = stage.gateway.operate(path)?;
        print(path, &response, out)?;
        if response.status != 200 {
            wrong.push(format!("{path} is {}", response.status));
        }
    }
    Ok(())
}

fn ask(stage: &Stage, path: &str, out: &mut impl Write) -> Result<Response> {
    let response = stage.gateway.get(path)?;
    print(path, &response, out)?;
    Ok(response)
}

fn print(path: &str, response: &Response, out: &mut impl Write) -> Result<()> {
    writeln!(out, "\nGET {path}\n{} {}", response.status.as_u16(), response.body.trim())?;
    Ok(())
}

/// An account answer is about the pinned blocks of all networks, and misses nothing.
fn complete(stage: &Stage, path: &str, response: &Response, wrong: &mut Vec<String>) -> Result<()> {
    if response.status != 200 {
        bail!("{path} is {}: {}", response.status, response.body);
    }
    if let Some(partial) = response.header("portolan-partial") {
        wrong.push(format!("{path} misses {partial}"));
    }
    let asked = !path.contains("/lending/"); // No deployment lends: no network is asked.
    if asked && response.header("portolan-blocks") != Some(stage.world.pins()?.as_str()) {
        wrong.push(format!("{path} is at {:?}", response.header("portolan-blocks")));
    }
    Ok(())
}
