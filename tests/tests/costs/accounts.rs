//! The cost of an answer about many accounts, counted at the endpoints, against answers about one after the other.

use std::time::{Duration, Instant};

use portolan_tests::gateway::Gateway;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::traffic::Traffic;
use portolan_tests::truth::ACCOUNTS;
use portolan_tests::world::World;

use super::alone;

/// The round trip to the endpoints.
const ROUND_TRIP: Duration = Duration::from_millis(50);
/// An unoptimized build takes longer than the usual limits.
const LIMITS: &str = "[answers]\ndeadline_ms = 60000\n[plugins.limits]\njob_ms = 60000\n";
const PATHS: [&str; 2] = ["claimables", "positions"];
const COUNTS: [usize; 3] = [1, 10, 100];

/// A gateway with all plugins, whose requests are counted.
struct Counted {
    gateway: Gateway,
    rpcs: Vec<RpcFault>,
}

/// The cost of answers on all networks.
struct Cost {
    traffic: Traffic,
    took: Duration,
    bytes: usize,
}

impl Counted {
    /// Starts a gateway that has answered nothing yet.
    fn start(world: &World) -> Self {
        let rpcs: Vec<RpcFault> = world.chains.iter().map(|(chain, _)| RpcFault::before(&chain.url).unwrap()).collect();
        let named = world.chains.iter().zip(&rpcs);
        let setup = world.without_endpoints().unwrap().config(LIMITS);
        let setup = named.fold(setup, |setup, ((_, truth), rpc)| setup.rpc(&truth.network, &rpc.url()));
        let gateway = setup.start().unwrap();
        rpcs.iter().for_each(|rpc| rpc.set(Fault::Late(ROUND_TRIP)));
        Self { gateway, rpcs }
    }

    fn fetch(&self, paths: &[String]) -> Cost {
        self.rpcs.iter().for_each(|rpc| drop(rpc.take()));
        let began = Instant::now();
        let responses: Vec<_> = paths.iter().map(|path| self.gateway.get(path).unwrap()).collect();
        let took = began.elapsed();
        for (path, response) in paths.iter().zip(&responses) {
            assert_eq!(response.status, 200, "{path}: {}", response.body);
            let partial = response.header("portolan-partial").unwrap_or_default();
            assert!(!partial.contains("timeout") && !partial.contains("over-budget"), "{path}: {partial}");
        }
        let traffic = self.rpcs.iter().map(|rpc| Traffic::take(rpc).unwrap()).sum();
        Cost { traffic, took, bytes: responses.iter().map(|response| response.body.len()).sum() }
    }
}

/// All accounts of the chains, and then some that have nothing.
fn accounts(world: &World, count: usize) -> Vec<String> {
    let known = ACCOUNTS.iter().map(|who| world.address(who).unwrap().to_owned());
    known.chain((1..).map(|number: u64| format!("0x{number:0>40x}"))).take(count).collect()
}

#[test]
fn many_accounts_cost_the_nodes_hardly_more_requests_than_one() {
    let (_alone, world) = (alone(), World::start().unwrap());
    for path in PATHS {
        let mut one = None;
        for count in COUNTS {
            let accounts = accounts(&world, count);
            let counted = Counted::start(&world);
            let at_once = counted.fetch(&[format!("/{path}?accounts={}", accounts.join(","))]);
            let peak = counted.gateway.memory_peak_mib().unwrap();
            let each: Vec<String> = accounts.iter().map(|account| format!("/{path}/{account}")).collect();
            let apart = Counted::start(&world).fetch(&each);
            println!(
                "{path}, {count} at once: {}, {:?}, {} B, peak {peak:.0} MiB",
                at_once.traffic, at_once.took, at_once.bytes
            );
            println!("{path}, {count} one by one: {}, {:?}, {} B", apart.traffic, apart.took, apart.bytes);
            one.get_or_insert(at_once.traffic.requests());
        }
    }
}
