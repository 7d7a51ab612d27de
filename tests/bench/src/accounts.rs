//! The cost of an answer about an account that nobody asked about before: processor time of the gateway's process and of
//! its workers, distinct accounts a second, and the memory after many of them.
//!
//! Two gateways answer claimables: one with the demo's four chains, and one with all plugins on ten networks. Accounts
//! come one after the other for the processor time of each, then on several connections at once. `BENCH_ACCOUNTS` sets
//! how many ask the first of them: its memory is that of 100,000 accounts if so many do.

use std::env;
use std::net::SocketAddr;
use std::time::Instant;

use alloy::primitives::Address;
use anyhow::{Context as _, Result, ensure};
use futures_util::future::try_join_all;
use portolan_tests::gateway::{Gateway, workers};
use portolan_tests::world::World;
use portolan_tests::{build, wait};
use tokio::runtime::Builder;

use super::Say;
use super::delay::{HANDSHAKES, ROUND_TRIP};
use super::load::PersistentConnection;
use super::meter::{Threads, median};
use super::shipped::{TenNetworks, WALKED_WITHIN, declared};
use super::table::{Kind, Verdict, begin, float, number, row};

/// The variable with the number of accounts that the demo's gateway is asked about.
const ACCOUNTS: &str = "BENCH_ACCOUNTS";
const DEMO_ACCOUNTS: u32 = 2_000;
const SHIPPED_ACCOUNTS: u32 = 100;
/// Accounts that are not counted: connections open, plugins start, lists are walked.
const FIRST_ACCOUNTS: u32 = 20;
/// Accounts that come one after the other, of which the processor time of each is the median.
const ALONE: u32 = 40;
const CONNECTIONS: u32 = 8;

const DEMO_MS_MAX: f64 = 1.5;
const SHIPPED_MS_MAX: f64 = 45.0;

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let columns = [
        "claimables of distinct accounts",
        "accounts",
        "processor time, ms",
        "gateway, ms",
        "workers, ms",
        "accounts a second",
        "processor time of each then, ms",
        "memory before, MiB",
        "after, MiB",
        "peak, MiB",
    ];
    begin(say, "Accounts that nobody asked about before", &columns);
    let count = env::var(ACCOUNTS).ok().map(|count| count.parse::<u32>()).transpose().context(ACCOUNTS)?;
    let built = build::built_alike()?;
    {
        let world = World::start()?;
        let gateway = world.on_chains(world.with_all_built(&built)?.host(&built.host())).start()?;
        let wanted = count.unwrap_or(DEMO_ACCOUNTS);
        measure(say, verdict, "the demo's four networks", &gateway, wanted, DEMO_MS_MAX)?;
    }
    let mut networks = TenNetworks::start(&declared()?, [ROUND_TRIP, ROUND_TRIP * HANDSHAKES], "")?;
    networks.walk("/claimables")?;
    measure(say, verdict, "all plugins on ten networks", &networks.gateway, SHIPPED_ACCOUNTS, SHIPPED_MS_MAX)
}

fn measure(say: Say<'_>, verdict: &mut Verdict, name: &str, gateway: &Gateway, count: u32, ms_max: f64) -> Result<()> {
    let mut next = 0;
    let mut claimables = || {
        next += 1;
        let response = gateway.get(&path(next))?;
        ensure!(response.status == 200, "{}: {}", response.status, response.body);
        ensure!(response.header("portolan-partial").is_none(), "an answer is partial: {}", response.body);
        anyhow::Ok(())
    };
    for _ in 0..FIRST_ACCOUNTS {
        wait::until("a whole answer", WALKED_WITHIN, &mut claimables)?;
    }
    let before_mib = gateway.memory_mib()?;
    let (mut own, mut of_workers) = (Vec::new(), Vec::new());
    for _ in 0..ALONE {
        let processes = workers(gateway.process())?;
        let before = [Threads::of_all(&[gateway.process()])?, Threads::of_all(&processes)?];
        claimables()?;
        own.push(Threads::of_all(&[gateway.process()])?.ms_since(&before[0]));
        of_workers.push(Threads::of_all(&processes)?.ms_since(&before[1]));
    }
    let both = median(own.iter().zip(&of_workers).map(|(own, worker)| own + worker));
    let (before, began) = (Threads::of(gateway.process())?, Instant::now());
    let client = Builder::new_current_thread().enable_all().build()?;
    let each = count.div_ceil(CONNECTIONS);
    client.block_on(try_join_all((0..CONNECTIONS).map(|connection| {
        let first = next + 1 + connection * each;
        requests(gateway.base, first..first + each)
    })))?;
    let (seconds, asked) = (began.elapsed().as_secs_f64(), float(each * CONNECTIONS));
    let then_ms = Threads::of(gateway.process())?.ms_since(&before) / asked;
    let cells = [
        name.to_owned(),
        number(asked),
        verdict.at_most(Kind::Aim, &format!("processor time of a new account, {name}"), both, ms_max),
        number(median(own)),
        number(median(of_workers)),
        number(asked / seconds),
        number(then_ms),
        number(before_mib),
        number(gateway.memory_mib()?),
        number(gateway.memory_peak_mib()?),
    ];
    row(say, &cells);
    Ok(())
}

/// The request's path for an account, which has nothing on any chain.
fn path(account: u32) -> String {
    let account = Address::left_padding_from(&(u64::from(account) << 40 | 0xacc0).to_be_bytes());
    format!("/claimables/{account:#x}")
}

/// Asks about one of these accounts after the other, on one connection.
async fn requests(to: SocketAddr, accounts: std::ops::Range<u32>) -> Result<()> {
    let mut connection = PersistentConnection::open(to).await?;
    for account in accounts {
        let request = format!("GET {} HTTP/1.1\r\nhost: {to}\r\n\r\n", path(account));
        connection.exchange(request.as_bytes(), None).await?;
    }
    Ok(())
}
