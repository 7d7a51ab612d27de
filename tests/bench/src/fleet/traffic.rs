//! The load of a fleet: a mix of requests at a steady rate, and what came back.
//!
//! Invariant: a request is sent when it is due, however long those before it take, so that a slow side is not asked less.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use portolan_tests::gateway::Gateway;
use portolan_tests::http;
use portolan_tests::json::Json;
use portolan_tests::truth::ACCOUNTS;
use portolan_tests::world::World;

use crate::meter::ms;

const NETWORKS: [&str; 4] = ["ethereum", "optimism", "fantom", "polygon"];
/// Requests under way at most. More are never due at one time unless the other side hangs.
const CLIENTS: usize = 48;
/// Between two looks of a client that follows the blocks.
const FOLLOWED_EVERY: Duration = Duration::from_millis(200);
const AFTER_GAS: &str = "netDollarValue";
/// Answers that are compared with those of the reference.
const COMPARED_MAX: usize = 60;

/// A request and its answer.
#[derive(Clone, Debug)]
pub(super) struct LoadAnswer {
    pub(super) path: String,
    /// Since the load began.
    pub(super) sent: Duration,
    pub(super) took: Duration,
    pub(super) came: Result<Came, String>,
}

/// What came back.
#[derive(Clone, Debug)]
pub(super) struct Came {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) blocks: Option<String>,
    pub(super) partial: Option<String>,
}

/// All answers of a load.
#[derive(Debug, Default)]
pub(super) struct Load {
    pub(super) answers: Vec<LoadAnswer>,
    /// How often a client that followed a network saw its block go back, and how often it looked.
    pub(super) backwards: (usize, usize),
}

/// A load at a steady rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) per_second: u32,
    pub(super) time: Duration,
}

impl Rate {
    pub(super) fn requests(self) -> usize {
        usize::try_from(u64::from(self.per_second) * self.time.as_secs()).unwrap_or(usize::MAX)
    }

    fn due(self, number: usize) -> Duration {
        Duration::from_secs(1) * u32::try_from(number).unwrap_or(u32::MAX) / self.per_second.max(1)
    }
}

/// The requests of a load. The same numbers are the same requests.
#[derive(Debug)]
pub(super) struct Mix {
    known: Vec<String>,
    protocols: Vec<String>,
}

impl Mix {
    pub(super) fn of(world: &World) -> Result<Self> {
        let known = ACCOUNTS.iter().map(|who| Ok(world.address(who)?.to_owned())).collect::<Result<_>>()?;
        Ok(Self { known, protocols: world.slugs()? })
    }

    /// Half of the accounts are known to the chains, and nobody asked about the others before.
    pub(super) fn path(&self, number: usize) -> String {
        let known = &self.known[number / 2 % self.known.len()];
        let account = if number.is_multiple_of(2) { known.clone() } else { unseen(number) };
        let (network, protocol) = (NETWORKS[number % NETWORKS.len()], &self.protocols[number % self.protocols.len()]);
        match number / 2 % 10 {
            0..4 => format!("/claimables/{account}"),
            4..7 => format!("/positions/{account}"),
            7 => format!("/{protocol}/{account}/claimables"),
            8 => format!("/balance/{account}/token-balances?network={network}"),
            _ => format!("/{account}/native-balance?network={network}"),
        }
    }
}

/// An account that has nothing.
pub(super) fn unseen(number: usize) -> String {
    format!("0xfee1{number:036x}")
}

/// Sends a load, and calls `meanwhile` beside it with what says how long it has gone on.
pub(super) fn send(
    to: SocketAddr,
    mix: &Mix,
    rate: Rate,
    meanwhile: impl FnOnce(Instant) -> Result<()>,
) -> Result<Load> {
    let (began, next, over) = (Instant::now(), AtomicUsize::new(0), AtomicBool::new(false));
    let answers = Mutex::new(Vec::with_capacity(rate.requests()));
    let client = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= rate.requests() {
                return;
            }
            thread::park_timeout(rate.due(number).saturating_sub(began.elapsed()));
            let (path, sent) = (mix.path(number), began.elapsed());
            let came = fetch(to, &path).map_err(|error| format!("{error:#}"));
            let answer = LoadAnswer { path, sent, took: began.elapsed().saturating_sub(sent), came };
            answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
        }
    };
    let backwards = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        let follower = scope.spawn(|| follow(to, &over));
        let done = meanwhile(began);
        let panicked = clients.into_iter().any(|client| client.join().is_err());
        over.store(true, Ordering::Relaxed);
        let followed = follower.join();
        done?;
        ensure!(!panicked, "a client panicked");
        followed.map_err(|_| anyhow::anyhow!("the follower panicked"))
    })?;
    Ok(Load { answers: answers.into_inner().unwrap_or_else(PoisonError::into_inner), backwards })
}

fn fetch(to: SocketAddr, path: &str) -> Result<Came> {
    let response = http::get(to, path)?;
    let header = |name: &str| response.header(name).map(str::to_owned);
    let (blocks, partial) = (header("portolan-blocks"), header("portolan-partial"));
    Ok(Came { status: response.status.as_u16(), blocks, partial, body: response.body })
}

/// Looks at one network's block again and again; returns how often it went back, and the looks.
fn follow(to: SocketAddr, over: &AtomicBool) -> (usize, usize) {
    let (mut last, mut back, mut looks) = (0, 0, 0);
    while !over.load(Ordering::Relaxed) {
        // Another path each time, so that any replica may answer.
        let path = format!("/0xb10c{looks:036x}/native-balance?network=polygon");
        let block = fetch(to, &path).ok().and_then(|came| blocks(came.blocks.as_deref()?).remove("polygon"));
        if let Some(block) = block {
            (back, last) = (back + usize::from(block < last), block);
        }
        looks += 1;
        thread::park_timeout(FOLLOWED_EVERY);
    }
    (back, looks)
}

/// The blocks of the header.
fn blocks(header: &str) -> BTreeMap<&str, u64> {
    let each = header.split(", ").filter_map(|part| part.split_once('='));
    each.filter_map(|(network, number)| Some((network, number.parse().ok()?))).collect()
}

impl LoadAnswer {
    /// True for a whole or partial answer, which is one that no client has to repeat.
    pub(super) fn is_answered(&self) -> bool {
        self.came.as_ref().is_ok_and(|came| came.status == 200)
    }

    fn is_partial(&self) -> bool {
        self.came.as_ref().is_ok_and(|came| came.partial.is_some())
    }
}

impl Load {
    pub(super) fn answered(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_answered()).count()
    }

    /// Partial answers: also those about an account of the chains that has a broken pool.
    pub(super) fn partial(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_partial()).count()
    }

    /// The requests that have no answer, with what came instead.
    pub(super) fn failed(&self) -> impl Iterator<Item = String> {
        let failed = self.answers.iter().filter(|answer| !answer.is_answered());
        failed.map(|answer| match &answer.came {
            Ok(came) => format!("{} after {:?}: {} {}", answer.path, answer.sent, came.status, came.body),
            Err(error) => format!("{} after {:?}: {error}", answer.path, answer.sent),
        })
    }

    /// The time that so many of a hundred answers took at most, in milliseconds.
    pub(super) fn percentile(&self, percent: usize) -> f64 {
        let mut took: Vec<f64> = self.answers.iter().map(|answer| ms(answer.took)).collect();
        took.sort_unstable_by(f64::total_cmp);
        took.get((took.len() * percent / 100).min(took.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }

    /// Compares whole answers with those of a reference at the same blocks. Returns how many were compared, and the
    /// differences.
    pub(super) fn differences(&self, reference: &Gateway) -> Result<(usize, Vec<String>)> {
        let is_whole = |answer: &&LoadAnswer| answer.is_answered() && !answer.is_partial();
        let whole: Vec<&LoadAnswer> = self.answers.iter().filter(is_whole).collect();
        let step = whole.len().div_ceil(COMPARED_MAX).max(1);
        let (mut compared, mut different) = (0, Vec::new());
        for answer in whole.into_iter().step_by(step) {
            let Ok(came) = &answer.came else { continue };
            let Some(header) = &came.blocks else { continue };
            let pinned: Vec<String> =
                blocks(header).iter().map(|(network, number)| format!("{network}:{number}")).collect();
            ensure!(pinned.len() == header.split(", ").count(), "two blocks of one network: {header}");
            let mark = if answer.path.contains('?') { '&' } else { '?' };
            let path = format!("{}{mark}block={}", answer.path, pinned.join(","));
            let expected = http::get(reference.base, &path)?;
            ensure!(expected.status == 200, "{path}: {} {}", expected.status, expected.body);
            compared += 1;
            let own = Json::parse(&came.body)?.differences(&expected.json()?);
            // What is left after gas depends on the gas price of the moment.
            let own: Vec<String> = own.into_iter().filter(|difference| !difference.contains(AFTER_GAS)).collect();
            if !own.is_empty() {
                different.push(format!("{path}: {}", own.join("; ")));
            }
        }
        Ok((compared, different))
    }
}
