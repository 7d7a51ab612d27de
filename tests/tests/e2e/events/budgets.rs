//! Transactions that are made to cost much: what one answer takes is bounded, and what is over the bound is said.

use std::time::Duration;

use alloy::primitives::{Address, B256, Bytes, Log, U256, b256};
use alloy::sol_types::SolValue as _;
use hyper::Method;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{self, Response, Version};
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Flaws, Overrides, RpcFault};
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::json;

use super::receipts::{SENDER, hash, only};

/// Keccak-256 of `TransferBatch(address,address,address,uint256[],uint256[])` and of `Transfer(address,address,uint256)`.
const BATCH: B256 = b256!("0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb");
const TRANSFER: B256 = b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
/// Elements of one batch: each is an event.
const ELEMENTS: usize = 256;
/// Logs whose events are allowed, and more.
const LOGS: usize = 60;
const TOO_MANY_LOGS: usize = 100;
/// The memory that one answer may add to the gateway: its body of 16 MiB, and as much as its rows take.
const MEMORY_MIB: f64 = 160.0;
const STRANGER: Address = Address::repeat_byte(0x77);
const SEEN_WITHIN: Duration = Duration::from_secs(20);

/// Behind a node that knows one transaction with these logs.
struct Stage {
    endpoint: RpcFault,
    gateway: Gateway,
    path: String,
    _chain: Chain,
}

impl Stage {
    fn start(title: &str, logs: &[Log], flaws: Flaws, config: &str) -> Self {
        let chain = Chain::bare(1).unwrap();
        // So that a block can be proven by those before it.
        chain.rpc("anvil_mine", serde_json::json!(["0x4"])).unwrap();
        let endpoint = RpcFault::before(&chain.url).unwrap();
        endpoint.flawed(flaws);
        endpoint.knows(only(title, logs));
        let gateway = Setup::default().config(config).rpc("ethereum", &endpoint.url()).start().unwrap();
        let path = format!("/events/decode/{}?network=ethereum&detail=full", hash(title));
        Self { endpoint, gateway, path, _chain: chain }
    }

    fn head(&self) -> Response {
        http::request(self.gateway.base, Version::Http1, &Method::HEAD, &self.path, &[], bytes::Bytes::new()).unwrap()
    }

    fn peak_mib(&self) -> f64 {
        self.gateway.memory_peak_mib().unwrap()
    }
}

fn batches(count: usize) -> Vec<Log> {
    let numbers = vec![U256::from(7); ELEMENTS];
    let data = Bytes::from((numbers.clone(), numbers).abi_encode_params());
    let who = SENDER.into_word();
    vec![Log::new_unchecked(Address::repeat_byte(0x4f), vec![BATCH, who, who, who], data); count]
}

fn used(answer: &Json, member: &str) -> (u64, u64) {
    let of = |part: &str| answer.at(&format!("report/budget/{member}/{part}")).unwrap().to_string().parse().unwrap();
    (of("used"), of("max"))
}

#[test]
fn a_log_of_many_events_stands_once_and_takes_little_memory() {
    let stage = Stage::start("batches", &batches(LOGS), Flaws::default(), "");
    let before = stage.peak_mib();
    let response = stage.gateway.get(&stage.path).unwrap();
    assert_eq!(response.status, 200, "{:.500}", response.body);
    let answer = response.json().unwrap();
    let items = answer.at("items").unwrap().items().unwrap();
    assert_eq!(items.len(), LOGS * ELEMENTS);
    assert!(items.iter().all(|item| item.at("log").is_err()), "{}", items[0]);
    let logs = answer.at("logs").unwrap().items().unwrap();
    assert_eq!(logs.len(), LOGS);
    for (log, events) in logs.iter().zip(items.chunks(ELEMENTS)) {
        let index = log.at("logIndex").unwrap();
        assert!(events.iter().all(|event| event.at("logIndex").unwrap() == index), "{index}");
    }
    assert_eq!(used(&answer, "events"), (15_360, 20_000));
    let length = u64::try_from(response.body.len()).unwrap();
    let (bytes, bytes_max) = used(&answer, "bytes");
    assert!((length - 200..length).contains(&bytes), "{bytes} of {length} bytes before the report of the time");
    assert_eq!(bytes_max, 16 << 20);
    // HEAD has the length of the body without it. The time in the report may have another number of digits.
    let head = stage.head();
    let measured: u64 = head.header("content-length").unwrap().parse().unwrap();
    assert!(measured.abs_diff(length) < 20 && head.body.is_empty(), "{measured} instead of {length}");
    let more = stage.peak_mib() - before;
    println!("{LOGS} logs of {ELEMENTS} events: {length} bytes, {more:.0} MiB more than {before:.0} at the peak");
    assert!(more < MEMORY_MIB, "{more:.0} MiB more at the peak");
}

#[test]
fn more_events_or_bytes_than_the_bound_are_a_problem_and_never_cut() {
    let stage = Stage::start("too many", &batches(TOO_MANY_LOGS), Flaws::default(), "");
    let before = stage.peak_mib();
    let detail = problem::detail(&stage.gateway.get(&stage.path).unwrap(), 413, "too-many-events").unwrap();
    assert!(detail.contains("20000"), "{detail}");
    assert_eq!(stage.head().status, 413);
    let more = stage.peak_mib() - before;
    println!("{TOO_MANY_LOGS} logs of {ELEMENTS} events: {more:.0} MiB more than {before:.0} at the peak");
    assert!(more < MEMORY_MIB, "{more:.0} MiB more at the peak");

    let config = "[answers]\nbody_bytes_max = 100000\nevents_max = 512";
    let stage = Stage::start("too long", &batches(2), Flaws::default(), config);
    let detail = problem::detail(&stage.gateway.get(&stage.path).unwrap(), 413, "answer-too-large").unwrap();
    assert!(detail.contains("100000"), "{detail}");
    assert_eq!(stage.head().status, 413);
}

#[test]
fn an_answer_takes_no_more_requests_of_a_node_than_its_budget() {
    // Without overrides and without Multicall3, each read is a request.
    const TOKENS: u64 = 100;
    let token = |number: u64| Address::left_padding_from(&(0x4f00_0000_0000_0000 + number).to_be_bytes());
    let who = SENDER.into_word();
    let transfer = |number| {
        Log::new_unchecked(token(number), vec![TRANSFER, who, who], Bytes::from(U256::from(1).to_be_bytes_vec()))
    };
    let logs: Vec<Log> = (1..=TOKENS).map(transfer).collect();
    let flaws = Flaws { overrides: Overrides::Refused, ..Flaws::default() };
    let config = "[answers]\ndeadline_ms = 20000\n[rpc]\nper_second_max = 0";
    let stage = Stage::start("strangers", &logs, flaws, config);
    let before = stage.endpoint.requested("eth_call") + stage.endpoint.requested("eth_getCode");
    let response = stage.gateway.get(&stage.path).unwrap();
    let requests = stage.endpoint.requested("eth_call") + stage.endpoint.requested("eth_getCode") - before;
    println!("{TOKENS} tokens: {requests} requests, {} {:.300}", response.status, response.body);
    // Some more find out how the node is read.
    assert!(requests <= 500 + 10, "{requests} requests");
    match response.status.as_u16() {
        200 => assert!(response.header("portolan-partial").unwrap().contains("over-budget"), "{response:?}"),
        413 => drop(problem::jobs(&response, 413, "over-budget").unwrap()),
        _ => panic!("{response:?}"),
    }
}

#[test]
fn what_is_counted_does_not_depend_on_what_others_requested() {
    let world = World::of(&["polygon"]).unwrap();
    let (chain, truth) = world.chain("polygon").unwrap();
    let gateway = world.with_all_plugins().unwrap().rpc("polygon", &chain.url).start().unwrap();
    let account = world.address("whale").unwrap();
    let event = &truth.events().unwrap()[0];
    for path in [
        format!("/claimables/{account}?detail=full"),
        format!("/events/decode/{}?network=polygon&detail=full", event.transaction(chain).unwrap()),
    ] {
        // Whoever asks first lets the gateway find out about the protocols. Then everything is cached at the same block,
        // and at the next one nothing that is an account's.
        counted(&gateway, &path);
        let first = counted(&gateway, &path);
        let before = block_of_stranger(&gateway);
        chain.rpc("evm_mine", json!([])).unwrap();
        let look = || if block_of_stranger(&gateway) > before { Ok(()) } else { Err("the same block") };
        wait::until("the next block", SEEN_WITHIN, look).unwrap();
        let second = counted(&gateway, &path);
        println!("{path}: {first:?}");
        assert_eq!(first, second, "{path}");
        assert!(first.iter().any(|(_, batches, _)| *batches != "0"), "{path}: {first:?}");
    }
}

/// Returns the number of the block at which somebody else is answered.
fn block_of_stranger(gateway: &Gateway) -> u64 {
    let answer = gateway.get(&format!("/claimables/{STRANGER}?detail=full")).unwrap().json().unwrap();
    answer.at("report/blocks/polygon/number").unwrap().to_string().parse().unwrap()
}

/// Returns the name, batches and reads of each job, then what the budget shows of reads, requests and events.
fn counted(gateway: &Gateway, path: &str) -> Vec<(String, String, String)> {
    let response = gateway.get(path).unwrap();
    assert_eq!(response.status, 200, "{}", response.body);
    let answer = response.json().unwrap();
    let text = |row: &Json, member: &str| row.at(member).unwrap().to_string();
    let jobs = answer.at("report/jobs").unwrap().items().unwrap().iter();
    let jobs = jobs.map(|job| (text(job, "protocol"), text(job, "waves"), text(job, "reads")));
    let budget = ["reads", "nodeRequests", "outgoingRequests", "events"].map(|member| {
        let (used, max) = used(&answer, member);
        (member.to_owned(), used.to_string(), max.to_string())
    });
    jobs.chain(budget).collect()
}
