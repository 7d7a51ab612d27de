//! How an answer grows from 100 to 50,000 reads.

use anyhow::{Context as _, Result};

use super::Say;
use super::node::Node;
use super::peer::{Cost, Peer, Task, Way};
use super::table::{Kind, Verdict, begin, float, number, row};
use super::tally::Tally;
use super::world::{World, prepare};
use portolan_tests::rpc_fault::RpcFault;

const COUNTS: [usize; 5] = [100, 1_000, 5_000, 20_000, 50_000];
const WARM_ROUNDS: usize = 2;
const ROUNDS: usize = 5;
const COUNTED_ROUNDS: usize = 2;
/// Linear: from 5,000 to 50,000 a read may come to cost so many times as much, for caches of the processor end too.
const GROWTH_MAX: f64 = 1.5;

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let prepared = prepare(COUNTS[COUNTS.len() - 1])?;
    let world = World::read(&prepared.world)?;
    let node = Node::start(&prepared, &world)?;
    let counter = RpcFault::before(&node.url)?;
    let counted = counter.url();
    let columns = ["reads", "wall, ms", "client CPU, ms", "node CPU, ms", "requests", "bytes up", "bytes down"];
    for way in [Way::Set, Way::General] {
        let mut side = Peer::start(way, &prepared)?;
        let mut accounts = 0..world.accounts.len();
        let heading = format!("Growth, {}", way.name());
        begin(say, &heading, &[&columns[..], &["µs wall a read", "µs CPU a read", "gas a read"]].concat());
        let mut per_read = Vec::new();
        for count in COUNTS {
            let mut task = |url| -> Result<Task<'_>> {
                let account = accounts.next().context("fewer accounts than rounds")?;
                Ok(Task { url, account, count, chunk: 0 })
            };
            let mut costs = Vec::new();
            for round in 0..WARM_ROUNDS + ROUNDS {
                let cost = side.read(&node, task(&node.url)?)?;
                if round >= WARM_ROUNDS {
                    costs.push(cost);
                }
            }
            let mut tally = Tally::default();
            for _ in 0..COUNTED_ROUNDS {
                counter.take();
                side.read(&node, task(&counted)?)?;
                tally = Tally::of(&counter.take())?;
            }
            let gas: Result<Vec<u64>> = tally.calls.iter().map(|call| node.gas(call)).collect();
            let Cost { wall_ms, cpu_ms, node_ms } = Cost::median(&costs);
            let reads = float(count);
            per_read.push((wall_ms / reads, cpu_ms / reads));
            let sizes = [tally.requests, tally.up_bytes, tally.down_bytes].map(float);
            let each = [wall_ms * 1e3 / reads, cpu_ms * 1e3 / reads, float(gas?.iter().sum::<u64>()) / reads];
            let figures = [&[reads, wall_ms, cpu_ms, node_ms][..], &sizes, &each].concat();
            row(say, &figures.into_iter().map(number).collect::<Vec<_>>());
        }
        let (middle, last) = (per_read[2], per_read[per_read.len() - 1]);
        let what = |part| format!("growth of {part} a read from 5,000 to 50,000, {}", way.name());
        let wall = verdict.at_most(Kind::Time, &what("wall"), last.0 / middle.0, GROWTH_MAX);
        let cpu = verdict.at_most(Kind::Time, &what("client CPU"), last.1 / middle.1, GROWTH_MAX);
        say(&format!("\na read of 50,000 costs, of one of 5,000: wall {wall}, client CPU {cpu}"));
    }
    Ok(())
}
