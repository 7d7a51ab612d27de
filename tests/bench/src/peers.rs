//! 5,000 balances of one account by each side, in turn: on loopback, at a distance, and through a counting proxy.

use anyhow::{Context as _, Result};

use super::Say;
use super::bare::Bare;
use super::delay::Delay;
use super::meter::median;
use super::node::Node;
use super::peer::{Cost, Peer, Task, Way, idle};
use super::table::{Kind, Verdict, begin, float, number, row};
use super::tally::Tally;
use super::world::{Prepared, World, prepare};
use portolan_tests::rpc_fault::RpcFault;

const TOKENS: usize = 5_000;
/// Connections and learned limits are warm after them.
const WARM_ROUNDS: usize = 3;
const LOOPBACK_ROUNDS: usize = 15;
const DISTANT_ROUNDS: usize = 9;
const COLD_ROUNDS: usize = 5;
/// The last one counts.
const COUNTED_ROUNDS: usize = 3;
/// The sizes from which "alloy at its fastest chunk" is chosen, by so many rounds.
const CHUNKS: [usize; 5] = [100, 250, 500, 1000, 2500];
const CHUNK_ROUNDS: usize = 7;

/// The sides, in the order of the table.
const SIDES: [Way; 4] = [Way::Set, Way::General, Way::ViemMulticall, Way::Alloy];
const LABELS: [&str; 4] = ["set", "general", "viem", "alloy"];
/// How many of them, the first ones, are Portolan's.
const OWN: usize = 2;
const VIEM: usize = 2;
const ALLOY: usize = 3;

/// The figures of a side's answer.
#[derive(Clone, Copy, Debug)]
struct Figures {
    loopback: Cost,
    warm_ms: f64,
    cold_ms: f64,
    requests: f64,
    up_bytes: f64,
    down_bytes: f64,
    gas: f64,
}

/// One figure of all sides, and how many times less Portolan's has to be: its set of reads and its general reads,
/// against viem and against alloy.
struct Required {
    name: &'static str,
    kind: Kind,
    of: fn(&Figures) -> f64,
    viem: Option<(f64, f64)>,
    alloy: Option<(f64, f64)>,
}

const REQUIRED: [Required; 9] = [
    required("client CPU, ms", Kind::Time, |side| side.loopback.cpu_ms, (300.0, 300.0), (8.0, 8.0)),
    required("HTTP requests", Kind::Count, |side| side.requests, (60.0, 60.0), (3.0, 3.0)),
    required("bytes up", Kind::Count, |side| side.up_bytes, (10.0, 10.0), (10.0, 10.0)),
    required("bytes down", Kind::Count, |side| side.down_bytes, (140.0, 140.0), (140.0, 140.0)),
    required("node CPU, ms", Kind::Time, |side| side.loopback.node_ms, (2.3, 2.3), (1.6, 1.6)),
    required("wall, loopback, ms", Kind::Time, |side| side.loopback.wall_ms, (20.0, 20.0), (2.0, 2.0)),
    required("wall, 50 ms, warm, ms", Kind::Time, |side| side.warm_ms, (5.0, 5.0), (1.3, 1.3)),
    reported("wall, 50 ms, new connection, ms", Kind::Time, |side| side.cold_ms),
    reported("gas a read", Kind::Count, |side| side.gas),
];

const fn required(
    name: &'static str,
    kind: Kind,
    of: fn(&Figures) -> f64,
    viem: (f64, f64),
    alloy: (f64, f64),
) -> Required {
    Required { name, kind, of, viem: Some(viem), alloy: Some(alloy) }
}

const fn reported(name: &'static str, kind: Kind, of: fn(&Figures) -> f64) -> Required {
    Required { name, kind, of, viem: None, alloy: None }
}

/// Portolan's own bounds: for a set of reads, for general reads.
const GAS_MAX: f64 = 5_750.0;
const UP_BYTES_MAX: f64 = 43.0;

/// The costs of the rounds of each side, and of Portolan's requests when they were made before.
struct Rounds {
    sides: Vec<Vec<Cost>>,
    bare_ms: [Vec<f64>; OWN],
}

struct PeerStage {
    prepared: Prepared,
    node: Node,
    distant: Delay,
    counter: RpcFault,
    sides: Vec<Peer>,
    accounts: std::ops::Range<usize>,
}

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let mut stage = PeerStage::up()?;
    let near = stage.node.url.clone();
    let far = stage.distant.url();
    stage.distance(say)?;
    let chunks = [stage.fastest_chunk(&near, say)?, stage.fastest_chunk(&far, say)?];

    let tallies = stage.tallies(chunks[0])?;
    let loopback = stage.rounds(&near, &tallies, LOOPBACK_ROUNDS, chunks[0])?;
    let warm = stage.rounds(&far, &tallies, DISTANT_ROUNDS, chunks[1])?;
    let cold = stage.cold_rounds(&far, chunks[1])?;

    let mut figures = Vec::new();
    for (side, tally) in tallies.iter().enumerate() {
        let gas: Result<Vec<u64>> = tally.calls.iter().map(|call| stage.node.gas(call)).collect();
        figures.push(Figures {
            loopback: Cost::median(&loopback.sides[side]),
            warm_ms: median(warm.sides[side].iter().map(|cost| cost.wall_ms)),
            cold_ms: median(cold[side].iter().map(|cost| cost.wall_ms)),
            requests: float(tally.requests),
            up_bytes: float(tally.up_bytes),
            down_bytes: float(tally.down_bytes),
            gas: float(gas?.iter().sum::<u64>()) / float(TOKENS),
        });
    }
    compare(&figures, say, verdict);
    own(&figures, say, verdict);
    bare(&figures, [loopback, warm].map(|rounds| rounds.bare_ms), say);
    let beside: Vec<String> = tallies
        .iter()
        .zip(LABELS)
        // Of the others there are none: what was counted meanwhile is Portolan's following of the newest block.
        .take(OWN)
        .map(|(tally, label)| format!("{label} {} with {} B", tally.beside, tally.beside_bytes))
        .collect();
    say(&format!("\nrequests without reads meanwhile: {}", beside.join(", ")));
    stage.single(say)
}

fn compare(figures: &[Figures], say: Say<'_>, verdict: &mut Verdict) {
    let heading = format!("{TOKENS} balances of one account, 50 of them not zero");
    let ratios = ["viem : set", "viem : general", "alloy : set", "alloy : general"];
    begin(say, &heading, &[&["figure"][..], &LABELS, &ratios].concat());
    for Required { name, kind, of, viem, alloy } in &REQUIRED {
        let mut cells = vec![(*name).to_owned()];
        cells.extend(figures.iter().map(|side| number(of(side))));
        // alloy's reads go by the chunk that was fastest in this run.
        for (peer, kind, bounds) in [(VIEM, *kind, *viem), (ALLOY, Kind::Time, *alloy)] {
            for own in 0..OWN {
                let ratio = of(&figures[peer]) / of(&figures[own]);
                let what = format!("{name}, {} : {}", LABELS[peer], LABELS[own]);
                cells.push(match bounds {
                    Some(bounds) => verdict.at_least(kind, &what, ratio, if own == 0 { bounds.0 } else { bounds.1 }),
                    None => format!("{}×", number(ratio)),
                });
            }
        }
        row(say, &cells);
    }
}

fn own(figures: &[Figures], say: Say<'_>, verdict: &mut Verdict) {
    begin(say, "Portolan's own bounds", &["figure", "set", "general"]);
    let gas = verdict.at_most(Kind::Count, "gas a read, set", figures[0].gas, GAS_MAX);
    row(say, &["gas a read".to_owned(), gas, number(figures[1].gas)]);
    let up = [0, 1].map(|own| {
        let what = format!("bytes up a token, {}", LABELS[own]);
        verdict.at_most(Kind::Count, &what, figures[own].up_bytes / float(TOKENS), UP_BYTES_MAX)
    });
    row(say, &["bytes up a token", &up[0], &up[1]]);
}

/// Shows how much Portolan could still save, and how much anyone could who reads in this way.
fn bare(figures: &[Figures], bare_ms: [[Vec<f64>; OWN]; 2], say: Say<'_>) {
    let ratios = ["set : its bare", "general : its bare", "alloy : bare set", "alloy : bare general"];
    let columns = [&["figure", "bare set", "bare general"][..], &ratios].concat();
    begin(say, "Portolan's requests, made before and sent over bare connections", &columns);
    let walls = [
        ("wall, loopback, ms", figures.iter().map(|side| side.loopback.wall_ms).collect::<Vec<_>>()),
        ("wall, 50 ms, warm, ms", figures.iter().map(|side| side.warm_ms).collect()),
    ];
    for ((name, walls), bare_ms) in walls.into_iter().zip(bare_ms) {
        let bare = bare_ms.map(median);
        let own = walls.iter().zip(&bare).map(|(wall, bare)| wall / bare);
        let alloy = bare.iter().map(|bare| walls[ALLOY] / bare);
        let ratios = own.chain(alloy).map(|ratio| format!("{}×", number(ratio)));
        row(say, &[vec![name.to_owned()], bare.map(number).to_vec(), ratios.collect()].concat());
    }
}

impl PeerStage {
    fn up() -> Result<Self> {
        let prepared = prepare(TOKENS)?;
        let world = World::read(&prepared.world)?;
        let node = Node::start(&prepared, &world)?;
        let distant = Delay::before(&node.url)?;
        let counter = RpcFault::before(&node.url)?;
        let sides = SIDES.iter().map(|way| Peer::start(*way, &prepared)).collect::<Result<_>>()?;
        Ok(Self { prepared, node, distant, counter, sides, accounts: 0..world.accounts.len() })
    }

    fn account(&mut self) -> Result<usize> {
        self.accounts.next().context("fewer accounts than rounds")
    }

    /// How far the distant node is, by answers so small that they take next to nothing else.
    fn distance(&mut self, say: Say<'_>) -> Result<()> {
        let urls = [self.node.url.clone(), self.distant.url()];
        let mut walls = [const { Vec::new() }; 2];
        for round in 0..WARM_ROUNDS + DISTANT_ROUNDS {
            for (url, walls) in urls.iter().zip(&mut walls) {
                let cost = self.sides[ALLOY].read(&self.node, Task { url, account: 0, count: 1, chunk: 1 })?;
                if round >= WARM_ROUNDS {
                    walls.push(cost.wall_ms);
                }
            }
        }
        let [near, far] = walls.map(median);
        say(&format!("the distant node is {} ms farther than the one on loopback", number(far - near)));
        Ok(())
    }

    /// Where alloy is fastest, and what each chunk took it.
    fn fastest_chunk(&mut self, url: &str, say: Say<'_>) -> Result<usize> {
        let mut walls = [const { Vec::new() }; CHUNKS.len()];
        // It keeps nothing, so any account will do.
        for round in 0..WARM_ROUNDS + CHUNK_ROUNDS {
            for (place, chunk) in CHUNKS.into_iter().enumerate() {
                let cost = self.sides[ALLOY].read(&self.node, Task { url, account: 0, count: TOKENS, chunk })?;
                if round >= WARM_ROUNDS {
                    walls[place].push(cost.wall_ms);
                }
            }
        }
        let medians = walls.map(median);
        let reported: Vec<String> =
            CHUNKS.iter().zip(medians).map(|(chunk, ms)| format!("{chunk}: {} ms", number(ms))).collect();
        let place = if url == self.node.url { "on loopback" } else { "at 50 ms" };
        say(&format!("alloy {place} by calls in a chunk: {}", reported.join(", ")));
        let fastest = CHUNKS.into_iter().zip(medians).min_by(|one, other| one.1.total_cmp(&other.1));
        Ok(fastest.context("no chunk")?.0)
    }

    /// Measures each side's answers, round by round through all sides.
    fn rounds(&mut self, url: &str, tallies: &[Tally], rounds: usize, chunk: usize) -> Result<Rounds> {
        let mut bare = Bare::new(url)?;
        let mut reported = Rounds { sides: vec![Vec::new(); SIDES.len()], bare_ms: [const { Vec::new() }; OWN] };
        for round in 0..WARM_ROUNDS + rounds {
            let account = self.account()?;
            for (side, costs) in self.sides.iter_mut().zip(&mut reported.sides) {
                costs.push(side.read(&self.node, Task { url, account, count: TOKENS, chunk })?);
            }
            for (tally, bare_ms) in tallies.iter().zip(&mut reported.bare_ms) {
                bare_ms.push(bare.send(&tally.bodies)?);
                idle(&self.node)?;
            }
            if round < WARM_ROUNDS {
                reported.sides.iter_mut().for_each(Vec::clear);
                reported.bare_ms.iter_mut().for_each(Vec::clear);
            }
        }
        Ok(reported)
    }

    /// The same on connections that have to be made first; what a side has learned stays.
    fn cold_rounds(&mut self, url: &str, chunk: usize) -> Result<Vec<Vec<Cost>>> {
        let mut costs = vec![Vec::new(); SIDES.len()];
        for _ in 0..COLD_ROUNDS {
            let account = self.account()?;
            for (side, costs) in self.sides.iter_mut().zip(&mut costs) {
                self.distant.cut()?;
                costs.push(side.read(&self.node, Task { url, account, count: TOKENS, chunk })?);
            }
        }
        Ok(costs)
    }

    fn tallies(&mut self, chunk: usize) -> Result<Vec<Tally>> {
        let url = self.counter.url();
        let mut tallies = vec![Tally::default(); SIDES.len()];
        for _ in 0..COUNTED_ROUNDS {
            let account = self.account()?;
            for (side, tally) in self.sides.iter_mut().zip(&mut tallies) {
                self.counter.take();
                side.read(&self.node, Task { url: &url, account, count: TOKENS, chunk })?;
                *tally = Tally::of(&self.counter.take())?;
            }
        }
        Ok(tallies)
    }

    /// Measures a client that does not know of Multicall3.
    fn single(&mut self, say: Say<'_>) -> Result<()> {
        let mut side = Peer::start(Way::ViemSingle, &self.prepared)?;
        let account = self.account()?;
        let task = Task { url: &self.node.url, account, count: TOKENS, chunk: 1 };
        let Cost { wall_ms, cpu_ms, node_ms } = side.read(&self.node, task)?;
        let [wall, cpu, node] = [wall_ms, cpu_ms, node_ms].map(number);
        say(&format!("viem readContract × {TOKENS}, once: {wall} ms, client CPU {cpu} ms, node CPU {node} ms"));
        Ok(())
    }
}
