//! What a client far above its limit does to one at its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use portolan_tests::crowd::{give_way, request};
use tokio::runtime::Builder;

use super::traffic::unseen;
use super::{Replica, Stage};
use crate::Say;
use crate::meter::ms;
use crate::table::{Kind, Verdict, begin, number, row};

/// Requests a second that each client may send, with the keys of the configuration.
const LIMITS: &str = "[clients]\nper_second_max = 10\nburst_max = 20\n";
/// Between two requests of the client at its limit.
const EVERY: Duration = Duration::from_millis(100);
const REQUESTS: usize = 300;
const NOISY_CONNECTIONS: usize = 16;
/// Last bytes of the clients' addresses.
const POLITE: u8 = 1;
const NOISY: u8 = 2;
const P99_RATIO_MAX: f64 = 1.5;

pub(crate) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let stage = Stage::start()?;
    let replica = Replica::start(&stage.world, None, LIMITS)?;
    let title = "A client at its limit of ten requests a second, about accounts that nobody asked about before";
    begin(say, title, &["beside", "p50, ms", "p99, ms", "answers of the other, by status"]);
    polite(&replica, 0)?;
    let calm = polite(&replica, REQUESTS)?;
    row(say, &["nobody", &number(at(&calm, 50)), &number(at(&calm, 99)), ""]);

    let (over, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let statuses: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let base = replica.gateway.base;
    let busy = thread::scope(|scope| {
        for _ in 0..NOISY_CONNECTIONS {
            scope.spawn(|| {
                give_way();
                let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
                while !over.load(Ordering::Relaxed) {
                    let number = 1_000_000 + sent.fetch_add(1, Ordering::Relaxed);
                    let path = format!("/claimables/{}", unseen(number));
                    let answer = runtime.block_on(request(NOISY, base, "GET", &path));
                    let status =
                        answer.get(9..12).map_or(String::new(), |status| String::from_utf8_lossy(status).into());
                    *statuses.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
                }
            });
        }
        let busy = polite(&replica, 2 * REQUESTS);
        over.store(true, Ordering::Relaxed);
        busy
    })?;
    let bound = verdict.at_most(
        Kind::Time,
        "p99 beside a noisy client : undisturbed",
        at(&busy, 99) / at(&calm, 99),
        P99_RATIO_MAX,
    );
    let p99 = format!("{}, {bound} times", number(at(&busy, 99)));
    let statuses = statuses.into_inner().unwrap_or_else(PoisonError::into_inner);
    let statuses: Vec<String> = statuses.iter().map(|(status, count)| format!("{status}: {count}")).collect();
    row(say, &["one far above its limit", &number(at(&busy, 50)), &p99, &statuses.join(", ")]);
    Ok(())
}

/// Sends the requests of the client at its limit, about accounts from this number on; returns the milliseconds of each.
fn polite(replica: &Replica, first: usize) -> Result<Vec<f64>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (began, mut took) = (Instant::now(), Vec::with_capacity(REQUESTS));
    for number in 0..REQUESTS {
        let due = EVERY * u32::try_from(number)?;
        thread::sleep(due.saturating_sub(began.elapsed()));
        let (sent, path) = (Instant::now(), format!("/claimables/{}", unseen(first + number)));
        let answer = runtime.block_on(request(POLITE, replica.gateway.base, "GET", &path));
        took.push(ms(sent.elapsed()));
        ensure!(answer.starts_with(b"HTTP/1.1 200"), "{path}: {}", String::from_utf8_lossy(&answer));
    }
    took.sort_unstable_by(f64::total_cmp);
    Ok(took)
}

fn at(took: &[f64], percent: usize) -> f64 {
    took.get(took.len() * percent / 100).copied().unwrap_or(f64::NAN)
}
