//! An operator's view of outages, and of requests: `/readyz`, `/networks`, `/metrics`, and the log at the default
//! level.

use std::os::unix::fs::symlink;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{self, Response, Version};
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::world::Shared;
use portolan_tests::{problem, wait};

const HOSTILE: &str = "libportolan_hostile.so";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// For whatever a gateway notices by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(30);
/// As many requests to an endpoint as are under way at once.
const TURNS: usize = 64;

static CHAIN: Shared<Chain> = Shared::new();

struct Fixture {
    _chain: std::sync::Arc<Chain>,
    rpc: RpcFault,
    gateway: Gateway,
}

fn start(config: &str) -> Fixture {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let rpc = RpcFault::before(&chain.url).unwrap();
    let plugin = build::built().unwrap().plugin(HOSTILE);
    let setup = Setup::default().rpc("polygon", &rpc.url()).plugin(&plugin, &["steady"]);
    let gateway = setup.config(config).start().unwrap();
    Fixture { _chain: chain, rpc, gateway }
}

impl Fixture {
    fn path() -> String {
        format!("/steady/{ACCOUNT}/claimables")
    }

    fn claimables(&self) -> Response {
        self.gateway.get(&Self::path()).unwrap()
    }

    /// The status and body of `/readyz`.
    fn readyz(&self) -> Result<(u16, Json)> {
        let answer = self.gateway.operate("/readyz")?;
        Ok((answer.status.as_u16(), answer.json()?))
    }

    /// The row of the network in the operators' `/networks`.
    fn network(&self) -> Result<Json> {
        let rows = self.gateway.operate("/networks")?.json()?.items()?.to_vec();
        let polygon = rows.into_iter().find(|row| row.text_at("slug").is_ok_and(|slug| slug == "polygon"));
        polygon.context("no row of polygon")
    }

    fn endpoint(&self) -> Result<Json> {
        let network = self.network()?;
        network.at("endpoints")?.items()?.first().cloned().context("no endpoint")
    }

    /// Sends requests until the lines of the log with all these words are as many.
    fn wait_for_lines(&self, count: usize, words: &[&str]) {
        wait::until("the lines", SOON, || {
            let _ = self.gateway.get(&Self::path());
            let log = self.gateway.log();
            let lines = log.lines().filter(|line| words.iter().all(|word| line.contains(word))).count();
            ensure!(lines == count, "{lines} lines with {words:?}: {log}");
            Ok::<_, anyhow::Error>(())
        })
        .unwrap();
    }
}

#[test]
fn an_outage_is_one_line_at_its_begin_and_one_at_its_end_and_is_told_with_its_reason() {
    let fixture = start("");
    assert_eq!(fixture.claimables().status, 200);
    let Fixture { rpc, .. } = &fixture;
    for (number, (fault, reason)) in
        [(Fault::Status(401), "HTTP status 401"), (Fault::Error(-32000), "-32000")].into_iter().enumerate()
    {
        rpc.set(fault);
        fixture.wait_for_lines(1, &["WARN", "an endpoint is not used any more", reason]);
        fixture.wait_for_lines(1, &["ERROR", "no endpoint of a network answers", "polygon", reason]);
        let failure = fixture.endpoint().unwrap().at("lastFailure").unwrap().clone();
        assert!(failure.text_at("reason").unwrap().contains(reason), "{failure}");
        assert!(failure.text_at("at").unwrap().ends_with('Z'), "{failure}");
        assert!(failure.at("count").unwrap().to_string().parse::<u64>().unwrap() > 0, "{failure}");
        wait::until("an unready gateway", SOON, || {
            let (status, body) = fixture.readyz()?;
            let reasons = body.at("reasons")?.to_string();
            ensure!(status == 503 && reasons.contains("no endpoint of any network answers"), "{status} {body}");
            let degraded = body.at("degraded")?.to_string();
            ensure!(degraded.contains("network polygon: no endpoint answers"), "{body}");
            Ok::<_, anyhow::Error>(())
        })
        .unwrap();
        rpc.set(Fault::None);
        fixture.wait_for_lines(number + 1, &["WARN", "an endpoint is used again", "failed="]);
        fixture.wait_for_lines(number + 1, &["WARN", "a network is back", "polygon", "lost_s="]);
        wait::until("a ready gateway", SOON, || {
            let (status, body) = fixture.readyz()?;
            ensure!(status == 200 && body.at("degraded")?.items()?.is_empty(), "{status} {body}");
            Ok::<_, anyhow::Error>(())
        })
        .unwrap();
    }
}

#[test]
fn readiness_waits_for_no_turn_of_an_endpoint() {
    let fixture = start("");
    assert_eq!(fixture.claimables().status, 200);
    fixture.rpc.set(Fault::Hold);
    let base = fixture.gateway.base;
    let (asked, held) = std::thread::scope(|threads| {
        // Each asks at a block of its own account, so that none is answered with another's reads.
        let asking: Vec<_> = (0..2 * TURNS)
            .map(|number| {
                let path = format!("/steady/0x{:040x}/claimables", 0x1000 + number);
                threads.spawn(move || http::get(base, &path).map(|answer| answer.status.as_u16()))
            })
            .collect();
        fixture.rpc.wait_for_held().unwrap();
        let ready = fixture.readyz().unwrap();
        fixture.rpc.set(Fault::None);
        (asking.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect::<Vec<_>>(), ready)
    });
    assert_eq!(held.0, 200, "{}", held.1);
    assert_eq!(asked.len(), 2 * TURNS);
}

#[test]
fn a_network_whose_newest_block_is_too_old_is_stale() {
    // The blocks of the test chain are of the year 2025.
    let fixture = start("[networks.polygon]\nhead_age_max_s = 3600\n[operators]\ndegraded_is_unready = true");
    let answer = fixture.claimables();
    let detail = problem::detail(&answer, 502, "upstream").unwrap();
    assert!(detail.contains("steady/polygon: stale"), "{detail}");
    fixture.wait_for_lines(1, &["ERROR", "the newest block of a network is too old", "polygon", "age_s="]);
    wait::until("an unready gateway", SOON, || {
        let (status, body) = fixture.readyz()?;
        let degraded = body.at("degraded")?.to_string();
        ensure!(status == 503 && degraded.contains("network polygon: its newest block is "), "{status} {body}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
}

#[test]
fn a_plugins_folder_that_is_named_and_not_there_is_wrong_use() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("plugin");
    let mut command = std::process::Command::new(build::built().unwrap().host());
    command.args(["serve", "--plugins"]).arg(&missing).arg("--state").arg(folder.path().join("state"));
    let output = command.env_clear().output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("the folder {} is not there", missing.display())), "{said}");
    assert!(!missing.exists());
}

/// The row of the only plugin.
fn plugin_row(gateway: &Gateway) -> Result<Json> {
    gateway.plugins()?.into_iter().next().context("no row")
}

#[test]
fn a_plugins_folder_that_cannot_be_read_keeps_its_plugins_and_is_told_until_it_can() {
    let fixture = start("");
    let gateway = &fixture.gateway;
    let folder = gateway.plugins_dir();
    let (away, generation) =
        (folder.with_file_name("away"), plugin_row(gateway).unwrap().at("generation").unwrap().clone());
    let nowhere = folder.with_file_name("nowhere");
    let Response { body, headers, .. } = fixture.claimables();
    let partial = headers.get("portolan-partial").cloned();
    // In its place: a file, a link to nothing, and a link to itself.
    let disturb: [(&dyn Fn(), &str, usize); 3] = [
        (&|| std::fs::write(&folder, "no folder").unwrap(), "it is not a directory", 1),
        (&|| symlink(&nowhere, &folder).unwrap(), "it is a symbolic link", 1),
        (&|| symlink(&folder, &folder).unwrap(), "it is a symbolic link", 2),
    ];
    for (disturb, reason, lines) in disturb {
        std::fs::rename(&folder, &away).unwrap();
        disturb();
        wait::until("a degraded gateway", SOON, || {
            let (status, body) = fixture.readyz()?;
            let degraded = body.at("degraded")?.to_string();
            ensure!(status == 200 && degraded.contains("the plugins folder: "), "{status} {body}");
            ensure!(degraded.contains(reason), "{body}");
            Ok::<_, anyhow::Error>(())
        })
        .unwrap();
        let told = ["ERROR", "cannot scan the plugins folder, its plugins stay in force", reason, "plugins=1"];
        fixture.wait_for_lines(lines, &told);
        // Clients see nothing of it: whole answers, by the same build as before.
        let answer = fixture.claimables();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!((answer.body, answer.headers.get("portolan-partial")), (body.clone(), partial.as_ref()));
        let row = plugin_row(gateway).unwrap();
        assert_eq!(row.text_at("state").unwrap(), "active", "{row}");
        assert_eq!(*row.at("generation").unwrap(), generation, "{row}");

        std::fs::remove_file(&folder).unwrap();
        std::fs::rename(&away, &folder).unwrap();
        wait::until("a gateway as before", SOON, || {
            let (status, body) = fixture.readyz()?;
            ensure!(status == 200 && body.at("degraded")?.items()?.is_empty(), "{status} {body}");
            Ok::<_, anyhow::Error>(())
        })
        .unwrap();
        assert_eq!(*plugin_row(gateway).unwrap().at("generation").unwrap(), generation);
    }
}

/// The value of a row of `/metrics`.
fn metric(text: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let is_meant =
        |line: &&str| line.starts_with(&format!("{name}{{")) && labels.iter().all(|label| line.contains(label));
    text.lines().find(is_meant)?.rsplit(' ').next()?.parse().ok()
}

#[test]
fn figures_count_requests_jobs_and_endpoints_under_a_bounded_number_of_labels() {
    let fixture = start("");
    let gateway = &fixture.gateway;
    for _ in 0..5 {
        assert_eq!(fixture.claimables().status, 200);
    }
    let unknown: Vec<_> = (0..40).map(|number| gateway.get(&format!("/nobody-{number}/x")).unwrap().status).collect();
    assert!(unknown.iter().all(|status| *status == 404), "{unknown:?}");
    let answer = gateway.operate("/metrics").unwrap();
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4"));
    let text = &answer.body;
    let value = |name: &str, labels: &[&str]| metric(text, name, labels).with_context(|| text.clone()).unwrap();
    let requests = "portolan_http_requests_total";
    // The gateway of a test is asked once more until it serves.
    assert!(value(requests, &["listener=\"base\"", "route=\"claimables\"", "status=\"200\""]) >= 5.0, "{text}");
    assert!((value(requests, &["route=\"none\"", "status=\"404\""]) - 40.0).abs() < 0.1, "{text}");
    assert!(!text.contains("nobody"), "{text}");
    let name = "plugin=\"portolan-hostile\"";
    assert!(value("portolan_plugin_jobs_total", &[name, "network=\"polygon\"", "outcome=\"ok\""]) >= 5.0);
    assert!((value("portolan_plugin_state", &[name, "state=\"active\""]) - 1.0).abs() < 0.1);
    assert!((value("portolan_plugin_state", &[name, "state=\"quarantined\""])).abs() < 0.1);
    assert!(value("portolan_endpoint_requests_total", &["network=\"polygon\"", "endpoint=\"127.0.0.1:"]) >= 1.0);
    assert!((value("portolan_endpoint_up", &["network=\"polygon\""]) - 1.0).abs() < 0.1);
    let from =
        |place: &str| metric(text, "portolan_replies_total", &["network=\"polygon\"", place]).unwrap_or_default();
    assert!(from("from=\"node\"") >= 1.0 && from("from=\"cache\"") >= 1.0, "{text}");
    assert!(text.contains("\nportolan_ready 1\n") && text.contains("portolan_http_request_seconds_bucket"), "{text}");
    let by_clients = http::get(gateway.base, "/metrics").unwrap();
    problem::detail(&by_clients, 404, "unknown-path").unwrap();
}

#[test]
fn a_request_has_an_id_that_stands_in_its_problem_and_in_the_access_log() {
    let fixture = start("access_log = true");
    let headers =
        [("x-request-id", "mine-1"), ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")];
    let (base, path) = (fixture.gateway.base, "/nobody/x");
    let answer = http::request(base, Version::Http1, &hyper::Method::GET, path, &headers, "".into()).unwrap();
    assert_eq!(answer.header("x-request-id"), Some("mine-1"));
    assert_eq!(answer.json().unwrap().text_at("requestId").unwrap(), "mine-1");
    let words =
        ["portolan::access", "status=404", "duration_ms=", "bytes=", "mine-1", "4bf92f3577b34da6a3ce929d0e0e4736"];
    fixture.wait_for_lines(1, &words);
    let made = fixture.claimables();
    assert_eq!(made.header("x-request-id").map(str::len), Some(32));
}
