//! The gateway with all plugins in 512 MB of memory, attacked in all ways at once that a client has, with honest clients
//! beside.
//!
//! Clients and attackers have addresses of their own. Off-chain names are not among the attacks.

mod bounded;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::crowd::{connections, give_way, raise_files, request, reset_requests, stalled_requests};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http;
use portolan_tests::rpc_fault::{RpcFault, Transactions};
use portolan_tests::wait;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use self::bounded::MemoryBound;
use super::Say;
use super::meter::{ms, percentile};
use super::table::{Kind, Verdict, begin, float, number, row};
use crate::corpus::contract::{self, DECIMALS, NAME, SYMBOL, TOTAL_SUPPLY};

const MEMORY_MIB: u32 = 512;
/// How much slower an honest client may be while others attack.
const SLOWER_MAX: f64 = 5.0;
/// Requests of a hundred that may be told to come again.
const REFUSED_PERCENT_MAX: f64 = 1.0;
/// A minute after the attacks, memory is that of before again, and a fifth.
const GIVEN_BACK_WITHIN: Duration = Duration::from_secs(60);
const GIVEN_BACK_MAX: f64 = 1.2;
const HONEST: usize = 4;
/// Between two requests of an honest client.
const PAUSE: Duration = Duration::from_millis(50);
/// Before a client that was refused tries again, as it is told to.
const RETRY: Duration = Duration::from_secs(1);
const PLUGINS_WITHIN: Duration = Duration::from_secs(60);
/// Connections that are held go on for so long, then others take their places.
const HOLD: Duration = Duration::from_secs(5);

const BLOCK: &str = "0xb10c000000000000000000000000000000000000000000000000000000000001";
const SENDER: &str = "0x000000000000000000000000000000000000a000";
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// ERC-1155's `TransferBatch`.
const BATCH: &str = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/// Transactions of one log, of 220 logs with 256 transfers each, and of 5,000 logs of as many contracts.
const SMALL: usize = 1;
const BATCHES: usize = 2;
const MANY: usize = 3;

/// The answers that honest clients saw.
#[derive(Default)]
struct Seen {
    /// By path.
    waits_ms: BTreeMap<String, Vec<f64>>,
    refusals: usize,
    wrong: Vec<String>,
}

impl Seen {
    fn all_waits_ms(&self) -> Vec<f64> {
        self.waits_ms.values().flatten().copied().collect()
    }
}

struct Stage {
    gateway: Gateway,
    chain: Chain,
    _endpoint: RpcFault,
    _script: tempfile::TempDir,
    // Last, because the gateway is in it.
    bound: MemoryBound,
}

pub(super) fn run(minutes: f64, say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    raise_files()?;
    let stage = Stage::start()?;
    let attacked = Duration::from_secs_f64(minutes * 60.0);
    let expected = honest_paths().map(|path| Ok((path.clone(), answer(stage.gateway.base, &path)?)));
    let expected = expected.collect::<Result<Vec<_>>>()?;
    let before = honest(stage.gateway.base, &expected, attacked.div_f64(10.0).max(Duration::from_secs(10)));
    let calm_mib = stage.gateway.memory_mib()?;
    let over = AtomicBool::new(false);
    let attacks = AtomicUsize::new(0);
    let during = thread::scope(|scope| {
        for attack in ATTACKS {
            let (base, over, attacks) = (stage.gateway.base, &over, &attacks);
            scope.spawn(move || {
                give_way();
                while !over.load(Ordering::Relaxed) {
                    attack(base);
                    attacks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let seen = honest(stage.gateway.base, &expected, attacked);
        over.store(true, Ordering::Relaxed);
        seen
    });
    let ready = stage.gateway.operate("/healthz");
    let is_alive = ready.is_ok_and(|response| response.status == 200);
    let [calm, busy] = [&before, &during].map(|seen| percentile(&seen.all_waits_ms(), 99));
    begin(
        say,
        &format!("{minutes} minutes under attack in {MEMORY_MIB} MiB ({})", stage.bound.kind()),
        &["figure", "calm", "attacked"],
    );
    row(say, &["honest answers", &count(&before.all_waits_ms()), &count(&during.all_waits_ms())]);
    let [calm_half, busy_half] = [&before, &during].map(|seen| number(percentile(&seen.all_waits_ms(), 50)));
    row(say, &["p50, ms", &calm_half, &busy_half]);
    let bound = verdict.at_most(Kind::Time, "p99 attacked : calm", busy / calm, SLOWER_MAX);
    row(say, &["p99, ms", &number(calm), &format!("{}, {bound} times", number(busy))]);
    for (path, _) in &expected {
        let p99 = |seen: &Seen| seen.waits_ms.get(path).map_or_else(String::new, |waits| number(percentile(waits, 99)));
        row(say, &[&format!("p99 of `{path:.24}`, ms"), &p99(&before), &p99(&during)]);
    }
    let refused = 100.0 * float(during.refusals) / float(during.all_waits_ms().len().max(1));
    let refused = verdict.at_most(Kind::Count, "refused of a hundred", refused, REFUSED_PERCENT_MAX);
    let refused = format!("{}, {refused} of a hundred", during.refusals);
    row(say, &["refused, and tried again", &before.refusals.to_string(), &refused]);
    let wrong = u64::try_from(before.wrong.len() + during.wrong.len())?;
    row(say, &["wrong or none", "", &verdict.exactly("wrong answers", wrong, 0)]);
    row(say, &["rounds of attacks", "", &attacks.load(Ordering::Relaxed).to_string()]);
    if let Some(killed) = stage.bound.killed()? {
        row(say, &["ended by the kernel", "", &verdict.exactly("processes ended for want of memory", killed, 0)]);
    }
    let convicted = stage.gateway.plugins()?.iter().filter(|row| row.text_at("state").ok() != Some("active")).count();
    let convicted = verdict.exactly("plugins that are not active", u64::try_from(convicted)?, 0);
    row(say, &["plugins that are not active", "", &convicted]);
    row(say, &["alive at the end", "", &verdict.exactly("processes that ended", u64::from(!is_alive), 0)]);
    if is_alive {
        let peak = stage.gateway.memory_peak_mib()?;
        row(
            say,
            &["peak of memory (VmHWM), MiB", "", &verdict.at_most(Kind::Count, "memory", peak, f64::from(MEMORY_MIB))],
        );
        // The chain goes on, and what was cached of the blocks under attack makes way for others.
        stage.chain.rpc("anvil_mine", json!(["0x8"]))?;
        honest(stage.gateway.base, &expected, GIVEN_BACK_WITHIN);
        let after = stage.gateway.memory_mib()?;
        let times = verdict.at_most(Kind::Count, "memory a minute later : before", after / calm_mib, GIVEN_BACK_MAX);
        row(
            say,
            &["memory a minute later (VmRSS), MiB", &number(calm_mib), &format!("{}, {times} times", number(after))],
        );
    }
    before.wrong.iter().chain(&during.wrong).take(5).for_each(|wrong| say(wrong));
    Ok(())
}

impl Stage {
    fn start() -> Result<Self> {
        let chain = Chain::bare(1)?;
        let views = [(NAME, contract::text("T")), (SYMBOL, contract::text("T")), (DECIMALS, contract::number(18))];
        let code = contract::code(&[&views[..], &[(TOTAL_SUPPLY, contract::number(1 << 100))]].concat())?;
        chain.rpc("anvil_setCode", json!([emitter(0x7000), code]))?;
        chain.rpc("anvil_mine", json!(["0x4"]))?;
        let endpoint = RpcFault::before(&chain.url)?;
        let mut transactions = Transactions::default();
        for (number, logs) in [(SMALL, transfers(1)), (BATCHES, batches(220, 256)), (MANY, transfers(5000))] {
            transactions.add(&hash(number), &transaction(number), &receipt(number, &logs));
        }
        endpoint.knows(transactions);
        let (built, script, bound) = (build::shipped()?, tempfile::tempdir()?, MemoryBound::new(MEMORY_MIB));
        let program = bound.around(script.path(), &built.host())?;
        let plugins = build::plugins()?;
        let setup = Setup::default().host(&program).rpc("ethereum", &endpoint.url());
        let setup = plugins.iter().fold(setup, |setup, (_, file)| setup.plugin(&built.plugin(file), &[]));
        let gateway = setup.start()?;
        wait::until("the plugins", PLUGINS_WITHIN, || {
            let active = gateway.plugins()?.iter().filter(|row| row.text_at("state").ok() == Some("active")).count();
            ensure!(active == plugins.len(), "{active} of {} plugins are active", plugins.len());
            Ok(())
        })?;
        Ok(Self { gateway, chain, _endpoint: endpoint, _script: script, bound })
    }
}

fn honest_paths() -> impl Iterator<Item = String> {
    let of_chain = format!("/{SENDER}/native-balance?network=ETHEREUM");
    ["/networks".to_owned(), "/protocols".to_owned(), of_chain, events(SMALL)].into_iter()
}

fn events(number: usize) -> String {
    format!("/events/decode/{}?network=ETHEREUM", hash(number))
}

fn answer(base: SocketAddr, path: &str) -> Result<String> {
    let response = http::get(base, path)?;
    ensure!(response.status == 200 && response.header("portolan-partial").is_none(), "{path}: {response:?}");
    Ok(response.body)
}

/// Honest clients for a while: each requests one path after the other and compares what it gets.
fn honest(base: SocketAddr, expected: &[(String, String)], time: Duration) -> Seen {
    let until = Instant::now() + time;
    let client = || {
        let mut seen = Seen::default();
        for (path, body) in expected.iter().cycle().take_while(|_| Instant::now() < until) {
            let began = Instant::now();
            let mut response = http::get(base, path);
            while response.as_ref().is_ok_and(|response| response.status == 503) {
                seen.refusals += 1;
                thread::park_timeout(RETRY);
                response = http::get(base, path);
            }
            seen.waits_ms.entry(path.clone()).or_default().push(ms(began.elapsed()));
            match response {
                Ok(response) if response.status == 200 && response.body == *body => {}
                Ok(response) => seen.wrong.push(format!("{path}: {} {:.300}", response.status, response.body)),
                Err(error) => seen.wrong.push(format!("{path}: {error:#}")),
            }
            thread::park_timeout(PAUSE);
        }
        seen
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..HONEST).map(|_| scope.spawn(client)).collect();
        let mut all = Seen::default();
        for seen in clients.into_iter().filter_map(|client| client.join().ok()) {
            for (path, waits) in seen.waits_ms {
                all.waits_ms.entry(path).or_default().extend(waits);
            }
            all.refusals += seen.refusals;
            all.wrong.extend(seen.wrong);
        }
        all
    })
}

/// Each goes on until the end, in a thread of its own.
const ATTACKS: [fn(SocketAddr); 11] = [
    |base| hold(base, 1..=9, 256, b"P"),
    |base| hold(base, 10..=13, 250, &unfinished_head()),
    |base| hold(base, 14..=23, 10, &stalled_requests("/networks?detail=full", 64)),
    |base| hold(base, 24..=25, 4, &stalled_requests(&events(BATCHES), 16)),
    |base| fetch(base, 26, "GET", &format!("{}&detail=full", events(BATCHES))),
    |base| fetch(base, 27, "HEAD", &format!("{}&detail=full", events(BATCHES))),
    |base| fetch(base, 28, "GET", &events(MANY)),
    |base| hold(base, 30..=41, 256, &stalled_requests("/networks", 64)),
    |base| hold(base, 42..=43, 64, &reset_requests("/networks", 64)),
    |base| hold(base, 44..=45, 64, b"GET /networks HTTP/1.1\r\nhost: x\r\n\r\n"),
    fresh_account,
];

/// Between two requests of an account that nobody requested before: two hundred in a second.
const FRESH_PAUSE: Duration = Duration::from_millis(5);

fn fresh_account(base: SocketAddr) {
    static ACCOUNTS: AtomicUsize = AtomicUsize::new(0xf000);
    let account = emitter(ACCOUNTS.fetch_add(1, Ordering::Relaxed));
    fetch(base, 29, "GET", &format!("/{account}/native-balance?network=ETHEREUM"));
    thread::park_timeout(FRESH_PAUSE);
}

fn unfinished_head() -> Vec<u8> {
    let mut head = b"GET /networks HTTP/1.1\r\nx: ".to_vec();
    head.resize(40_000, b'y');
    head
}

/// Connections that send this and then nothing.
fn hold(base: SocketAddr, clients: std::ops::RangeInclusive<u8>, each: usize, bytes: &[u8]) {
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let held = connections(base, clients, each, bytes).await;
        tokio::time::sleep(HOLD).await;
        drop(held);
    });
}

/// A request of one of the attackers. Whatever comes of it, the next one follows.
fn fetch(base: SocketAddr, client: u8, method: &str, path: &str) {
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(request(client, base, method, path));
}

fn hash(number: usize) -> String {
    format!("0x{number:064x}")
}

fn word(value: usize) -> String {
    format!("{value:064x}")
}

fn emitter(value: usize) -> String {
    format!("0x{value:040x}")
}

fn topic(value: usize) -> String {
    format!("0x{}", word(value))
}

/// Emitter, topics and data of logs.
type Log = (String, Vec<String>, String);

/// One token each.
fn transfers(count: usize) -> Vec<Log> {
    let log = |at: usize| {
        let topics = vec![TRANSFER.to_owned(), topic(0xa000), topic(0xa001)];
        (emitter(0x7000 + at), topics, word(1_000 + at))
    };
    (0..count).map(log).collect()
}

/// Each moves so many tokens of one collection.
fn batches(count: usize, tokens: usize) -> Vec<Log> {
    let topics = || vec![BATCH.to_owned(), topic(0xa000), topic(0xa000), topic(0xa001)];
    let list = |first: usize| (0..tokens).map(move |at| word(first + at));
    let data = || -> String {
        let heads = [word(64), word(64 + 32 * (1 + tokens)), word(tokens)];
        heads.into_iter().chain(list(1)).chain([word(tokens)]).chain(list(7)).collect()
    };
    (0..count).map(|_| (emitter(0x6000), topics(), data())).collect()
}

fn transaction(number: usize) -> Value {
    json!({"hash": hash(number), "blockHash": BLOCK, "blockNumber": "0x2", "from": SENDER, "to": SENDER,
        "value": "0x0", "input": "0x", "nonce": "0x0", "gas": "0x0", "transactionIndex": "0x0"})
}

fn receipt(number: usize, logs: &[Log]) -> Value {
    let log = |(at, (address, topics, data)): (usize, &Log)| {
        json!({"address": address, "topics": topics, "data": format!("0x{data}"), "blockNumber": "0x2",
            "transactionHash": hash(number), "transactionIndex": "0x0", "blockHash": BLOCK,
            "logIndex": format!("{at:#x}"), "removed": false})
    };
    json!({"transactionHash": hash(number), "blockHash": BLOCK, "blockNumber": "0x2", "from": SENDER, "to": SENDER,
        "contractAddress": null, "status": "0x1", "transactionIndex": "0x0", "gasUsed": "0x0",
        "cumulativeGasUsed": "0x0", "logs": logs.iter().enumerate().map(log).collect::<Vec<_>>()})
}

fn count(values: &[f64]) -> String {
    number(float(values.len()))
}
