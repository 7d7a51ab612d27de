//! The time to the first row and to the whole answer, as a stream and as a plain answer, with nodes on loopback and at
//! 50 ms.
//!
//! Each answer is measured at a block of its own, so that its reads about the account are not cached: the first one after
//! the start, when nothing is, and the median of later ones.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::event_stream::EventStream;
use portolan_tests::gateway::Gateway;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::wait;
use portolan_tests::world::World;

use super::super::Say;
use super::super::delay::Delay;
use super::super::meter::{median, ms};
use super::super::table::{Verdict, begin, float, number, row};
use super::watchers::NEW_BLOCK_WITHIN;

const ROUNDS: usize = 9;

/// What is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    Stream,
}

/// The figures of one answer.
struct RowTimes {
    first_row_ms: f64,
    whole_ms: f64,
    requests: f64,
}

pub(crate) fn run(say: Say<'_>, _: &mut Verdict) -> Result<()> {
    let columns =
        ["claimables of `farmer`, four networks", "nodes", "form", "first row, ms", "whole, ms", "requests to nodes"];
    begin(say, "Time to the first row", &columns);
    let built = build::built_alike()?;
    for (nodes, is_far) in [("loopback", false), ("50 ms", true)] {
        for form in [Form::Plain, Form::Stream] {
            let stage = RowStage::start(&built, is_far)?;
            let first = stage.figures(form)?;
            let mut later = Vec::new();
            for _ in 0..ROUNDS {
                stage.next_blocks()?;
                later.push(stage.figures(form)?);
            }
            let name = if form == Form::Plain { "plain" } else { "stream" };
            let of = |figure: fn(&RowTimes) -> f64| median(later.iter().map(figure));
            let later = [of(|own| own.first_row_ms), of(|own| own.whole_ms), of(|own| own.requests)];
            let first = [first.first_row_ms, first.whole_ms, first.requests];
            for (what, figures) in [("first after the start", first), ("at a new block", later)] {
                let cells = [what, nodes, name].map(str::to_owned).into_iter().chain(figures.map(number));
                row(say, &cells.collect::<Vec<_>>());
            }
        }
    }
    Ok(())
}

struct RowStage {
    gateway: Gateway,
    world: World,
    nodes: Vec<RpcFault>,
    _far: Vec<Delay>,
}

impl RowStage {
    fn start(built: &build::Built, is_far: bool) -> Result<Self> {
        let world = World::start()?;
        let mut setup = world.with_all_built(built)?.host(&built.host());
        let (mut nodes, mut far) = (Vec::new(), Vec::new());
        for (chain, truth) in &world.chains {
            let node = RpcFault::before(&chain.url)?;
            let delay = is_far.then(|| Delay::before(&node.url())).transpose()?;
            setup = setup.rpc(&truth.network, &delay.as_ref().map_or_else(|| node.url(), Delay::url));
            nodes.push(node);
            far.extend(delay);
        }
        Ok(Self { gateway: setup.start()?, world, nodes, _far: far })
    }

    fn requests(&self) -> usize {
        self.nodes.iter().map(RpcFault::requests).sum()
    }

    /// Mines a block on each network, and waits until answers are at it. Another account is asked about for that.
    fn next_blocks(&self) -> Result<()> {
        let mut pins = Vec::new();
        for (chain, truth) in &self.world.chains {
            let newest = chain.mine()?;
            pins.push(format!("{}={newest}", truth.network));
        }
        let path = format!("/claimables/{}?simulate=false", self.world.address("nothing")?);
        let pinned = || {
            let response = self.gateway.get(&path)?;
            let blocks = response.header("portolan-blocks").unwrap_or_default().to_owned();
            ensure!(pins.iter().all(|pin| blocks.contains(pin.as_str())), "{blocks} instead of {pins:?}");
            Ok(())
        };
        wait::until("the new blocks", NEW_BLOCK_WITHIN, pinned).map(drop)
    }

    fn figures(&self, form: Form) -> Result<RowTimes> {
        let path = format!("/claimables/{}", self.world.address("farmer")?);
        let (before, began) = (self.requests(), Instant::now());
        let (first_row_ms, whole_ms) = match form {
            Form::Plain => {
                let response = self.gateway.get(&path)?;
                ensure!(response.status == 200, "{}: {}", response.status, response.body);
                (ms(began.elapsed()), ms(began.elapsed()))
            }
            Form::Stream => {
                let mut stream = EventStream::open(self.gateway.base, &path, None)?;
                let mut first = None;
                loop {
                    let event = stream.event()?;
                    if first.is_none() && !event.data.contains("\"rows\":[]") {
                        first = Some(ms(began.elapsed()));
                    }
                    if event.name != "job" {
                        ensure!(event.name == "answer", "{event:?}");
                        break;
                    }
                }
                (first.context("no row")?, ms(began.elapsed()))
            }
        };
        Ok(RowTimes { first_row_ms, whole_ms, requests: float(self.requests() - before) })
    }
}
