//! The gateway is killed at any moment of reloads, rollbacks and quarantines: every start serves a consistent set, and runs
//! nothing that was quarantined.

use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use alloy::hex;
use anyhow::{Context as _, Result, bail, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;
use portolan_tests::world::Shared;
use sha2::{Digest as _, Sha256};

const HOSTILE: &str = "libportolan_hostile.so";
const NAME: &str = "portolan-hostile";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// The version of the build in quarantine.
const QUARANTINED: &str = "1.0.200";
const KILLS: u32 = 200;
/// Longer than a file takes to settle and to come in force.
const LIFE_MAX: Duration = Duration::from_millis(900);
const SOON: Duration = Duration::from_secs(20);

static CHAIN: Shared<Chain> = Shared::new();

/// `portolan plugin …`, which the gateway may not live to answer.
fn begin(gateway: &Gateway, args: &[&str]) -> Result<Child> {
    Ok(gateway.plugin_command(args)?.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

/// Waits until a build is in force that may be. Where none is, the other builds are taken out of quarantine: a rollback put
/// them there, or a kill within their code, which looks like a crash.
fn check(gateway: &Gateway, others: &[String]) -> Result<()> {
    let is_served = || {
        let rows = gateway.plugins()?;
        let is_active = |row: &&Json| row.text_at("state").is_ok_and(|state| state == "active");
        if let Some(row) = rows.iter().find(is_active) {
            ensure!(row.text_at("version")? != QUARANTINED, "it runs what is in quarantine: {row}");
            return Ok(());
        }
        begin(gateway, &["pin", NAME, "--off"])?.wait()?;
        for digest in others {
            begin(gateway, &["release", NAME, "--build", digest])?.wait()?;
        }
        bail!("nothing is in force: {rows:?}")
    };
    wait::until("a build in force", SOON, is_served)?;
    let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables?detail=full"))?;
    ensure!(answer.status == 200 && !answer.body.contains(&format!("@{QUARANTINED}\"")), "{}", answer.body);
    let log = gateway.log();
    ensure!(!log.contains("damaged"), "{log}");
    Ok(())
}

#[test]
fn a_kill_at_any_moment_leaves_a_consistent_set_and_the_quarantine() {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let built = build::built().unwrap();
    let setup = Setup::default().rpc("polygon", &chain.url).plugin(&built.plugin(HOSTILE), &["steady"]);
    let mut gateway = setup.start().unwrap();
    let plugin = Dylib::read(&built.plugin(HOSTILE)).unwrap();
    let builds = [100, 200, 300].map(|number| plugin.as_build(number).unwrap());
    gateway.drop_in(HOSTILE, &builds[1]).unwrap();
    wait::until("the second build", SOON, || {
        let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables?detail=full"))?;
        ensure!(answer.body.contains(&format!("@{QUARANTINED}\"")), "{}", answer.status);
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
    assert!(begin(&gateway, &["quarantine", NAME]).unwrap().wait().unwrap().success());
    let others = [&builds[0], &builds[2]].map(|build| hex::encode(Sha256::digest(build)));
    let mut random = fastrand::Rng::with_seed(20);
    for kill in 0..KILLS {
        let mut command = match random.u8(..6) {
            number @ 0..3 => gateway.drop_in(HOSTILE, &builds[usize::from(number)]).map(|()| None),
            3 => begin(&gateway, &["rollback", NAME]).map(Some),
            4 => begin(&gateway, &["pin", NAME]).map(Some),
            _ => begin(&gateway, &["pin", NAME, "--off"]).map(Some),
        }
        .unwrap();
        thread::park_timeout(LIFE_MAX.mul_f64(random.f64()));
        let ended = |_: &Path| Ok(command.as_mut().map(Child::wait).transpose().map(drop)?);
        gateway.kill_and_restart(&[], ended).with_context(|| format!("after kill {kill}")).unwrap();
        check(&gateway, &others).with_context(|| format!("after kill {kill}: {}", gateway.log())).unwrap();
    }
}
