//! The cost of workers: all shipped plugins in processes of their own, beside the same in the gateway's process, and
//! messages to one worker.
//!
//! Both gateways are one build and answer the same questions in turn, each about an account that has nothing, at a later
//! block. The processor time is that of the gateway and its workers.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use portolan_plugins::testing::LoneWorker;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup, workers};

use super::Say;
use super::delay::{HANDSHAKES, ROUND_TRIP};
use super::meter::{median, ms};
use super::shipped::{QUESTIONS, ShippedAnswer, TenNetworks, declared};
use super::table::{Kind, Verdict, begin, number, row};

const MODES: [&str; 2] = ["in-process", "worker"];
const ROUNDS: usize = 9;
const STARTS: usize = 5;
const CPU_RATIO_MAX: f64 = 1.25;
const WALL_RATIO_MAX: f64 = 1.1;
const READY_MS_MAX: f64 = 1_500.0;
const PRIVATE_MIB_MAX: f64 = 2.0;
const MESSAGES: usize = 1_000;
const MESSAGE_ROUNDS: usize = 20;
const MESSAGE_BYTES: [usize; 3] = [64, 4 << 10, 64 << 10];
const ROUND_TRIP_US_MAX: f64 = 10.0;
const ROUND_TRIP_P99_US_MAX: f64 = 25.0;
const START_MS_MAX: f64 = 15.0;

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    messages(say, verdict)?;
    starts(say, verdict)?;
    answers(say, verdict)
}

fn config(mode: &str) -> String {
    format!("[plugins]\nisolation = \"{mode}\"\n")
}

/// Round trips to a worker, and its start.
fn messages(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let file = build::release(&[("quickswap", "libquickswap.so")])?.plugin("libquickswap.so");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    begin(say, "Messages to a worker", &["message", "median", "99th of 100"]);
    let start = |file: &Path| {
        let began = Instant::now();
        let worker = runtime.block_on(LoneWorker::start(file)).map_err(|error| anyhow!(error))?;
        anyhow::Ok((worker, ms(began.elapsed())))
    };
    let mut took = Vec::new();
    for _ in 0..STARTS {
        took.push(start(&file)?.1);
    }
    let worker = Arc::new(start(&file)?.0);
    let start_ms = verdict.at_most(Kind::Time, "start of a worker, ms", median(took), START_MS_MAX);
    row(say, &["start, up to the self-test, ms", &start_ms, ""]);
    let echo = Echo::start()?;
    for bytes in MESSAGE_BYTES {
        let (body, mut took) = (Arc::<[u8]>::from(vec![0; bytes]), [Vec::new(), Vec::new()]);
        // In turn: what a switch between two processes costs changes from minute to minute.
        for _ in 0..MESSAGE_ROUNDS {
            // In a task, as the gateway's calls are.
            let (worker, body) = (Arc::clone(&worker), Arc::clone(&body));
            took[0].extend(runtime.block_on(runtime.spawn(async move {
                let mut took = Vec::with_capacity(MESSAGES);
                for _ in 0..MESSAGES {
                    let began = Instant::now();
                    worker.round_trip(&body).await;
                    took.push(began.elapsed().as_secs_f64() * 1e6);
                }
                took
            }))?);
            took[1].extend(echo.round_trips(bytes)?);
        }
        let [worker, bare] = took.map(Quantiles::of);
        let name = format!("round trip of {bytes} bytes, µs");
        let cells = if bytes == MESSAGE_BYTES[1] {
            [
                verdict.at_most(Kind::Time, &name, worker.median, ROUND_TRIP_US_MAX),
                verdict.at_most(Kind::Time, &format!("{name}, 99th of 100"), worker.p99, ROUND_TRIP_P99_US_MAX),
            ]
        } else {
            [number(worker.median), number(worker.p99)]
        };
        row(say, &[&name, &cells[0], &cells[1]]);
        row(say, &["the same bytes through `cat`, from a thread that blocks", &number(bare.median), &number(bare.p99)]);
        row(say, &["ratio", &number(worker.median / bare.median), &number(worker.p99 / bare.p99)]);
    }
    Ok(())
}

struct Quantiles {
    median: f64,
    p99: f64,
}

impl Quantiles {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let p99 = values.get(values.len() * 99 / 100).copied().unwrap_or(f64::NAN);
        Self { median: median(values), p99 }
    }
}

/// A process that sends back what it reads, as the bare cost of a round trip.
struct Echo {
    child: Child,
    socket: UnixStream,
}

impl Echo {
    fn start() -> Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let stdout = Stdio::from(OwnedFd::from(theirs.try_clone()?));
        let child = Command::new("cat").stdin(OwnedFd::from(theirs)).stdout(stdout).spawn()?;
        Ok(Self { child, socket })
    }

    fn round_trips(&self, bytes: usize) -> Result<Vec<f64>> {
        let (mut body, mut took) = (vec![0; bytes], Vec::with_capacity(MESSAGES));
        for _ in 0..MESSAGES {
            let began = Instant::now();
            (&self.socket).write_all(&body)?;
            (&self.socket).read_exact(&mut body)?;
            took.push(began.elapsed().as_secs_f64() * 1e6);
        }
        Ok(took)
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A gateway with all plugins, from its start until it is ready.
fn starts(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let built = build::built_alike()?;
    let (plugins, chain) = (build::plugins()?, Chain::bare(1)?);
    let heading = format!("The start with {} plugins", plugins.len());
    begin(say, &heading, &["plugins run", "ready after, ms", "private memory of a worker, MiB"]);
    for mode in MODES {
        let (mut took, mut private) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let setup = Setup::default().host(&built.host()).config(&config(mode)).rpc("ethereum", &chain.url);
            let setup = plugins.iter().fold(setup, |setup, (_, file)| setup.plugin(&built.plugin(file), &[]));
            let began = Instant::now();
            let gateway = setup.start()?;
            took.push(ms(began.elapsed()));
            private.extend(private_mib(&gateway)?);
        }
        let ready = median(took);
        let cells = if private.is_empty() {
            [number(ready), String::new()]
        } else {
            [
                verdict.at_most(Kind::Time, "ready with all plugins, ms", ready, READY_MS_MAX),
                verdict.at_most(Kind::Aim, "private memory of a worker, MiB", median(private), PRIVATE_MIB_MAX),
            ]
        };
        row(say, &[mode, &cells[0], &cells[1]]);
    }
    Ok(())
}

/// The memory of each worker that no file backs.
fn private_mib(gateway: &Gateway) -> Result<Vec<f64>> {
    let mut private = Vec::new();
    for worker in workers(gateway.process())? {
        let status = fs::read_to_string(format!("/proc/{worker}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("no RssAnon")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
        private.push(kib / 1024.0);
    }
    Ok(private)
}

/// Warm answers over all plugins.
fn answers(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let declared = declared()?;
    let columns =
        ["answer, warm", "plugins run", "wall, ms", "processor time, ms", "wall, ratio", "processor time, ratio"];
    begin(say, "All plugins on distant networks, nothing found", &columns);
    for (question, path, list, _) in QUESTIONS {
        let start = |mode| TenNetworks::start(&declared, [ROUND_TRIP, ROUND_TRIP * HANDSHAKES], &config(mode));
        let mut sides = MODES.map(start).into_iter().collect::<Result<Vec<_>>>()?;
        for side in &mut sides {
            side.walk(path)?;
        }
        let mut rounds: [Vec<ShippedAnswer>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (side, rounds) in sides.iter_mut().zip(&mut rounds) {
                rounds.extend(side.rounds(path, list, 1)?);
            }
        }
        let [own, workers] = &rounds;
        let ratio = |figure: fn(&ShippedAnswer) -> f64| {
            median(own.iter().zip(workers).map(|(own, worker)| figure(worker) / figure(own)))
        };
        let [wall, cpu] = [ratio(|answer| answer.wall_ms), ratio(|answer| answer.cpu_ms)];
        let bounds = [
            verdict.at_most(Kind::Time, &format!("wall of workers, {question}"), wall, WALL_RATIO_MAX),
            verdict.at_most(Kind::Time, &format!("processor time of workers, {question}"), cpu, CPU_RATIO_MAX),
        ];
        for (mode, rounds) in MODES.iter().zip(&rounds) {
            let of = |figure: fn(&ShippedAnswer) -> f64| number(median(rounds.iter().map(figure)));
            let (wall, cpu) = (of(|answer| answer.wall_ms), of(|answer| answer.cpu_ms));
            let is_worker = *mode == MODES[1];
            let bound = |place: usize| if is_worker { bounds[place].clone() } else { String::new() };
            row(say, &[question, mode, &wall, &cpu, &bound(0), &bound(1)]);
        }
    }
    Ok(())
}
