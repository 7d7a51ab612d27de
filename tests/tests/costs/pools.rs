//! A chef with 600 pools and an account with stakes in three of them: what the answer costs, cold and warm.

use portolan_tests::chain::Chain;
use portolan_tests::json::Json;
use portolan_tests::protocol::{PLUGINS, Question};
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::traffic::{LATE, Traffic};
use portolan_tests::world::World;
use serde_json::json;

use super::alone;

const POOLS: usize = 600;
const STAKES: usize = 3;
/// Where the third stake is; the other two are those of the chain's build.
const THIRD: usize = 400;
const SLUG: &str = "harbourswap";
const NETWORK: &str = "fantom";
/// For all additions in one block.
const BLOCK_GAS: &str = "0x4a817c800"; // 20,000,000,000
const CALL_GAS: &str = "0x1e8480"; // 2,000,000
const PURSE: &str = "0xde0b6b3a7640000000"; // 4,096 ether

/// Selectors of the chef and of its pools' tokens.
const POOL_LENGTH: &str = "0x081e3eda";
const POOL_INFO: &str = "0x1526fe27";
const ADD: &str = "0x1eaaa045";
const DEPOSIT: &str = "0xe2bbb158";
const OWNER: &str = "0x8da5cb5b";
const MINT: &str = "0x40c10f19";
const APPROVE: &str = "0x095ea7b3";

fn word(value: impl std::fmt::LowerHex) -> String {
    format!("{value:064x}")
}

fn padded(address: &str) -> String {
    format!("{:0>64}", &address[2..])
}

fn call(chain: &Chain, to: &str, data: &str) -> String {
    let answer = chain.rpc("eth_call", json!([{"to": to, "data": data}, "latest"])).unwrap();
    answer.as_str().unwrap().to_owned()
}

fn number(chain: &Chain, to: &str, data: &str) -> usize {
    usize::from_str_radix(&call(chain, to, data)[2..], 16).unwrap()
}

/// The address in a word of an answer.
fn address(answer: &str, place: usize) -> String {
    format!("0x{}", &answer[2 + place * 64 + 24..2 + (place + 1) * 64])
}

/// Sends transactions as `from`, all in one block of the latest one's time.
fn send_all(chain: &Chain, from: &str, calls: impl Iterator<Item = (String, String)>) {
    let rpc = |method: &str, params| chain.rpc(method, params).unwrap();
    rpc("anvil_setBalance", json!([from, PURSE]));
    rpc("anvil_impersonateAccount", json!([from]));
    rpc("evm_setNextBlockTimestamp", json!([chain.block_timestamp]));
    let sent: Vec<_> = calls
        .map(|(to, data)| rpc("eth_sendTransaction", json!([{"from": from, "to": to, "data": data, "gas": CALL_GAS}])))
        .collect();
    rpc("evm_mine", json!([]));
    for hash in sent {
        assert_eq!(rpc("eth_getTransactionReceipt", json!([hash]))["status"], "0x1");
    }
}

/// Pools of the tokens that the chef has pools of already; nobody but the farmer, in one, has anything in them.
fn grow(chain: &Chain, chef: &str, farmer: &str) {
    chain.rpc("evm_setBlockGasLimit", json!([BLOCK_GAS])).unwrap();
    let first = number(chain, chef, POOL_LENGTH);
    let token = |pid: usize| address(&call(chain, chef, &format!("{POOL_INFO}{}", word(pid))), 0);
    let tokens: Vec<String> = (0..first).map(token).collect();
    let add = |pid: usize| {
        let data = format!("{ADD}{}{}{}", word(1), padded(&tokens[pid % first]), word(0));
        (chef.to_owned(), data)
    };
    send_all(chain, &address(&call(chain, chef, OWNER), 0), (first..POOLS).map(add));
    assert_eq!(number(chain, chef, POOL_LENGTH), POOLS);
    let (staked, amount) = (&tokens[THIRD % first], word(10_u128.pow(18)));
    let steps = [
        (staked.clone(), format!("{MINT}{}{amount}", padded(farmer))),
        (staked.clone(), format!("{APPROVE}{}{amount}", padded(chef))),
        (chef.to_owned(), format!("{DEPOSIT}{}{amount}", word(THIRD))),
    ];
    send_all(chain, farmer, steps.into_iter());
    // One more block, for the third pool to owe something.
    chain.rpc("evm_setNextBlockTimestamp", json!([chain.block_timestamp])).unwrap();
    chain.rpc("evm_mine", json!([])).unwrap();
}

/// Checks the rows of an answer against what the chef itself says.
fn assert_rows(chain: &Chain, chef: &str, farmer: &str, question: Question, items: &[Json]) {
    assert_eq!(items.len(), STAKES, "{question:?}: {items:?}");
    for item in items {
        let pid: usize = item.text_at("id").unwrap().rsplit('-').next().unwrap().parse().unwrap();
        let data = |selector: &str| format!("{selector}{}{}", word(pid), padded(farmer));
        let (selector, place) = match question {
            Question::Claimables => ("0xa279b07f", 0), // pendingBOO(uint256,address)
            _ => ("0x93f1a40b", 0),                    // userInfo(uint256,address)
        };
        let reported = &call(chain, chef, &data(selector))[2 + place * 64..2 + (place + 1) * 64];
        let reported = u128::from_str_radix(reported, 16).unwrap();
        assert_eq!(item.text_at("amountRaw").unwrap(), reported.to_string(), "{item}");
        assert!(reported > 0, "pool {pid}");
    }
}

#[test]
fn six_hundred_pools_with_three_stakes_cost_little() {
    let _alone = alone();
    let world = World::start().unwrap();
    let (chain, truth) = world.chain(NETWORK).unwrap();
    let (chef, farmer) = (truth.contract("masterChef").unwrap(), world.address("farmer").unwrap());
    grow(chain, chef, farmer);
    for question in [Question::Claimables, Question::Farming] {
        let rpc = RpcFault::before(&chain.url).unwrap();
        let plugin = PLUGINS.iter().find(|plugin| plugin.name == "sushiswap").unwrap();
        let gateway = world.with(&[*plugin]).unwrap().rpc(NETWORK, &rpc.url()).start().unwrap();
        rpc.set(Fault::Late(LATE));
        let fetch = |what: &str| {
            drop(rpc.take());
            let response = gateway.get(&format!("{}?detail=full", question.path(SLUG, farmer))).unwrap();
            let traffic = Traffic::take(&rpc).unwrap();
            println!("{POOLS} pools, {STAKES} stakes, {question:?}, {what}: {traffic}");
            assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
            assert_rows(chain, chef, farmer, question, response.json().unwrap().at("items").unwrap().items().unwrap());
            traffic
        };
        let (cold, warm) = (fetch("cold"), fetch("warm"));
        // Once to find the stakes, for positions once more to know which pools share a token; details of three.
        let tables = if question == Question::Farming { 2 } else { 1 };
        assert!(cold.reads() < tables * POOLS + POOLS / 6, "{cold}");
        assert!(cold.requests() < 16, "{cold}");
        assert!(warm.reads() < POOLS / 20 && warm.requests() <= 3, "{warm}");
    }
}
