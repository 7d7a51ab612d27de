//! What failures of a replica and of the store do to answers, while a load goes on. `BENCH_FAULTS` chooses those whose
//! name has this text.

use std::env;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use portolan_tests::json::Json;
use portolan_tests::redis::Redis;
use portolan_tests::wait;
use rustix::process::{Pid, Signal, kill_process};

use super::clock::Clock;
use super::replica::{GOLDEN, golden};
use super::traffic::{self, Rate};
use super::{Fleet, FleetStage, REPLICAS, Replica, check};
use crate::Say;
use crate::table::{Verdict, begin, float, number, row};

/// The variable with the text.
const CHOSEN: &str = "BENCH_FAULTS";
const LOAD: Rate = Rate { per_second: 8, time: Duration::from_secs(24) };
/// When the failure begins, and when it ends.
const BEGINS: Duration = Duration::from_secs(4);
const ENDS: Duration = Duration::from_secs(12);
const RECOVERED_WITHIN: Duration = Duration::from_secs(60);
/// The metric of entries that are not believed.
const REFUSED: &str = "portolan_store_lookups_total{outcome=\"refused\"}";
const HOUR_S: i64 = 3_600;
/// The golden plugin at the oldest revision of the interface that gateways load.
const OLDEST: (&str, &str) = ("libaelin_revision_5.so", "5");
/// The time for which one pause holds the store up.
const PAUSE_MS: &str = "200";

/// Changes each value in its middle.
const POISON: &str = "for _, key in ipairs(redis.call('KEYS', '*')) do if redis.call('TYPE', key).ok == 'string' then \
    local value = redis.call('GET', key); local middle = math.floor(#value / 2) + 1; \
    local byte = string.char((string.byte(value, middle) + 1) % 256); \
    redis.call('SET', key, string.sub(value, 1, middle - 1) .. byte .. string.sub(value, middle + 1)) end end return 1";
/// Gives each key the value of another one.
const REPLAY: &str = "local before = nil; for _, key in ipairs(redis.call('KEYS', '*')) do \
    if redis.call('TYPE', key).ok == 'string' then local value = redis.call('GET', key); \
    if before then redis.call('SET', key, before) end; before = value end end return 1";

/// A failure: what it does at its begin, again and again, and at its end.
struct Fault {
    name: &'static str,
    /// True if the first replica goes by a clock of its own.
    needs_clock: bool,
    begin: fn(&mut Parts<'_>) -> Result<()>,
    again: fn(&mut Parts<'_>) -> Result<()>,
    end: fn(&mut Parts<'_>) -> Result<()>,
}

/// What a failure may do something to.
struct Parts<'a> {
    replica: &'a mut Replica,
    store: &'a mut Redis,
    clock: Option<&'a Clock>,
}

const NONE: Fault = Fault { name: "none", needs_clock: false, begin: |_| Ok(()), again: |_| Ok(()), end: |_| Ok(()) };

const FAULTS: [Fault; 13] = [
    NONE,
    Fault {
        name: "a replica is killed (SIGKILL) and started again",
        begin: |parts| signal(parts.replica.gateway.process(), Signal::KILL),
        end: |parts| parts.replica.gateway.kill_and_relaunch(|_| Ok(())),
        ..NONE
    },
    Fault {
        name: "a replica is stopped (SIGSTOP) for 8 s",
        begin: |parts| signal(parts.replica.gateway.process(), Signal::STOP),
        end: |parts| signal(parts.replica.gateway.process(), Signal::CONT),
        ..NONE
    },
    Fault {
        name: "a replica runs a plugin of interface revision 5 for 8 s",
        begin: |parts| exchange(parts.replica, OLDEST.0),
        end: |parts| {
            runs_revision(parts.replica, OLDEST.1)?;
            exchange(parts.replica, GOLDEN.1)
        },
        ..NONE
    },
    Fault {
        name: "the clock of a replica is an hour ahead for 8 s",
        needs_clock: true,
        begin: |parts| parts.set_clock(HOUR_S),
        end: |parts| parts.set_clock(0),
        ..NONE
    },
    Fault {
        name: "the clock of a replica is an hour behind for 8 s",
        needs_clock: true,
        begin: |parts| parts.set_clock(-HOUR_S),
        end: |parts| parts.set_clock(0),
        ..NONE
    },
    Fault {
        name: "the store is killed (SIGKILL) and started again, empty",
        begin: |parts| {
            parts.store.kill();
            Ok(())
        },
        end: |parts| parts.store.restart(),
        ..NONE
    },
    Fault {
        name: "the store is stopped (SIGSTOP) for 8 s",
        begin: |parts| parts.store.signal(Signal::STOP),
        end: |parts| parts.store.signal(Signal::CONT),
        ..NONE
    },
    Fault {
        name: "the store pauses for 200 ms again and again",
        again: |parts| parts.store.command(&["CLIENT", "PAUSE", PAUSE_MS, "ALL"]).map(drop),
        end: |parts| parts.store.command(&["CLIENT", "UNPAUSE"]).map(drop),
        ..NONE
    },
    Fault {
        name: "the store's memory is full",
        begin: |parts| parts.store.command(&["CONFIG", "SET", "maxmemory", "1"]).map(drop),
        end: |parts| parts.store.command(&["CONFIG", "SET", "maxmemory", "0"]).map(drop),
        ..NONE
    },
    Fault { name: "FLUSHALL again and again", again: |parts| parts.store.command(&["FLUSHALL"]).map(drop), ..NONE },
    Fault {
        name: "every value of the store is changed, again and again",
        again: |parts| parts.store.command(&["EVAL", POISON, "0"]).map(drop),
        ..NONE
    },
    Fault {
        name: "the values of the store change their keys, again and again",
        again: |parts| parts.store.command(&["EVAL", REPLAY, "0"]).map(drop),
        ..NONE
    },
];

impl Parts<'_> {
    fn set_clock(&self, ahead_s: i64) -> Result<()> {
        self.clock.context("the replica has no clock of its own")?.set(ahead_s)
    }
}

pub(crate) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let stage = FleetStage::start()?;
    begin(
        say,
        &format!("Failures under a load of {} requests a second, three replicas with a store", LOAD.per_second),
        &[
            "what fails",
            "answers",
            "failed",
            "partial",
            "different from the reference",
            "entries and heads refused",
            "polls for new blocks: of the replica that fails, of each other",
            "p50, ms",
            "longest, ms",
            "all is well again after, s",
        ],
    );
    let chosen = env::var(CHOSEN).unwrap_or_default();
    for fault in FAULTS.iter().filter(|fault| fault.name.contains(&chosen)) {
        let mut store = super::store()?;
        let clock = fault.needs_clock.then(Clock::right).transpose()?;
        let mut fleet = Fleet::start_by(clock.as_ref(), &stage, REPLICAS, Some(&store.url()))?;
        traffic::send(fleet.balancer.base, &stage.mix, super::WARM_UP, |_| Ok(()))?;
        let to = fleet.balancer.base;
        let (first, others) = fleet.replicas.split_first_mut().context("no replica")?;
        let mut recovered = Duration::ZERO;
        let polls = |replicas: &[Replica]| replicas.iter().map(Replica::polls).sum::<usize>();
        let (before, of_others) = (first.polls(), polls(others));
        let load = traffic::send(to, &stage.mix, LOAD, |began| {
            let mut parts = Parts { replica: first, store: &mut store, clock: clock.as_ref() };
            recovered = happen(fault, began, &mut parts, others)?;
            Ok(())
        })?;
        let of_others = (polls(others) - of_others) / others.len();
        let polls = format!("{}, {of_others}", first.polls() - before);
        let [failed, different] = check(say, verdict, fault.name, &stage, &load)?;
        let refused = fleet.replicas.iter().map(|replica| replica.gateway.count(REFUSED)).sum::<Result<u64>>()?;
        let cells = [
            fault.name.to_owned(),
            load.answered().to_string(),
            failed,
            load.partial().to_string(),
            different,
            number(float(refused)),
            polls,
            number(load.percentile(50)),
            number(load.percentile(100)),
            number(recovered.as_secs_f64()),
        ];
        row(say, &cells);
    }
    Ok(())
}

/// Lets a failure happen while a load goes on; returns how long after its end all replicas were ready and had their store.
fn happen(fault: &Fault, began: Instant, parts: &mut Parts<'_>, others: &[Replica]) -> Result<Duration> {
    until(began + BEGINS);
    (fault.begin)(parts)?;
    while began.elapsed() < ENDS {
        (fault.again)(parts)?;
        thread::park_timeout(Duration::from_millis(100));
    }
    (fault.end)(parts)?;
    let is_well = |replica: &Replica| -> Result<()> {
        let ready = replica.gateway.operate("/readyz")?;
        ensure!(ready.status == 200, "{}", ready.body);
        replica.has_store()
    };
    let all = || std::iter::once(&*parts.replica).chain(others).try_for_each(is_well);
    Ok(wait::until("all to be well", RECOVERED_WITHIN, all)?.1)
}

/// Puts another build into the place of the golden plugin.
fn exchange(replica: &Replica, file: &str) -> Result<()> {
    replica.gateway.drop_in(GOLDEN.1, &fs::read(golden(file))?)
}

/// Requires that the golden plugin is in force at this revision of the interface.
fn runs_revision(replica: &Replica, revision: &str) -> Result<()> {
    let plugins = replica.gateway.plugins()?;
    let runs = |row: &Json| -> Result<bool> {
        let is_active = row.text_at("plugin")? == GOLDEN.0 && row.text_at("state")? == "active";
        Ok(is_active && row.at("apiRev")?.to_string() == revision)
    };
    let running = plugins.iter().map(runs).collect::<Result<Vec<_>>>()?;
    ensure!(running.contains(&true), "{} is not in force at revision {revision}: {plugins:?}", GOLDEN.0);
    Ok(())
}

fn until(when: Instant) {
    thread::park_timeout(when.saturating_duration_since(Instant::now()));
}

fn signal(process: u32, signal: Signal) -> Result<()> {
    let id = Pid::from_raw(i32::try_from(process)?).context("process id 0")?;
    Ok(kill_process(id, signal)?)
}
