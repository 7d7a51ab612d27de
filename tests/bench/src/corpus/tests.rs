//! The rules on three made-up transactions: a right answer meets every bar, and each way to be wrong fails the rule that
//! is about it.

use std::fs;

use anyhow::Result;
use serde_json::{Value, json};

use super::answer::{self, Event};
use super::contract::{self, DECIMALS, NAME};
use super::files::Corpus;
use super::judgement::{Judgement, Tier};
use super::score;
use super::table::Table;
use portolan_tests::build::workspace;
use portolan_tests::chain::Chain;
use portolan_tests::json::Json;

const COIN: &str = "0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0";
const ODD: &str = "0xd0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0";
const ALICE: &str = "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";
const BOB: &str = "0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2";
const CAROL: &str = "0xca401ca401ca401ca401ca401ca401ca401ca401";

/// The places of the transactions in the sample, and of their events in the right answer.
const DEPOSIT: usize = 0; // The value, a mint, the supply, its transfer.
const SWAP: usize = 1; // Two collectibles, the swap, its transfers.
const FARM: usize = 2; // From a bridge, a claim, its transfer, a withdrawal, its transfer, a lock.

/// A change to the events of an answer.
#[derive(Clone, Debug)]
enum Change {
    /// Exchanges the value at a path.
    Set(&'static str, Value),
    /// Adds an event in this place.
    Add(usize, Value),
    /// Leaves out the event in this place.
    Drop(usize),
}

use Change::{Add, Drop, Set};

fn sample() -> Corpus {
    Corpus::read(&workspace().join("tests/bench/corpus-sample")).unwrap()
}

/// The events of the right answers, in the form that `--answers` writes.
fn right() -> Vec<Value> {
    let lines = fs::read_to_string(workspace().join("tests/bench/corpus-sample/answers.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["items"].clone()).collect()
}

/// The same with changes of one answer.
fn changed(transaction: usize, changes: &[Change]) -> Vec<Value> {
    let mut answers = right();
    let events = &mut answers[transaction];
    for change in changes {
        match change.clone() {
            Set(path, value) => *events.pointer_mut(path).unwrap() = value,
            Add(place, event) => events.as_array_mut().unwrap().insert(place, event),
            Drop(place) => drop(events.as_array_mut().unwrap().remove(place)),
        }
    }
    answers
}

fn judged(answers: &[Value]) -> (Vec<Judgement>, Table) {
    let (corpus, mut all, mut table) = (sample(), Vec::new(), Table::default());
    for (mined, items) in corpus.transactions.iter().zip(answers) {
        let events: Vec<Event> = answer::events(&Json::parse(&items.to_string()).unwrap()).unwrap();
        let judgements = score::transaction(&corpus, mined, &events);
        table.add(&corpus, mined, &events, &judgements);
        all.extend(judgements);
    }
    (all, table)
}

/// The tiers whose bars are missed, and what is lacking there.
fn missed(answers: &[Value]) -> Vec<(Tier, String)> {
    let (judgements, table) = judged(answers);
    let wrong = judgements.into_iter().filter_map(|judgement| Some((judgement.tier, judgement.wrong?.lacks)));
    let missed: Vec<(Tier, String)> = wrong.collect();
    assert_eq!(missed.is_empty(), table.is_enough(), "{missed:?}");
    assert!(missed.iter().all(|(tier, _)| !table.is_met(*tier)), "{missed:?}");
    missed
}

/// An event of whatever members.
fn event(kind: &str, log: u64, metadata: Value) -> Value {
    json!({"type": kind, "protocol": null, "metadata": metadata, "logIndex": log, "contract": null})
}

fn token(address: &str) -> Value {
    json!({"address": address, "type": "SINGLE"})
}

/// The event of the bridge's second log.
fn relayed() -> Value {
    let native = json!({"address": "0x0", "type": "NATIVE"});
    let told =
        json!({"user": ALICE, "recipient": ALICE, "asset": native, "amount": 0.1, "amountRaw": "100000000000000000"});
    event("BRIDGE_IN", 1, told)
}

/// A swap with a token's decimal and raw amount on each side.
fn swap(from: (&str, Value, &str), to: (&str, Value, &str)) -> Vec<Change> {
    vec![
        Set("/2/metadata/fromToken", token(from.0)),
        Set("/2/metadata/fromAmount", from.1),
        Set("/2/metadata/fromAmountRaw", json!(from.2)),
        Set("/2/metadata/toToken", token(to.0)),
        Set("/2/metadata/toAmount", to.1),
        Set("/2/metadata/toAmountRaw", json!(to.2)),
    ]
}

#[test]
fn a_right_answer_meets_every_bar() {
    let (judgements, table) = judged(&right());
    let mut counted: Vec<(Tier, &str)> =
        judgements.iter().map(|judgement| (judgement.tier, judgement.kind.as_str())).collect();
    counted.sort_unstable();
    let core =
        ["NFT_TRANSFER", "TRANSFER", "TRANSFER", "TRANSFER", "TRANSFER", "TRANSFER", "TRANSFER", "TRANSFER of value"];
    let protocol = ["BRIDGE_IN", "BRIDGE_IN", "CLAIM", "SUPPLY", "SWAP"];
    let wallet = ["BRIDGE_IN", "CLAIM", "LOCK", "SUPPLY", "SWAP", "SWAP"];
    let expected = core.map(|kind| (Tier::Core, kind)).into_iter();
    let expected = expected.chain(protocol.map(|kind| (Tier::Protocol, kind)));
    let expected: Vec<(Tier, &str)> = expected.chain(wallet.map(|kind| (Tier::Wallet, kind))).collect();
    assert_eq!(counted, expected);
    assert!(judgements.iter().all(|judgement| judgement.wrong.is_none()), "{judgements:?}");
    let lines = table.lines();
    for line in [
        "core: 8 of 8, 100.00 %; the bar is 100 %",
        "protocol: 5 of 5, 100.00 %; the bar is 98 %",
        "wallet, by transactions: 3 of 3, 100.00 %; the bar is 90 %",
        "wallet, by legs: 6 of 6, 100.00 %",
        // The bridge's second log, which the first stands for.
        "neither told nor bookkeeping: 1 of 15, 6.67 % of all logs",
        "not told: 1 of 14, 7.14 % of those that are not bookkeeping",
        "known protocols that are named: 3 of 4, 75.00 %",
    ] {
        assert!(lines.iter().any(|own| own == line), "{line} is not in {lines:#?}");
    }
}

#[test]
fn each_way_to_be_wrong_fails_its_rule() {
    let first = |transaction: usize, place: usize| right()[transaction][place].clone();
    let (coin, odd) = ((COIN, json!(0.0003), "300"), (ODD, json!(2.99), "299"));
    let no_amounts =
        ["/2/metadata/fromAmount", "/2/metadata/fromAmountRaw", "/2/metadata/toAmount", "/2/metadata/toAmountRaw"];
    #[rustfmt::skip]
    let cases: Vec<(usize, Vec<Change>, Tier, &str)> = vec![
        // Which transaction, what is changed in its answer, the rule that it breaks, and what is lacking.
        (DEPOSIT, vec![Drop(1)], Tier::Core, "untold"),
        (DEPOSIT, vec![Set("/1/type", json!("TRANSFER"))], Tier::Core, "exactness"),
        (DEPOSIT, vec![Set("/1/metadata/to", json!(BOB))], Tier::Core, "exactness"),
        (DEPOSIT, vec![Set("/1/metadata/asset", token(ODD))], Tier::Core, "exactness"),
        (DEPOSIT, vec![Set("/1/metadata/amountRaw", json!("1500001"))], Tier::Core, "exactness"),
        (DEPOSIT, vec![Set("/1/metadata/amount", json!(1_500_000))], Tier::Core, "exactness"),
        (DEPOSIT, vec![Add(1, first(DEPOSIT, 1))], Tier::Core, "exactness"),
        (DEPOSIT, vec![Add(1, event("WRAP", 3, json!({})))], Tier::Core, "exactness"),
        (DEPOSIT, vec![Drop(0)], Tier::Core, "untold"),
        (DEPOSIT, vec![Set("/0/metadata/amountRaw", json!("1"))], Tier::Core, "value"),
        (DEPOSIT, vec![Set("/0/metadata/amount", json!(0.01))], Tier::Core, "value"),
        (DEPOSIT, vec![Set("/0/metadata/to", json!(BOB))], Tier::Core, "value"),
        (DEPOSIT, vec![Add(0, first(DEPOSIT, 0))], Tier::Core, "once, first"),
        (DEPOSIT, vec![Drop(0), Add(1, first(DEPOSIT, 0))], Tier::Core, "once, first"),
        (SWAP, vec![Add(0, first(DEPOSIT, 0))], Tier::Core, "no value"),
        (DEPOSIT, vec![Add(2, event("TRANSFER", 4, json!({})))], Tier::Core, "invented"),
        (FARM, vec![Add(2, event("NFT_TRANSFER", 6, json!({})))], Tier::Core, "invented"),
        (SWAP, vec![Drop(0)], Tier::Core, "exactness"),
        (SWAP, vec![Set("/1/metadata/tokenId", json!("5"))], Tier::Core, "exactness"),
        (SWAP, vec![Set("/1/metadata/amountRaw", json!("8"))], Tier::Core, "exactness"),

        (DEPOSIT, vec![Drop(2)], Tier::Protocol, "untold"),
        (DEPOSIT, vec![Set("/2/type", json!("BORROW"))], Tier::Protocol, "type"),
        (DEPOSIT, vec![Set("/2/metadata/onBehalfOf", json!(ALICE))], Tier::Protocol, "onBehalfOf"),
        (DEPOSIT, vec![Set("/2/metadata/asset", token(ODD))], Tier::Protocol, "asset"),
        (DEPOSIT, vec![Set("/2/metadata/amountRaw", json!("2500001"))], Tier::Protocol, "amount, decimals"),
        (DEPOSIT, vec![Set("/2/metadata/amount", json!(25))], Tier::Protocol, "decimals"),
        (DEPOSIT, vec![Set("/2/protocol/slug", json!("spark"))], Tier::Protocol, "protocol"),
        (DEPOSIT, vec![Add(2, first(DEPOSIT, 2))], Tier::Protocol, "one event"),
        (SWAP, swap(odd.clone(), coin.clone()), Tier::Protocol, "fromAmount, fromToken, toAmount, toToken"),
        (SWAP, swap((CAROL, coin.1.clone(), coin.2), odd.clone()), Tier::Protocol, "fromToken"),
        (SWAP, no_amounts.map(|path| Set(path, json!(null))).to_vec(), Tier::Protocol, "fromAmount, toAmount"),
        (SWAP, vec![Set("/2/metadata/recipient", json!(ALICE))], Tier::Protocol, "recipient"),
        (SWAP, vec![Set("/2/metadata/recipient", json!(null))], Tier::Protocol, "recipient"),
        (FARM, vec![Set("/1/metadata/assets/1/amountRaw", json!("41"))], Tier::Protocol, "decimals, pays"),
        (FARM, vec![Set("/1/metadata/assets/1/asset", token(COIN))], Tier::Protocol, "decimals, pays"),
        (FARM, vec![Set("/1/metadata/assets", json!([]))], Tier::Protocol, "pays"),
        (FARM, vec![Drop(0)], Tier::Protocol, "untold"),

        (DEPOSIT, vec![Drop(2)], Tier::Wallet, "untold"),
        (DEPOSIT, vec![Set("/2/type", json!("WITHDRAW"))], Tier::Wallet, "untold"),
        (DEPOSIT, vec![Set("/2/metadata/amountRaw", json!("2500001"))], Tier::Wallet, "amount"),
        (DEPOSIT, vec![Set("/2/metadata/amount", json!(25))], Tier::Wallet, "amount"),
        (SWAP, swap(odd.clone(), coin.clone()), Tier::Wallet, "amount"),
        (SWAP, swap((CAROL, coin.1.clone(), coin.2), odd.clone()), Tier::Wallet, "asset"),
        (SWAP, vec![Set("/2/metadata/user", json!(CAROL)), Drop(3)], Tier::Wallet, "account"),
        (FARM, vec![Set("/0/metadata/asset", token(COIN))], Tier::Wallet, "asset"),
        (FARM, ["/0/metadata/user", "/0/metadata/recipient", "/0/contract"].map(|path| Set(path, json!(CAROL))).to_vec(), Tier::Wallet, "account"),
        (FARM, vec![Set("/5/type", json!("STAKE"))], Tier::Wallet, "untold"),
        (FARM, ["/5/metadata/user", "/5/metadata/contract", "/5/contract"].map(|path| Set(path, json!(CAROL))).to_vec(), Tier::Wallet, "account"),

        (DEPOSIT, vec![Add(3, event("WRAP", 5, json!({})))], Tier::Mistold, "nothing"),
        (DEPOSIT, vec![Add(3, event("WRAP", 77, json!({})))], Tier::Mistold, "a log"),
        (DEPOSIT, vec![Set("/2/type", json!("BORROW"))], Tier::Mistold, "type"),
        (FARM, vec![Set("/3/metadata/amountRaw", json!("501"))], Tier::Mistold, "ambiguous: amount, decimals"),
        (FARM, vec![Set("/3/type", json!("UNLOCK"))], Tier::Mistold, "ambiguous: type"),
        (FARM, vec![Set("/5/metadata/user", json!(CAROL))], Tier::Mistold, "account"),
        (FARM, vec![Set("/5/metadata/asset", token(CAROL))], Tier::Mistold, "token"),
        (FARM, vec![Set("/5/metadata/amountRaw", json!("91"))], Tier::Mistold, "amount"),
        (FARM, vec![Add(5, first(FARM, 5))], Tier::Mistold, "twice"),
        (FARM, vec![Add(5, event("VOTE", 6, json!({}))), Add(5, event("DELEGATE", 6, json!({})))], Tier::Mistold, "types"),

        (DEPOSIT, vec![Set("/2/protocol/slug", json!("spark"))], Tier::Misnamed, "protocol"),
        (FARM, vec![Set("/1/protocol/slug", json!("liquity_v3"))], Tier::Misnamed, "protocol"),
        (SWAP, vec![Set("/2/protocol", json!({"slug": "uniswap_v2"}))], Tier::Misnamed, "protocol"),

        (FARM, vec![Add(1, relayed())], Tier::Double, "a relay"),
    ];
    for (transaction, changes, tier, lacks) in cases {
        let missed = missed(&changed(transaction, &changes));
        assert!(missed.contains(&(tier, lacks.to_owned())), "{changes:?} is not {tier:?}, {lacks}: {missed:?}");
    }
}

#[test]
fn what_is_no_error_costs_nothing() {
    let part = || {
        let mut relayed = relayed();
        relayed["partOf"] = json!(0);
        relayed
    };
    let pay = |place: usize| {
        event("CLAIM", 2, json!({"user": ALICE, "assets": [right()[FARM][1]["metadata"]["assets"][place]]}))
    };
    let cases: Vec<(usize, Vec<Change>)> = vec![
        // Another known name of a contract that has two; and no name.
        (FARM, vec![Set("/1/protocol/slug", json!("liquity_v2"))]),
        (DEPOSIT, vec![Set("/2/protocol", json!(null))]),
        // Of two logs that tell the same, the other; and both, where one is said to be part of the other.
        (FARM, vec![Drop(0), Add(0, relayed())]),
        (FARM, vec![Add(1, part())]),
        // One log's payment, split into two events.
        (FARM, vec![Drop(1), Add(1, pay(0)), Add(1, pay(1))]),
        // A row that need not be told.
        (FARM, vec![Drop(3)]),
        // At a log without a row, a sum and a difference of its numbers, 90 and 30.
        (FARM, vec![Set("/5/metadata/amountRaw", json!("120"))]),
        (FARM, vec![Set("/5/metadata/amountRaw", json!("60"))]),
    ];
    for (transaction, changes) in cases {
        assert_eq!(missed(&changed(transaction, &changes)), [], "{changes:?}");
    }
}

#[test]
fn several_events_make_up_a_leg() {
    let supply = |raw: &str, units: Value, part_of: Value| {
        let mut supply = right()[DEPOSIT][2].clone();
        supply["metadata"]["amountRaw"] = json!(raw);
        supply["metadata"]["amount"] = units;
        supply["partOf"] = part_of;
        supply
    };
    let one = || supply("1000000", json!(1), json!(null));
    let halves = |other: Value| changed(DEPOSIT, &[Drop(2), Add(2, one()), Add(3, other)]);
    let through = |raw: &str, units: Value| {
        let mut second = right()[SWAP][2].clone();
        second["metadata"]["fromToken"] = token(CAROL);
        second["metadata"]["fromAmountRaw"] = json!("7");
        second["metadata"]["toAmountRaw"] = json!(raw);
        second["metadata"]["toAmount"] = units;
        let first = [Set("/2/metadata/toToken", token(CAROL)), Set("/2/metadata/toAmountRaw", json!("7"))];
        changed(SWAP, &[first.to_vec(), vec![Add(3, second)]].concat())
    };
    let cases = [
        // Two deposits that come to one; too much, inexact, and a part of the other, which does not count again.
        (halves(supply("1500000", json!(1.5), json!(null))), true),
        (halves(supply("1500001", json!(1.500_001), json!(null))), false),
        (halves(supply("1500000", json!(1.6), json!(null))), false),
        (halves(supply("1500000", json!(1.5), json!(4))), false),
        // Two swaps by way of a third token.
        (through("299", json!(2.99)), true),
        (through("298", json!(2.98)), false),
    ];
    for (place, (answers, is_told)) in cases.iter().enumerate() {
        let missed = missed(answers);
        assert_eq!(missed.iter().all(|(tier, _)| *tier != Tier::Wallet), *is_told, "{place}: {missed:?}");
    }
}

#[test]
fn collateral_may_stand_in_the_event_of_its_loan() {
    let loan = |kind: &str, collateral: (&str, &str, Value)| {
        let members = json!({
            "user": ALICE, "asset": token(ODD), "amount": 25000, "amountRaw": "2500000",
            "collateralAsset": token(collateral.0), "collateralAmountRaw": collateral.1, "collateralAmount": collateral.2,
        });
        changed(DEPOSIT, &[Set("/2/type", json!(kind)), Set("/2/metadata", members)])
    };
    let none = || {
        let members = json!({"user": ALICE, "asset": token(COIN), "amount": 2.5, "amountRaw": "2500000"});
        changed(DEPOSIT, &[Set("/2/type", json!("BORROW")), Set("/2/metadata", members)])
    };
    let cases = [
        (loan("BORROW", (COIN, "2500000", json!(2.5))), true),
        // Another amount, inexact, and another token; what was borrowed, and a loan that is paid back.
        (loan("BORROW", (COIN, "2500001", json!(2.500_001))), false),
        (loan("BORROW", (COIN, "2500000", json!(25))), false),
        (loan("BORROW", (ODD, "2500000", json!(25000))), false),
        (none(), false),
        (loan("REPAY", (COIN, "2500000", json!(2.5))), false),
    ];
    for (place, (answers, is_told)) in cases.iter().enumerate() {
        let missed = missed(answers);
        assert_eq!(missed.iter().all(|(tier, _)| *tier != Tier::Wallet), *is_told, "{place}: {missed:?}");
    }
}

#[test]
fn no_answer_has_no_point() {
    let (judgements, table) = judged(&[json!([]), json!([]), json!([])]);
    assert_eq!(judgements.len(), 19);
    assert!(judgements.iter().all(|judgement| judgement.wrong.is_some()), "{judgements:?}");
    assert!([Tier::Core, Tier::Protocol, Tier::Wallet].iter().all(|tier| !table.is_met(*tier)));
}

#[test]
fn an_assembled_contract_answers_its_views_and_reverts_on_all_others() -> Result<()> {
    const LONG: &str = "a name of more bytes than a word of them has";
    let chain = Chain::bare(1)?;
    let owner = format!("6352211e{:064x}", 7); // ownerOf(uint256)
    let views = [(NAME, contract::text(LONG)), (DECIMALS, contract::number(6)), (&owner, contract::address(ALICE))];
    chain.rpc("anvil_setCode", serde_json::json!([COIN, contract::code(&views)?]))?;
    let call = |call: &str| {
        let call = serde_json::json!([{"to": COIN, "data": format!("0x{call}")}, "latest"]);
        chain.rpc("eth_call", call).map(|word| word.as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(call(DECIMALS)?, format!("0x{:064x}", 6));
    assert_eq!(call(&owner)?, format!("0x{}", contract::address(ALICE)));
    let name = call(NAME)?;
    let bytes: Vec<u8> =
        (2..name.len()).step_by(2).map(|at| u8::from_str_radix(&name[at..at + 2], 16).unwrap()).collect();
    // Where it begins, its length, its bytes, zeros up to a word.
    assert_eq!((bytes[31], usize::from(bytes[63]), bytes.len()), (32, LONG.len(), 128));
    assert_eq!(std::str::from_utf8(&bytes[64..64 + LONG.len()])?, LONG);
    assert!(bytes[64 + LONG.len()..].iter().all(|byte| *byte == 0));
    for other in [contract::SYMBOL.to_owned(), format!("6352211e{:064x}", 8)] {
        assert!(call(&other).unwrap_err().to_string().contains("revert"));
    }
    Ok(())
}
