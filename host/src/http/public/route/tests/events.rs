//! Requests for the events of a transaction.

use super::*;

#[test]
fn a_transaction_is_requested_by_hash_and_network() {
    let events = |chain_id, types: &[&str], logs_max| {
        let types = types.iter().map(|name| Kind::named(name).unwrap()).collect();
        Query::Events(EventsQuery { chain_id, hash: HASH, types, logs_max, account: None })
    };
    let cases = [
        ("network=ETHEREUM", events(1, &[], LOGS_MAX)),
        ("network=avalancheX&detail=full", events(43114, &[], LOGS_MAX)),
        ("network=bsc&type=SWAP", events(56, &["SWAP"], LOGS_MAX)),
        ("network=bsc&type=swap&type=nft_Transfer", events(56, &["SWAP", "NFT_TRANSFER"], LOGS_MAX)),
        ("network=bsc&type=swap,claim,&type=swap", events(56, &["SWAP", "CLAIM"], LOGS_MAX)),
        ("network=bsc&type=", events(56, &[], LOGS_MAX)),
        ("network=bsc&max-logs=1", events(56, &[], 1)),
        ("network=bsc&max-logs=5000", events(56, &[], 5000)),
    ];
    for (search, expected) in cases {
        assert_eq!(query(&format!("/events/decode/{{H}}?{search}")), expected, "{search}");
    }
    let upper = format!("/events/decode/0x{}?network=ethereum", H[2..].to_uppercase());
    assert_eq!(query(&upper), events(1, &[], LOGS_MAX));
}

#[test]
fn wrong_types_and_wrong_numbers_of_logs_are_reported_after_hash_and_network() {
    let cases = [
        ("type=WEALTH", "unknown event type WEALTH; the types are APPROVAL, TRANSFER, MINT, "),
        ("type=SWAP,x", "unknown event type x; the types are "),
        ("max-logs=0", "max-logs is not a number from 1 to 5000: 0"),
        ("max-logs=5001", "max-logs is not a number from 1 to 5000: 5001"),
        ("max-logs=-1", "max-logs is not a number from 1 to 5000: -1"),
        ("max-logs=", "max-logs is not a number from 1 to 5000: "),
        ("max-logs=1e3", "max-logs is not a number from 1 to 5000: 1e3"),
        ("max-logs=99999999999999999999", "max-logs is not a number from 1 to 5000: 99999999999999999999"),
    ];
    for (search, expected) in cases {
        let target = format!("/events/decode/{{H}}?network=ethereum&{search}");
        assert!(matches!(parse(Listener::Base, &target), Err(Problem::InvalidFilter(_))), "{search}");
        assert!(problem(Listener::Base, &target).1.starts_with(expected), "{search}");
        assert!(matches!(
            parse(Listener::Base, &format!("/events/decode/{{H}}?{search}")),
            Err(Problem::InvalidNetwork(_))
        ));
        assert!(matches!(parse(Listener::Base, &format!("/events/decode/0x1?{search}")), Err(Problem::InvalidHash(_))));
    }
}

#[test]
fn the_events_of_an_account_are_requested_by_its_address_or_its_name() {
    let account = |search: &str| match query(&format!("/events/decode/{{H}}?network=ethereum{search}")) {
        Query::Events(events) => events.account,
        other => panic!("{other:?}"),
    };
    assert_eq!(account(""), None);
    assert_eq!(account("&account={A}"), Some(Account::Address(ACCOUNT)));
    assert_eq!(account("&account=vitalik.eth"), Some(Account::Name(Name::parse("vitalik.eth").unwrap())));
    for (text, expected) in [("foo", 400), ("", 400), ("0x123", 400)] {
        let target = format!("/events/decode/{{H}}?network=ethereum&account={text}");
        assert!(matches!(parse(Listener::Base, &target), Err(Problem::InvalidAddress(_))), "{text}");
        assert_eq!(problem(Listener::Base, &target).0, expected);
    }
    let target = "/events/decode/{H}?network=ethereum&account=a..eth";
    assert!(matches!(parse(Listener::Base, target), Err(Problem::InvalidName(_))));
}

#[test]
fn the_types_of_events_fit_the_detail_of_a_problem() {
    let (_, detail) = problem(Listener::Base, "/events/decode/{H}?network=ethereum&type=x");
    assert!(detail.ends_with(KINDS.last().unwrap().0) && detail.len() < 1000, "{detail}");
}

#[test]
fn a_malformed_hash_is_reported_before_a_missing_network() {
    let short = &H[..65];
    for hash in ["0x", "deadbeef", short, &H.replace("0x", "0X"), &H.replace('c', "g")] {
        let answer = parse(Listener::Base, &format!("/events/decode/{hash}"));
        assert!(matches!(answer, Err(Problem::InvalidHash(_))), "{hash}");
    }
}
