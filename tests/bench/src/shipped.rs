//! The cost of an answer over all shipped plugins on ten distant networks, with their shipped deployments: the
//! aggregate of claimables and the positions of an account that has nothing.
//!
//! The nodes are stand-ins: every address has a contract, a list has 300 pools, gauges or vaults (20 reserves or markets,
//! two rewards), and what is the account's own is zero. So nothing is found, priced or tried, and every plugin reads all
//! that it reads to find that out. An answer is cold where it is the first of its gateway, which has to find out about
//! its endpoints too, and warm where it is about another account at a later block, once all lists are walked.
//!
//! Round trips are requests in sequence, and are counted with nodes that are farther away: two requests of which one
//! left long before the other came back are none, however long the jobs in between waited for a processor. A request that
//! waits for a new connection waits for no reply: where requests are counted, connections open at once. Where they are
//! timed, a connection takes two round trips to open.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy::primitives::Address;
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::Say;
use super::declared::Declared;
use super::delay::{Delay, HANDSHAKES, ROUND_TRIP};
use super::meter::{Threads, median, ms};
use super::stand_in::{BLOCK_S, Reading, StandIn, newest};
use super::table::{Kind, Verdict, begin, float, number, row};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::{build, wait};

const NETWORKS: [(&str, u64); 10] = [
    ("ethereum", 1),
    ("optimism", 10),
    ("arbitrum", 42_161),
    ("base", 8_453),
    ("smartchain", 56),
    ("polygon", 137),
    ("avalanchex", 43_114),
    ("fantom", 250),
    ("gnosis", 100),
    ("linea", 59_144),
];
/// The round trip to nodes whose requests are counted, and not timed: longer than all jobs of an answer compute.
const COUNTED_ROUND_TRIP: Duration = Duration::from_millis(500);
const CONFIG: &str = "[tokens]\nshipped = false\n";
/// The farther nodes take a first answer beyond the usual limits of an answer and of a job.
const COUNTED_LIMITS: &str = "[answers]\ndeadline_ms = 60000\n[plugins.limits]\njob_ms = 60000\n";
const WARM_ROUNDS: usize = 9;
const COUNTED_ROUNDS: usize = 3;
/// For all lists to be walked.
pub(super) const WALKED_WITHIN: Duration = Duration::from_secs(60);

const ROUND_TRIPS_MAX: f64 = 1.5;

/// The questions, each with the name of the list that has to be empty, and the most processor time of the plugins for
/// a warm answer, in milliseconds.
pub(super) const QUESTIONS: [(&str, &str, &str, f64); 2] =
    [("claimables", "/claimables", "items", 50.0), ("positions", "/positions", "protocols", 75.0)];

/// A gateway with all plugins, and its distant nodes.
pub(super) struct TenNetworks {
    pub(super) gateway: Gateway,
    nodes: Vec<StandIn>,
    // The gateway's endpoints.
    _distant: Vec<Delay>,
    accounts: u64,
}

/// The cost of an answer.
pub(super) struct ShippedAnswer {
    pub(super) wall_ms: f64,
    /// Processor time of the gateway and its workers.
    pub(super) cpu_ms: f64,
    plugins_cpu_ms: f64,
    readings: BTreeMap<&'static str, Vec<Reading>>,
    /// What the answer lacks.
    partial: Option<String>,
    document: Value,
}

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let declared = declared()?;
    begin(
        say,
        &format!("All plugins on {} networks at 50 ms, nothing found", NETWORKS.len()),
        &[
            "answer",
            "round trips",
            "wall, ms",
            "processor time, ms",
            "of the plugins, ms",
            "reads requested",
            "requests",
            "bytes up",
            "bytes down",
        ],
    );
    let (mut jobs, mut peaks) = (Vec::new(), Vec::new());
    for (question, path, list, cpu_ms_max) in QUESTIONS {
        let mut counted = TenNetworks::start(&declared, [COUNTED_ROUND_TRIP, Duration::ZERO], COUNTED_LIMITS)?;
        let full = counted.fetch(path, "detail=full")?;
        let of_jobs = full.document["report"]["jobs"].as_array().context("no jobs")?;
        let steps = of_jobs.iter().filter_map(|job| job["waves"].as_u64()).max().context("no job")?;
        jobs.push(format!("{} for {question}, of which the deepest has {steps} steps", of_jobs.len()));
        let cold_depth = full.round_trips();
        counted.walk(path)?;
        let warm_depths = counted.rounds(path, list, COUNTED_ROUNDS)?;

        let mut timed = TenNetworks::start(&declared, [ROUND_TRIP, ROUND_TRIP * HANDSHAKES], "")?;
        let cold = timed.fetch(path, "")?;
        timed.walk(path)?;
        let warm = timed.rounds(path, list, WARM_ROUNDS)?;
        report(say, &format!("{question}, cold"), &[cold_depth], &[cold], None);
        let depths: Vec<usize> = warm_depths.iter().map(ShippedAnswer::round_trips).collect();
        report(say, &format!("{question}, warm"), &depths, &warm, Some((verdict, cpu_ms_max)));
        peaks.push(format!("{} after {question}", number(timed.gateway.memory_peak_mib()?)));
    }
    say(&format!("\njobs: {}; peak of the gateway's memory (VmHWM), MiB: {}", jobs.join("; "), peaks.join(", ")));
    Ok(())
}

/// Tells a row; `bound` is the most processor time of the plugins, in milliseconds.
fn report(say: Say<'_>, name: &str, depths: &[usize], answers: &[ShippedAnswer], bound: Option<(&mut Verdict, f64)>) {
    let of = |figure: fn(&ShippedAnswer) -> f64| median(answers.iter().map(figure));
    let sum = |figure: fn(&Reading) -> usize| {
        let of = |answer: &ShippedAnswer| float(answer.readings.values().flatten().map(figure).sum::<usize>());
        number(median(answers.iter().map(of)))
    };
    let (depth, plugins) = (median(depths.iter().map(|depth| float(*depth))), of(|answer| answer.plugins_cpu_ms));
    let (depth, plugins) = match bound {
        Some((verdict, cpu_ms_max)) => (
            verdict.at_most(Kind::Aim, &format!("round trips, {name}"), depth, ROUND_TRIPS_MAX),
            verdict.at_most(Kind::Time, &format!("processor time of the plugins, {name}"), plugins, cpu_ms_max),
        ),
        None => (number(depth), number(plugins)),
    };
    let cells = [
        name.to_owned(),
        depth,
        number(of(|answer| answer.wall_ms)),
        number(of(|answer| answer.cpu_ms)),
        plugins,
        sum(|reading| reading.reads),
        sum(|_| 1),
        sum(|reading| reading.up_bytes),
        sum(|reading| reading.down_bytes),
    ];
    row(say, &cells);
}

/// The most requests of which each can have waited for the one before, whose reply has to come back first.
fn in_sequence(readings: &[Reading]) -> usize {
    let mut by_end: Vec<&Reading> = readings.iter().collect();
    by_end.sort_by_key(|reading| reading.answered);
    let (mut count, mut last) = (0, None);
    for reading in by_end {
        if last.is_none_or(|last: Instant| reading.arrived >= last + COUNTED_ROUND_TRIP) {
            (count, last) = (count + 1, Some(reading.answered));
        }
    }
    count
}

impl ShippedAnswer {
    /// Requests to nodes with reads.
    pub(super) fn requests(&self) -> usize {
        self.readings.values().map(Vec::len).sum()
    }

    pub(super) fn reads(&self) -> usize {
        self.readings.values().flatten().map(|reading| reading.reads).sum()
    }

    /// Counts those of the network that took most.
    fn round_trips(&self) -> usize {
        self.readings.values().map(|readings| in_sequence(readings)).max().unwrap_or(0)
    }
}

/// The functions that the sources name, for the nodes to answer.
pub(super) fn declared() -> Result<Arc<Declared>> {
    let sources =
        ["plugins", "host/src", "host/assets/src", "host/plugins/src"].map(|folder| build::workspace().join(folder));
    Ok(Arc::new(Declared::read(&sources.each_ref().map(|path| path.as_path()))?))
}

impl TenNetworks {
    /// Starts a gateway whose nodes are a round trip away, and connections the other time. `config` are further tables.
    pub(super) fn start(declared: &Arc<Declared>, [round_trip, opening]: [Duration; 2], config: &str) -> Result<Self> {
        let built = build::built_alike()?;
        let mut setup = Setup::default().host(&built.host()).config(&format!("{CONFIG}{config}"));
        for (_, file) in build::plugins()? {
            setup = setup.plugin(&built.plugin(&file), &[]);
        }
        let (mut nodes, mut distant) = (Vec::new(), Vec::new());
        for (network, chain_id) in NETWORKS {
            let node = StandIn::start(chain_id, declared)?;
            let delay = Delay::of(&node.url(), round_trip, opening)?;
            setup = setup.rpc(network, &delay.url());
            nodes.push(node);
            distant.push(delay);
        }
        Ok(Self { gateway: setup.start()?, nodes, _distant: distant, accounts: 0 })
    }

    /// Answers until one is whole: then all lists are walked.
    pub(super) fn walk(&mut self, path: &str) -> Result<()> {
        let whole = || match self.fetch(path, "")?.partial {
            None => Ok(()),
            Some(partial) => anyhow::bail!("an answer lacks {partial}: {}", self.gateway.log()),
        };
        wait::until("the lists to be walked", WALKED_WITHIN, whole).map(drop)
    }

    /// Whole answers that find nothing, each at a later block.
    pub(super) fn rounds(&mut self, path: &str, list: &str, rounds: usize) -> Result<Vec<ShippedAnswer>> {
        let mut answers = Vec::new();
        for _ in 0..rounds {
            Self::next_block()?;
            let answer = self.fetch(path, "")?;
            let found = if answer.document.is_array() { &answer.document } else { &answer.document[list] };
            let is_empty = found.as_array().is_some_and(Vec::is_empty);
            ensure!(is_empty && answer.partial.is_none(), "lacks {:?}, found {}", answer.partial, answer.document);
            answers.push(answer);
        }
        Ok(answers)
    }

    /// Waits for the networks' next block.
    pub(super) fn next_block() -> Result<()> {
        let before = newest();
        let is_later = || if newest() > before { Ok(()) } else { anyhow::bail!("still at block {before}") };
        wait::until("the next block", Duration::from_secs(BLOCK_S * 2), is_later).map(drop)
    }

    /// An answer about another account than all before.
    fn fetch(&mut self, path: &str, search: &str) -> Result<ShippedAnswer> {
        self.accounts += 1;
        self.fetch_account(self.accounts, path, search)
    }

    /// An answer about the account of this number.
    pub(super) fn fetch_account(&self, account: u64, path: &str, search: &str) -> Result<ShippedAnswer> {
        let account = Address::left_padding_from(&(account << 32).to_be_bytes());
        self.nodes.iter().for_each(|node| drop(node.take()));
        let (plugins_before, before) = (self.plugins_cpu_ms()?, Threads::of(self.gateway.process())?);
        let began = Instant::now();
        let response = self.gateway.get(&format!("{path}/{account:#x}?{search}"))?;
        let wall_ms = ms(began.elapsed());
        let cpu_ms = Threads::of(self.gateway.process())?.ms_since(&before);
        let plugins_cpu_ms = self.plugins_cpu_ms()? - plugins_before;
        ensure!(response.status == 200, "{}: {}", response.status, response.body);
        let readings = NETWORKS.iter().zip(&self.nodes).map(|((network, _), node)| (*network, node.take())).collect();
        let partial = response.header("portolan-partial").map(str::to_owned);
        let document = serde_json::from_str(&response.body)?;
        Ok(ShippedAnswer { wall_ms, cpu_ms, plugins_cpu_ms, readings, partial, document })
    }

    /// The processor time of all plugins since they were loaded, as the gateway counts it.
    fn plugins_cpu_ms(&self) -> Result<f64> {
        let plugins: Value = serde_json::from_str(&self.gateway.operate("/plugins")?.body)?;
        let plugins = plugins.as_array().context("no plugins")?;
        let used: Option<Vec<f64>> = plugins.iter().map(|plugin| plugin["cpuUs"].as_f64()).collect();
        Ok(used.context("a plugin without its time")?.iter().sum::<f64>() / 1e3)
    }
}
