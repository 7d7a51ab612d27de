//! The cost of token balances, counted at the endpoints.

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

use super::{alone, method};

/// The requests of one network: two parts of the scan, as each fits into the gas of a block, and what has to be priced
/// anew.
const REQUESTS_MAX: usize = 3;
/// Which block and which chain: read beside answers, however many there are.
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
            let request = Json::parse(std::str::from_utf8(&exchange.requested).unwrap()).unwrap();
            if !HEADS.contains(&method(&request)) {
                cost.requests += 1;
                cost.sent_bytes += exchange.requested.len();
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
    /// A gateway with what the chains' lists say, without some tokens.
    fn start(left_out: impl Fn(&Truth) -> Vec<&str>) -> Self {
        let world = World::listed().unwrap();
        let lists = tempfile::tempdir().unwrap();
        let (mut setup, mut files, mut rpcs) = (Setup::default(), Vec::new(), Vec::new());
        for (chain, truth) in &world.chains {
            let list = fs::read(chain.token_list().unwrap().unwrap()).unwrap();
            let mut list: Value = serde_json::from_slice(&list).unwrap();
            let left_out = left_out(truth);
            let stays = |token: &Value| !left_out.contains(&token["address"].as_str().unwrap().to_lowercase().as_str());
            list["tokens"].as_array_mut().unwrap().retain(stays);
            files.push(lists.path().join(&truth.network));
            fs::write(files.last().unwrap(), list.to_string()).unwrap();
            rpcs.push(RpcFault::before(&chain.url).unwrap());
            setup = setup.rpc(&truth.network, &rpcs.last().unwrap().url());
        }
        let setup = setup.config(&format!("[tokens]\nshipped = false\nlists = {files:?}"));
        Self { gateway: setup.start().unwrap(), world, rpcs, _lists: lists }
    }

    fn fetch(&self, who: &str) -> BTreeMap<String, Cost> {
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
}

/// Besides plain tokens it holds shares of a pair and of a vault, and a wrapped native token.
const HOLDER: &str = "farmer";

#[test]
fn balances_of_five_thousand_tokens_cost_at_most_three_requests_of_a_network_warm() {
    let _alone = alone();
    let counted = Counted::start(|truth| truth.failed_tokens().unwrap());
    for (network, cost) in counted.fetch(HOLDER) {
        println!("cold, {network}: {cost:?}");
    }
    counted.next_block(1);
    for (network, cost) in counted.fetch(HOLDER) {
        println!("a block later, {network}: {cost:?}");
        assert!((1..=REQUESTS_MAX).contains(&cost.requests), "{network}: {cost:?}");
    }
}

#[test]
fn a_token_that_burns_all_gas_costs_one_request_more() {
    let _alone = alone();
    let counted = Counted::start(|_| Vec::new());
    counted.fetch(HOLDER);
    counted.next_block(1);
    for (network, cost) in counted.fetch(HOLDER) {
        assert!((1..=REQUESTS_MAX + 1).contains(&cost.requests), "{network}: {cost:?}");
    }
}
