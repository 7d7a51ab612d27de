//! Names whose resolvers need gateways.

use alloy::primitives::U256;
use alloy::sol_types::{SolCall, SolValue};
use futures_util::future::join_all;
use portolan_reader::Outcome;

use super::world::{callback, extended, lookup, name, ok, reverted, wrapped};
use super::*;
use crate::names::ccip::LOCAL_BATCH;
use crate::names::ccip::service::{Reply, Service};
use crate::names::contracts::BatchGateway;

const EXTRA: &[u8] = b"kept for the callback";

fn names_of(service: &Service) -> Names {
    Names::new(NameSettings { gateway_hosts: vec![service.host()], ..NameSettings::default() })
}

/// A resolver whose gateway must put a word before the address.
fn checking(urls: Vec<String>) -> world::Contract {
    extended(move |dns, data| {
        if !dns.is_empty() {
            return lookup(RESOLVER, &urls, data, EXTRA);
        }
        match callback(data) {
            Some((response, extra)) if *extra == *EXTRA && response.starts_with(b"good") => {
                wrapped(Address::from_slice(&response[4..]))
            }
            _ => reverted(),
        }
    })
}

fn world(contract: world::Contract) -> World {
    let mut world = World::default();
    world.resolver("off.eth", RESOLVER).contract(RESOLVER, contract);
    world
}

async fn resolve(reply: Reply) -> Result<Address, NameFailure> {
    let service = Service::start(reply).await;
    forward_one(&names_of(&service), &world(checking(vec![service.get_url()])), "x.off.eth").await
}

fn good(address: Address) -> Reply {
    Reply::data(&[b"good", address.as_slice()].concat())
}

#[tokio::test]
async fn the_gateway_is_requested_for_the_record_and_the_contract_checks_its_answer() {
    let service = Service::start(good(ALICE)).await;
    let world = world(checking(vec![service.get_url()]));
    let found = names_of(&service).addresses(&at(&world, CoinType::ETHEREUM), &[name("x.off.eth")]).await.remove(0);
    let found = found.unwrap();
    assert_eq!((found.address, found.via_gateway, found.resolver), (ALICE, true, RESOLVER));
    let record = Bytes::from(Resolver::addr_0Call { node: name("x.off.eth").node() }.abi_encode());
    assert_eq!(service.requests(), [format!("GET /{RESOLVER:#x}/{record}.json")]);
    assert_eq!(world.round_trips(), 3);
}

#[tokio::test]
async fn a_gateway_that_lies_is_found_out_by_the_contract() {
    let rejected = Err(NameFailure::Gateway(GatewayError::Rejected));
    assert_eq!(resolve(Reply::data(&[b"evil", BOB.as_slice()].concat())).await, rejected);
    assert_eq!(resolve(Reply::data(&[])).await, rejected);
}

#[tokio::test]
async fn a_gateway_that_does_not_answer_is_reported_as_such() {
    for (reply, fault) in [
        (Reply::Json(404, "{}".into()), GatewayError::Status(404)),
        (Reply::Json(503, "{}".into()), GatewayError::Status(503)),
        (Reply::Head(301, "location: http://127.0.0.1/\r\n".into()), GatewayError::Redirect(301)),
        (Reply::Json(200, "x".repeat(300 * 1024)), GatewayError::TooLarge),
        (Reply::Close, GatewayError::Unreachable),
    ] {
        let found = resolve(reply).await;
        assert_eq!(found, Err(NameFailure::Gateway(fault)));
        assert!(!matches!(found, Err(NameFailure::Absent(_))), "{found:?}");
    }
}

#[tokio::test]
async fn a_silent_gateway_ends_with_the_answers_time() {
    let service = Service::start(Reply::Silence).await;
    let world = world(checking(vec![service.get_url()]));
    let deadline = Instant::now() + Duration::from_millis(200);
    let at = at(&world, CoinType::ETHEREUM);
    let at = LookupContext { session: at.session.until(deadline), ..at };
    let found = names_of(&service).addresses(&at, &[name("x.off.eth")]).await.remove(0);
    assert_eq!(found.as_ref().map(|found| found.address), Err(&NameFailure::Gateway(GatewayError::Timeout)));
    assert!(found.unwrap_err().is_timeout());
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn a_private_gateway_gets_no_request_unless_it_is_named() {
    let service = Service::start(good(ALICE)).await;
    let port = service.address.port();
    for (url, fault) in [
        (service.get_url(), GatewayError::NotHttps),
        (format!("https://127.0.0.1:{port}/{{data}}"), GatewayError::Port),
        ("https://127.0.0.1/{data}".into(), GatewayError::NotPublic),
        ("https://[::ffff:7f00:1]/{data}".into(), GatewayError::NotPublic),
    ] {
        let world = world(checking(vec![url.clone()]));
        assert_eq!(forward_one(&names(), &world, "x.off.eth").await, Err(NameFailure::Gateway(fault)), "{url}");
    }
    assert!(service.requests().is_empty());
}

#[tokio::test]
async fn lookups_without_end_are_ended() {
    let service = Service::start(Reply::data(&[1])).await;
    let urls = vec![service.get_url()];
    let world = world(extended(move |_, data| lookup(RESOLVER, &urls, &data[..4], EXTRA)));
    let found = forward_one(&names_of(&service), &world, "x.off.eth").await;
    assert_eq!(found, Err(NameFailure::Gateway(GatewayError::Endless)));
    assert_eq!(service.requests().len(), 4);
}

#[tokio::test]
async fn the_gateways_of_one_record_are_bounded_however_deep_it_goes() {
    let service = Service::start(Reply::data(&[1])).await;
    let bad = Service::start(Reply::Json(500, String::new())).await;
    // Three fail before one answers, at each of four lookups, and each batch has two requests.
    let urls = vec![bad.post_url(), bad.post_url(), bad.post_url(), service.post_url()];
    let request = BatchGateway::Request { sender: RESOLVER, urls, data: Bytes::new() };
    let query = BatchGateway::queryCall { requests: vec![request; 2] }.abi_encode();
    let world = world(extended(move |_, _| lookup(RESOLVER, &[LOCAL_BATCH.to_owned()], &query, EXTRA)));
    let gateway_hosts = vec![service.host(), bad.host()];
    let names = Names::new(NameSettings { gateway_hosts, ..NameSettings::default() });
    let found = forward_one(&names, &world, "x.off.eth").await;
    assert!(matches!(found, Err(NameFailure::Gateway(_))), "{found:?}");
    assert_eq!(service.requests().len() + bad.requests().len(), 16);
}

#[tokio::test]
async fn four_lookups_are_followed() {
    let service = Service::start(Reply::data(&[1])).await;
    let urls = vec![service.get_url()];
    let world = world(extended(move |dns, data| match callback(data) {
        None if !dns.is_empty() => lookup(RESOLVER, &urls, &[0], &[3]),
        Some((_, left)) if left[0] > 0 => lookup(RESOLVER, &urls, &[0], &[left[0] - 1]),
        Some(_) => wrapped(ALICE),
        None => reverted(),
    }));
    assert_eq!(forward_one(&names_of(&service), &world, "x.off.eth").await, Ok(ALICE));
    assert_eq!(service.requests().len(), 4);
}

#[tokio::test]
async fn a_lookup_of_another_contract_is_not_made() {
    let service = Service::start(good(ALICE)).await;
    let urls = vec![service.get_url()];
    let world = world(extended(move |_, data| lookup(OTHER, &urls, data, EXTRA)));
    let found = forward_one(&names_of(&service), &world, "x.off.eth").await;
    assert_eq!(found, Err(NameFailure::Gateway(GatewayError::Sender)));
    assert!(service.requests().is_empty());
}

#[tokio::test]
async fn a_lookup_that_cannot_be_read_or_is_huge_is_not_made() {
    let selector = [0x55, 0x6f, 0x18, 0x30];
    // A thousand offsets to one URL of 32 KiB: 64 KiB decode to 32 MiB.
    let word = |number: usize| U256::from(number).to_be_bytes::<32>();
    let mut folded: Vec<u8> = RESOLVER.abi_encode();
    folded.extend([160, 160, 0, 160, 1000].map(word).concat());
    folded.extend(std::iter::repeat_n(word(32_000), 1000).flatten());
    folded.extend([&word(32_768)[..], &[b'x'; 32_768]].concat());
    let folded = [&selector[..], &folded].concat();
    for data in [selector.to_vec(), [&selector[..], &[0xff; 320]].concat(), folded] {
        let outcome = Outcome::Reverted(data.into());
        let world = world(extended(move |_, _| outcome.clone()));
        let found = forward_one(&names(), &world, "x.off.eth").await;
        assert_eq!(found, Err(NameFailure::Gateway(GatewayError::Lookup)));
    }
}

#[tokio::test]
async fn a_plain_resolver_may_use_gateways_too() {
    let service = Service::start(good(ALICE)).await;
    let urls = vec![service.get_url()];
    let world = world(Arc::new(move |data| {
        if world::call::<Resolver::addr_0Call>(data).is_some() {
            return lookup(RESOLVER, &urls, data, EXTRA);
        }
        match callback(data) {
            Some((response, _)) => ok(Address::from_slice(&response[4..])),
            None => ok(false),
        }
    }));
    assert_eq!(forward_one(&names_of(&service), &world, "off.eth").await, Ok(ALICE));
    assert_eq!(service.requests().len(), 1, "only the way that the resolver answers is followed");
}

#[tokio::test]
async fn many_names_use_their_gateways_at_once() {
    let service = Service::start(good(ALICE)).await;
    let world = world(checking(vec![service.post_url()]));
    // As many as one answer may make requests for.
    let texts: Vec<String> = (0..16).map(|place| format!("n{place}.off.eth")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(forward(&names_of(&service), &world, &texts).await, vec![Ok(ALICE); 16]);
    assert_eq!((world.round_trips(), service.requests().len()), (3, 16));
}

#[tokio::test]
async fn one_records_gateway_is_no_other_records_failure() {
    let service = Service::start(good(ALICE)).await;
    let (urls, node) = (vec![service.get_url()], name("x.off.eth").node());
    let avatar = Resolver::textCall { node, key: "avatar".into() }.abi_encode();
    let world = world(extended(move |dns, data| match callback(data) {
        None if !dns.is_empty() && data == avatar => lookup(RESOLVER, &["https://10.0.0.1/{data}".into()], data, EXTRA),
        None if !dns.is_empty() => lookup(RESOLVER, &urls, data, EXTRA),
        Some((response, _)) => ok(Bytes::from(Address::from_slice(&response[4..]).abi_encode())),
        None => reverted(),
    }));
    let at = LookupContext { detail: DetailLevel::Full(&[]), ..at(&world, CoinType::ETHEREUM) };
    let found = names_of(&service).addresses(&at, &[name("x.off.eth")]).await.remove(0).unwrap();
    assert_eq!(found.address, ALICE);
    assert_eq!(found.details.unwrap().avatar, Err(NameFailure::Gateway(GatewayError::NotPublic)));
}

#[tokio::test]
async fn a_resolver_whose_gateway_hangs_does_not_keep_others_from_theirs() {
    let (silent, service) = (Service::start(Reply::Silence).await, Service::start(good(ALICE)).await);
    let mut world = world(checking(vec![service.get_url()]));
    let urls = [silent.get_url()];
    let hostile = extended(move |_, data| lookup(OTHER, &urls, data, EXTRA));
    world.resolver("bad.eth", OTHER).contract(OTHER, hostile);
    let gateway_hosts = vec![silent.host(), service.host()];
    let names = Names::new(NameSettings { gateway_hosts, ..NameSettings::default() });
    // More answers than there are permits in total.
    let answers: Vec<_> =
        (0..80).map(|number| (at(&world, CoinType::ETHEREUM), [name(&format!("{number}.bad.eth"))])).collect();
    let hanging = join_all(answers.iter().map(|(at, name)| names.addresses(at, name)));
    let healthy = async {
        while silent.requests().len() < 8 {
            tokio::task::yield_now().await;
        }
        names.addresses(&at(&world, CoinType::ETHEREUM), &[name("x.off.eth")]).await.remove(0)
    };
    let found = tokio::select! {
        found = healthy => found,
        _ = hanging => panic!("what hangs was answered before"),
    };
    assert_eq!(found.map(|found| found.address), Ok(ALICE));
    assert_eq!(silent.requests().len(), 8, "the resolver's part of the permits");
}
