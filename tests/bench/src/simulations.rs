//! Fifty claims of one account, tried by each side in turn: on loopback, at a distance, and through a counting proxy.
//!
//! Portolan's side says what each pays, of the balances before and after; viem's `simulateContract` says whether each
//! succeeds, and its `simulateBlocks` what the logs say of claims that are made one after the other.

use anyhow::{Context as _, Result};

use super::Say;
use super::delay::Delay;
use super::meter::median;
use super::node::Node;
use super::peer::{Cost, Peer, Task, Way};
use super::table::{Kind, Verdict, begin, float, number, row};
use super::tally::Tally;
use super::world::{World, prepare};
use portolan_tests::rpc_fault::RpcFault;

const TOKENS: usize = 5_000;
const CLAIMS: usize = 50;
const WARM_ROUNDS: usize = 3;
const ROUNDS: usize = 9;

const SIDES: [Way; 3] = [Way::Simulation, Way::ViemContract, Way::ViemBlocks];
const LABELS: [&str; 3] = ["portolan", "simulateContract", "simulateBlocks"];

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let prepared = prepare(TOKENS)?;
    let world = World::read(&prepared.world)?;
    let node = Node::start(&prepared, &world)?;
    let (distant, counter) = (Delay::before(&node.url)?, RpcFault::before(&node.url)?);
    let mut sides = SIDES.iter().map(|way| Peer::start(*way, &prepared)).collect::<Result<Vec<_>>>()?;
    let mut accounts = 0..world.accounts.len();
    let mut rounds = |url: &str, warm: usize, count: usize| -> Result<Vec<Vec<(Cost, Tally)>>> {
        let mut made = vec![Vec::new(); SIDES.len()];
        for round in 0..warm + count {
            let account = accounts.next().context("fewer accounts than rounds")?;
            for (side, made) in sides.iter_mut().zip(&mut made) {
                counter.take();
                let cost = side.read(&node, Task { url, account, count: CLAIMS, chunk: CLAIMS })?;
                let tally = Tally::of(&counter.take())?;
                if round >= warm {
                    made.push((cost, tally));
                }
            }
        }
        Ok(made)
    };
    let near = rounds(&node.url, WARM_ROUNDS, ROUNDS)?;
    let far = rounds(&distant.url(), WARM_ROUNDS, ROUNDS)?;
    let counted = rounds(&counter.url(), WARM_ROUNDS, 1)?;

    let ratios = ["simulateContract : portolan", "simulateBlocks : portolan"];
    begin(say, &format!("{CLAIMS} claims of one account"), &[&["figure"][..], &LABELS, &ratios].concat());
    let of = |rounds: &[Vec<(Cost, Tally)>], part: fn(&(Cost, Tally)) -> f64| -> Vec<f64> {
        rounds.iter().map(|made| median(made.iter().map(part))).collect()
    };
    let figures = [
        ("HTTP requests", of(&counted, |(_, tally)| float(tally.requests))),
        ("bytes up", of(&counted, |(_, tally)| float(tally.up_bytes))),
        ("bytes down", of(&counted, |(_, tally)| float(tally.down_bytes))),
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
