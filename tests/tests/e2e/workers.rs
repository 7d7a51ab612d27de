//! Plugins in workers: whatever one does, the gateway and all other protocols go on, and nothing that it may not do
//! succeeds.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::deeds::{self, ACCOUNT as STRANGER, CONSTRUCTORS, DYLIB as HOSTILE, FATAL};
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, Setup, workers};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::wait;
use portolan_tests::world::Shared;

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// Further accounts, about which nothing was read before.
const UNDISTURBED: [&str; 3] = [
    "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
    "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
    "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
];
const OTHER: &str = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
/// The plugin's time for one call.
const RESUME_MS: u64 = 500;
/// For whatever a gateway does by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);

/// Attempts that a worker refuses.
const REFUSED: [&str; 13] = [
    "reads_a_file",
    "writes_a_file",
    "reads_the_hosts_environment",
    "opens_a_socket",
    "starts_a_process",
    "starts_a_thread",
    "kills_the_host",
    "raises_a_limit",
    "forks",
    "signals_itself",
    "sets_an_alarm",
    "closes_its_pipe",
    "maps_code",
];

static CHAIN: Shared<Chain> = Shared::new();

fn setup() -> Result<Setup> {
    let built = build::built()?;
    Ok(Setup::default()
        .config(&format!("[plugins.limits]\nresume_ms = {RESUME_MS}\njob_ms = 15000\nmemory_mib = 64"))
        .plugin(&built.plugin("libquickswap.so"), &["quickswap"])
        .plugin(&built.plugin(HOSTILE), &["steady"]))
}

/// A gateway, and the chain that it reads for as long.
struct Stage {
    gateway: Gateway,
    _chain: Arc<Chain>,
}

fn start() -> Result<Stage> {
    let chain = CHAIN.get(|| Chain::start("polygon"))?;
    Ok(Stage { gateway: setup()?.rpc("polygon", &chain.url).start()?, _chain: chain })
}

/// The job of a protocol's claimables for an account, in full: its reason, its detail and the number of items.
fn job(gateway: &Gateway, slug: &str, account: &str) -> Result<(String, String, usize)> {
    let answer = gateway.get(&format!("/claimables/{account}?include=quickswap,{slug}&detail=full"))?;
    ensure!(answer.status == 200, "{slug}: {}", answer.body);
    let json = answer.json()?;
    let jobs = json.at("report/jobs")?.items()?;
    let of = |protocol: &str| {
        jobs.iter().find(|job| {
            job.text_at("protocol").is_ok_and(|name| name == protocol)
                && job.text_at("network").is_ok_and(|network| network == "polygon")
        })
    };
    let other = of("quickswap").context("no job of quickswap")?;
    ensure!(other.text_at("status")? == "ok", "{slug} harms quickswap: {other}");
    let job = of(slug).with_context(|| format!("no job of {slug}"))?;
    let text = |member: &str| job.text_at(member).unwrap_or_default().to_owned();
    let own = |item: &&Json| item.text_at("protocol/slug").is_ok_and(|protocol| protocol == slug);
    Ok((text("reason"), text("detail"), json.at("items")?.items()?.iter().filter(own).count()))
}

#[test]
fn what_a_worker_may_not_do_does_not_succeed() {
    let Stage { gateway, _chain } = start().unwrap();
    for slug in REFUSED {
        let (reason, detail, items) = job(&gateway, slug, STRANGER).unwrap();
        assert_eq!((reason.as_str(), items), ("", 0), "{slug}: {detail}");
    }
    let row = gateway.plugins().unwrap().into_iter().find(|row| row.text_at("file").unwrap() == HOSTILE).unwrap();
    assert_eq!(row.at("sandbox").unwrap().to_string(), r#"{"landlock":true,"seccomp":true}"#);
}

#[test]
fn what_ends_a_worker_costs_its_own_answer_however_often_it_is_requested() {
    let Stage { gateway, _chain } = start().unwrap();
    let process = gateway.process();
    for (slug, expected, part) in FATAL {
        for _ in 0..3 {
            let (reason, detail, items) = job(&gateway, slug, STRANGER).unwrap();
            assert_eq!((reason.as_str(), items), (expected, 0), "{slug}: {detail}");
            assert!(detail.contains(part), "{slug}: {detail}");
            let (reason, detail, items) = job(&gateway, "steady", ACCOUNT).unwrap();
            assert_eq!((reason.as_str(), items), ("", 3), "after {slug}: {detail}");
        }
    }
    assert_eq!(gateway.process(), process);
    assert!(!gateway.plugins_dir().with_file_name("state").join("crashes").exists());
}

#[test]
fn operators_see_the_jobs_of_each_plugin_and_the_memory_of_its_workers() {
    let Stage { gateway, _chain } = start().unwrap();
    job(&gateway, "exits", STRANGER).unwrap();
    job(&gateway, "steady", ACCOUNT).unwrap();
    let rows = gateway.plugins().unwrap();
    let crashed = "portolan_plugin_jobs_total{plugin=\"portolan-hostile\",network=\"polygon\",outcome=\"crashed\"}";
    assert_eq!(gateway.count(crashed).unwrap(), 1);
    for (file, fails) in [("libquickswap.so", false), (HOSTILE, true)] {
        let row = rows.iter().find(|row| row.text_at("file").unwrap() == file).unwrap();
        let number = |member: &str| row.at(member).unwrap().to_string().parse::<u64>().unwrap();
        let name = row.text_at("plugin").unwrap();
        let of_plugin = format!("portolan_plugin_jobs_total{{plugin=\"{name}\"");
        let counted = gateway.count(&of_plugin).unwrap();
        assert_eq!(number("jobs/count"), counted, "{row}");
        let networks = ["ethereum", "optimism", "polygon"];
        let ok = networks.map(|network| format!("{of_plugin},network=\"{network}\",outcome=\"ok\"}}"));
        let ok: u64 = ok.iter().map(|rows| gateway.count(rows).unwrap()).sum();
        assert_eq!((number("jobs/failed"), ok < counted), (counted - ok, fails), "{row}");
        assert!(counted >= 2 && 0 < number("jobs/latencyMs/p50"), "{row}");
        assert!(number("jobs/latencyMs/p50") <= number("jobs/latencyMs/p99"), "{row}");
        // A worker that has loaded a plugin holds some of it, and may not have more than its limit.
        let memory = number("memoryBytes");
        assert!((1 << 17..8 * (64 << 20)).contains(&memory), "{row}");
    }
}

#[test]
fn a_job_goes_on_in_another_worker_and_repeats_no_read() {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let rpc = RpcFault::before(&chain.url).unwrap();
    let gateway = setup().unwrap().rpc("polygon", &rpc.url()).start().unwrap();
    // Reads that do not depend on the account are cached from here on.
    gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
    // On a busy machine the reader may ask once more; the least of a few answers is what the job reads.
    let answers = UNDISTURBED.map(|account| {
        let before = rpc.requested("eth_call");
        let answer = gateway.get(&format!("/steady/{account}/claimables")).unwrap();
        (answer, rpc.requested("eth_call") - before)
    });
    let alone = answers.iter().map(|(_, requested)| *requested).min().unwrap();
    let [(undisturbed, _), ..] = answers;
    let path = format!("/steady/{OTHER}/claimables");
    let before = rpc.requested("eth_call");
    rpc.set(Fault::Hold);
    let base = gateway.base;
    let held = thread::spawn(move || portolan_tests::http::get(base, &path).unwrap());
    rpc.wait_until_requested("eth_call", before).unwrap();
    let workers_before = workers(gateway.process()).unwrap();
    // The job waits for its replies; every worker is ended meanwhile.
    for worker in &workers_before {
        let pid = rustix::process::Pid::from_raw(i32::try_from(*worker).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    rpc.set(Fault::None);
    let answer = held.join().unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    // The answer names its account.
    assert_eq!(answer.body.replace(&OTHER[2..], &UNDISTURBED[0][2..]), undisturbed.body);
    assert_eq!(rpc.requested("eth_call") - before, alone, "it read again");
    let workers_after = workers(gateway.process()).unwrap();
    assert!(workers_after.iter().all(|worker| !workers_before.contains(worker)), "{workers_after:?}");
}

#[test]
fn no_worker_outlives_a_gateway_that_is_killed() {
    let Stage { mut gateway, _chain } = start().unwrap();
    job(&gateway, "steady", ACCOUNT).unwrap();
    let workers = workers(gateway.process()).unwrap();
    assert!(workers.len() >= 2, "{workers:?}");
    gateway
        .kill_and_restart(&["steady".to_owned()], |_| {
            wait::until("the end of the workers", SOON, || {
                let runs = |worker: &&u32| std::path::Path::new(&format!("/proc/{worker}")).exists();
                let left: Vec<_> = workers.iter().filter(runs).collect();
                ensure!(left.is_empty(), "{left:?}");
                Ok::<_, anyhow::Error>(())
            })
            .map(drop)
        })
        .unwrap();
}

/// A gateway whose hostile plugin has limits of its own.
fn limited(limits: &str) -> Result<Stage> {
    let chain = CHAIN.get(|| Chain::start("polygon"))?;
    let setup = setup()?.config(&format!("[plugins.limits.portolan-hostile]\n{limits}"));
    Ok(Stage { gateway: setup.rpc("polygon", &chain.url).start()?, _chain: chain })
}

#[test]
fn an_answer_larger_than_the_operator_allows_is_not_taken() {
    let Stage { gateway, _chain } = limited("answer_mib = 1").unwrap();
    let (reason, detail, _) = job(&gateway, "finds_too_much", STRANGER).unwrap();
    assert_eq!(reason, "crashed", "{detail}");
    assert!(detail.contains("at most 1048576 are taken"), "{detail}");
    let (reason, detail, items) = job(&gateway, "steady", ACCOUNT).unwrap();
    assert_eq!((reason.as_str(), items), ("", 3), "{detail}");
}

#[test]
fn a_plugin_that_computes_for_longer_than_the_operator_allows_pauses_alone() {
    let Stage { gateway, _chain } = limited("cpu_percent = 10").unwrap();
    let (reason, detail, _) = job(&gateway, "computes_for_ever", STRANGER).unwrap();
    assert_eq!(reason, "timeout", "{detail}");
    // Half a second of one call is what the plugin may take in five.
    let (reason, detail, items) = job(&gateway, "steady", ACCOUNT).unwrap();
    assert_eq!((reason.as_str(), items), ("over-budget", 0), "{detail}");
    assert!(detail.contains("plugins.limits.cpu_percent"), "{detail}");
    wait::until("the end of the pause", SOON, || {
        let (reason, detail, items) = job(&gateway, "steady", ACCOUNT)?;
        ensure!((reason.as_str(), items) == ("", 3), "{reason}: {detail}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn more_jobs_than_the_operator_allows_are_refused() {
    let Stage { gateway, _chain } = limited("jobs_max = 1\nresume_ms = 5000").unwrap();
    let (base, path) = (gateway.base, format!("/computes_for_ever/{STRANGER}/claimables"));
    // It is refused itself while the other job is open.
    let timed_out = move || (portolan_tests::http::get(base, &path).unwrap().status == 504).then_some(());
    let open = thread::spawn(move || wait::until("the open job", SOON, || timed_out().context("it was refused")));
    wait::until("a refusal while the job is open", SOON, || {
        let (reason, detail, _) = job(&gateway, "steady", ACCOUNT)?;
        ensure!(reason == "over-budget" && detail.contains("plugins.limits.jobs_max"), "{reason}: {detail}");
        Ok(())
    })
    .unwrap();
    open.join().unwrap().unwrap();
    let (reason, detail, items) = job(&gateway, "steady", ACCOUNT).unwrap();
    assert_eq!((reason.as_str(), items), ("", 3), "{detail}");
}

#[test]
fn others_are_answered_while_a_worker_computes_for_ever() {
    let Stage { gateway, _chain } = start().unwrap();
    let base = gateway.base;
    let path = format!("/computes_for_ever/{STRANGER}/claimables");
    let endless = thread::spawn(move || portolan_tests::http::get(base, &path).unwrap());
    let began = Instant::now();
    while !endless.is_finished() {
        let answer = gateway.get(&format!("/quickswap/{ACCOUNT}/claimables")).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(began.elapsed() < SOON, "the call is never ended");
    }
    assert_eq!(endless.join().unwrap().status, 504);
}

#[test]
fn what_a_constructor_does_costs_its_own_build_alone_and_a_good_one_is_served_after_it() {
    let Stage { gateway, _chain } = start().unwrap();
    let (process, built) = (gateway.process(), build::built().unwrap());
    let dylib = Dylib::read(&built.plugin(HOSTILE)).unwrap();
    for (place, (deed, part)) in CONSTRUCTORS.into_iter().enumerate() {
        let [nothing, text] = deeds::at_load(deed);
        let hostile = dylib.exchanged(&nothing, &text).unwrap();
        gateway.drop_in(HOSTILE, &hostile).unwrap();
        wait::until("the refusal", SOON, || {
            let rows = gateway.plugins()?;
            let refused = |row: &&Json| row.text_at("reason").is_ok_and(|reason| reason.contains(part));
            rows.iter().find(refused).map(drop).with_context(|| format!("{deed}: {rows:?}"))?;
            // The build before is in force meanwhile.
            let (reason, detail, items) = job(&gateway, "steady", ACCOUNT)?;
            ensure!((reason.as_str(), items) == ("", 3), "{deed}: {detail}");
            Ok(())
        })
        .unwrap();
        let number = 200 + u32::try_from(place).unwrap();
        gateway.drop_in(HOSTILE, &dylib.as_build(number).unwrap()).unwrap();
        wait::until("the good build", SOON, || {
            let rows = gateway.plugins()?;
            let version = format!("1.0.{number}");
            let serves = |row: &Json| {
                row.text_at("version").is_ok_and(|it| it == version)
                    && row.text_at("state").is_ok_and(|it| it == "active")
            };
            ensure!(rows.iter().any(serves), "after {deed}: {rows:?}");
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(gateway.process(), process);
}
