//! The cost of simulations and provenance in an answer: the claimables of accounts that have fifty claims, with and
//! without each, in turn on one gateway, before an endpoint with `eth_simulateV1` and before one that lacks it.
//!
//! Each answer is about another account, so that nothing of it is cached.

use std::time::Instant;

use alloy::primitives::Address;
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::Say;
use super::delay::Delay;
use super::meter::{Threads, median, ms};
use super::node::Node;
use super::table::{Verdict, begin, float, number, row};
use super::world::{World, prepare};
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::rpc_fault::{Flaws, RpcFault};

const TOKENS: usize = 5_000;
const NETWORK: &str = "polygon";
const CLAIMS: usize = 50;
const WARM_ROUNDS: usize = 1;
const ROUNDS: usize = 9;
/// A protocol of the plugin that reads a native balance alone.
const IDLE: &str = "synthetic_idle";

const ANSWERS: [(&str, &str); 4] = [
    ("plain, not tried", "simulate=false"),
    ("plain", ""),
    ("`detail=full`, not tried", "simulate=false&detail=full"),
    ("`detail=full`", "detail=full"),
];

/// The costs of several answers.
#[derive(Clone, Default)]
struct Costs {
    cpu_ms: Vec<f64>,
    wall_ms: Vec<f64>,
    bytes: Vec<f64>,
}

pub(super) fn run(say: Say<'_>, _: &mut Verdict) -> Result<()> {
    let prepared = prepare(TOKENS)?;
    let world = World::read(&prepared.world)?;
    let node = Node::start(&prepared, &world)?;
    let (whole, without) = (RpcFault::before(&node.url)?, RpcFault::before(&node.url)?);
    without.flawed(Flaws { lacks: &["eth_simulateV1"], ..Flaws::default() });
    let (distant, distant_without) = (Delay::before(&whole.url())?, Delay::before(&without.url())?);
    let built = build::release(&[("portolan", "portolan"), ("portolan-synthetic", "libportolan_synthetic.so")])?;
    let measure = |url: &str| -> Result<[Costs; ANSWERS.len()]> {
        let dylib = built.plugin("libportolan_synthetic.so");
        let gateway = Setup::default().host(&built.host()).plugin(&dylib, &[IDLE]).rpc(NETWORK, url).start()?;
        // One gateway does not know what another has learned of an account.
        let mut accounts = world.accounts.iter().copied();
        let mut costs: [Costs; ANSWERS.len()] = Default::default();
        for round in 0..WARM_ROUNDS + ROUNDS {
            for ((_, search), costs) in ANSWERS.iter().zip(&mut costs) {
                let account = accounts.next().context("fewer accounts than answers")?;
                fetch(&gateway, account, search, (round >= WARM_ROUNDS).then_some(costs))?;
            }
        }
        Ok(costs)
    };
    let (near, near_without) = (measure(&whole.url())?, measure(&without.url())?);
    let (far, far_without) = (measure(&distant.url())?, measure(&distant_without.url())?);

    let columns = [
        "answer",
        "processor time of the gateway, ms",
        "by `override`",
        "wall, loopback, ms",
        "by `override`",
        "wall, 50 ms, ms",
        "by `override`",
        "bytes",
    ];
    begin(say, &format!("Answers of {CLAIMS} claims"), &columns);
    let measured = near.into_iter().zip(near_without).zip(far.into_iter().zip(far_without));
    for ((name, _), ((near, near_without), (far, far_without))) in ANSWERS.iter().zip(measured) {
        let figures = [
            near.cpu_ms,
            near_without.cpu_ms,
            near.wall_ms,
            near_without.wall_ms,
            far.wall_ms,
            far_without.wall_ms,
            near.bytes,
        ];
        row(say, &[&[(*name).to_owned()][..], &figures.map(|figures| number(median(figures)))].concat());
    }
    Ok(())
}

fn fetch(gateway: &Gateway, account: Address, search: &str, costs: Option<&mut Costs>) -> Result<()> {
    let before = Threads::of(gateway.process())?;
    let began = Instant::now();
    let response = gateway.aggregate(&format!("/{account:#x}?exclude={IDLE}&{search}"))?;
    let (wall, cpu_ms) = (began.elapsed(), Threads::of(gateway.process())?.ms_since(&before));
    ensure!(response.status == 200, "{}: {}", response.status, response.body);
    let document: Value = serde_json::from_str(&response.body)?;
    let rows = document.as_array().or_else(|| document["items"].as_array()).context("no rows")?;
    ensure!(rows.len() == CLAIMS, "{} rows: {}", rows.len(), response.body);
    if let Some(costs) = costs {
        costs.cpu_ms.push(cpu_ms);
        costs.wall_ms.push(ms(wall));
        costs.bytes.push(float(response.body.len()));
    }
    Ok(())
}
