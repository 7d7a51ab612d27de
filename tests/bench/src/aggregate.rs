//! The aggregate call over 50 protocols of depth 3, the first two levels `Immutable`, on one distant network.
//!
//! A cold answer keeps nothing immutable yet; its gateway has answered once before, about another protocol, so that
//! the endpoint is probed and connected. The very first answer of a process is told apart.

use std::time::Instant;

use alloy::primitives::Address;
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::Say;
use super::delay::{Delay, ROUND_TRIP};
use super::meter::{median, ms};
use super::node::Node;
use super::table::{Kind, Verdict, begin, float, number, row};
use super::tally::Tally;
use super::world::{World, prepare};
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::rpc_fault::RpcFault;

const TOKENS: usize = 5_000;
const PROTOCOLS: usize = 50;
const NETWORK: &str = "polygon";
const COLD_BATCHES: u64 = 3;
const WARM_BATCHES: u64 = 1;
/// One request more tries all claims.
const TRIED_BATCHES: u64 = 2;
const WALL_MAX: f64 = 1.3;
const GATEWAYS: usize = 5;
const WARM_ROUNDS: usize = 9;
/// A protocol of the plugin that reads a native balance alone.
const IDLE: &str = "synthetic_idle";

/// The cost of an answer.
struct Answer {
    wall_ms: f64,
    /// Requests with reads: one for each flush, because no flush fills a request.
    batches: u64,
    found: usize,
    traffic: Tally,
}

struct AggregateStage {
    node: Node,
    built: build::Built,
}

/// A gateway, and what it requests from the distant node.
struct Served {
    gateway: Gateway,
    counter: RpcFault,
    // The gateway's endpoint; before the counter, so that what it counts costs no round trip.
    _distant: Delay,
}

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let prepared = prepare(TOKENS)?;
    let world = World::read(&prepared.world)?;
    let packages = [("portolan", "portolan"), ("portolan-synthetic", "libportolan_synthetic.so")];
    let stage = AggregateStage { node: Node::start(&prepared, &world)?, built: build::release(&packages)? };

    let mut strangers = (1..).map(|number: u64| Address::left_padding_from(&number.to_be_bytes()));
    let mut stranger = || strangers.next().context("no more strangers");
    let (mut first, mut cold, mut warm, mut finding, mut found_again, mut untried) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut accounts = world.accounts.iter().copied();
    for _ in 0..GATEWAYS {
        first.push(stage.serve()?.fetch(stranger()?, "")?);
        let served = stage.serve()?;
        served.fetch(stranger()?, &format!("&include={IDLE}"))?;
        cold.push(served.fetch(stranger()?, EXCLUDED)?);
        for _ in 0..WARM_ROUNDS {
            warm.push(served.fetch(stranger()?, EXCLUDED)?);
        }
        let finder = stage.serve()?;
        finder.fetch(stranger()?, &format!("&include={IDLE}"))?;
        let mut find = |more: &str| finder.fetch(accounts.next().context("fewer accounts than rounds")?, more);
        finding.push(find(EXCLUDED)?);
        found_again.push(find(EXCLUDED)?);
        untried.push(find(&format!("{EXCLUDED}&simulate=false"))?);
    }
    ensure!(cold.iter().chain(&warm).all(|answer| answer.found == 0), "a stranger was found something");
    ensure!(finding.iter().all(|answer| answer.found == PROTOCOLS), "not every protocol found what is earned");

    let columns = ["answer", "batches", "requests", "bytes up", "bytes down", "wall, ms", "wall : batches × 50 ms"];
    begin(say, &format!("Aggregate over {PROTOCOLS} protocols of depth 3 at 50 ms"), &columns);
    report(say, "the first of a process, with probe and pin", &first, None, verdict);
    report(say, "cold, nothing found", &cold, Some(COLD_BATCHES), verdict);
    report(say, "warm, nothing found", &warm, Some(WARM_BATCHES), verdict);
    report(say, "cold, all 50 find something", &finding, None, verdict);
    report(say, "warm, all 50 find something", &found_again, Some(TRIED_BATCHES), verdict);
    report(say, "the same with `simulate=false`", &untried, Some(WARM_BATCHES), verdict);
    let [without, with] = [&cold, &finding].map(|answers| median(answers.iter().map(|answer| answer.wall_ms)));
    let batches = (with - without) / ms(ROUND_TRIP);
    say(&format!(
        "\ntoken metadata of what was found, cold: {} ms more, {} batches",
        number(with - without),
        number(batches)
    ));
    Ok(())
}

const EXCLUDED: &str = "&exclude=synthetic_idle";

fn report(say: Say<'_>, name: &str, answers: &[Answer], batches: Option<u64>, verdict: &mut Verdict) {
    let most = |of: fn(&Answer) -> u64| answers.iter().map(of).max().unwrap_or(0);
    let deepest = most(|answer| answer.batches);
    let wall_ms = median(answers.iter().map(|answer| answer.wall_ms));
    let ratio = wall_ms / (float(deepest) * ms(ROUND_TRIP));
    let [requests, up, down] =
        [|tally: &Tally| tally.requests, |tally: &Tally| tally.up_bytes, |tally: &Tally| tally.down_bytes]
            .map(|of: fn(&Tally) -> usize| number(median(answers.iter().map(|answer| float(of(&answer.traffic))))));
    let (batches, ratio) = match batches {
        Some(batches) => (
            verdict.exactly(&format!("batches, {name}"), deepest, batches),
            verdict.at_most(Kind::Time, &format!("wall : batches × 50 ms, {name}"), ratio, WALL_MAX),
        ),
        None => (deepest.to_string(), number(ratio)),
    };
    row(say, &[name.to_owned(), batches, requests, up, down, number(wall_ms), ratio]);
}

impl AggregateStage {
    fn serve(&self) -> Result<Served> {
        let counter = RpcFault::before(&self.node.url)?;
        let distant = Delay::before(&counter.url())?;
        let dylib = self.built.plugin("libportolan_synthetic.so");
        let setup = Setup::default().host(&self.built.host()).plugin(&dylib, &[IDLE]).rpc(NETWORK, &distant.url());
        Ok(Served { gateway: setup.start()?, counter, _distant: distant })
    }
}

impl Served {
    fn fetch(&self, account: Address, more: &str) -> Result<Answer> {
        self.counter.take();
        let began = Instant::now();
        let response = self.gateway.aggregate(&format!("/{account:#x}?detail=full{more}"))?;
        let wall_ms = ms(began.elapsed());
        let traffic = Tally::of(&self.counter.take())?;
        ensure!(response.status == 200, "{}: {}", response.status, response.body);
        ensure!(response.header("portolan-partial").is_none(), "something is missing: {:?}", response.headers);
        let document: Value = serde_json::from_str(&response.body)?;
        let batches = u64::try_from(traffic.requests)?;
        let found = document["items"].as_array().context("no items")?.len();
        Ok(Answer { wall_ms, batches, found, traffic })
    }
}
