//! Names whose address gateways outside return (EIP-3668): an answer where all is well, a failure and never an answer
//! where it is not, and no request that nobody may make.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

use alloy::hex;
use alloy::primitives::{Address, B256, FixedBytes, U256};
use alloy::sol_types::SolCall as _;
use anyhow::{Result, ensure};
use portolan_tests::chain::Chain;
use portolan_tests::json::Json;

use super::gateways::{self, Gateways};
use super::{assert_nothing_reported, assert_problem, assert_record, by_address, by_name, fixture, record, setup};

alloy::sol! {
    struct Way {
        string[] urls;
        uint256 lookups;
        address sender;
        bytes4 callback;
    }

    function setWay(bytes32 node, Way way);
}

/// More gateways than anyone tries for one answer.
const URLS: usize = 40;
/// More than any client follows: EIP-3668 names 4.
const LOOKUPS_MAX: usize = 4;
/// Requests that one answer makes to gateways.
const OUTGOING_MAX: usize = 16;
/// An address of this machine that no operator has named.
const UNNAMED: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// Answered while one gateway hangs.
const SHORT_DEADLINE: &str = "[answers]\ndeadline_ms = 2000\n";

fn name_of(label: &str) -> String {
    format!("{label}.offchain.eth")
}

/// Writes into the resolver on the chain where each name's gateways are.
pub(super) fn set_ways(chain: &Chain, expected: &Json, outside: &Gateways) -> Result<()> {
    let names: [(&str, &[&str]); 16] = [
        ("get", &["get"]),
        ("post", &["post"]),
        ("twice", &["twice"]),
        ("second", &["broken", "get"]),
        ("moody", &["moody"]),
        ("slow", &["slow"]),
        ("huge", &["huge"]),
        ("redirect", &["redirect"]),
        ("wrong", &["wrong"]),
        ("broken", &["broken"]),
        ("refused", &["refused", "get"]),
        ("garbage", &["garbage"]),
        ("endless", &["endless"]),
        ("many", &["broken"; URLS]),
        ("sender", &["sender"]),
        ("callback", &["callback"]),
    ];
    for (label, ways) in names {
        let url = |way: &&str| if *way == "post" { outside.post_url(label) } else { outside.url(way, label) };
        let urls = ways.iter().map(url).collect();
        set_way(chain, expected, label, urls)?;
    }
    Ok(())
}

fn set_way(chain: &Chain, expected: &Json, label: &str, urls: Vec<String>) -> Result<()> {
    let node: B256 = expected.text_at(&format!("names/gateways/nodes/{}", name_of(label)))?.parse()?;
    let lookups = match label {
        "twice" => U256::from(2),
        "endless" => U256::MAX,
        _ => U256::ONE,
    };
    let sender = if label == "sender" { Address::repeat_byte(0x5e) } else { Address::ZERO };
    let callback = if label == "callback" { [0xba, 0xdc, 0xa1, 0x1b] } else { [0; 4] };
    let way = Way { urls, lookups, sender, callback: FixedBytes(callback) };
    let data = hex::encode_prefixed(setWayCall { node, way }.abi_encode());
    let from = expected.text_at("accounts/farmer/address")?; // Anyone may.
    chain.send_as(from, expected.text_at("names/gateways/resolver")?, &data, chain.block_timestamp).map(drop)
}

#[test]
fn gateways_return_addresses_by_get_by_post_in_several_steps_and_after_one_that_is_out_of_order() {
    let fixture = fixture();
    let account = fixture.expected.text_at("names/gateways/account").unwrap();
    for (label, requested, times) in
        [("get", "get", 1), ("post", "post", 1), ("twice", "twice", 2), ("second", "broken", 1)]
    {
        let name = name_of(label);
        fixture.fetch(&by_name(&name, None), |what, response| {
            assert_record(what, response, &record(&name, account));
            assert!(fixture.outside.take(requested, label) >= times, "{what}: {requested} got no request");
        });
        fixture.fetch(&format!("{}?detail=full", by_name(&name, None)), |what, response| {
            let reported = response.json().unwrap();
            assert_eq!(reported.at("items/0/viaGateway").unwrap(), &Json::Bool(true), "{what}: {reported}");
        });
    }
    fixture.fetch(&by_name(&name_of("get"), Some("optimism")), |what, response| {
        assert_record(what, response, &record(&name_of("get"), account));
    });
    fixture.fetch(&by_address(account, None), |what, response| {
        assert_record(what, response, &record(&name_of("get"), account));
    });
}

#[test]
fn what_gateways_do_wrong_is_a_failure_and_no_answer() {
    let fixture = fixture();
    for label in ["redirect", "wrong", "broken", "refused", "garbage", "huge", "callback"] {
        fixture
            .fetch(&by_name(&name_of(label), None), |what, response| assert_problem(what, response, 502, "upstream"));
        assert!(fixture.outside.take(label, label) >= fixture.paths.len(), "{label} got no request");
    }
    let flooded = fixture.outside.flooded();
    assert!(flooded == 0 || gateways::is_part_of_flood(flooded / fixture.paths.len()), "{flooded} B were taken");
}

#[test]
fn lookups_end_even_where_resolvers_name_gateways_without_end() {
    let fixture = fixture();
    for (label, requested) in [("endless", "endless"), ("many", "broken")] {
        fixture.outside.take(requested, label);
        fixture.fetch(&by_name(&name_of(label), None), |what, response| {
            assert_problem(what, response, 502, "upstream");
            let times = fixture.outside.take(requested, label);
            assert!((1..URLS / 2).contains(&times), "{what}: {times} requests");
            assert!(label != "endless" || times <= LOOKUPS_MAX, "{what}: {times} lookups");
        });
    }
}

#[test]
fn a_lookup_in_anothers_name_makes_no_request() {
    let fixture = fixture();
    fixture.fetch(&by_name(&name_of("sender"), None), assert_nothing_reported);
    assert_eq!(fixture.outside.take("sender", "sender"), 0);
}

#[test]
fn a_failure_is_not_remembered() {
    let fixture = fixture();
    let name = name_of("moody");
    let account = fixture.expected.text_at("names/gateways/account").unwrap();
    for (path, gateway) in &fixture.paths {
        fixture.outside.take("moody", "moody");
        assert_problem(path, &gateway.get(&by_name(&name, None)).unwrap(), 502, "upstream");
        assert_record(path, &gateway.get(&by_name(&name, None)).unwrap(), &record(&name, account));
    }
}

#[test]
fn addresses_of_this_machine_are_not_dialled_unless_the_operator_named_them() {
    let fixture = fixture();
    let chain = Chain::start(super::PROFILE).unwrap();
    let listeners = [IpAddr::from(UNNAMED), IpAddr::from(Ipv4Addr::LOCALHOST)].map(|at| listening(at).unwrap());
    let [unnamed, named] = listeners.each_ref().map(|listener| listener.local_addr().unwrap().port());
    let cases = [
        ("private", format!("https://{UNNAMED}:{unnamed}/{{sender}}/{{data}}")),
        ("mapped", format!("https://[::ffff:{UNNAMED}]:{unnamed}/{{sender}}/{{data}}")),
        ("local", format!("https://localhost:{named}/{{sender}}/{{data}}")),
        ("plain", format!("http://{UNNAMED}:{unnamed}/{{sender}}/{{data}}")),
        ("none", "ftp://gateway.example/{data}".to_owned()),
    ];
    for (label, url) in &cases {
        set_way(&chain, &fixture.expected, label, vec![url.clone()]).unwrap();
    }
    for universal in [false, true] {
        let gateway = setup(&chain.url, &fixture.outside, universal).start().unwrap();
        for (label, url) in &cases {
            let response = gateway.get(&by_name(&name_of(label), None)).unwrap();
            assert_problem(url, &response, 502, "upstream");
        }
    }
    for listener in &listeners {
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{listener:?} was dialled");
    }
}

/// Takes connections without answering; whether one came can be seen without waiting.
fn listening(at: IpAddr) -> Result<TcpListener> {
    let listener = TcpListener::bind(SocketAddr::new(at, 0))?;
    listener.set_nonblocking(true)?;
    ensure!(listener.accept().is_err(), "somebody was faster");
    Ok(listener)
}

#[test]
fn a_gateway_that_hangs_ends_with_the_answers_deadline() {
    let fixture = fixture();
    for universal in [false, true] {
        let setup = setup(&fixture.chain.url, &fixture.outside, universal);
        let gateway = setup.config(SHORT_DEADLINE).start().unwrap();
        let response = gateway.get(&by_name(&name_of("slow"), None)).unwrap();
        assert_problem("slow", &response, 504, "deadline");
        assert!(fixture.outside.take("slow", "slow") > 0, "it got no request");
    }
}

#[test]
fn the_lookups_of_one_answer_share_one_budget_of_requests() {
    let fixture = fixture();
    let name = name_of("many");
    fixture.outside.take("broken", "many");
    // The address, the avatar, and an address for each network: each is a lookup at four gateways.
    fixture.fetch(&format!("{}?detail=full", by_name(&name, None)), |what, response| {
        assert_problem(what, response, 502, "upstream");
        let times = fixture.outside.take("broken", "many");
        println!("{what}: {times} requests");
        assert!((1..=OUTGOING_MAX).contains(&times), "{what}: {times} requests");
    });
}
