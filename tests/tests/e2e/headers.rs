//! The headers that clients and caches act on: content codings, tags, lifetimes, times.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use hyper::{Method, StatusCode};
use portolan_tests::chain::quantity;
use portolan_tests::gateway::Gateway;
use portolan_tests::http::{Response, Version, request};
use portolan_tests::wait;
use portolan_tests::world::{Shared, World};
use serde_json::json;

const SEEN_WITHIN: Duration = Duration::from_secs(10);
const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];
const VALIDATED: &str = "private, no-cache";
const FINAL: &str = "private, max-age=31536000, immutable";

struct Fixture {
    world: World,
    gateway: Gateway,
    /// Number of the newest final block.
    finalized: u64,
}

impl Fixture {
    fn start() -> Result<Self> {
        let world = World::of(&["polygon"])?;
        let chain = &world.chains[0].0;
        // The chain finalizes blocks 64 below its newest.
        chain.rpc("anvil_mine", json!(["0x64"]))?;
        let finalized = quantity(&chain.block("finalized")?["number"])?;
        Ok(Self { gateway: world.setup()?.start()?, finalized, world })
    }

    fn account(&self) -> &str {
        self.world.address("farmer").unwrap()
    }

    fn claimables(&self) -> String {
        format!("/claimables/{}?include=quickswap", self.account())
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

fn send(gateway: &Gateway, method: &Method, path: &str, headers: &[(&str, &str)]) -> Response {
    request(gateway.base, Version::Http1, method, path, headers, Bytes::new()).unwrap()
}

fn get(gateway: &Gateway, path: &str, headers: &[(&str, &str)]) -> Response {
    send(gateway, &Method::GET, path, headers)
}

#[test]
fn bodies_are_the_same_in_every_coding() {
    let fixture = fixture();
    let gateway = &fixture.gateway;
    for path in
        [fixture.claimables(), format!("/positions/{}", fixture.account()), "/protocols".into(), "/networks".into()]
    {
        let plain = gateway.get(&path).unwrap();
        assert_eq!(plain.status, 200, "{path}: {}", plain.body);
        let is_list = !path.contains("0x");
        assert!(is_list || plain.body.len() > 1400, "{path} is too small for this test: {}", plain.body);
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        // The second time, a list is stored.
        for coding in CODINGS.into_iter().chain(CODINGS) {
            // The lists of this gateway are so small that they would stay as they are.
            let accept = if is_list { format!("{coding}, identity;q=0") } else { coding.to_owned() };
            let accept = [("accept-encoding", accept.as_str())];
            let coded = get(gateway, &path, &accept);
            assert_eq!(coded.header("content-encoding"), Some(coding), "{path}");
            assert!(coded.body == plain.body, "{path} {coding}: {}", coded.body);
            assert!(coded.sent_bytes * 10 < plain.sent_bytes * 7, "{path} {coding}: {} bytes", coded.sent_bytes);
            assert_eq!(coded.header("content-length"), Some(coded.sent_bytes.to_string().as_str()), "{path} {coding}");
            let h2 = request(gateway.base, Version::H2c, &Method::GET, &path, &accept, Bytes::new()).unwrap();
            assert!(h2.body == plain.body && h2.sent_bytes == coded.sent_bytes, "{path} {coding}");
            let head = send(gateway, &Method::HEAD, &path, &accept);
            assert_eq!((head.status, head.sent_bytes), (StatusCode::OK, 0), "{path} {coding}");
            for name in ["content-encoding", "content-length", "content-type", "cache-control", "etag", "vary"] {
                assert_eq!(head.header(name), coded.header(name), "{name} of {path} {coding}");
            }
            for name in ["content-type", "cache-control", "etag", "vary"] {
                assert!(plain.header(name).is_some(), "{name} of {path}");
                assert_eq!(plain.header(name), coded.header(name), "{name} of {path} {coding}");
            }
            assert_eq!(coded.header("vary"), Some("accept, accept-encoding"), "{path} {coding}");
        }
    }
}

#[test]
fn no_accept_encoding_is_an_error_and_small_bodies_stay_as_they_are() {
    let fixture = fixture();
    let path = fixture.claimables();
    let plain = fixture.gateway.get(&path).unwrap();
    let many = "gzip;q=0.1, ".repeat(2_000);
    let long = format!("zstd;q={}", "9".repeat(20_000));
    for (accept, coding) in [
        ("gzip, deflate, br, zstd", Some("zstd")),
        ("br;q=0.9, zstd;q=0.8, *;q=0.1", Some("br")),
        ("*;q=0", None),
        ("identity", None),
        (";;,=,q=1,\t,*;*", None),
        ("gzip;q=nan, br;q=1e3, zstd;q=-0", None),
        (many.as_str(), Some("gzip")),
        (long.as_str(), None),
    ] {
        let response = get(&fixture.gateway, &path, &[("accept-encoding", accept)]);
        assert_eq!(response.header("content-encoding"), coding, "{accept:.80}");
        assert_eq!((response.status, &response.body), (StatusCode::OK, &plain.body), "{accept:.80}");
    }
    // Beyond the limit of headers it is a problem, as any other header.
    let huge = "gzip,".repeat(10_000);
    assert_eq!(get(&fixture.gateway, &path, &[("accept-encoding", &huge)]).status, 431);
    let small = get(&fixture.gateway, "/networks", &[("accept-encoding", "gzip")]);
    assert!(small.body.len() < 1400, "{}", small.body);
    assert_eq!(small.header("content-encoding"), None);
    let refused = get(&fixture.gateway, "/networks", &[("accept-encoding", "gzip, identity;q=0")]);
    assert_eq!((refused.header("content-encoding"), &refused.body), (Some("gzip"), &small.body));
}

#[test]
fn a_client_that_has_the_body_gets_none() {
    let fixture = fixture();
    for path in [fixture.claimables(), "/protocols".into(), "/networks".into()] {
        let first = get(&fixture.gateway, &path, &[("accept-encoding", "gzip")]);
        let tag = first.header("etag").unwrap_or_else(|| panic!("{path}: {first:?}"));
        assert!(tag.starts_with("W/\""), "{tag}");
        let list = format!("\"other\", {tag}");
        for known in [tag, tag.trim_start_matches("W/"), &list, "*"] {
            for method in [Method::GET, Method::HEAD] {
                let headers = [("if-none-match", known), ("accept-encoding", "gzip")];
                let again = send(&fixture.gateway, &method, &path, &headers);
                assert_eq!((again.status, again.sent_bytes), (StatusCode::NOT_MODIFIED, 0), "{method} {path} {known}");
                for name in ["etag", "cache-control", "vary", "portolan-blocks", "access-control-allow-origin"] {
                    assert_eq!(again.header(name), first.header(name), "{name} of {path}");
                }
                assert!(again.header("date").is_some(), "{path}");
                for name in ["content-type", "content-length", "content-encoding"] {
                    assert_eq!(again.header(name), None, "{name} of {path}");
                }
            }
        }
        let other = get(&fixture.gateway, &path, &[("if-none-match", "W/\"other\"")]);
        assert_eq!((other.status, &other.body), (StatusCode::OK, &first.body), "{path}");
    }
    // Another form is another body.
    let path = fixture.claimables();
    let quoted = fixture.gateway.get(&format!("{path}&amounts=string")).unwrap();
    let plain = fixture.gateway.get(&path).unwrap();
    assert_ne!(quoted.header("etag"), plain.header("etag"));
}

#[test]
fn reports_and_problems_are_neither_stored_nor_tagged() {
    let fixture = fixture();
    let full = format!("{}&detail=full", fixture.claimables());
    for (path, status) in [(full.as_str(), 200), ("/networks?detail=full", 200), ("/nothing", 404)] {
        let response = get(&fixture.gateway, path, &[("if-none-match", "*")]);
        assert_eq!(response.status, status, "{path}: {}", response.body);
        assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(response.header("etag"), None, "{path}");
        assert_eq!(response.header("vary"), Some("accept, accept-encoding"), "{path}");
    }
    // One of the networks has no such block.
    let partial = format!("/claimables/{}?block=polygon:1000000000", fixture.account());
    let response = get(&fixture.gateway, &partial, &[("if-none-match", "*")]);
    assert!(!response.status.is_success() || response.header("portolan-partial").is_some(), "{response:?}");
    assert_eq!(response.header("cache-control"), Some("no-store"));
}

#[test]
fn an_answer_at_a_final_block_that_the_client_named_holds_for_ever() {
    let fixture = fixture();
    let (native, finalized) = (format!("/{}/native-balance?network=polygon", fixture.account()), fixture.finalized);
    let block = fixture.world.chains[0].0.block(&format!("{finalized:#x}")).unwrap();
    let hash = block["hash"].as_str().unwrap();
    let control = |search: &str| {
        let response = fixture.gateway.get(&format!("{native}{search}")).unwrap();
        assert_eq!(response.status, 200, "{search}: {}", response.body);
        response.header("cache-control").unwrap().to_owned()
    };
    assert_eq!(control(&format!("&block={finalized}")), FINAL);
    assert_eq!(control(&format!("&block={hash}")), FINAL);
    assert_eq!(control(&format!("&block=polygon:{}", finalized - 1)), FINAL);
    assert_eq!(control(&format!("&block={}", finalized + 1)), VALIDATED, "it is not final yet");
    for moving in ["", "&block=latest", "&block=safe", "&block=finalized"] {
        assert_eq!(control(moving), VALIDATED, "{moving}");
    }
    let claimables = fixture.gateway.get(&format!("{}&block={finalized}", fixture.claimables())).unwrap();
    assert_eq!(claimables.header("portolan-blocks"), Some(format!("polygon={finalized}").as_str()));
    assert_eq!(claimables.header("cache-control"), Some(FINAL));
    let full = fixture.gateway.get(&format!("{}&block={finalized}&detail=full", fixture.claimables())).unwrap();
    assert_eq!(full.header("cache-control"), Some("no-store"));
}

#[test]
fn an_answer_at_the_newest_block_is_fresh_for_a_block_time() {
    let world = World::of(&["polygon"]).unwrap();
    let (chain, gateway) = (&world.chains[0].0, world.setup().unwrap().start().unwrap());
    let path = format!("/{}/native-balance?network=polygon", world.address("farmer").unwrap());
    let mut controls = Vec::new();
    // A block time is learned from three spans.
    for _ in 0..5 {
        chain.rpc("evm_increaseTime", json!([7])).unwrap();
        let number = chain.mine().unwrap();
        let look = || {
            let response = gateway.get(&path).unwrap();
            let blocks = response.header("portolan-blocks").unwrap_or_default().to_owned();
            let control = response.header("cache-control").unwrap_or_default().to_owned();
            if blocks == format!("polygon={number}") { Ok(control) } else { Err(format!("it is at {blocks}")) }
        };
        controls.push(wait::until("the newest block", SEEN_WITHIN, look).unwrap().0);
    }
    assert_eq!(controls[0], VALIDATED, "nothing is known of a new chain");
    let seconds = controls[4].strip_prefix("private, max-age=").unwrap_or_else(|| panic!("{controls:?}"));
    // The clock of the chain went on by itself between the blocks.
    let seconds: u64 = seconds.parse().unwrap();
    assert!((7..=7 + SEEN_WITHIN.as_secs()).contains(&seconds), "{controls:?}");
}

#[test]
fn lists_are_fresh_for_a_minute_and_pages_may_read_every_header() {
    let fixture = fixture();
    for path in ["/networks", "/protocols", "/networks?amounts=string"] {
        let response = fixture.gateway.get(path).unwrap();
        assert_eq!(response.header("cache-control"), Some("public, max-age=60"), "{path}");
        assert!(response.header("etag").is_some(), "{path}");
    }
    let response = get(&fixture.gateway, &fixture.claimables(), &[("accept-encoding", "br")]);
    let exposed = response.header("access-control-expose-headers").unwrap();
    let exposed: Vec<&str> = exposed.split(", ").collect();
    // Fetch lets pages read these always, or they are about the exchange and not the answer.
    let open = ["cache-control", "content-length", "content-type"];
    let of_exchange = ["vary", "timing-allow-origin", "x-content-type-options"];
    for name in response.headers.keys().map(hyper::header::HeaderName::as_str) {
        let is_listed = exposed.contains(&name) || open.contains(&name) || of_exchange.contains(&name);
        assert!(is_listed || name.starts_with("access-control-"), "{name} is not exposed");
    }
}

#[test]
fn the_time_of_an_answer_and_its_parts_is_shown_to_pages() {
    let fixture = fixture();
    let response = get(&fixture.gateway, &fixture.claimables(), &[("accept-encoding", "br")]);
    assert_eq!(response.header("timing-allow-origin"), Some("*"));
    let timing = response.header("server-timing").unwrap();
    let parts: Vec<(&str, f64)> = timing
        .split(", ")
        .map(|part| part.split_once(";dur=").unwrap())
        .map(|(name, ms)| (name, ms.parse().unwrap()))
        .collect();
    let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["total", "read", "write", "compress"], "{timing}");
    let sum: f64 = parts[1..].iter().map(|(_, ms)| ms).sum();
    // Each of them is rounded to microseconds.
    assert!(sum > 0.0 && sum <= parts[0].1 + 0.003, "{timing}");
    let list = fixture.gateway.get("/networks").unwrap();
    assert!(list.header("server-timing").unwrap().starts_with("total;dur="), "{list:?}");
}
