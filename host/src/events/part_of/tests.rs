//! Links between invented events.

use alloy::primitives::Bytes;
use portolan_events::{Kind, Log};

use super::*;

const USER: Address = Address::repeat_byte(0xaa);
const ROUTER: Address = Address::repeat_byte(0x10);
const POOL: Address = Address::repeat_byte(0x20);
const FARM: Address = Address::repeat_byte(0x30);
const OTHER: Address = Address::repeat_byte(0x31);
const X: Address = Address::repeat_byte(0x01);
const Y: Address = Address::repeat_byte(0x02);
const Z: Address = Address::repeat_byte(0x03);
const WRAPPED: Address = Address::repeat_byte(0x0e);

/// An event, its emitter, the byte that its topic consists of, and its members.
type Told = (&'static str, Address, u8, Vec<(&'static str, Value)>);

fn raw(raw: u64, of: Address) -> Value {
    Value::Amount { raw: U256::from(raw), of: Some(of) }
}

fn by(kind: &'static str, emitter: Address, topic: u8, user: Address, amount: u64) -> Told {
    let asset = if kind.starts_with("BRIDGE") { NATIVE } else { X };
    (
        kind,
        emitter,
        topic,
        vec![("user", Value::Address(user)), ("asset", Value::Token(asset)), ("amount", raw(amount, asset))],
    )
}

fn transfer(from: Address, to: Address, amount: u64) -> Told {
    transfer_of(X, from, to, amount)
}

fn transfer_of(token: Address, from: Address, to: Address, amount: u64) -> Told {
    (
        "TRANSFER",
        token,
        0xdd,
        vec![
            ("from", Value::Address(from)),
            ("to", Value::Address(to)),
            ("asset", Value::Token(token)),
            ("amount", raw(amount, token)),
        ],
    )
}

/// A swap by a router, which names no pool.
fn route(emitter: Address, user: Address, from: (u64, Address), to: (u64, Address)) -> Told {
    let members =
        vec![("user", Value::Address(user)), ("fromAmount", raw(from.0, from.1)), ("toAmount", raw(to.0, to.1))];
    (SWAP, emitter, 0x55, members)
}

fn pool(from: (u64, Address), to: (u64, Address)) -> Told {
    let (kind, _, topic, mut members) = route(POOL, ROUTER, from, to);
    members.push(("pool", Value::Address(POOL)));
    (kind, POOL, topic, members)
}

/// Description of a case, its events, and the log that each is part of.
type Case = (&'static str, Vec<Told>, Vec<Option<usize>>);

/// Returns the log that each event is part of.
fn parts(told: Vec<Told>) -> Vec<Option<usize>> {
    let log = |(_, address, topic, _): &Told| Log {
        index: 0,
        address: *address,
        topics: vec![B256::repeat_byte(*topic)],
        data: Bytes::new(),
    };
    let transaction = Transaction { logs: told.iter().map(log).collect(), ..Transaction::default() };
    let merged = told.into_iter().enumerate().map(|(log, (kind, _, _, members))| {
        let event = Event { log, kind: Kind::named(kind).unwrap(), protocol: None, members };
        MergedEvent { log: Some(log), event, plugin: None, part_of: None, is_repeat: false }
    });
    let mut events: Vec<MergedEvent> = merged.collect();
    link(&mut events, &transaction, Some(WRAPPED));
    events.into_iter().map(|merged| merged.part_of).collect()
}

#[test]
fn a_movement_that_is_reported_twice_is_one() {
    let collected = |emitter| {
        let asset = |token, raw: u64| Asset { token: Some(token), raw: U256::from(raw) };
        let assets = Value::Assets(vec![asset(X, 7), asset(Y, 8)]);
        ("COLLECT_FEES", emitter, 1, vec![("user", Value::Address(USER)), ("assets", assets)])
    };
    let cases: [Case; 9] = [
        (
            "an old and a new signature of one contract: the new one counts",
            vec![by("BRIDGE_IN", POOL, 1, USER, 7), by("BRIDGE_IN", POOL, 2, USER, 7)],
            vec![Some(1), None],
        ),
        (
            "what the tokens came from counts, and not what was told of it",
            vec![transfer(FARM, USER, 7), by("UNSTAKE", FARM, 1, USER, 7), by("UNSTAKE", OTHER, 1, USER, 7)],
            vec![None, None, Some(1)],
        ),
        (
            "a transfer in before the stake is not a second stake",
            vec![
                transfer(OTHER, USER, 7),
                transfer(USER, FARM, 7),
                by("STAKE", OTHER, 1, USER, 7),
                by("STAKE", FARM, 1, USER, 7),
            ],
            vec![None, None, Some(3), None],
        ),
        (
            "two tokens at once moved as often as the one that moved less",
            vec![
                transfer_of(Y, POOL, USER, 8),
                transfer(POOL, USER, 7),
                transfer_of(Y, OTHER, USER, 8),
                collected(POOL),
                collected(OTHER),
            ],
            vec![None, None, None, None, Some(3)],
        ),
        (
            "as many transfers as reports are as many movements",
            vec![
                transfer(FARM, USER, 7),
                transfer(OTHER, USER, 7),
                by("CLAIM", FARM, 1, USER, 7),
                by("CLAIM", OTHER, 1, USER, 7),
            ],
            vec![None; 4],
        ),
        (
            "one contract that reports the same twice did it twice",
            vec![by("CLAIM", FARM, 1, USER, 7), by("CLAIM", FARM, 1, USER, 7)],
            vec![None; 2],
        ),
        ("other amounts", vec![by("CLAIM", FARM, 1, USER, 7), by("CLAIM", OTHER, 1, USER, 8)], vec![None; 2]),
        ("other accounts", vec![by("CLAIM", FARM, 1, USER, 7), by("CLAIM", OTHER, 1, POOL, 7)], vec![None; 2]),
        ("the other way", vec![by("STAKE", FARM, 1, USER, 7), by("UNSTAKE", OTHER, 1, USER, 7)], vec![None; 2]),
    ];
    for (what, told, expected) in cases {
        assert_eq!(parts(told), expected, "{what}");
    }
}

#[test]
fn what_a_contract_moves_on_is_part_of_what_it_was_given() {
    let given = || by("BRIDGE_OUT", ROUTER, 1, USER, 7);
    assert_eq!(parts(vec![by("BRIDGE_OUT", POOL, 2, ROUTER, 7), given()]), [Some(1), None]);
    assert_eq!(parts(vec![given(), by("BRIDGE_OUT", POOL, 2, ROUTER, 7)]), [None, Some(0)]);
    assert_eq!(parts(vec![given(), by("BRIDGE_OUT", POOL, 2, ROUTER, 6)]), [None, None]);
    assert_eq!(parts(vec![given(), by("BRIDGE_OUT", POOL, 2, OTHER, 7)]), [None, None]);
    // A vault that lends out its deposits.
    let deposit = vec![("owner", Value::Address(USER)), ("amount", raw(7, X))];
    assert_eq!(parts(vec![("VAULT_DEPOSIT", FARM, 1, deposit), by("SUPPLY", POOL, 2, FARM, 7)]), [None, Some(0)]);
    // Each names the other as its user: one of them is the whole.
    assert_eq!(parts(vec![by("STAKE", FARM, 1, OTHER, 7), by("STAKE", OTHER, 1, FARM, 7)]), [Some(1), None]);
}

#[test]
fn the_pools_that_a_route_went_through_are_part_of_it() {
    let whole = |from, to| route(ROUTER, USER, from, to);
    let cases: [Case; 9] = [
        ("one pool", vec![pool((9, X), (8, Y)), whole((9, X), (8, Y))], vec![Some(1), None]),
        (
            "a route by way of another token",
            vec![pool((9, X), (5, Z)), pool((5, Z), (8, Y)), whole((9, X), (8, Y))],
            vec![Some(2), Some(2), None],
        ),
        (
            "a split, with a fee on what comes out",
            vec![pool((4, X), (3, Y)), pool((5, X), (6, Y)), whole((9, X), (8, Y))],
            vec![Some(2), Some(2), None],
        ),
        ("a fee on what goes in", vec![pool((8, X), (8, Y)), whole((9, X), (8, Y))], vec![Some(1), None]),
        ("wrapped native", vec![pool((9, WRAPPED), (8, Y)), whole((9, NATIVE), (8, Y))], vec![Some(1), None]),
        ("an order book, which reports first", vec![whole((9, X), (8, Y)), pool((9, X), (8, Y))], vec![None, Some(0)]),
        ("more than was taken", vec![pool((10, X), (8, Y)), whole((9, X), (8, Y))], vec![None; 2]),
        (
            "a rest of another token",
            vec![pool((9, X), (5, Z)), pool((4, Z), (8, Y)), whole((9, X), (8, Y))],
            vec![None; 3],
        ),
        (
            "two routes, each its own pools",
            vec![pool((9, X), (8, Y)), whole((9, X), (8, Y)), pool((8, Y), (7, Z)), whole((8, Y), (7, Z))],
            vec![Some(1), None, Some(3), None],
        ),
    ];
    for (what, told, expected) in cases {
        assert_eq!(parts(told), expected, "{what}");
    }
}

#[test]
fn the_only_report_that_is_left_is_no_repeat() {
    let event = |log: usize, kind: &str, part_of: Option<usize>| {
        let event = Event { log, kind: Kind::named(kind).unwrap(), protocol: None, members: Vec::new() };
        MergedEvent { log: Some(log), event, plugin: None, part_of, is_repeat: part_of.is_some() }
    };
    let mut both = vec![event(0, "UNSTAKE", Some(1)), event(1, "WITHDRAW", None)];
    keep_last_reports(&mut both);
    assert!(both[0].is_repeat);
    let mut alone = both[..1].to_vec();
    keep_last_reports(&mut alone);
    assert!(!alone[0].is_repeat);
}
