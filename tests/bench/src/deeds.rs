//! What the answers of other protocols take while a plugin ends its workers, or a build cannot be loaded, and how soon
//! a good build is served afterwards.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build::{self, Built};
use portolan_tests::chain::Chain;
use portolan_tests::deeds::{ACCOUNT, CONSTRUCTORS, DYLIB, FATAL, at_load};
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http;
use portolan_tests::json::Json;
use portolan_tests::wait;

use super::Say;
use super::meter::ms;
use super::table::{Kind, Verdict, begin, number, row};

/// Answers of the other protocol that are timed, calm and under attack.
const ANSWERS: usize = 500;
const P99_RATIO_MAX: f64 = 2.0;
const GOOD_MS_MAX: f64 = 2_000.0;
/// Numbers of the good builds during an attack, and of the one after it.
const FIRST_GOOD: u32 = 200;
const LAST_GOOD: u32 = 999;
const SOON: Duration = Duration::from_secs(60);

pub(super) fn run(say: Say<'_>, verdict: &mut Verdict) -> Result<()> {
    let (built, chain) = (build::built_alike()?, Chain::start("polygon")?);
    let dylib = Dylib::read(&built.plugin(DYLIB))?;
    let columns = ["deed", "times", "p99 calm, ms", "p99 meanwhile, ms", "ratio", "good build served after, ms"];
    begin(say, "Other protocols' answers while a plugin misbehaves", &columns);
    let jobs = FATAL.map(|(deed, ..)| (deed, None));
    let loads = CONSTRUCTORS.map(|(deed, reason)| (deed, Some(reason)));
    for (deed, refused_for) in jobs.into_iter().chain(loads) {
        let gateway = start(&built, &chain)?;
        let process = gateway.process();
        let calm = p99(&gateway)?;
        let (ends, times) = (AtomicBool::new(false), AtomicU32::new(0));
        let attack = || -> Result<()> {
            while !ends.load(Ordering::Relaxed) {
                let number = times.fetch_add(1, Ordering::Relaxed);
                let Some(reason) = refused_for else {
                    http::get(gateway.base, &format!("/{deed}/{ACCOUNT}/claimables"))?;
                    continue;
                };
                let [nothing, text] = at_load(deed);
                gateway.drop_in(DYLIB, &dylib.exchanged(&nothing, &text)?)?;
                reaches(&gateway, |row| row.text_at("reason").is_ok_and(|it| it.contains(reason)))?;
                good_build_ms(&gateway, &dylib, FIRST_GOOD + number)?;
            }
            Ok(())
        };
        let attacked = thread::scope(|scope| {
            let attacker = scope.spawn(attack);
            let attacked = p99(&gateway);
            ends.store(true, Ordering::Relaxed);
            attacker.join().map_err(|_| anyhow::anyhow!("the attacker panicked"))??;
            attacked
        })?;
        let good = good_build_ms(&gateway, &dylib, LAST_GOOD)?;
        ensure!(gateway.process() == process, "{deed} ended the gateway");
        let name = if refused_for.is_some() { format!("constructor {deed}") } else { deed.to_owned() };
        let ratio = verdict.at_most(Kind::Time, &format!("p99 of others, {name}"), attacked / calm, P99_RATIO_MAX);
        let served = verdict.at_most(Kind::Time, &format!("good build, {name}, ms"), good, GOOD_MS_MAX);
        let times = times.load(Ordering::Relaxed).to_string();
        row(say, &[&name, &times, &number(calm), &number(attacked), &ratio, &served]);
    }
    Ok(())
}

fn start(built: &Built, chain: &Chain) -> Result<Gateway> {
    Setup::default()
        .host(&built.host())
        .config("[plugins.limits]\nmemory_mib = 64")
        .plugin(&built.plugin("libquickswap.so"), &["quickswap"])
        .plugin(&built.plugin(DYLIB), &["steady"])
        .rpc("polygon", &chain.url)
        .start()
}

/// The 99th of 100 answers of a plugin that does nothing wrong, each about another account, in milliseconds.
fn p99(gateway: &Gateway) -> Result<f64> {
    let mut took = Vec::with_capacity(ANSWERS);
    for place in 0..ANSWERS {
        let began = Instant::now();
        let answer = gateway.get(&format!("/quickswap/0x{:040x}/claimables", 0xfeed_0000 + place))?;
        took.push(ms(began.elapsed()));
        ensure!(answer.status == 200 && answer.header("portolan-partial").is_none(), "{}", answer.body);
    }
    took.sort_unstable_by(f64::total_cmp);
    took.get(ANSWERS * 99 / 100).copied().context("no answer")
}

/// Drops a good build in, and returns the milliseconds until it is served.
fn good_build_ms(gateway: &Gateway, dylib: &Dylib, number: u32) -> Result<f64> {
    let began = Instant::now();
    gateway.drop_in(DYLIB, &dylib.as_build(number)?)?;
    let version = format!("1.0.{number}");
    reaches(gateway, |row| {
        row.text_at("version").is_ok_and(|it| it == version) && row.text_at("state").is_ok_and(|it| it == "active")
    })?;
    Ok(ms(began.elapsed()))
}

/// Waits for a row of `/plugins`.
fn reaches(gateway: &Gateway, is_it: impl Fn(&Json) -> bool) -> Result<()> {
    wait::until("a row of /plugins", SOON, || {
        let rows = gateway.plugins()?;
        ensure!(rows.iter().any(&is_it), "{rows:?}");
        anyhow::Ok(())
    })?;
    Ok(())
}
