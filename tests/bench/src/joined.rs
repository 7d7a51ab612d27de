//! The cost of a read that joins an equal one under way.
//!
//! Equal batches begin while the node is held back, and end together; what the first costs alone is taken off.

use anyhow::{Context as _, Result, ensure};

use super::Say;
use super::meter::median;
use super::node::Node;
use super::peer::{Peer, Way};
use super::table::{Kind, Verdict, begin, float, number, row};
use super::tally::Tally;
use super::world::{World, prepare};
use portolan_tests::rpc_fault::{Fault, RpcFault};

const TOKENS: usize = 5_000;
/// Batches that join the first: a million reads.
const JOINERS: usize = 200;
const ROUNDS: usize = 5;
const BOUND_US: f64 = 1.0;

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let prepared = prepare(TOKENS)?;
    let world = World::read(&prepared.world)?;
    let node = Node::start(&prepared, &world)?;
    let rpc = RpcFault::before(&node.url)?;
    let mut side = Peer::start(Way::General, &prepared)?;
    let mut accounts = 0..world.accounts.len();
    let mut costs = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        let mut requests = Vec::new();
        for (joiners, costs) in [0, JOINERS].into_iter().zip(&mut costs) {
            let account = accounts.next().context("fewer accounts than rounds")?;
            side.send(&format!("join {} {account} {TOKENS} {joiners}", rpc.url()))?;
            side.expect("ready")?;
            rpc.take();
            rpc.set(Fault::Hold);
            side.send("go")?;
            side.expect("joined")?;
            rpc.wait_for_held()?;
            rpc.set(Fault::None);
            let (_, cpu_ms) = side.cost()?;
            requests.push(Tally::of(&rpc.take())?.requests);
            // The first round makes connections and learns.
            if round > 0 {
                costs.push(cpu_ms);
            }
        }
        ensure!(round == 0 || requests[0] == requests[1], "joined batches made requests of their own: {requests:?}");
    }
    let [alone, together] = costs.map(median);
    let each_us = (together - alone) * 1e3 / float(JOINERS * TOKENS);
    begin(say, "Reads that join one under way", &["figure", "value"]);
    row(say, &[format!("client CPU of {TOKENS} reads, ms"), number(alone)]);
    row(say, &[format!("the same with {JOINERS} equal batches beside, ms"), number(together)]);
    let name = "client CPU of a read that joins, µs";
    row(say, &[name.to_owned(), verdict.at_most(Kind::Time, name, each_us, BOUND_US)]);
    Ok(())
}
