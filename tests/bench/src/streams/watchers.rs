//! A thousand watchers of a hundred accounts on four networks, and one that does not read.
//!
//! `BENCH_MINUTES` is how long blocks are mined (5). A third of the accounts hold something that is read at each block.

use std::collections::HashMap;
use std::env;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use alloy::primitives::Address;
use anyhow::{Context as _, Result, ensure};
use futures_util::future::{join, try_join_all};
use parking_lot::Mutex;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::crowd::raise_files;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::world::World;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Builder;
use tokio::time::{Instant as Time, timeout_at};

use super::super::Say;
use super::super::meter::{Threads, ms, percentile};
use super::super::table::{Kind, Verdict, begin, float, number, row};

pub(super) const NEW_BLOCK_WITHIN: Duration = Duration::from_secs(60);

const ACCOUNTS: usize = 100;
const WATCHERS_EACH: usize = 10;
/// Accounts beside those of the chains' build that get a share of a staking contract.
const HOLDERS: usize = 28;
const MINUTES: f64 = 5.0;
/// Time from block to block, by network.
const BLOCK_TIMES: [(&str, u64); 4] =
    [("ethereum", 12_000), ("polygon", 2_000), ("optimism", 2_000), ("fantom", 1_000)];
/// For events of the last blocks.
const LAST: Duration = Duration::from_secs(8);
/// The slow reader's buffer.
const SLOW_BYTES: u32 = 4 << 10;
/// An unchanged account must not cost more requests than this at a block, all accounts together.
const REQUESTS_MAX: f64 = 12.0;

/// When each block was mined, by network and number.
type BlockTimes = Arc<Mutex<HashMap<(String, u64), Instant>>>;

/// What one watcher saw.
#[derive(Default)]
struct Watched {
    events: usize,
    bytes: usize,
    /// From a block to its event.
    waits_ms: Vec<f64>,
}

pub(crate) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    raise_files()?;
    let minutes = env::var("BENCH_MINUTES").ok().map(|minutes| minutes.parse::<f64>()).transpose()?.unwrap_or(MINUTES);
    let built = build::built_alike()?;
    let world = World::start()?;
    let accounts = accounts(&world)?;
    let mut setup = world.with_all_built(&built)?.host(&built.host());
    let mut nodes = Vec::new();
    for (chain, truth) in &world.chains {
        let node = RpcFault::before(&chain.url)?;
        setup = setup.rpc(&truth.network, &node.url());
        nodes.push(node);
    }
    let gateway = setup.config("[watches]\nper_client_max = 2000\n[connections]\nper_client_max = 2000").start()?;
    let before_mib = gateway.memory_mib()?;
    let (mined, stop): (BlockTimes, _) = (Arc::default(), AtomicBool::new(false));
    let time = Duration::from_secs_f64(minutes * 60.0);
    let requests = || nodes.iter().map(RpcFault::requests).sum::<usize>();
    let (mut used_ms, mut used_requests, mut memory_mib) = (0.0, 0, 0.0);
    let (watched, slow) = thread::scope(|scope| {
        let clients = scope.spawn(|| clients(gateway.base, &accounts, &mined, time + LAST * 2));
        // All have their first event before anything is counted.
        thread::park_timeout(LAST);
        let (threads, asked) = (Threads::of(gateway.process())?, requests());
        for (chain, truth) in &world.chains {
            let (mined, stop, network) = (Arc::clone(&mined), &stop, truth.network.clone());
            scope.spawn(move || mine(chain, &network, &mined, stop));
        }
        thread::park_timeout(time);
        stop.store(true, Ordering::Relaxed);
        thread::park_timeout(LAST);
        used_ms = Threads::of(gateway.process())?.ms_since(&threads);
        (used_requests, memory_mib) = (requests() - asked, gateway.memory_mib()?);
        clients.join().map_err(|_| anyhow::anyhow!("a client failed"))?
    })?;
    let blocks = float(mined.lock().len());
    let waits: Vec<f64> = watched.iter().flat_map(|own| own.waits_ms.iter().copied()).collect();
    ensure!(!waits.is_empty(), "no event came");
    begin(say, &format!("{} watchers of {ACCOUNTS} accounts, {minutes} minutes", watched.len()), &["figure", "value"]);
    let per_block = float(used_requests) / blocks;
    for (figure, value) in [
        ("blocks", number(blocks)),
        ("events of all watchers", number(float(watched.iter().map(|own| own.events).sum::<usize>()))),
        ("bytes of all watchers, MiB", number(float(watched.iter().map(|own| own.bytes).sum::<usize>()) / 1_048_576.0)),
        (
            "requests to nodes for each block",
            verdict.at_most(Kind::Count, "requests of watches", per_block, REQUESTS_MAX),
        ),
        ("processor time for each block, gateway and workers, ms", number(used_ms / blocks)),
        ("processors in use", number(used_ms / ms(time))),
        ("from a block to its event, p50, ms", number(percentile(&waits, 50))),
        ("p99, ms", number(percentile(&waits, 99))),
        ("memory before, MiB", number(before_mib)),
        ("memory at the end, MiB", number(memory_mib)),
        ("peak, MiB", number(gateway.memory_peak_mib()?)),
        ("the reader that does not read", slow),
    ] {
        row(say, &[figure, &value]);
    }
    Ok(())
}

/// The accounts of the chains' build, those that get something, and those that have nothing.
fn accounts(world: &World) -> Result<Vec<String>> {
    let own = portolan_tests::truth::ACCOUNTS.iter().map(|who| world.address(who).map(str::to_owned));
    let mut accounts = own.collect::<Result<Vec<_>>>()?;
    let (chain, truth) = world.chain("ethereum")?;
    let (farmer, shares) = (world.address("farmer")?, truth.contract("xsushi")?);
    for place in 0..ACCOUNTS - accounts.len() {
        let account = Address::left_padding_from(&(u64::try_from(place)? << 32 | 0x0a7c).to_be_bytes());
        if place < HOLDERS {
            let data = format!("0xa9059cbb{:x}{:064x}", account.into_word(), 1_000_000_000_u64);
            let receipt = chain.send(&json!({"from": farmer, "to": shares, "data": data}))?;
            ensure!(receipt["status"] == "0x1", "{receipt}");
        }
        accounts.push(format!("{account:#x}"));
    }
    Ok(accounts)
}

fn mine(chain: &Chain, network: &str, mined: &BlockTimes, stop: &AtomicBool) -> Result<()> {
    let block_time = BLOCK_TIMES.iter().find(|(own, _)| *own == network).context("no block time")?.1;
    let mut next = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let number = chain.mine()?;
        mined.lock().insert((network.to_owned(), number), Instant::now());
        next += Duration::from_millis(block_time);
        thread::park_timeout(next.saturating_duration_since(Instant::now()));
    }
    Ok(())
}

/// Runs all watchers; returns what they saw, and what became of the one that does not read.
fn clients(to: SocketAddr, accounts: &[String], mined: &BlockTimes, time: Duration) -> Result<(Vec<Watched>, String)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let until = Time::now() + time;
        let watchers = accounts.iter().flat_map(|account| std::iter::repeat_n(account, WATCHERS_EACH));
        let watching = try_join_all(watchers.map(|account| watch(to, account, mined, until)));
        // The first account's portfolio is the largest.
        let (watched, slow) = join(watching, slow(to, &accounts[0], until)).await;
        Ok((watched?, slow?))
    })
}

async fn open(mut stream: TcpStream, account: &str) -> Result<TcpStream> {
    stream.write_all(format!("GET /{account}/watch HTTP/1.1\r\nhost: bench\r\n\r\n").as_bytes()).await?;
    Ok(stream)
}

async fn watch(to: SocketAddr, account: &str, mined: &BlockTimes, until: Time) -> Result<Watched> {
    let mut stream = open(TcpStream::connect(to).await?, account).await?;
    let (mut watched, mut seen, mut line, mut chunk) =
        (Watched::default(), HashMap::new(), Vec::new(), vec![0; 16_384]);
    while let Ok(read) = timeout_at(until, stream.read(&mut chunk)).await {
        let read = read?;
        ensure!(read > 0, "the stream of {account} ended");
        watched.bytes += read;
        for byte in chunk.iter().take(read) {
            if *byte != b'\n' {
                if line.len() < 256 {
                    line.push(*byte);
                }
                continue;
            }
            if let Some(blocks) = line.strip_prefix(b"data: {\"blocks\":\"") {
                watched.events += 1;
                let blocks = blocks.split(|byte| *byte == b'"').next().unwrap_or_default();
                watched.waits_ms.extend(waits(std::str::from_utf8(blocks)?, mined, &mut seen));
            }
            line.clear();
        }
    }
    Ok(watched)
}

/// The time since each of these blocks was mined that is new to this watcher.
fn waits(blocks: &str, mined: &BlockTimes, seen: &mut HashMap<String, u64>) -> Vec<f64> {
    let mined = mined.lock();
    let new = blocks.split(", ").filter_map(|block| {
        let (network, number) = block.split_once('=')?;
        let number = number.parse().ok()?;
        let known = seen.insert(network.to_owned(), number);
        let at = mined.get(&(network.to_owned(), number)).filter(|_| known.is_none_or(|known| known < number))?;
        Some(ms(at.elapsed()))
    });
    new.collect()
}

/// Requests a stream and reads it only once all is over.
async fn slow(to: SocketAddr, account: &str, until: Time) -> Result<String> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(SLOW_BYTES)?;
    let mut stream = open(socket.connect(to).await?, account).await?;
    tokio::time::sleep_until(until).await;
    let mut received = Vec::new();
    let read = timeout_at(Time::now() + LAST, stream.read_to_end(&mut received)).await;
    let how = match read {
        Ok(Ok(_)) => "its stream was ended",
        Ok(Err(_)) => "its connection was closed",
        Err(_) => "its stream was still open: what waited fitted into the buffers",
    };
    let is_told = received.windows(19).any(|part| part == b"{\"reason\":\"slow\"}\n\n");
    Ok(format!("{how} after {} KiB{}", received.len() / 1024, if is_told { ", with the reason" } else { "" }))
}
