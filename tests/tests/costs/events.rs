//! The cost of the events of a transaction, counted at the endpoint.
//!
//! It answers late here, as real ones do.

use portolan_tests::gateway::Gateway;
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::traffic::{LATE, TRIES};
use portolan_tests::world::World;

use super::{alone, method};

/// The transaction, what its logs need, and what is known only then.
const COLD_MAX: usize = 3;
/// Which block and which chain: read beside answers, however many there are.
const HEADS: [&str; 4] = ["eth_blockNumber", "eth_chainId", "eth_getBlockByNumber", "eth_getBlockByHash"];

/// Requests since the last look, without those that follow the head.
fn requests(endpoint: &RpcFault) -> Vec<String> {
    let requested = endpoint.take();
    let bodies = requested.iter().map(|exchange| std::str::from_utf8(&exchange.requested).unwrap());
    let is_head = |body: &str| {
        let request = Json::parse(body).unwrap();
        HEADS.contains(&method(&request))
    };
    bodies.filter(|body| !is_head(body)).map(|body| body.chars().take(200).collect()).collect()
}

/// A gateway that knows nothing of any transaction yet, but how the endpoint can be read, and its head.
fn fresh(world: &World, endpoint: &RpcFault) -> Gateway {
    endpoint.set(Fault::None);
    let gateway = world.with_all_plugins().unwrap().rpc("polygon", &endpoint.url()).start().unwrap();
    let nothing = gateway.get(&format!("/claimables/{}", world.address("nothing").unwrap())).unwrap();
    assert_eq!(nothing.status, 200, "{}", nothing.body);
    endpoint.set(Fault::Late(LATE));
    gateway
}

#[test]
fn a_transaction_costs_three_requests_at_most_and_one_when_it_is_requested_again() {
    let _alone = alone();
    let world = World::of(&["polygon"]).unwrap();
    let (chain, truth) = world.chain("polygon").unwrap();
    let endpoint = RpcFault::before(&chain.url).unwrap();
    let events = truth.events().unwrap();
    let mut open = vec!["swap", "liquidity removed", "claim"];
    let mut last = Vec::new();
    for _ in 0..TRIES {
        let gateway = fresh(&world, &endpoint);
        open.retain(|what| {
            let event = events.iter().find(|reported| reported.what == *what).unwrap();
            let path = format!("/events/decode/{}?network=polygon", event.transaction(chain).unwrap());
            drop(endpoint.take());
            let first = gateway.get(&path).unwrap();
            assert_eq!(first.status, 200, "{}", first.body);
            let cold = requests(&endpoint);
            assert!(!cold.is_empty(), "{what}: decoded without being read");
            assert_eq!(gateway.get(&path).unwrap().body, first.body);
            let warm = requests(&endpoint);
            assert!(warm.len() <= 1, "{what}, again: {warm:#?}");
            println!("{what}: {} requests cold, {} warm", cold.len(), warm.len());
            let is_over = cold.len() > COLD_MAX;
            if is_over {
                last = cold;
            }
            is_over
        });
        if open.is_empty() {
            return;
        }
    }
    panic!("{open:?}: {last:#?}");
}
