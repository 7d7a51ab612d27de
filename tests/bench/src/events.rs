//! The events of one transaction with 500 logs: what they cost the gateway with all its plugins, in processor time,
//! requests and memory.
//!
//! The logs are of what real transactions have most of: transfers and approvals of twenty tokens, swaps and reserves of
//! ten pairs and ten pools, wrapping, and a tenth that nobody knows. Warm is a request that was made before; its
//! receipt is fetched, read and decoded anew each time, only what tokens and pools say of themselves is kept.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::Say;
use super::meter::{Threads, median};
use super::table::{Kind, Verdict, begin, float, number, row};
use crate::corpus::contract::{self, DECIMALS, NAME, SYMBOL, TOKEN0, TOKEN1, TOTAL_SUPPLY};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::rpc_fault::{RpcFault, Transactions};

const LOGS: usize = 500;
/// One log in ten is of no table, and one has reserves, which is no event.
const REPORTED: usize = LOGS / 10 * 8;
const ROUNDS: usize = 100;
const WARM_ROUNDS: usize = 5;

const CPU_MS_MAX: f64 = 5.0;
const COLD_REQUESTS_MAX: f64 = 3.0;
const WARM_REQUESTS_MAX: f64 = 1.0;

const HASH: &str = "0x5000000000000000000000000000000000000000000000000000000000000500";
const BLOCK: &str = "0xb10c000000000000000000000000000000000000000000000000000000000001";
const WRAPPED: &str = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
/// Keccak-256 of signatures.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL: &str = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const SWAP_V2: &str = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";
const SYNC: &str = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";
const SWAP_V3: &str = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";
const DEPOSIT: &str = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";

/// Which contract a log is of.
const TOKENS: usize = 20;
const POOLS: usize = 10;

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let chain = Chain::bare(1)?;
    for (address, views) in contracts() {
        chain.rpc("anvil_setCode", json!([address, contract::code(&views)?]))?;
    }
    // So that the gateway can prove a block by those before it.
    chain.rpc("anvil_mine", json!(["0x4"]))?;
    let endpoint = RpcFault::before(&chain.url)?;
    let mut transactions = Transactions::default();
    transactions.add(HASH, &transaction(), &receipt());
    endpoint.knows(transactions);
    let gateway = serve(&endpoint)?;
    // The head is followed from here on.
    gateway.get("/0x0000000000000000000000000000000000000001/native-balance?network=ETHEREUM")?;

    let path = format!("/events/decode/{HASH}?network=ETHEREUM");
    let cold = requests(&endpoint, || fetch(&gateway, &path, false).map(drop))?;
    let full = format!("{path}&detail=full");
    fetch(&gateway, &full, true)?;
    let warm = requests(&endpoint, || fetch(&gateway, &path, false).map(drop))?;
    let [plain, full] = [cpu(&gateway, &path, false)?, cpu(&gateway, &full, true)?];

    begin(say, &format!("Events of a transaction with {LOGS} logs, all plugins"), &["figure", "gateway"]);
    let bound = verdict.at_most(Kind::Time, "processor time, warm, ms", plain, CPU_MS_MAX);
    row(say, &["processor time of the host, warm, ms", &bound]);
    row(say, &["the same with `detail=full`, ms", &number(full)]);
    let bound = verdict.at_most(Kind::Count, "requests, cold", float(cold), COLD_REQUESTS_MAX);
    row(say, &["requests, cold", &bound]);
    let bound = verdict.at_most(Kind::Count, "requests, warm", float(warm), WARM_REQUESTS_MAX);
    row(say, &["requests, warm", &bound]);
    row(say, &["peak of the host's memory (VmHWM), MiB", &number(gateway.memory_peak_mib()?)]);
    Ok(())
}

fn serve(endpoint: &RpcFault) -> Result<Gateway> {
    let built = build::built_alike()?;
    let setup = Setup::default().host(&built.host()).rpc("ethereum", &endpoint.url());
    build::plugins()?.iter().fold(setup, |setup, (_, file)| setup.plugin(&built.plugin(file), &[])).start()
}

fn fetch(gateway: &Gateway, path: &str, full: bool) -> Result<()> {
    let response = gateway.get(path)?;
    ensure!(response.status == 200 && response.header("portolan-partial").is_none(), "{response:?}");
    let answer: Value = serde_json::from_str(&response.body)?;
    let events = if full { &answer["items"] } else { &answer };
    let reported = events.as_array().context("no array")?.len();
    ensure!(reported == REPORTED, "{reported} events instead of {REPORTED}");
    Ok(())
}

/// Requests that an answer took, beside those that follow the head.
fn requests(endpoint: &RpcFault, answer: impl FnOnce() -> Result<()>) -> Result<usize> {
    drop(endpoint.take());
    answer()?;
    let requested = endpoint.take();
    let is_own = |body: &[u8]| {
        let text = String::from_utf8_lossy(body);
        text.contains("eth_call") || text.contains("eth_getTransaction")
    };
    Ok(requested.iter().filter(|exchange| is_own(&exchange.requested)).count())
}

/// Milliseconds of the gateway's threads for one answer: the median.
fn cpu(gateway: &Gateway, path: &str, full: bool) -> Result<f64> {
    let mut used = Vec::new();
    for round in 0..WARM_ROUNDS + ROUNDS {
        let before = Threads::of(gateway.process())?;
        fetch(gateway, path, full)?;
        let after = Threads::of(gateway.process())?;
        if round >= WARM_ROUNDS {
            used.push(after.ms_since(&before));
        }
    }
    Ok(median(used))
}

fn token(at: usize) -> String {
    format!("0x{:040x}", 0x7000 + at % TOKENS)
}

fn pair(at: usize) -> String {
    format!("0x{:040x}", 0x8000 + at % POOLS)
}

fn pool(at: usize) -> String {
    format!("0x{:040x}", 0x9000 + at % POOLS)
}

fn account(at: usize) -> String {
    format!("0x{:040x}", 0xa000 + at % 7)
}

fn contracts() -> Vec<(String, Vec<(&'static str, String)>)> {
    let described = |symbol: &str| {
        vec![
            (NAME, contract::text(symbol)),
            (SYMBOL, contract::text(symbol)),
            (DECIMALS, contract::number(18)),
            (TOTAL_SUPPLY, contract::number(1 << 100)),
        ]
    };
    let tokens = (0..TOKENS).map(|at| (token(at), described(&format!("T{at}"))));
    let of_two = |address: String, at: usize| {
        (address, vec![(TOKEN0, contract::address(&token(at))), (TOKEN1, contract::address(&token(at + 1)))])
    };
    let pools = (0..POOLS).flat_map(|at| [of_two(pair(at), at), of_two(pool(at), at)]);
    tokens.chain(pools).chain([(WRAPPED.to_owned(), described("WETH"))]).collect()
}

fn word(value: usize) -> String {
    format!("{value:064x}")
}

fn topic(address: &str) -> String {
    format!("0x{}", contract::address(address))
}

/// A log by its place: emitter, topics and words of data.
fn body(at: usize) -> (String, Vec<String>, String) {
    let (group, one, other) = (at / 10, topic(&account(at)), topic(&account(at + 1)));
    let amount = word(1_000_000 + at);
    match at % 10 {
        0..=3 => (token(at), vec![TRANSFER.into(), one, other], amount),
        4 => (token(at), vec![APPROVAL.into(), one, other], amount),
        5 => (pair(group), vec![SYNC.into()], [amount, word(7)].concat()),
        6 => {
            let (zero, amounts) = (word(0), [amount, word(0)].concat());
            (pair(group), vec![SWAP_V2.into(), one, other], [amounts, zero, word(9_000 + at)].concat())
        }
        7 => {
            let minus = format!("{:f>64}", format!("{:x}", usize::MAX - at));
            (pool(group), vec![SWAP_V3.into(), one, other], [amount, minus, word(1), word(2), word(3)].concat())
        }
        8 => (WRAPPED.into(), vec![DEPOSIT.into(), one], amount),
        _ => (token(at), vec![format!("0x{}", word(0xabc)), one], amount),
    }
}

fn transaction() -> Value {
    json!({"hash": HASH, "blockHash": BLOCK, "blockNumber": "0x2", "from": account(0), "to": account(1),
        "value": "0x0", "input": "0x", "nonce": "0x0", "gas": "0x0", "transactionIndex": "0x0"})
}

fn receipt() -> Value {
    let log = |at: usize| {
        let (address, topics, data) = body(at);
        json!({"address": address, "topics": topics, "data": format!("0x{data}"), "blockNumber": "0x2",
            "transactionHash": HASH, "transactionIndex": "0x0", "blockHash": BLOCK, "logIndex": format!("{at:#x}"),
            "removed": false})
    };
    json!({"transactionHash": HASH, "blockHash": BLOCK, "blockNumber": "0x2", "from": account(0), "to": account(1),
        "contractAddress": null, "status": "0x1", "transactionIndex": "0x0", "gasUsed": "0x0",
        "cumulativeGasUsed": "0x0", "logs": (0..LOGS).map(log).collect::<Vec<_>>()})
}
