//! Spans that are exported: an answer below its client's span, its jobs and batches below it, and a collector that is
//! slow or gone holds up nothing.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use portolan_tests::chain::Chain;
use portolan_tests::collector::{Collector, Span, attribute};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{self, Version};
use portolan_tests::world::Shared;
use portolan_tests::{build, wait};

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
/// The host's bound for the last batch, and the rest of an end.
const STOP_WITHIN: Duration = Duration::from_secs(10);

static CHAIN: Shared<Chain> = Shared::new();

fn start(config: &str) -> (Arc<Chain>, Gateway) {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let plugin = build::built().unwrap().plugin("libportolan_hostile.so");
    // Every 100 ms a batch leaves.
    let setup = Setup::default().variable("OTEL_BSP_SCHEDULE_DELAY", "100").plugin(&plugin, &["steady"]);
    let gateway = setup.rpc("polygon", &chain.url).config(config).start().unwrap();
    (chain, gateway)
}

fn ask(gateway: &Gateway, headers: &[(&str, &str)]) {
    let path = format!("/steady/{ACCOUNT}/claimables");
    let answer = http::request(gateway.base, Version::Http1, &hyper::Method::GET, &path, headers, "".into()).unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_answer_is_a_span_below_its_clients_with_its_jobs_and_batches_below_it() {
    let collector = Collector::start().unwrap();
    let (_chain, mut gateway) = start(&collector.config());
    let parent = format!("00-{TRACE}-{PARENT}-01");
    ask(&gateway, &[("traceparent", &parent), ("x-request-id", "mine-7")]);
    let not_sampled = parent.replace(TRACE, &TRACE.replace('4', "5")).replace("-01", "-00");
    ask(&gateway, &[("traceparent", &not_sampled)]);
    let of_lookup = parent.replace(TRACE, &TRACE.replace('4', "6"));
    let unknown = format!("/events/decode/0x{}?network=polygon", "5".repeat(64));
    let headers = [("traceparent", of_lookup.as_str())];
    let answer =
        http::request(gateway.base, Version::Http1, &hyper::Method::GET, &unknown, &headers, "".into()).unwrap();
    assert_eq!(answer.status, 404, "{answer:?}");
    // Bodies that are stored have a span in a client's own trace alone.
    let of_list = parent.replace(TRACE, &TRACE.replace('4', "7"));
    for headers in [&[("traceparent", of_list.as_str())][..], &[]] {
        let answer =
            http::request(gateway.base, Version::Http1, &hyper::Method::GET, "/networks", headers, "".into()).unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    // The spans that are left are exported at the end.
    gateway.sigterm().unwrap();
    assert!(gateway.exited().unwrap().success(), "{}", gateway.log());

    let all = collector.spans().unwrap();
    let spans: Vec<_> = all.iter().filter(|span| hex(&span.trace_id) == TRACE).collect();
    let named = |name: &str| spans.iter().copied().filter(|span| span.name == name).collect::<Vec<_>>();
    let answers = named("answer");
    let [answer] = answers[..] else { panic!("{spans:?}") };
    assert_eq!(hex(&answer.parent_span_id), PARENT);
    let told = |name| attribute(answer, name);
    assert_eq!(["route", "status", "request_id"].map(|name| told(name).unwrap()), ["claimables", "200", "mine-7"]);
    // The plugin is about networks that have no endpoint here.
    assert!(told("partial").unwrap().starts_with("*/ethereum;reason=not-configured"), "{answer:?}");
    let (jobs, batches) = (named("job"), named("batch"));
    let told = |job: &Span, name: &str| attribute(job, name).unwrap();
    let is_meant = |job: &&Span| told(job, "protocol") == "steady" && told(job, "network") == "polygon";
    let meant: Vec<_> = jobs.iter().copied().filter(is_meant).collect();
    let [job] = meant[..] else { panic!("{jobs:?}") };
    assert_eq!(told(job, "outcome"), "ok");
    assert!(told(job, "plugin").starts_with("portolan-hostile@"), "{job:?}");
    assert!(told(job, "batches").parse::<u32>().unwrap() >= 1, "{job:?}");
    assert!(!batches.is_empty(), "{spans:?}");
    for below in jobs.iter().chain(&batches) {
        assert_eq!(below.parent_span_id, answer.span_id, "{below:?}");
        assert!(below.start_time_unix_nano >= answer.start_time_unix_nano, "{below:?}");
        assert!(below.end_time_unix_nano <= answer.end_time_unix_nano, "{below:?}");
    }
    for batch in &batches {
        assert_eq!(["chain_id", "failed"].map(|name| attribute(batch, name).unwrap()), ["137", "0"]);
    }
    let of_lookup = |span: &&Span| hex(&span.trace_id) == TRACE.replace('4', "6") && span.name == "lookup";
    let said = |span: &Span| ["what", "network", "chain_id"].map(|name| attribute(span, name).unwrap());
    let looked_up: Vec<_> = all.iter().filter(of_lookup).map(said).collect();
    assert_eq!(looked_up, [["transaction", "polygon", "137"]], "its block is known already");
    let of_list: Vec<_> = all.iter().filter(|span| attribute(span, "route").as_deref() == Some("networks")).collect();
    assert_eq!(of_list.iter().map(|span| hex(&span.trace_id)).collect::<Vec<_>>(), [TRACE.replace('4', "7")]);
    // Whoever samples decides, and what spans say is nobody's account.
    assert!(all.iter().all(|span| hex(&span.trace_id) != TRACE.replace('4', "5")), "{all:?}");
    let said = format!("{all:?}").to_lowercase();
    assert!(!said.contains(&ACCOUNT[2..]) && !said.contains("http:"), "{said}");
}

#[test]
fn a_collector_that_is_gone_is_told_and_answers_are_there() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (_chain, gateway) = start(&format!("[spans]\ncollector = \"http://{gone}\""));
    wait::until("the line", STOP_WITHIN, || {
        ask(&gateway, &[]);
        let log = gateway.log();
        let is_told = |line: &&str| line.contains("WARN") && line.contains("batches of spans are not exported");
        ensure!(log.lines().filter(is_told).count() == 1, "{log}");
        Ok::<_, anyhow::Error>(())
    })
    .unwrap();
}

#[test]
fn a_collector_that_says_nothing_holds_up_neither_answers_nor_the_end() {
    // Nobody accepts, so that what is sent is never answered.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let collector = silent.local_addr().unwrap();
    let (_chain, mut gateway) = start(&format!("[spans]\ncollector = \"http://{collector}\""));
    for _ in 0..50 {
        ask(&gateway, &[]);
    }
    gateway.sigterm().unwrap();
    let began = Instant::now();
    assert!(gateway.exited().unwrap().success(), "{}", gateway.log());
    assert!(began.elapsed() < STOP_WITHIN, "{:?}", began.elapsed());
    assert!(gateway.log().contains("the last spans are not exported"), "{}", gateway.log());
}
