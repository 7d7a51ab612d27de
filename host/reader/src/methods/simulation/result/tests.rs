//! Requests and results of `eth_simulateV1`, written by hand after the specification of the method.

use alloy::primitives::{address, bytes, hex, keccak256};
use serde_json::{Value, json};

use super::*;
use crate::chain::next_block::NextBlock;
use crate::methods::simulation::{
    AccountCode, AccountLog, LogKind, Run, RunStep, Sender, Simulation, SimulationMethod, SimulationRequest, Watched,
};
use crate::wire::rpc::BlockId;
use crate::{Effort, Outcome, ReadFailure};

const ACCOUNT: Address = address!("00000000000000000000000000000000000000ac");
const FARM: Address = address!("00000000000000000000000000000000000000fa");
const TOKEN: Address = address!("00000000000000000000000000000000000000a1");
const OTHER: Address = address!("00000000000000000000000000000000000000a2");
const CHAIN: u64 = 10;
const PARENT: B256 = B256::repeat_byte(7);
/// With a base fee of 100, a unit of gas costs 110.
const TIP: u128 = 10;

fn pinned() -> Block {
    Block { number: 9, hash: PARENT, parent: B256::ZERO, timestamp: 1_000, evm_number: 9 }
}

fn next() -> NextBlock {
    NextBlock {
        number: 10,
        timestamp: 1_002,
        fee_recipient: FARM,
        gas_limit: 30_000_000,
        base_fee: Some(100),
        prev_randao: B256::repeat_byte(3),
        has_state_gas: false,
    }
}

fn simulation() -> Simulation {
    let step = RunStep { to: FARM, value: U256::from(2), data: bytes!("3d18b912"), gas: 200_000 };
    Simulation { steps: vec![step], watched: Watched { tokens: vec![TOKEN, OTHER], own: 1, spenders: vec![FARM] } }
}

fn sender(balance: u64) -> Sender {
    Sender { account: ACCOUNT, code: AccountCode::None, balance: U256::from(balance) }
}

fn request(sender: &Sender) -> Value {
    let read = simulation().read(sender, Effort::Packed).unwrap();
    let request = SimulationRequest::new(&read, ACCOUNT, BlockId::Hash(PARENT), &next(), TIP).unwrap();
    serde_json::to_value(request).unwrap()
}

#[test]
fn a_request_has_the_transaction_as_the_account_would_send_it_between_two_calls_of_the_watcher() {
    let request = request(&sender(1_000_000_000));
    assert_eq!(request[1], json!({"blockHash": PARENT}));
    assert_eq!((&request[0]["validation"], &request[0]["traceTransfers"]), (&json!(true), &json!(true)));
    let block = &request[0]["blockStateCalls"][0];
    let overrides = json!({"number": "0xa", "time": "0x3ea", "gasLimit": "0x1c9c380", "feeRecipient": FARM,
        "prevRandao": B256::repeat_byte(3), "baseFeePerGas": "0x64"});
    assert_eq!(block["blockOverrides"], overrides);
    let step = json!({"from": ACCOUNT, "to": FARM, "value": "0x2", "input": "0x3d18b912", "gas": "0x30d40",
        "maxFeePerGas": "0x6e", "maxPriorityFeePerGas": "0xa"});
    let calls = block["calls"].as_array().unwrap();
    assert_eq!((calls.len(), &calls[1]), (3, &step));
    // Payments in other tokens are left to logs.
    let watched = format!("0x{}010101{}{}", hex::encode(ACCOUNT), hex::encode(TOKEN), hex::encode(FARM));
    assert_eq!([&calls[0]["input"], &calls[2]["input"]], [&json!(watched), &json!(watched)]);
    assert_eq!([&calls[0]["value"], &calls[2]["value"]], [&json!("0x1"), &json!("0x0")]);
    assert_eq!(block["stateOverrides"].get(ACCOUNT.to_string()), None, "the account is as it is");
    assert_ne!(calls[0]["to"], self::request(&sender(1))[0]["blockStateCalls"][0]["calls"][0]["to"]);
}

#[test]
fn an_account_that_cannot_pay_for_the_gas_gets_what_the_gas_costs_and_a_contract_is_not_validated() {
    let poor = request(&sender(5));
    let state = &poor[0]["blockStateCalls"][0]["stateOverrides"];
    // 200,000 gas at 110 wei, and the two wei that it sends.
    let balance = format!("{:#x}", 200_000 * 110 + 2);
    assert_eq!(state[ACCOUNT.to_string()], json!({"balance": balance}));
    let contract = Sender { code: AccountCode::Contract, ..sender(1_000_000_000) };
    assert_eq!(request(&contract)[0]["validation"], json!(false));
}

/// Makes the watcher's output: its head and these words.
fn watch(parent: B256, words: &[u64]) -> Bytes {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&10_u64.to_be_bytes()[3..]);
    bytes.extend_from_slice(&1_002_u64.to_be_bytes()[3..]);
    bytes.extend([0; 13]);
    bytes.extend(CHAIN.to_be_bytes());
    bytes.extend(parent);
    words.iter().for_each(|word| bytes.extend(U256::from(*word).to_be_bytes::<32>()));
    bytes.into()
}

fn transfer(emitter: Address, from: Address, to: Address, amount: u64) -> Value {
    let topics = [keccak256("Transfer(address,address,uint256)"), from.into_word(), to.into_word()];
    json!({"address": emitter, "topics": topics, "data": B256::from(U256::from(amount))})
}

struct Told {
    before: Vec<u64>,
    after: Vec<u64>,
    parent: B256,
    named_parent: B256,
    watch_logs: Vec<Value>,
    call: Value,
}

impl Told {
    /// The native balance, one token, an allowance and an approval for all.
    fn new() -> Self {
        let logs = [
            transfer(TOKEN, FARM, ACCOUNT, 7),
            transfer(OTHER, ACCOUNT, FARM, 3),
            transfer(NATIVE_EMITTERS[0], ACCOUNT, FARM, 2),
        ];
        Self {
            before: vec![1_000, 5, 0, 0],
            after: vec![77, 12, 9, 0],
            parent: PARENT,
            named_parent: B256::ZERO,
            watch_logs: vec![transfer(NATIVE_EMITTERS[0], FARM, OTHER, 1)],
            call: json!({"status": "0x1", "gasUsed": "0x64", "returnData": "0x", "logs": logs}),
        }
    }

    fn run(&self, sees_parent_hash: bool) -> Result<Option<Run>, ReadFailure> {
        let reply = self.decode(CHAIN, sees_parent_hash).map_err(|_| ReadFailure::WrongChain)?;
        simulation().run(CHAIN, &Outcome::Ok(reply))
    }

    fn decode(&self, chain_id: u64, sees_parent_hash: bool) -> Result<Bytes, Malformed> {
        let watch = |words: &[u64], logs: &[Value]| {
            json!({"status": "0x1", "gasUsed": "0x1",
            "returnData": watch(self.parent, words), "logs": logs})
        };
        let blocks = json!([{"number": "0xa", "parentHash": self.named_parent,
            "calls": [watch(&self.before, &self.watch_logs), self.call, watch(&self.after, &[])]}]);
        let blocks: Vec<SimulatedBlock> = serde_json::from_value(blocks).unwrap();
        let read = simulation().read(&sender(500), Effort::Packed).unwrap();
        let (pinned, next) = (pinned(), next());
        let request = SimulationRequest::new(&read, ACCOUNT, BlockId::Hash(PARENT), &next, TIP).unwrap();
        decode_blocks(&blocks, &request, &SimulatedAt { chain_id, pinned: &pinned, sees_parent_hash })
    }
}

#[test]
fn a_result_of_another_chain_is_an_error_of_its_own() {
    assert_eq!(Told::new().decode(CHAIN + 1, true), Err(Malformed::OtherChain(CHAIN)));
}

#[test]
fn a_result_tells_balances_approvals_and_what_logs_say_of_the_rest() {
    let run = Told::new().run(true).unwrap().unwrap();
    assert_eq!(run.method, SimulationMethod::SimulateV1);
    let end = &run.steps[0];
    // At most a fifth is refunded, so that 100 were 125 before.
    assert_eq!((end.gas, end.gas_before_refunds, end.gas_limit), (Some(100), Some(125), Some(200_000)));
    let changes = run.changes.unwrap();
    let n = |number: u64| U256::from(number);
    assert_eq!(changes.native, Some((n(500), n(498))), "gas is not a transfer");
    assert_eq!(changes.tokens, [(TOKEN, n(5), n(12))]);
    let approval = &changes.approvals[0];
    assert_eq!((approval.token, approval.spender, approval.of_all, approval.after), (TOKEN, FARM, false, n(9)));
    let sent = AccountLog { kind: LogKind::Sent, emitter: OTHER, other: FARM, amount: n(3) };
    assert!(changes.logs.contains(&sent), "{:?}", changes.logs);
    assert!(changes.logs.iter().all(|log| !NATIVE_EMITTERS.contains(&log.emitter)));
}

#[test]
fn without_traces_of_native_movements_what_the_gas_costs_is_taken_off() {
    let mut told = Told::new();
    told.watch_logs = Vec::new();
    // 100 gas at 110 wei were paid, and two wei more are gone.
    told.before[0] = 20_000;
    told.after[0] = 20_000 - 11_000 - 2;
    let changes = told.run(true).unwrap().unwrap().changes.unwrap();
    assert_eq!(changes.native, Some((U256::from(500), U256::from(498))));
}

#[test]
fn gas_before_refunds_is_the_nodes_own_where_it_says_it() {
    let mut told = Told::new();
    told.call["maxUsedGas"] = json!("0x6e");
    assert_eq!(told.run(true).unwrap().unwrap().steps[0].gas_before_refunds, Some(110));
}

#[test]
fn a_revert_is_told_with_its_data() {
    let mut told = Told::new();
    let error = json!({"code": 3, "message": "execution reverted", "data": "0xdead"});
    told.call = json!({"status": "0x0", "gasUsed": "0x64", "returnData": "0x", "error": error});
    let run = told.run(true).unwrap().unwrap();
    assert_eq!(run.reverted(), Some(&bytes!("dead")));
}

#[test]
fn a_result_that_does_not_follow_the_pinned_block_is_not_believed() {
    let foreign = |change: fn(&mut Told), sees: bool| {
        let mut told = Told::new();
        change(&mut told);
        told.run(sees).is_err()
    };
    assert!(foreign(|told| told.parent = B256::ZERO, true));
    assert!(!foreign(|told| (told.parent, told.named_parent) = (B256::ZERO, PARENT), true), "it names it");
    assert!(!foreign(|told| told.parent = B256::ZERO, false), "contracts do not see it");
    assert!(foreign(|told| (told.parent, told.named_parent) = (B256::ZERO, B256::repeat_byte(8)), false));
    assert!(foreign(|told| told.after.push(1), true));
}
