//! The positions of an account over 50 protocols of depth 3 on six distant networks, all kinds in one answer.
//!
//! Each protocol answers farming on every network, and claimables on one of them. An answer is cold where its gateway
//! knows its endpoints and nothing else, and warm where it has answered about another account before.

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
const NETWORKS: [(&str, u64); 6] =
    [("ethereum", 1), ("optimism", 10), ("smartchain", 56), ("polygon", 137), ("fantom", 250), ("avalanchex", 43_114)];
const COLD_BATCHES: u64 = 3;
const WARM_BATCHES: u64 = 1;
/// Two cores run 350 jobs for as long as a round trip takes, before the one batch leaves.
const WALL_MAX: f64 = 2.5;
const GATEWAYS: usize = 3;
const WARM_ROUNDS: usize = 9;
/// A protocol of the plugin that reads a native balance alone.
const IDLE: &str = "synthetic_idle";

/// The cost of an answer.
struct PositionsAnswer {
    wall_ms: f64,
    /// Requests with reads, on the network that took most of them.
    batches: u64,
    traffic: Tally,
    positions: usize,
    body_bytes: usize,
}

/// A gateway, and what it requests from each of its distant nodes.
struct SixNetworks {
    gateway: Gateway,
    counters: Vec<RpcFault>,
    // The gateway's endpoints; before the counters, so that what they count costs no round trip.
    _distant: Vec<Delay>,
}

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let prepared = prepare(TOKENS)?;
    let world = World::read(&prepared.world)?;
    let packages = [("portolan", "portolan"), ("portolan-synthetic", "libportolan_synthetic.so")];
    let built = build::release(&packages)?;
    let start = |(_, chain_id): &(&str, u64)| Node::start_as(&prepared, &world, *chain_id);
    let nodes = NETWORKS.iter().map(start).collect::<Result<Vec<_>>>()?;

    let mut empty = (1..).map(|number: u64| Address::left_padding_from(&number.to_be_bytes()));
    let mut holders = world.accounts.iter().copied();
    let (mut cold, mut warm, mut full_cold, mut full_warm) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..GATEWAYS {
        let mut without = || empty.next().context("no more accounts");
        let served = SixNetworks::start(&built, &nodes, without()?)?;
        cold.push(served.fetch(without()?)?);
        for _ in 0..WARM_ROUNDS {
            warm.push(served.fetch(without()?)?);
        }
        let mut with = || holders.next().context("no more accounts that hold something");
        let served = SixNetworks::start(&built, &nodes, without()?)?;
        full_cold.push(served.fetch(with()?)?);
        full_warm.push(served.fetch(with()?)?);
    }
    let (all, nothing) = (PROTOCOLS * NETWORKS.len(), cold.iter().chain(&warm));
    ensure!(nothing.into_iter().all(|answer| answer.positions == 0), "an account without positions has some");
    ensure!(full_cold.iter().chain(&full_warm).all(|answer| answer.positions == all), "not {all} positions");

    let heading = format!("Positions over {PROTOCOLS} protocols on {} networks at 50 ms", NETWORKS.len());
    let columns = [
        "answer",
        "batches",
        "requests",
        "bytes up",
        "bytes down",
        "bytes of the answer",
        "wall, ms",
        "wall : batches",
    ];
    begin(say, &heading, &columns);
    report(say, "cold, nothing found", &cold, Some(COLD_BATCHES), verdict);
    report(say, "warm, nothing found", &warm, Some(WARM_BATCHES), verdict);
    report(say, &format!("cold, {all} positions"), &full_cold, None, verdict);
    report(say, &format!("warm, {all} positions"), &full_warm, Some(WARM_BATCHES), verdict);
    Ok(())
}

fn report(say: Say<'_>, name: &str, answers: &[PositionsAnswer], batches: Option<u64>, verdict: &mut Verdict) {
    let of = |figure: fn(&PositionsAnswer) -> f64| number(median(answers.iter().map(figure)));
    let deepest = answers.iter().map(|answer| answer.batches).max().unwrap_or(0);
    let wall_ms = median(answers.iter().map(|answer| answer.wall_ms));
    let ratio = wall_ms / (float(deepest) * ms(ROUND_TRIP));
    let (batches, ratio) = match batches {
        Some(batches) => (
            verdict.exactly(&format!("batches of a network, {name}"), deepest, batches),
            verdict.at_most(Kind::Time, &format!("wall : batches × 50 ms, {name}"), ratio, WALL_MAX),
        ),
        None => (deepest.to_string(), number(ratio)),
    };
    let cells = [
        name.to_owned(),
        batches,
        of(|answer| float(answer.traffic.requests)),
        of(|answer| float(answer.traffic.up_bytes)),
        of(|answer| float(answer.traffic.down_bytes)),
        of(|answer| float(answer.body_bytes)),
        number(wall_ms),
        ratio,
    ];
    row(say, &cells);
}

impl SixNetworks {
    /// A gateway that has answered once, about a protocol that reads a balance on each network: its endpoints are probed
    /// and connected.
    fn start(built: &build::Built, nodes: &[Node], account: Address) -> Result<Self> {
        let dylib = built.plugin("libportolan_synthetic.so");
        let mut setup = Setup::default().host(&built.host()).plugin(&dylib, &[IDLE]);
        let (mut counters, mut distant) = (Vec::new(), Vec::new());
        for (node, (network, _)) in nodes.iter().zip(NETWORKS) {
            let counter = RpcFault::before(&node.url)?;
            let delay = Delay::before(&counter.url())?;
            setup = setup.rpc(network, &delay.url());
            counters.push(counter);
            distant.push(delay);
        }
        let served = Self { gateway: setup.start()?, counters, _distant: distant };
        served.request(account, &format!("include={IDLE}"))?;
        Ok(served)
    }

    fn fetch(&self, account: Address) -> Result<PositionsAnswer> {
        self.counters.iter().for_each(|counter| drop(counter.take()));
        let began = Instant::now();
        let body = self.request(account, &format!("exclude={IDLE}"))?;
        let wall_ms = ms(began.elapsed());
        let (mut traffic, mut batches) = (Tally::default(), 0);
        for counter in &self.counters {
            let tally = Tally::of(&counter.take())?;
            batches = batches.max(u64::try_from(tally.requests)?);
            traffic.requests += tally.requests;
            traffic.up_bytes += tally.up_bytes;
            traffic.down_bytes += tally.down_bytes;
        }
        let document: Value = serde_json::from_str(&body)?;
        let protocols = document["protocols"].as_array().context("no protocols")?;
        let counts = protocols.iter().filter_map(|protocol| protocol["positions"].as_array());
        let positions = counts.map(Vec::len).sum();
        Ok(PositionsAnswer { wall_ms, batches, traffic, positions, body_bytes: body.len() })
    }

    /// The body of an answer from which nothing is missing.
    fn request(&self, account: Address, query: &str) -> Result<String> {
        let response = self.gateway.get(&format!("/positions/{account:#x}?{query}"))?;
        ensure!(response.status == 200, "{}: {}", response.status, response.body);
        ensure!(response.header("portolan-partial").is_none(), "something is missing: {:?}", response.headers);
        Ok(response.body)
    }
}
