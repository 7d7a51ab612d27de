//! Replicas behind a balancer, with a store that they share: what they cost the nodes, what failures of each part do to
//! answers, how a further replica starts, and what a noisy client does to others.
//!
//! The chains are those of the demo, with a block every two seconds and 50 ms away from each replica; the store, the
//! balancer and its configuration are those that operators have. Answers are compared with those of one gateway that has
//! neither.

mod balancer;
mod capacity;
mod clock;
mod faults;
mod noise;
mod replica;
mod start;
mod traffic;

use std::time::Duration;

use anyhow::{Context as _, Result};
use portolan_tests::gateway::Gateway;
use portolan_tests::redis::Redis;
use portolan_tests::world::World;
use serde_json::json;

use self::balancer::Balancer;
use self::clock::Clock;
use self::replica::{Replica, each};
use self::traffic::{Load, Mix, Rate};
use super::Say;
use super::meter::Threads;
use super::table::{Kind, Verdict, begin, number, row};

/// Seconds between two blocks.
const BLOCK_S: u64 = 2;
const REPLICAS: usize = 3;
const WARM_UP: Rate = Rate { per_second: 4, time: Duration::from_secs(6) };
const RATE: Rate = Rate { per_second: 10, time: Duration::from_secs(60) };
/// Requests to nodes, with a shared store and of one gateway.
const REQUESTS_RATIO_MAX: f64 = 1.1;
const ADDED_P50_MS_MAX: f64 = 0.5;
/// Failed and different answers that are shown.
const SHOWN: usize = 3;

/// The chains, and what is requested of them.
pub(super) struct FleetStage {
    world: World,
    mix: Mix,
    reference: Gateway,
}

/// Gateways behind a balancer.
struct Fleet {
    // Before the gateways, which it asks for their health.
    balancer: Balancer,
    replicas: Vec<Replica>,
}

/// What a load cost.
struct LoadCost {
    load: Load,
    requests: usize,
    cpu_ms: f64,
}

impl FleetStage {
    pub(super) fn start() -> Result<Self> {
        let world = World::start()?;
        for (chain, _) in &world.chains {
            chain.settle()?;
            chain.rpc("evm_setIntervalMining", json!([BLOCK_S]))?;
        }
        let (mix, reference) = (Mix::of(&world)?, replica::reference(&world)?);
        Ok(Self { world, mix, reference })
    }
}

impl Fleet {
    fn start(stage: &FleetStage, replicas: usize, store: Option<&str>) -> Result<Self> {
        Self::start_by(None, stage, replicas, store)
    }

    /// The same, of which the first goes by this clock if there is one.
    fn start_by(clock: Option<&Clock>, stage: &FleetStage, replicas: usize, store: Option<&str>) -> Result<Self> {
        let clocks = std::iter::once(clock).chain(std::iter::repeat(None));
        let replicas: Vec<Replica> = clocks
            .take(replicas)
            .map(|clock| Replica::start_by(clock, &stage.world, store, ""))
            .collect::<Result<_>>()?;
        let gateways: Vec<&Gateway> = replicas.iter().map(|replica| &replica.gateway).collect();
        Ok(Self { balancer: Balancer::before(&gateways)?, replicas })
    }

    fn requests(&self) -> usize {
        self.replicas.iter().map(Replica::requests).sum()
    }

    fn threads(&self) -> Result<Vec<Threads>> {
        self.replicas.iter().map(Replica::threads).collect()
    }

    /// Sends a load after a shorter one, and counts what it costs.
    fn load(&self, stage: &FleetStage) -> Result<LoadCost> {
        traffic::send(self.balancer.base, &stage.mix, WARM_UP, |_| Ok(()))?;
        let (requests, threads) = (self.requests(), self.threads()?);
        let load = traffic::send(self.balancer.base, &stage.mix, RATE, |_| Ok(()))?;
        let cpu_ms = self.threads()?.iter().zip(&threads).map(|(now, before)| now.ms_since(before)).sum();
        Ok(LoadCost { load, requests: self.requests() - requests, cpu_ms })
    }
}

fn store() -> Result<Redis> {
    Redis::start(&[])?.context("redis-server is not installed; a package of Debian has it")
}

/// Compares three replicas, with a store and without one, with one gateway.
pub(super) fn replicas(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let stage = FleetStage::start()?;
    let title = format!("{} requests a second for {} s, behind a balancer", RATE.per_second, RATE.time.as_secs());
    begin(
        say,
        &title,
        &[
            "gateways",
            "answers",
            "failed",
            "partial",
            "different from the reference",
            "requests to nodes",
            "of one gateway's",
            "processor time of an answer, ms",
            "p50, ms",
            "p99, ms",
            "blocks that went back",
        ],
    );
    let store = store()?;
    let url = store.url();
    let mut one: Option<(f64, f64)> = None;
    for (name, count, store) in
        [("one", 1, None), ("three", REPLICAS, None), ("three with a store", REPLICAS, Some(url.as_str()))]
    {
        let fleet = Fleet::start(&stage, count, store)?;
        let LoadCost { load, requests, cpu_ms } = fleet.load(&stage)?;
        let requests = super::table::float(requests);
        let (one_requests, one_p50) = *one.get_or_insert((requests, load.percentile(50)));
        let (ratio, added) = (requests / one_requests, load.percentile(50) - one_p50);
        let mut p50 = number(load.percentile(50));
        let ratio = if store.is_some() {
            p50 += ", ";
            p50 += &verdict.at_most(Kind::Time, "p50 added by the store, ms", added, ADDED_P50_MS_MAX);
            verdict.at_most(Kind::Aim, "requests to nodes, of one gateway's", ratio, REQUESTS_RATIO_MAX)
        } else {
            number(ratio)
        };
        let [failed, different] = check(say, verdict, name, &stage, &load)?;
        let (back, looks) = load.backwards;
        let cells = [
            name.to_owned(),
            load.answered().to_string(),
            failed,
            load.partial().to_string(),
            different,
            number(requests),
            ratio,
            number(each(cpu_ms, load.answered())),
            p50,
            number(load.percentile(99)),
            format!("{back} of {looks}"),
        ];
        row(say, &cells);
    }
    Ok(())
}

/// Requires that all requests are answered, and that answers are those of the reference; returns the cells.
fn check(say: Say<'_>, verdict: &mut Verdict, name: &str, stage: &FleetStage, load: &Load) -> Result<[String; 2]> {
    let failed: Vec<String> = load.failed().collect();
    let (compared, different) = load.differences(&stage.reference)?;
    for line in failed.iter().take(SHOWN).chain(different.iter().take(SHOWN)) {
        say(line);
    }
    let failed = verdict.exactly(&format!("failed, {name}"), u64::try_from(failed.len())?, 0);
    let different = verdict.exactly(&format!("different, {name}"), u64::try_from(different.len())?, 0);
    Ok([failed, format!("{different} of {compared}")])
}

pub(super) use self::capacity::{inputs, run as capacity};
pub(super) use self::faults::run as faults;
pub(super) use self::noise::run as noise;
pub(super) use self::start::run as start;
