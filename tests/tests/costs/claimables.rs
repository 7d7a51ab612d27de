//! The cost of answers, counted at the RPC: one request for each batch of reads, however many plugins read; and next to
//! nothing the second time.
//!
//! The endpoints answer late here, as real ones do.

use std::collections::BTreeMap;
use std::time::Duration;

use portolan_tests::gateway::Gateway;
use portolan_tests::json::Json;
use portolan_tests::protocol::{PLUGINS, Plugin};
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::traffic::{LATE, TRIES, Traffic};
use portolan_tests::wait;
use portolan_tests::world::World;

use super::alone;

/// A protocol whose rewarder pays an amount that depends on what its chef owes: a second batch that nobody can save.
const TWO_STEPS: &str = "pangolin";

/// A fresh gateway whose requests are counted.
struct Counted<'a> {
    world: &'a World,
    gateway: Gateway,
    rpcs: Vec<RpcFault>,
}

/// The cost of an answer on each network, and the batches of each job by its own report.
#[derive(Debug)]
struct Cost {
    traffic: BTreeMap<String, Traffic>,
    batches: BTreeMap<String, usize>,
}

impl<'a> Counted<'a> {
    fn start(world: &'a World, plugins: &[Plugin]) -> Self {
        let rpcs: Vec<RpcFault> = world.chains.iter().map(|(chain, _)| RpcFault::before(&chain.url).unwrap()).collect();
        let named = world.chains.iter().zip(&rpcs);
        let setup = world.with(plugins).unwrap();
        let setup = named.fold(setup, |setup, ((_, truth), rpc)| setup.rpc(&truth.network, &rpc.url()));
        let gateway = setup.start().unwrap();
        rpcs.iter().for_each(|rpc| rpc.set(Fault::Late(LATE)));
        Self { world, gateway, rpcs }
    }

    fn fetch(&self, query: &str) -> Cost {
        self.rpcs.iter().for_each(|rpc| drop(rpc.take()));
        let path = format!("/claimables/{}?detail=full{query}", self.world.address("farmer").unwrap());
        let response = self.gateway.get(&path).unwrap();
        assert_eq!((response.status.as_u16(), response.header("portolan-partial")), (200, None), "{}", response.body);
        let named = self.world.chains.iter().zip(&self.rpcs);
        let traffic = named.map(|((_, truth), rpc)| (truth.network.clone(), Traffic::take(rpc).unwrap())).collect();
        Cost { traffic, batches: batches(&response.json().unwrap()) }
    }
}

impl Counted<'_> {
    /// Mines on every chain, and waits until answers are at the new blocks.
    fn next_block(&self) {
        let before = self.pinned();
        for (chain, _) in &self.world.chains {
            chain.rpc("evm_mine", serde_json::json!([])).unwrap();
        }
        let moved = || match self.pinned().iter().zip(&before).all(|(now, before)| now != before) {
            true => Ok(()),
            false => Err("some network is still at its old block"),
        };
        wait::until("the new blocks", Duration::from_secs(20), moved).unwrap();
    }

    /// By the header of an answer that needs no reads of its own.
    fn pinned(&self) -> Vec<String> {
        let path = format!("/claimables/{}", self.world.address("nothing").unwrap());
        let response = self.gateway.get(&path).unwrap();
        response.header("portolan-blocks").unwrap().split(", ").map(str::to_owned).collect()
    }
}

fn batches(answer: &Json) -> BTreeMap<String, usize> {
    let jobs = answer.at("report/jobs").unwrap().items().unwrap().iter();
    let name = |job: &Json| format!("{}/{}", job.text_at("protocol").unwrap(), job.text_at("network").unwrap());
    jobs.map(|job| (name(job), job.at("waves").unwrap().to_string().parse().unwrap())).collect()
}

#[test]
fn requests_do_not_grow_with_the_number_of_plugins() {
    let (_alone, world) = (alone(), World::start().unwrap());
    let parts: Vec<Cost> = PLUGINS.iter().map(|plugin| Counted::start(&world, &[*plugin]).fetch("")).collect();
    let mut open: BTreeMap<String, String> =
        world.chains.iter().map(|(_, truth)| (truth.network.clone(), String::new())).collect();
    for _ in 0..TRIES {
        let together = Counted::start(&world, &PLUGINS).fetch("");
        for (job, batches) in parts.iter().flat_map(|cost| &cost.batches) {
            assert!(
                together.batches[job] <= *batches,
                "{job}: {} batches among others, {batches} alone",
                together.batches[job]
            );
        }
        for (network, all) in &together.traffic {
            let own = parts.iter().map(|cost| cost.traffic[network]);
            let singles: usize = own.clone().map(|part| part.singles).sum();
            assert!(all.simulations <= 1, "all claims are tried at once on {network}: {all}");
            assert_eq!(all.singles, singles, "reads that cannot be joined, on {network}");
            let deepest = own.map(|part| part.chunks).max().unwrap();
            // Reads that burn all gas are found out by sending their batch in parts, and then go alone.
            let split = usize::from(all.singles > 0 && all.chunks > 0);
            if all.chunks <= deepest + split && open.remove(network).is_some() {
                println!("cold, all plugins, {network}: {all}");
            }
            let reported = format!("{network}: {all}, but at most {deepest} of many reads for any plugin alone");
            open.entry(network.clone()).and_modify(|last| *last = reported);
        }
        if open.is_empty() {
            return;
        }
    }
    panic!("{open:?}");
}

#[test]
fn a_moment_later_an_answer_costs_nothing_and_a_block_later_two_requests_for_reads_on_every_network() {
    let (_alone, world) = (alone(), World::start().unwrap());
    let counted = Counted::start(&world, &PLUGINS);
    let query = format!("&exclude={TWO_STEPS}");
    let first = counted.fetch(&query);
    let again = counted.fetch(&query);
    for (network, traffic) in &again.traffic {
        assert_eq!(traffic.requests(), traffic.heads, "{network}: {traffic}");
    }
    let mut open: BTreeMap<String, Traffic> =
        world.chains.iter().map(|(_, truth)| (truth.network.clone(), Traffic::default())).collect();
    for _ in 0..TRIES {
        counted.next_block();
        let second = counted.fetch(&query);
        for (network, traffic) in second.traffic {
            let first = first.traffic[&network];
            assert!(traffic.reads() * 2 < first.reads(), "{network}: {traffic}, the first time {first}");
            // Beside the trial: what the cache has of tokens is checked, and what the data of a claim costs can only be
            // asked when the claim is known.
            let chunks = 2 + usize::from(network == "optimism");
            let is_one = (traffic.chunks, traffic.singles, traffic.codes) == (chunks, 0, 0) && traffic.simulations <= 1;
            if is_one && open.remove(&network).is_some() {
                println!("warm, all plugins, {network}: {traffic}");
            }
            open.entry(network).and_modify(|last| *last = traffic);
        }
        if open.is_empty() {
            return;
        }
    }
    panic!("{open:?}");
}
