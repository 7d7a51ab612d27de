//! What a visitor of the explorer waits for: a real Chromium opens the page of an account that has everything, on the demo's
//! four networks, until the first row and until all of it is there.
//!
//! A visit is cold where it is the first of its browser and of its gateway, which has found out about its endpoints and has
//! read nothing else. It is warm where both hold what the visit before brought.

use anyhow::{Context as _, Result};
use portolan_tests::browser::Browser;
use portolan_tests::build::{self, Built};
use portolan_tests::explorer;
use portolan_tests::world::World;
use serde_json::{Value, json};

use super::Say;
use super::delay::Delay;
use super::meter::median;
use super::table::{Kind, Verdict, begin, number, row};

const WHO: &str = "farmer";
const GATEWAYS: usize = 5;
/// The visits to each gateway, of which the first is cold.
const VISITS: usize = 6;
/// The bound is that of all files as they are sent, compressed.
const PAGE_BYTES_MAX: f64 = 150_000.0;

const COLUMNS: [&str; 6] =
    ["nodes", "visit", "first row, ms", "whole account, ms", "bytes of the page", "bytes of answers"];

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let Some(browser) = Browser::installed()? else {
        say("explorer: skipped, because chromium is not installed");
        return Ok(());
    };
    begin(say, "The explorer, an account with everything on four networks", &COLUMNS);
    let built = build::built_alike()?;
    let world = World::start()?;
    for (nodes, is_distant) in [("on loopback", false), ("at 50 ms", true)] {
        let (mut cold, mut warm) = (Vec::new(), Vec::new());
        for _ in 0..GATEWAYS {
            let mut visits = visits(&browser, &built, &world, is_distant)?.into_iter();
            cold.extend(visits.next());
            warm.extend(visits);
        }
        report(say, verdict, [nodes, "cold"], &cold);
        report(say, verdict, [nodes, "warm"], &warm);
    }
    Ok(())
}

/// Visits to a gateway of its own.
fn visits(browser: &Browser, built: &Built, world: &World, is_distant: bool) -> Result<Vec<Value>> {
    let distant = |url: &str| is_distant.then(|| Delay::before(url)).transpose();
    let distances = world.chains.iter().map(|(chain, _)| distant(&chain.url)).collect::<Result<Vec<_>>>()?;
    let setup = world.with_all_built(built)?.host(&built.host());
    let setup = world.chains.iter().zip(&distances).fold(setup, |setup, ((chain, truth), delay)| {
        setup.rpc(&truth.network, &delay.as_ref().map_or_else(|| chain.url.clone(), Delay::url))
    });
    let gateway = setup.arg("--explorer").arg(explorer::built()?.to_string_lossy()).start()?;
    let expected = json!({"account": world.address(WHO)?, "visits": VISITS});
    let stage = json!({"base": format!("http://{}", gateway.base), "expected": expected});
    let printed = browser.run("measure.mjs", stage)?;
    printed.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
}

fn report(say: Say<'_>, verdict: &mut Verdict, [nodes, visit]: [&str; 2], visits: &[Value]) {
    // A figure that is not there meets no bound.
    let of = |figure: &str| median(visits.iter().map(|visit| visit[figure].as_f64().unwrap_or(f64::NAN)));
    let page = verdict.at_most(Kind::Count, &format!("bytes of the page, {visit}"), of("pageBytes"), PAGE_BYTES_MAX);
    let cells = [
        nodes.to_owned(),
        visit.to_owned(),
        number(of("firstRowMs")),
        number(of("wholeMs")),
        page,
        number(of("answerBytes")),
    ];
    row(say, &cells);
}
