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
    /// Peak memory of the gateway.
    peak_mib: f64,
}

/// Costs of answers about the same accounts.
struct Measured {
    /// All in one answer.
    at_once: Cost,
    apart: Cost,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {:?}, {} B of answers, at most {:.0} MiB", self.traffic, self.took, self.bytes, self.peak_mib)
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
        let peak_mib = self.gateway.memory_peak_mib().unwrap();
        let traffic = self.rpcs.iter().map(|rpc| Traffic::take(rpc).unwrap()).sum();
        Cost { traffic, took, peak_mib, bytes: responses.iter().map(|response| response.body.len()).sum() }
    }
}

/// All accounts of the chains, and then some that have nothing.
fn accounts(world: &World, count: usize) -> Vec<String> {
    let known = ACCOUNTS.iter().map(|who| world.address(who).unwrap().to_owned());
    known.chain((1..).map(|number: u64| format!("0x{number:0>40x}"))).take(count).collect()
}

impl Measured {
    /// Fetches answers about so many accounts, each way from a gateway that has answered nothing yet.
    fn of(world: &World, path: &str, count: usize) -> Self {
        let accounts = accounts(world, count);
        let each: Vec<String> = accounts.iter().map(|account| format!("/{path}/{account}")).collect();
        let measured = Self { at_once: at_once(world, path, count), apart: Counted::start(world).fetch(&each) };
        println!("{path} of {count}, at once: {}", measured.at_once);
        println!("{path} of {count}, one by one: {}", measured.apart);
        measured
    }
}

/// One answer about so many accounts, of a gateway that has answered nothing yet.
fn at_once(world: &World, path: &str, count: usize) -> Cost {
    Counted::start(world).fetch(&[format!("/{path}?accounts={}", accounts(world, count).join(","))])
}

#[test]
fn many_accounts_cost_the_nodes_hardly_more_requests_than_one() {
    let (_alone, world) = (alone(), World::start().unwrap());
    let [one, ten, hundred] = [1, 10, 100].map(|count| Measured::of(&world, "claimables", count));
    for Measured { at_once, apart } in [&one, &ten, &hundred] {
        assert_eq!(at_once.traffic.reads(), apart.traffic.reads(), "what accounts share is read once");
        assert_eq!(at_once.traffic.simulations, one.at_once.traffic.simulations, "all claims are tried together");
    }
    let (at_once_of_all, apart) = (hundred.at_once.traffic.requests(), hundred.apart.traffic.requests());
    assert!(at_once_of_all * 2 < apart, "{at_once_of_all} requests for all at once, {apart} one by one");
    // A request has room for what ten accounts read on a network. Reads that burn all gas are found out by sending
    // their batch in parts, and then go alone.
    let is_hardly_more =
        |Traffic { chunks, singles, .. }: Traffic| chunks <= one.at_once.traffic.chunks + singles + world.chains.len();
    let mut last = ten.at_once.traffic;
    for _ in 0..TRIES {
        if is_hardly_more(last) {
            return;
        }
        last = at_once(&world, "claimables", 10).traffic;
    }
    panic!("{last}, of which one account takes {}", one.at_once.traffic);
}
