//! Every endpoint of protocols about every account, compared to the last digit.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use bigdecimal::num_bigint::BigInt;

use super::{Output, Stage};
use crate::gateway::Gateway;
use crate::http::Response;
use crate::json::Json;
use crate::portfolio;
use crate::protocol::Question;
use crate::truth::{self, ACCOUNTS, Call, Detail, NETWORKS};
use crate::world::Placed;

pub(super) fn everything(stage: &Stage, out: &mut Output<'_>) -> Result<()> {
    let mut wrong = Vec::new();
    let mut rows = 0;
    facts(stage, out, &mut wrong)?;
    for who in ACCOUNTS {
        let (answers, mut own) = (out.answers, 0);
        for requested in questions(stage, who)? {
            own += requested.rows.len();
            let response = fetch(&stage.gateway, &requested.path, out)?;
            whole(&requested, &response, &mut wrong)?;
            let answer = response.json()?;
            let items = answer.get("items").map(truth::plain).transpose()?;
            for fault in truth::faults(items.as_ref().unwrap_or(&answer), &requested.rows)? {
                wrong.push(format!("{who}: {}: {fault}", requested.path));
            }
        }
        positions(stage, who, out, &mut wrong)?;
        if who == ACCOUNTS[0] {
            forms(stage, who, out)?;
        }
        plans(stage, who, out, &mut wrong)?;
        rows += own;
        out.line(format_args!("{who:8} {:4} answers, {own:3} rows", out.answers - answers))?;
    }
    at_once(stage, out, &mut wrong)?;
    let reported = events(stage, out, &mut wrong)?;
    if !wrong.is_empty() {
        bail!("{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }
    out.line(format_args!("all {rows} rows equal the arithmetic: amounts, dollar values, rates and transactions"))?;
    out.line(format_args!("all {reported} events are decoded as they were done"))
}

/// The answers about an account with everything that is known and amounts as strings, which must be as described.
fn forms(stage: &Stage, who: &str, out: &mut Output<'_>) -> Result<()> {
    let account = stage.world.address(who)?;
    let lists = ["claimables", "positions"].map(|list| format!("/{list}/{account}?simulate=true&detail=full"));
    let plans = stage
        .world
        .chains
        .iter()
        .map(|(_, truth)| format!("/{account}/claim-plan?network={}&detail=full", truth.network));
    let slugs = stage.world.slugs()?;
    let of_protocols = slugs.iter().flat_map(|slug| {
        let claimables = format!("/{slug}/{account}/claimables?detail=full");
        let positions = ["farming", "lending", "borrowing", "pooling", "locked"];
        let positions = positions.map(|list| format!("/{slug}/{list}/{account}/positions?detail=full"));
        let signing = format!("/{slug}/clear-signing.json?detail=full");
        [claimables, signing].into_iter().chain(positions)
    });
    let facts = ["networks", "protocols", "protocols/coverage"].map(|list| format!("/{list}?detail=full"));
    for path in lists.into_iter().chain(plans).chain(of_protocols).chain(facts) {
        fetch(&stage.gateway, &path, out)?;
        fetch(&stage.gateway, &format!("{path}&amounts=string"), out)?;
    }
    for (chain, truth) in &stage.world.chains {
        for event in truth.events()? {
            let path = format!("/events/decode/{}?network={}", event.transaction(chain)?, truth.network);
            fetch(&stage.gateway, &format!("{path}&account={account}"), out)?;
            fetch(&stage.gateway, &format!("{path}&account={account}&detail=full&amounts=string"), out)?;
        }
    }
    Ok(())
}

/// The plan of all claims of an account on each network, which pays the sum of what each of them does.
fn plans(stage: &Stage, who: &str, out: &mut Output<'_>, wrong: &mut Vec<String>) -> Result<()> {
    let account = stage.world.address(who)?;
    for (_, truth) in &stage.world.chains {
        let path = format!("/{account}/claim-plan?network={}", truth.network);
        let plan = fetch(&stage.gateway, &path, out)?.json()?;
        let (mut expected, mut promised) = (BTreeMap::<&str, BigInt>::new(), BTreeMap::<&str, BigInt>::new());
        for row in truth.shown_rows(who, Question::Claimables, None)? {
            *expected.entry(row.text_at("token")?).or_default() += row.text_at("amountRaw")?.parse::<BigInt>()?;
        }
        for paid in plan.at("pays")?.items()? {
            *promised.entry(paid.text_at("tokenAddress")?).or_default() +=
                paid.text_at("amountRaw")?.parse::<BigInt>()?;
        }
        let simulated = plan.at("simulated")?.to_string();
        let is_right = simulated == if expected.is_empty() { "null" } else { "\"paid\"" };
        if expected != promised || !is_right || !plan.at("leftOut")?.items()?.is_empty() {
            wrong.push(format!("{path} pays {promised:?} instead of {expected:?}: {plan}"));
        }
    }
    Ok(())
}

/// Both lists about all accounts at once: each part is the answer about its account alone.
fn at_once(stage: &Stage, out: &mut Output<'_>, wrong: &mut Vec<String>) -> Result<()> {
    let accounts = ACCOUNTS.map(|who| stage.world.address(who)).into_iter().collect::<Result<Vec<_>>>()?;
    for path in ["claimables", "positions"] {
        let all = fetch(&stage.gateway, &format!("/{path}?accounts={}", accounts.join(",")), out)?.json()?;
        let parts = all.items()?;
        if parts.len() != accounts.len() {
            wrong.push(format!("/{path} about {} accounts has {} parts", accounts.len(), parts.len()));
        }
        for (account, part) in accounts.iter().zip(parts) {
            let one = fetch(&stage.gateway, &format!("/{path}/{account}"), out)?;
            let partial = one.header("portolan-partial").map_or(Json::Null, Json::text);
            let expected =
                Json::object([("account", Json::text(*account)), ("answer", one.json()?), ("partial", partial)]);
            let differences = part.differences(&expected).into_iter();
            wrong.extend(differences.map(|difference| format!("/{path}?accounts=, {account}: {difference}")));
        }
    }
    Ok(())
}

/// Checks an account's portfolio, and in each protocol the lists of positions that no chain has another question for.
fn positions(stage: &Stage, who: &str, out: &mut Output<'_>, wrong: &mut Vec<String>) -> Result<()> {
    let account = stage.world.address(who)?;
    let answer = fetch(&stage.gateway, &format!("/positions/{account}"), out)?.json()?;
    wrong.extend(portfolio::faults(&stage.world, who, &answer)?.into_iter().map(|fault| format!("{who}: {fault}")));
    for slug in stage.world.slugs()? {
        let debts = stage.world.answer(who, Question::Lending, &slug, Detail::Full)?;
        let owes = debts.iter().any(|row| row.text_at("side").is_ok_and(|side| side == "borrow"));
        for (list, is_filled) in [("borrowing", owes), ("pooling", false), ("locked", false)] {
            let path = format!("/{slug}/{list}/{account}/positions");
            let response = fetch(&stage.gateway, &path, out)?;
            if response.status != 200 || response.json()?.items()?.is_empty() == is_filled {
                wrong.push(format!("{path} is {}: {}", response.status, response.body));
            }
        }
    }
    Ok(())
}

/// The events of the transactions that the chains' builds did; how many.
fn events(stage: &Stage, out: &mut Output<'_>, wrong: &mut Vec<String>) -> Result<usize> {
    let mut reported = 0;
    for (chain, truth) in &stage.world.chains {
        for event in truth.events()? {
            let path = format!("/events/decode/{}?network={}", event.transaction(chain)?, truth.network);
            let faults = event.faults(truth, &fetch(&stage.gateway, &path, out)?.json()?)?;
            wrong.extend(faults.into_iter().map(|fault| format!("{}: {path}: {fault}", event.what)));
            reported += 1;
        }
    }
    Ok(reported)
}

/// A question about an account, and what must come back.
struct ExpectedAnswer {
    path: String,
    rows: Vec<Json>,
    pins: String,
    partial: Option<String>,
}

/// All that can be requested about an account: the aggregate, and each protocol's claimables, farming and lending, the
/// last in full too, as debts stand nowhere else.
fn questions(stage: &Stage, who: &str) -> Result<Vec<ExpectedAnswer>> {
    let world = &stage.world;
    let account = world.address(who)?;
    let mut requested = vec![ExpectedAnswer {
        path: format!("/claimables/{account}"),
        rows: world.claimables(who, None, Call::Aggregate)?,
        pins: world.pins(Question::Claimables, None)?,
        partial: world.partial(who, Question::Claimables, None)?,
    }];
    for slug in world.slugs()? {
        for question in Question::ALL {
            for detail in [Detail::Plain, Detail::Full] {
                if detail == Detail::Full && question != Question::Lending {
                    continue;
                }
                let query = if detail == Detail::Full { "?detail=full" } else { "" };
                requested.push(ExpectedAnswer {
                    path: format!("{}{query}", question.path(&slug, account)),
                    rows: world.answer(who, question, &slug, detail)?,
                    pins: world.pins(question, Some(&slug))?,
                    partial: world.partial(who, question, Some(&slug))?,
                });
            }
        }
    }
    Ok(requested)
}

/// The answers that no account changes.
fn facts(stage: &Stage, out: &mut Output<'_>, wrong: &mut Vec<String>) -> Result<()> {
    let networks = NETWORKS.map(|(slug, name, logo, _)| {
        Json::object([
            ("name", Json::text(name)),
            ("logo", Json::text(truth::network_logo(logo))),
            ("slug", Json::text(slug)),
        ])
    });
    let differences = fetch(&stage.gateway, "/networks", out)?.json()?.differences(&Json::Array(networks.to_vec()));
    wrong.extend(differences.into_iter().map(|difference| format!("/networks{difference}")));
    // Beside those of the chains there are all whose events are decoded.
    let protocols = fetch(&stage.gateway, "/protocols", out)?.json()?;
    for expected in stage.world.protocols()? {
        if !protocols.items()?.contains(&expected) {
            wrong.push(format!("/protocols is without {expected}"));
        }
    }
    let coverage = fetch(&stage.gateway, "/protocols/coverage", out)?.json()?;
    let covered: BTreeSet<[String; 4]> = coverage.items()?.iter().map(covered).collect::<Result<_>>()?;
    for question in Question::ALL {
        for Placed { slug, plugin, network } in stage.world.requested(question, None)? {
            let row = [slug, network, question.member().to_owned(), plugin.to_owned()];
            if !covered.contains(&row) {
                wrong.push(format!("/protocols/coverage is without {row:?}"));
            }
        }
    }
    let who = stage.world.address("farmer")?;
    let (own, base) = (stage.gateway.aggregate(&format!("/{who}"))?, stage.gateway.get(&format!("/claimables/{who}"))?);
    if own.body != base.body {
        wrong.push("the two addresses of the aggregate call differ".to_owned());
    }
    for path in ["/healthz", "/readyz", "/plugins"] {
        let response = stage.gateway.operate(path)?;
        out.answer(path, &response)?;
        if response.status != 200 {
            wrong.push(format!("{path} is {}", response.status));
        }
    }
    Ok(())
}

/// Protocol, network, question and plugin of a row of the coverage.
fn covered(row: &Json) -> Result<[String; 4]> {
    let text = |pointer| row.text_at(pointer).map(str::to_owned);
    Ok([text("protocol")?, text("network")?, text("question")?, text("plugin/name")?])
}

pub(super) fn fetch(gateway: &Gateway, path: &str, out: &mut Output<'_>) -> Result<Response> {
    let response = gateway.get(path)?;
    out.answer(path, &response)?;
    out.described(path, &response)?;
    Ok(response)
}

/// An account answer is about the pinned blocks of all networks that it reads, and misses nothing but what
/// cannot be known.
fn whole(requested: &ExpectedAnswer, response: &Response, wrong: &mut Vec<String>) -> Result<()> {
    let ExpectedAnswer { path, .. } = requested;
    if response.status != 200 {
        bail!("{path} is {}: {}", response.status, response.body);
    }
    for (header, expected) in
        [("portolan-partial", requested.partial.as_deref()), ("portolan-blocks", Some(requested.pins.as_str()))]
    {
        if response.header(header) != expected {
            wrong.push(format!("{path}: {header} is {:?}, expected {expected:?}", response.header(header)));
        }
    }
    Ok(())
}
