//! Token balances of one account on three networks with 5,000 tokens each: one answer of the gateway beside a viem
//! script that reads all three at once and then what the tokens that it found are called.
//!
//! The networks are one genesis under three chain ids. Warm is another account of a process that has answered before,
//! so the gateway knows what tokens are called, and viem's connections stand; cold is the first answer of a process.

use std::fs;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use bigdecimal::BigDecimal;
use serde_json::json;
use tempfile::TempDir;

use super::Say;
use super::delay::Delay;
use super::meter::{median, ms};
use super::node::Node;
use super::peer::{Peer, Way};
use super::table::{Kind, Verdict, begin, float, number, row};
use super::tally::Tally;
use super::world::{Prepared, World, prepare};
use portolan_tests::build;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::token_list::token_list;

const TOKENS: usize = 5_000;
/// The decimals of every token on the chain.
const DECIMALS: i64 = 18;
const NETWORKS: [(&str, u64); 3] = [("ethereum", 1), ("optimism", 10), ("polygon", 137)];
const WARM_ROUNDS: usize = 3;
const LOOPBACK_ROUNDS: usize = 11;
const DISTANT_ROUNDS: usize = 7;
const COLD_ROUNDS: usize = 3;
/// The last one counts.
const COUNTED_ROUNDS: usize = 3;

const LOOPBACK_RATIO_MIN: f64 = 20.0;
const DISTANT_RATIO_MIN: f64 = 5.0;
/// The most that a warm answer may request of a network.
const REQUESTS_MAX: f64 = 3.0;
const HOST_MIB_MAX: f64 = 100.0;

struct BalanceStage {
    prepared: Prepared,
    world: World,
    nodes: Vec<Node>,
    built: build::Built,
    lists: TempDir,
    accounts: std::ops::Range<usize>,
}

/// The wall times of both sides, the gateway's first.
type Walls = [Vec<f64>; 2];

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let mut stage = BalanceStage::up()?;
    let near: Vec<String> = stage.nodes.iter().map(|node| node.url.clone()).collect();
    let delays: Vec<Delay> = near.iter().map(|url| Delay::before(url)).collect::<Result<_>>()?;
    let far: Vec<String> = delays.iter().map(Delay::url).collect();

    let mut served = stage.serve(&near)?;
    let loopback = stage.rounds(&mut served, &near, LOOPBACK_ROUNDS)?;
    let peak_mib = served.0.memory_peak_mib()?;
    let distant = stage.rounds(&mut stage.serve(&far)?, &far, DISTANT_ROUNDS)?;
    let cold = [stage.cold_rounds(&near)?, stage.cold_rounds(&far)?];
    let tallies = stage.tallies(&near)?;

    let heading =
        format!("Token balances of one account, {} networks × {TOKENS} tokens, 50 of each held", NETWORKS.len());
    begin(say, &heading, &["figure", "gateway", "viem", "viem : gateway"]);
    let mut report = |name: &str, kind: Kind, figures: [f64; 2], bound: Option<f64>| {
        let ratio = figures[1] / figures[0];
        let reported = match bound {
            Some(bound) => verdict.at_least(kind, name, ratio, bound),
            None => format!("{}×", number(ratio)),
        };
        row(say, &[name.to_owned(), number(figures[0]), number(figures[1]), reported]);
    };
    let medians = |walls: &Walls| [0, 1].map(|side| median(walls[side].iter().copied()));
    report("wall, loopback, warm, ms", Kind::Time, medians(&loopback), Some(LOOPBACK_RATIO_MIN));
    report("wall, 50 ms, warm, ms", Kind::Time, medians(&distant), Some(DISTANT_RATIO_MIN));
    report("wall, loopback, cold, ms", Kind::Time, medians(&cold[0]), None);
    report("wall, 50 ms, cold, ms", Kind::Time, medians(&cold[1]), None);
    for (name, of) in [
        ("requests, all networks", (|tally| tally.requests) as fn(&Tally) -> usize),
        ("bytes up", |tally| tally.up_bytes),
        ("bytes down", |tally| tally.down_bytes),
    ] {
        let sums = [0, 1].map(|side: usize| float(tallies[side].iter().map(of).sum::<usize>()));
        report(name, Kind::Count, sums, None);
    }
    let most = tallies[0].iter().map(|tally| tally.requests).max().unwrap_or_default();
    begin(say, "The gateway's own bounds", &["figure", "gateway"]);
    let requests = verdict.at_most(Kind::Count, "requests of a network", float(most), REQUESTS_MAX);
    row(say, &["requests of a network, warm", &requests]);
    let memory = verdict.at_most(Kind::Count, "the host's memory, MiB", peak_mib, HOST_MIB_MAX);
    row(say, &["peak of the host's memory (VmHWM), MiB", &memory]);
    Ok(())
}

impl BalanceStage {
    fn up() -> Result<Self> {
        let prepared = prepare(TOKENS)?;
        let world = World::read(&prepared.world)?;
        let start = |(_, chain_id): &(&str, u64)| Node::start_as(&prepared, &world, *chain_id);
        let nodes = NETWORKS.iter().map(start).collect::<Result<_>>()?;
        let lists = tempfile::tempdir()?;
        let tokens: Vec<_> = NETWORKS
            .iter()
            .flat_map(|(_, chain_id)| world.tokens.iter().map(move |token| (chain_id, token)))
            .map(|(chain_id, token)| json!({"chainId": chain_id, "address": token, "name": "Any", "symbol": "ANY", "decimals": DECIMALS}))
            .collect();
        fs::write(lists.path().join("list.json"), token_list("Bench", &tokens).to_string())?;
        let accounts = 0..world.accounts.len();
        Ok(Self { nodes, built: build::release(&[("portolan", "portolan")])?, lists, accounts, world, prepared })
    }

    /// A gateway and a viem process, neither of which has answered yet.
    fn serve(&self, urls: &[String]) -> Result<(Gateway, Peer)> {
        let lists = self.lists.path().join("list.json");
        let config = format!("[tokens]\nshipped = false\nlists = [{lists:?}]");
        let setup = Setup::default().host(&self.built.host()).config(&config);
        let named = NETWORKS.iter().zip(urls);
        let setup = named.fold(setup, |setup, ((network, _), url)| setup.rpc(network, url));
        Ok((setup.start()?, Peer::start(Way::ViemAccount, &self.prepared)?))
    }

    fn account(&mut self) -> Result<usize> {
        self.accounts.next().context("fewer accounts than rounds")
    }

    /// Walls of one account's answers.
    fn fetch(&self, (gateway, viem): &mut (Gateway, Peer), urls: &[String], who: usize) -> Result<[f64; 2]> {
        let began = Instant::now();
        let response = gateway.get(&format!("/balance/{:#x}/token-balances", self.world.accounts[who]))?;
        let wall_ms = ms(began.elapsed());
        ensure!(response.status == 200 && response.header("portolan-partial").is_none(), "{response:?}");
        self.verify(who, &response.json()?)?;
        viem.send(&format!("run {} {who} {TOKENS}", urls.join(",")))?;
        Ok([wall_ms, viem.cost()?.0])
    }

    fn verify(&self, who: usize, rows: &Json) -> Result<()> {
        let mut expected = Vec::new();
        for (_, chain_id) in NETWORKS {
            let mut held: Vec<_> = self.world.held(who)?.collect();
            held.sort_unstable();
            expected.extend(held.into_iter().map(|(token, raw)| (chain_id, format!("{token:#x}"), raw)));
        }
        let rows = rows.items()?;
        ensure!(rows.len() == expected.len(), "{} balances instead of {}", rows.len(), expected.len());
        for (row, (chain_id, token, raw)) in rows.iter().zip(expected) {
            let amount = BigDecimal::new(raw.to_string().parse()?, DECIMALS);
            let is_same = row.at("network/chainId")?.to_string() == chain_id.to_string()
                && row.text_at("token/address")? == token
                && row.number_at("amount")? == amount;
            ensure!(is_same, "{row} instead of {amount} of {token} on {chain_id}");
        }
        Ok(())
    }

    fn rounds(&mut self, served: &mut (Gateway, Peer), urls: &[String], rounds: usize) -> Result<Walls> {
        let mut walls = Walls::default();
        for round in 0..WARM_ROUNDS + rounds {
            let who = self.account()?;
            let both = self.fetch(served, urls, who)?;
            if round >= WARM_ROUNDS {
                walls.iter_mut().zip(both).for_each(|(walls, wall)| walls.push(wall));
            }
        }
        Ok(walls)
    }

    fn cold_rounds(&mut self, urls: &[String]) -> Result<Walls> {
        let mut walls = Walls::default();
        for _ in 0..COLD_ROUNDS {
            let who = self.account()?;
            let both = self.fetch(&mut self.serve(urls)?, urls, who)?;
            walls.iter_mut().zip(both).for_each(|(walls, wall)| walls.push(wall));
        }
        Ok(walls)
    }

    /// Counts what each side requested from each network for the last of some answers.
    fn tallies(&mut self, near: &[String]) -> Result<[Vec<Tally>; 2]> {
        let counters: Vec<RpcFault> = near.iter().map(|url| RpcFault::before(url)).collect::<Result<_>>()?;
        let urls: Vec<String> = counters.iter().map(RpcFault::url).collect();
        let (gateway, mut viem) = self.serve(&urls)?;
        let mut tallies = [Vec::new(), Vec::new()];
        let taken = || counters.iter().map(|counter| Tally::of(&counter.take())).collect::<Result<Vec<_>>>();
        for _ in 0..COUNTED_ROUNDS {
            let who = self.account()?;
            taken()?;
            let response = gateway.get(&format!("/balance/{:#x}/token-balances", self.world.accounts[who]))?;
            self.verify(who, &response.json()?)?;
            tallies[0] = taken()?;
            viem.send(&format!("run {} {who} {TOKENS}", urls.join(",")))?;
            viem.cost()?;
            // Requests that follow the newest block meanwhile are not an `eth_call` with reads, and are counted apart.
            tallies[1] = taken()?;
        }
        Ok(tallies)
    }
}
