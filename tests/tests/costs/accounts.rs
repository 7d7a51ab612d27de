//! The cost of an answer about many accounts, counted at the endpoints, against answers about one after the other.

use std::fmt;
use std::time::{Duration, Instant};

use portolan_tests::gateway::Gateway;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::traffic::{TRIES, Traffic};
use portolan_tests::truth::ACCOUNTS;
use portolan_tests::world::World;

use super::alone;

/// The round trip to the endpoints.
const ROUND_TRIP: Duration = Duration::from_millis(50);
/// An unoptimized build takes longer than the usual limits.
const LIMITS: &str = "[answers]\ndeadline_ms = 60000\n[plugins.limits]\njob_ms = 60000\n";

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

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {:?}, {} B of answers", self.traffic, self.took, self.bytes)
    }
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

/// One answer about so many accounts, of a gateway that has answered nothing yet.
fn at_once(world: &World, path: &str, count: usize) -> Cost {
    Counted::start(world).fetch(&[format!("/{path}?accounts={}", accounts(world, count).join(","))])
}

#[test]
fn ten_accounts_cost_the_nodes_hardly_more_requests_than_one() {
    let (_alone, world) = (alone(), World::start().unwrap());
    let each: Vec<String> = accounts(&world, 10).iter().map(|account| format!("/claimables/{account}")).collect();
    let apart = Counted::start(&world).fetch(&each);
    println!("claimables of 10 accounts, one by one: {apart}");
    let one = at_once(&world, "claimables", 1);
    println!("claimables of 1 account: {one}");
    let mut last = None;
    for _ in 0..TRIES {
        let ten = at_once(&world, "claimables", 10);
        println!("claimables of 10 accounts: {ten}");
        assert_eq!(ten.traffic.reads(), apart.traffic.reads(), "what accounts share is read once");
        assert_eq!(ten.traffic.simulations, one.traffic.simulations, "all claims are tried together");
        // A request has room for what ten accounts read on a network. Reads that burn all gas are found out by sending
        // their batch in parts, and then go alone.
        let parts = ten.traffic.chunks.saturating_sub(ten.traffic.singles);
        if parts <= one.traffic.chunks + world.chains.len() {
            return;
        }
        last = Some(ten.traffic);
    }
    panic!("{last:?}, of which one account takes {:?}", one.traffic);
}
