//! Answers as streams of events: the rows of each job as it ends, and what changes in a portfolio from block to block.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::ensure;
use bytes::Bytes;
use hyper::Method;
use portolan_tests::event_stream::{EventStream, StreamEvent};
use portolan_tests::gateway::Gateway;
use portolan_tests::http::{self, Version};
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Exchange, Fault, RpcFault};
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::json;

/// Longer than a test holds a network back.
const DEADLINE: &str = "[answers]\ndeadline_ms = 40000\n[plugins.limits]\njob_ms = 30000";
const SOON: Duration = Duration::from_secs(20);

fn open(gateway: &Gateway, path: &str) -> EventStream {
    let stream = EventStream::open(gateway.base, path, None).unwrap();
    assert_eq!(stream.status, 200, "{path}");
    assert_eq!(stream.headers["content-type"], "text/event-stream", "{path}");
    assert_eq!(stream.headers["cache-control"], "no-store", "{path}");
    stream
}

/// The data of an `answer` that equals this answer: its body byte for byte, and the headers of its own.
fn whole(plain: &http::Response) -> String {
    let own = |name: &&str| plain.header(name).map(|value| format!("\"{name}\":{}", Json::text(value)));
    let names = ["cache-control", "portolan-account", "portolan-blocks", "portolan-currency", "portolan-partial"];
    let headers: Vec<String> = names.iter().filter_map(own).collect();
    format!("{{\"status\":200,\"headers\":{{{}}},\"body\":{}}}", headers.join(","), plain.body)
}

fn ids<'a>(rows: impl IntoIterator<Item = &'a Json>) -> BTreeSet<String> {
    rows.into_iter().map(|row| row.text_at("id").unwrap().to_owned()).collect()
}

fn rows(event: &StreamEvent) -> Vec<Json> {
    event.json().unwrap().at("rows").unwrap().items().unwrap().to_vec()
}

#[test]
fn a_stream_has_the_rows_of_each_job_and_ends_with_the_plain_answer() {
    let world = World::of(&["ethereum", "polygon"]).unwrap();
    let gateway = world.on_chains(world.with_all_plugins().unwrap()).start().unwrap();
    for who in ["farmer", "odd", "nothing"] {
        let account = world.address(who).unwrap();
        let paths = [
            format!("/claimables/{account}"),
            format!("/claimables/{account}?worth=true&amounts=string"),
            format!("/positions/{account}?kind=lent,borrowed&currency=EUR"),
            format!("/sushiswap/{account}/claimables"),
            format!("/sushiswap/farming/{account}/positions"),
            format!("/aave_v3/lending/{account}/positions?network=ethereum"),
        ];
        for path in paths {
            let plain = gateway.get(&path).unwrap();
            assert_eq!(plain.status, 200, "{path}: {}", plain.body);
            let events = open(&gateway, &path).rest().unwrap();
            let (last, of_jobs) = events.split_last().unwrap();
            assert_eq!((last.name.as_str(), &last.data), ("answer", &whole(&plain)), "{path}");
            let of_job = |event: &StreamEvent| {
                assert_eq!(event.name, "job", "{path}");
                let job = event.json().unwrap();
                ["protocol", "network", "question"].map(|member| job.text_at(member).unwrap().to_owned())
            };
            let jobs: BTreeSet<_> = of_jobs.iter().map(of_job).collect();
            assert!(jobs.len() == of_jobs.len() && !jobs.is_empty(), "{path}: {jobs:?}");
            let body = plain.json().unwrap();
            let in_body = match body.get("protocols") {
                Some(groups) => {
                    let of_group = |group: &Json| ids(group.at("positions").unwrap().items().unwrap());
                    groups.items().unwrap().iter().flat_map(of_group).collect()
                }
                None => ids(body.items().unwrap()),
            };
            assert_eq!(ids(&of_jobs.iter().flat_map(rows).collect::<Vec<_>>()), in_body, "{path}");
        }
    }
}

#[test]
fn jobs_of_one_network_are_sent_while_another_network_does_not_answer() {
    let world = World::of(&["ethereum", "polygon"]).unwrap();
    let (polygon, _) = world.chain("polygon").unwrap();
    let rpc = RpcFault::before(&polygon.url).unwrap();
    let setup = world.with_all_plugins().unwrap().config(DEADLINE);
    let setup = setup.rpc("ethereum", &world.chain("ethereum").unwrap().0.url).rpc("polygon", &rpc.url());
    let gateway = setup.start().unwrap();
    let path = format!("/claimables/{}?simulate=false", world.address("farmer").unwrap());
    let plain = gateway.get(&path).unwrap();
    let networks = |events: &[StreamEvent]| -> BTreeSet<String> {
        events.iter().map(|event| event.json().unwrap().text_at("network").unwrap().to_owned()).collect()
    };

    // A new block, so that something is to be read.
    let newest = polygon.mine().unwrap();
    let pinned = || {
        let native = gateway.get(&format!("/{}/native-balance?network=polygon", world.address("dust")?))?;
        ensure!(native.header("portolan-blocks") == Some(format!("polygon={newest}").as_str()), "{native:?}");
        Ok(())
    };
    wait::until("the new block", SOON, pinned).unwrap();
    rpc.set(Fault::Hold);
    let mut stream = open(&gateway, &path);
    let first = stream.event().unwrap();
    let mut events = vec![first];
    while !events.iter().any(|event| rows(event).iter().any(|row| row.text_at("id").unwrap().contains("-ethereum-"))) {
        events.push(stream.event().unwrap());
    }
    assert_eq!(networks(&events), BTreeSet::from(["ethereum".to_owned()]));
    rpc.set(Fault::None);
    let rest = stream.rest().unwrap();
    let (last, of_jobs) = rest.split_last().unwrap();
    assert_eq!(last.name, "answer");
    assert!(networks(of_jobs).contains("polygon"));
    assert_eq!(
        ids(last.json().unwrap().at("body").unwrap().items().unwrap()),
        ids(plain.json().unwrap().items().unwrap())
    );

    // What fails is an event too, and if all does, the last one is the problem.
    rpc.set(Fault::Close);
    let other = format!("/claimables/{}?network=polygon", world.address("whale").unwrap());
    let events = open(&gateway, &other).rest().unwrap();
    let (last, of_jobs) = events.split_last().unwrap();
    assert_eq!(last.name, "problem", "{last:?}");
    assert_eq!(last.json().unwrap().at("status").unwrap().to_string(), "502");
    let failures = of_jobs.iter().map(|event| event.json().unwrap().at("failure").unwrap().to_string());
    assert_eq!(failures.collect::<BTreeSet<_>>(), BTreeSet::from(["\"upstream\"".to_owned()]));
}

#[test]
fn what_is_no_stream_is_answered_as_ever() {
    let world = World::of(&["polygon"]).unwrap();
    let gateway = world.on_chains(world.with_all_plugins().unwrap()).start().unwrap();
    let account = world.address("farmer").unwrap();
    let wrong = EventStream::open(gateway.base, "/claimables/0x12", None).unwrap();
    assert_eq!(
        (wrong.status.as_u16(), &wrong.headers["content-type"]),
        (400, &"application/problem+json".parse().unwrap())
    );
    let unknown = EventStream::open(gateway.base, &format!("/nobody/{account}/claimables"), None).unwrap();
    assert_eq!(unknown.status, 404);
    let accepts = |method: &Method, path: &str, accept: &str| {
        let response =
            http::request(gateway.base, Version::Http1, method, path, &[("accept", accept)], Bytes::new()).unwrap();
        (response.status.as_u16(), response.header("content-type").unwrap().to_owned())
    };
    let of_json = (200, "application/json".to_owned());
    let claimables = format!("/claimables/{account}");
    assert_eq!(accepts(&Method::GET, &claimables, "text/event-stream;q=0.5, application/json"), of_json);
    assert_eq!(accepts(&Method::GET, "/networks", "text/event-stream"), of_json);
    assert_eq!(accepts(&Method::GET, &format!("/claimables?accounts={account}"), "text/event-stream"), of_json);
    assert_eq!(accepts(&Method::HEAD, &claimables, "text/event-stream"), of_json);
    let watch = format!("/{account}/watch");
    assert_eq!(accepts(&Method::HEAD, &watch, "*/*"), (200, "text/event-stream".to_owned()));
    let refusal = gateway.get(&format!("{watch}?currency=EUR")).unwrap();
    problem::detail(&refusal, 400, "unknown-parameter").unwrap();
    let refusal = gateway.get(&format!("{watch}?include=nobody")).unwrap();
    problem::detail(&refusal, 400, "invalid-filter").unwrap();
}

/// A portfolio as a watcher knows it.
#[derive(Default)]
struct Known {
    blocks: String,
    totals: Option<Json>,
    positions: BTreeMap<String, Json>,
    claimables: BTreeMap<String, Json>,
}

impl Known {
    fn take(&mut self, event: &StreamEvent) {
        let data = event.json().unwrap();
        match event.name.as_str() {
            "answer" => {
                let body = data.at("body").unwrap();
                let groups = body.at("protocols").unwrap().items().unwrap();
                let positions = groups.iter().flat_map(|group| group.at("positions").unwrap().items().unwrap());
                self.positions = by_id(positions);
                self.claimables = by_id(data.at("claimables").unwrap().items().unwrap());
                self.totals = Some(body.at("totals").unwrap().clone());
                self.blocks = data.text_at("headers/portolan-blocks").unwrap().to_owned();
            }
            "change" => {
                for (list, name) in [(&mut self.positions, "positions"), (&mut self.claimables, "claimables")] {
                    list.extend(by_id(data.at(&format!("{name}/changed")).unwrap().items().unwrap()));
                    for id in data.at(&format!("{name}/removed")).unwrap().items().unwrap() {
                        let Json::Text(id) = id else { panic!("{id}") };
                        assert!(list.remove(id).is_some(), "{id} was not there");
                    }
                }
                self.totals = Some(data.at("totals").unwrap().clone());
                self.blocks = data.text_at("blocks").unwrap().to_owned();
            }
            "blocks" => self.blocks = data.text_at("blocks").unwrap().to_owned(),
            other => panic!("{other}: {data}"),
        }
    }

    /// Follows the stream up to a block.
    fn follow(&mut self, stream: &mut EventStream, block: u64) -> Vec<String> {
        let mut names = Vec::new();
        while self.blocks != format!("polygon={block}") {
            let event = stream.event().unwrap();
            self.take(&event);
            names.push(event.name);
        }
        names
    }

    /// Compares it with the plain answers, which are at the same block.
    fn assert_is_plain(&self, gateway: &Gateway, account: &str) {
        let positions = gateway.get(&format!("/positions/{account}")).unwrap();
        assert_eq!(positions.header("portolan-blocks"), Some(self.blocks.as_str()));
        let body = positions.json().unwrap();
        assert_eq!(self.totals.as_ref(), Some(body.at("totals").unwrap()));
        let groups = body.at("protocols").unwrap().items().unwrap();
        let plain = groups.iter().flat_map(|group| group.at("positions").unwrap().items().unwrap());
        assert_eq!(self.positions, by_id(plain));
        let claimables = gateway.get(&format!("/claimables/{account}")).unwrap().json().unwrap();
        assert_eq!(self.claimables, by_id(claimables.items().unwrap()));
    }
}

fn by_id<'a>(rows: impl IntoIterator<Item = &'a Json>) -> BTreeMap<String, Json> {
    rows.into_iter().map(|row| (row.text_at("id").unwrap().to_owned(), row.clone())).collect()
}

#[test]
fn a_watch_sends_what_a_claim_changed_and_goes_on_where_a_client_was() {
    let world = World::of(&["polygon"]).unwrap();
    let gateway = world.on_chains(world.with_all_plugins().unwrap()).start().unwrap();
    let (chain, _) = world.chain("polygon").unwrap();
    let account = world.address("exited").unwrap();
    let path = format!("/{account}/watch");
    let (mut stream, mut known) = (open(&gateway, &path), Known::default());
    known.follow(&mut stream, chain.newest().unwrap());
    known.assert_is_plain(&gateway, account);

    let claim =
        known.claimables.values().find(|row| row.at("claimTransaction").unwrap() != &Json::Null).unwrap().clone();
    let text = |member: &str| claim.text_at(&format!("claimTransaction/{member}")).unwrap().to_owned();
    let transaction = json!({"from": account, "to": text("to"), "data": text("data")});
    assert_eq!(chain.send(&transaction).unwrap()["status"], "0x1");
    let names = known.follow(&mut stream, chain.newest().unwrap());
    assert!(names.contains(&"change".to_owned()), "{names:?}");
    let id = claim.text_at("id").unwrap();
    assert!(!known.claimables.contains_key(id), "{id} is paid");
    known.assert_is_plain(&gateway, account);

    // Another client gets the whole, and one that was cut off what it missed.
    let first = open(&gateway, &path).event().unwrap();
    assert_eq!(first.name, "answer");
    let id = first.id.clone().unwrap();
    let newest = chain.mine().unwrap();
    let mut cut_off = Known::default();
    cut_off.take(&first);
    known.follow(&mut stream, newest);
    let mut again = EventStream::open(gateway.base, &path, Some(&id)).unwrap();
    let names = cut_off.follow(&mut again, newest);
    assert!(!names.contains(&"answer".to_owned()), "{names:?}");
    cut_off.assert_is_plain(&gateway, account);
    let mut unknown = EventStream::open(gateway.base, &path, Some("0123456789abcdef-1")).unwrap();
    assert_eq!(unknown.event().unwrap().name, "answer");

    // The end of the process ends the streams with a word.
    gateway.sigterm().unwrap();
    for stream in [&mut stream, &mut again, &mut unknown] {
        let last = stream.rest().unwrap().pop().unwrap();
        assert_eq!((last.name.as_str(), last.data.as_str()), ("end", "{\"reason\":\"restart\"}"));
    }
}

#[test]
fn an_account_that_nothing_concerns_costs_one_request_for_logs_until_it_gets_something() {
    let world = World::of(&["ethereum"]).unwrap();
    let (chain, truth) = world.chain("ethereum").unwrap();
    let rpc = RpcFault::before(&chain.url).unwrap();
    let setup = world.with_all_plugins().unwrap().rpc("ethereum", &rpc.url());
    let gateway = setup.start().unwrap();
    let (nothing, farmer) = (world.address("nothing").unwrap(), world.address("farmer").unwrap());
    let mut stream = open(&gateway, &format!("/{nothing}/watch"));
    assert_eq!(stream.event().unwrap().name, "answer");

    // The first block after the beginning may come before the logs of all contracts are requested.
    chain.mine().unwrap();
    stream.next_of(&["blocks"]).unwrap();
    for _ in 0..2 {
        rpc.take();
        let newest = chain.mine().unwrap();
        let event = stream.event().unwrap();
        assert_eq!(event.data, format!("{{\"blocks\":\"ethereum={newest}\"}}"), "{event:?}");
        let exchanges = rpc.take();
        let requested = |method: &[u8]| {
            let has = |request: &&Exchange| request.requested.windows(method.len()).any(|part| part == method);
            exchanges.iter().filter(has).count()
        };
        assert_eq!(requested(b"eth_call"), 0, "nothing was read");
        assert_eq!(requested(b"eth_getLogs"), 1, "for all contracts");
    }

    // Somebody sends it shares of a staking contract.
    let shares = truth.contract("xsushi").unwrap();
    let amount = 1_000_000_000_000_u64;
    let data = format!("0xa9059cbb{:0>64}{amount:064x}", nothing.trim_start_matches("0x"));
    let receipt = chain.send(&json!({"from": farmer, "to": shares, "data": data})).unwrap();
    assert_eq!(receipt["status"], "0x1");
    let change = stream.next_of(&["change"]).unwrap().json().unwrap();
    let changed = change.at("positions/changed").unwrap().items().unwrap();
    let [position] = changed else { panic!("{change}") };
    assert_eq!(position.text_at("contractAddress").unwrap(), shares);
    assert!(position.to_string().contains("\"amount\":0.000001,"), "{position}");
}

#[test]
fn a_watch_says_what_of_a_network_that_fails_is_missing_and_shows_it_again() {
    let world = World::of(&["ethereum", "polygon"]).unwrap();
    let rpc = RpcFault::before(&world.chain("polygon").unwrap().0.url).unwrap();
    let setup = world.with_all_plugins().unwrap().rpc("ethereum", &world.chain("ethereum").unwrap().0.url);
    let gateway = setup.rpc("polygon", &rpc.url()).start().unwrap();
    let account = world.address("farmer").unwrap();
    let (mut stream, mut known) = (open(&gateway, &format!("/{account}/watch")), Known::default());
    known.take(&stream.event().unwrap());
    let of_network = |known: &Known, network: &str| -> BTreeSet<String> {
        let rows = known.claimables.iter().chain(&known.positions);
        let own = rows.filter(|(_, row)| row.text_at("network/name").unwrap().eq_ignore_ascii_case(network));
        own.map(|(id, _)| id.clone()).collect()
    };
    let before = ["ethereum", "polygon"].map(|network| of_network(&known, network));
    assert!(before.iter().all(|rows| !rows.is_empty()), "{before:?}");

    // No new block comes: that the network does not answer is news of its own.
    rpc.set(Fault::Close);
    let lost = stream.next_of(&["change"]).unwrap();
    known.take(&lost);
    let partial = lost.json().unwrap().text_at("partial").unwrap().to_owned();
    assert!(partial.contains("polygon") && !partial.contains("ethereum"), "{partial}");
    assert_eq!(
        ["ethereum", "polygon"].map(|network| of_network(&known, network)),
        [before[0].clone(), BTreeSet::new()]
    );
    assert!(!known.blocks.contains("polygon"), "{}", known.blocks);

    rpc.set(Fault::None);
    let found = stream.next_of(&["change"]).unwrap();
    known.take(&found);
    assert_eq!(found.json().unwrap().at("partial").unwrap(), &Json::Null);
    assert_eq!(["ethereum", "polygon"].map(|network| of_network(&known, network)), before);
}

#[test]
fn a_client_that_does_not_read_loses_its_own_stream_alone() {
    let world = World::of(&["polygon"]).unwrap();
    let setup = world.on_chains(world.with_all_plugins().unwrap());
    // Otherwise it is cut before so many blocks have come.
    let gateway = setup.config("[connections]\nsend_ms = 600000").start().unwrap();
    let (chain, _) = world.chain("polygon").unwrap();
    let path = format!("/{}/watch?detail=full", world.address("farmer").unwrap());
    let mut quick = open(&gateway, &path);
    let first = quick.event().unwrap();
    // Less than the first event, so that no other one reaches the client.
    let window = u32::try_from(first.data.len() / 2).unwrap();
    let mut slow = EventStream::open_with_window(gateway.base, &path, window).unwrap();
    assert_eq!(slow.status, 200);
    for _ in 0..36 {
        let newest = chain.mine().unwrap();
        let is_at = |event: &StreamEvent| event.data.contains(&format!("\"blocks\":\"polygon={newest}\""));
        while !is_at(&quick.event().unwrap()) {}
    }
    let events = slow.rest().unwrap();
    let last = events.last().unwrap();
    assert_eq!((last.name.as_str(), last.data.as_str()), ("end", "{\"reason\":\"slow\"}"));
    assert_eq!(events[0].name, "answer");
    assert!(events.len() < 36, "{} events", events.len());
}

#[test]
fn watches_have_bounds_and_one_that_nobody_watches_makes_room() {
    let world = World::of(&["polygon"]).unwrap();
    let setup = world.on_chains(world.with_all_plugins().unwrap());
    let gateway = setup.config("[watches]\nportfolios_max = 2\nper_client_max = 3").start().unwrap();
    let watch = |who: &str| format!("/{}/watch", world.address(who).unwrap());
    let held: Vec<EventStream> = ["farmer", "farmer", "dust"].map(|who| open(&gateway, &watch(who))).into();
    let refusal = gateway.get(&watch("farmer")).unwrap();
    let detail = problem::detail(&refusal, 429, "too-many-requests").unwrap();
    assert!(detail.contains("watches as many portfolios as it may"), "{detail}");
    assert_eq!(refusal.header("retry-after"), Some("5"));
    assert_eq!(gateway.count("portolan_watches").unwrap(), 2);
    drop(held);
    let open_again = || {
        let stream = EventStream::open(gateway.base, &watch("whale"), None)?;
        ensure!(stream.status == 200, "{}", stream.status);
        Ok(stream)
    };
    wait::until("the place of a watch that nobody watches", SOON, open_again).unwrap();
}
