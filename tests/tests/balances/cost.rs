//! What token balances cost, counted at the endpoints.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::truth::Truth;
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Of one network: the scan, what tokens are called, what they are worth.
const REQUESTS_MAX: usize = 3;
/// Which block and which chain: asked beside answers, however many there are.
const HEADS: [&str; 3] = ["eth_blockNumber", "eth_chainId", "eth_getBlockByNumber"];
/// From one block to the next.
const BLOCK_S: u64 = 2;
const NEXT_BLOCK_WITHIN: Duration = Duration::from_secs(20);

/// Requests that read, with the bytes of their bodies.
#[derive(Debug, Default)]
struct Cost {
    requests: usize,
    sent_bytes: usize,
    received_bytes: usize,
}

impl Cost {
    fn take(rpc: &RpcFault) -> Self {
        let mut cost = Self::default();
        for exchange in rpc.take() {
            let request = Json::parse(std::str::from_utf8(&exchange.asked).unwrap()).unwrap();
            if !HEADS.contains(&request.text_at("method").unwrap()) {
                cost.requests += 1;
                cost.sent_bytes += exchange.asked.len();
                cost.received_bytes += exchange.answered;
            }
        }
        cost
    }
}

struct Counted {
    world: World,
    gateway: Gateway,
    rpcs: Vec<RpcFault>,
    _lists: TempDir,
}

impl Counted {
    /// A gateway with the chains' lists without the tokens for which `left_out` holds.
    fn start(left_out: impl Fn(&Truth, &str) -> bool) -> Self {
        let world = World::listed().unwrap();
        let lists = tempfile::tempdir().unwrap();
        let mut setup = Setup::default();
        let mut files = Vec::new();
        let rpcs: Vec<RpcFault> = world.chains.iter().map(|(chain, _)| RpcFault::before(&chain.url).unwrap()).collect();
        for ((chain, truth), rpc) in world.chains.iter().zip(&rpcs) {
            let mut list: Value =
                serde_json::from_slice(&fs::read(chain.token_list().unwrap().unwrap()).unwrap()).unwrap();
            let tokens = list["tokens"].as_array_mut().unwrap();
            tokens.retain(|token| !left_out(truth, &token["address"].as_str().unwrap().to_lowercase()));
            let file = lists.path().join(&truth.network);
            fs::write(&file, list.to_string()).unwrap();
            files.push(file);
            setup = setup.rpc(&truth.network, &rpc.url());
        }
        let setup = setup.config(&format!("[tokens]\nshipped = false\nlists = {files:?}"));
        Self { gateway: setup.start().unwrap(), world, rpcs, _lists: lists }
    }

    fn ask(&self, who: &str) -> BTreeMap<String, Cost> {
        self.rpcs.iter().for_each(|rpc| drop(rpc.take()));
        let path = format!("/balance/{}/token-balances", self.world.address(who).unwrap());
        let response = self.gateway.get(&path).unwrap();
        let rows: usize = self.truths().map(|truth| truth.held(who).unwrap().len()).sum();
        assert_eq!(response.json().unwrap().items().unwrap().len(), rows, "{}", response.body);
        self.truths().zip(&self.rpcs).map(|(truth, rpc)| (truth.network.clone(), Cost::take(rpc))).collect()
    }

    fn truths(&self) -> impl Iterator<Item = &Truth> {
        self.world.chains.iter().map(|(_, truth)| truth)
    }

    /// Mines on every chain, and waits until answers are at the new blocks.
    fn next_block(&self, number: u64) {
        let pins = || {
            let path = format!("/{}/native-balance", self.world.address("nothing").unwrap());
            self.gateway.get(&path).unwrap().header("portolan-blocks").unwrap().to_owned()
        };
        let before = pins();
        for (chain, _) in &self.world.chains {
            let at = chain.block_timestamp + number * BLOCK_S;
            chain.rpc("evm_setNextBlockTimestamp", json!([at])).unwrap();
            chain.rpc("evm_mine", json!([])).unwrap();
        }
        let moved = || match pins().split(", ").zip(before.split(", ")).all(|(now, before)| now != before) {
            true => Ok(()),
            false => Err("some network is still at its old block"),
        };
        wait::until("the new blocks", NEXT_BLOCK_WITHIN, moved).unwrap();
    }

    /// The most requests that `who` costs on a network a block after an answer about the same account.
    fn warm(&self, who: &str) -> usize {
        for (network, cost) in self.ask(who) {
            println!("{who}, cold, {network}: {cost:?}");
        }
        self.next_block(1);
        let costs = self.ask(who);
        for (network, cost) in &costs {
            println!("{who}, warm, {network}: {cost:?}");
        }
        costs.values().map(|cost| cost.requests).max().unwrap()
    }
}

#[test]
fn balances_of_five_thousand_tokens_cost_at_most_three_requests_of_a_network() {
    let counted = Counted::start(|truth, token| truth.failed_tokens().unwrap().contains(&token));
    let requests = counted.warm("whale");
    assert!((1..=REQUESTS_MAX).contains(&requests), "{requests} requests");
}

#[test]
fn a_token_that_burns_all_gas_costs_one_request_more() {
    let counted = Counted::start(|_, _| false);
    let requests = counted.warm("whale");
    assert!((1..=REQUESTS_MAX + 1).contains(&requests), "{requests} requests");
}
