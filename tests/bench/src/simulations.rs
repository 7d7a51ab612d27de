//! Fifty claims of one account, tried by each side in turn, on loopback and at a distance, all through a counting proxy.
//!
//! Portolan's sides say what each pays, of the balances before and after: one by `eth_simulateV1`, each claim by itself,
//! and one by a program at the account's own address, as before an endpoint without that method. viem's
//! `simulateContract` says whether each succeeds, and its `simulateBlocks` what the logs say of claims that are made one
//! after the other.

use anyhow::{Context as _, Result};

use super::Say;
use super::delay::Delay;
use super::meter::median;
use super::node::Node;
use super::peer::{Cost, Peer, Task, Way};
use super::table::{Kind, Verdict, begin, float, number, row};
use super::tally::Tally;
use super::world::{World, prepare};
use portolan_tests::rpc_fault::{Flaws, RpcFault};

const TOKENS: usize = 5_000;
const CLAIMS: usize = 50;
const WARM_ROUNDS: usize = 3;
const ROUNDS: usize = 9;

const SIDES: [Way; 4] = [Way::Simulation, Way::SimulationByOverride, Way::ViemContract, Way::ViemBlocks];
const LABELS: [&str; 4] = ["portolan", "override", "simulateContract", "simulateBlocks"];

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let prepared = prepare(TOKENS)?;
    let world = World::read(&prepared.world)?;
    let node = Node::start(&prepared, &world)?;
    let (whole, without) = (RpcFault::before(&node.url)?, RpcFault::before(&node.url)?);
    without.flawed(Flaws { lacks: &["eth_simulateV1"], ..Flaws::default() });
    let (far_whole, far_without) = (Delay::before(&whole.url())?, Delay::before(&without.url())?);
    let mut sides = SIDES.iter().map(|way| Peer::start(*way, &prepared)).collect::<Result<Vec<_>>>()?;
    let mut accounts = 0..world.accounts.len();
    let mut rounds = |urls: [String; 2], count: usize| -> Result<Vec<Vec<(Cost, Tally)>>> {
        let mut made = vec![Vec::new(); SIDES.len()];
        for round in 0..WARM_ROUNDS + count {
            let account = accounts.next().context("fewer accounts than rounds")?;
            for (side, made) in sides.iter_mut().zip(&mut made) {
                let is_without = side.way == Way::SimulationByOverride;
                let (url, counter) = (&urls[usize::from(is_without)], if is_without { &without } else { &whole });
                counter.take();
                let cost = side.read(&node, Task { url, account, count: CLAIMS, chunk: CLAIMS })?;
                let tally = Tally::of(&counter.take())?;
                if round >= WARM_ROUNDS {
                    made.push((cost, tally));
                }
            }
        }
        Ok(made)
    };
    let near = rounds([whole.url(), without.url()], ROUNDS)?;
    let far = rounds([far_whole.url(), far_without.url()], ROUNDS)?;

    let ratios = ["override : portolan", "simulateContract : portolan", "simulateBlocks : portolan"];
    begin(say, &format!("{CLAIMS} claims of one account"), &[&["figure"][..], &LABELS, &ratios].concat());
    let of = |rounds: &[Vec<(Cost, Tally)>], part: fn(&(Cost, Tally)) -> f64| -> Vec<f64> {
        rounds.iter().map(|made| median(made.iter().map(part))).collect()
    };
    let figures = [
        ("HTTP requests", of(&near, |(_, tally)| float(tally.requests))),
        ("bytes up", of(&near, |(_, tally)| float(tally.up_bytes))),
        ("bytes down", of(&near, |(_, tally)| float(tally.down_bytes))),
        ("client CPU, ms", of(&near, |(cost, _)| cost.cpu_ms)),
        ("node CPU, ms", of(&near, |(cost, _)| cost.node_ms)),
        ("wall, loopback, ms", of(&near, |(cost, _)| cost.wall_ms)),
        ("wall, 50 ms, ms", of(&far, |(cost, _)| cost.wall_ms)),
    ];
    verdict.at_most(Kind::Count, "requests of fifty claims", figures[0].1[0], 1.0);
    for (name, sides) in figures {
        let own = sides.iter().map(|figure| number(*figure));
        let ratios = sides[1..].iter().map(|figure| format!("{}×", number(figure / sides[0])));
        row(say, &[name.to_owned()].into_iter().chain(own).chain(ratios).collect::<Vec<_>>());
    }
    Ok(())
}
