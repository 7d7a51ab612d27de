//! Effects of transactions on one account: those of the chain's build at a router, and a claim that is sent here.

use std::str::FromStr as _;

use alloy::primitives::U256;
use portolan_tests::json::Json;
use portolan_tests::problem;

use super::calls::{Farm, call};
use super::sent::{NETWORK, farm, farmer};
use super::{Fixture, fixture};

/// The transaction and the raw row of an event of the chain's build, and who was paid.
fn built(fixture: &Fixture, what: &str) -> (String, Json, String) {
    let (chain, truth) = fixture.on(NETWORK);
    let events = truth.events().unwrap();
    let event = events.iter().find(|event| event.what == what).unwrap();
    let raw = event.raw().unwrap().clone();
    let account = raw.text_at("recipient").unwrap().to_lowercase();
    (event.transaction(chain).unwrap(), raw, account)
}

fn part(fixture: &Fixture, hash: &str, account: &str, more: &str) -> Json {
    let answer = fixture.answer(hash, &format!("network={NETWORK}&account={account}{more}"));
    assert!(!answer.at("items").unwrap().items().unwrap().is_empty());
    answer.at("account").unwrap().clone()
}

/// `token raw`, one for each movement of a list.
fn moved(part: &Json, list: &str) -> Vec<String> {
    let line = |row: &Json| format!("{} {}", row.text_at("tokenAddress").unwrap(), row.text_at("amountRaw").unwrap());
    part.at(list).unwrap().items().unwrap().iter().map(line).collect()
}

#[test]
fn a_swap_at_a_router_is_what_went_out_for_what_came_in() {
    let fixture = fixture();
    let (hash, raw, account) = built(&fixture, "swap");
    let part = part(&fixture, &hash, &account, "&detail=full");
    let text = |path: &str| raw.text_at(path).unwrap().to_lowercase();
    assert_eq!(moved(&part, "out"), [format!("{} {}", text("fromToken"), text("fromAmountRaw"))]);
    assert_eq!(moved(&part, "in"), [format!("{} {}", text("toToken"), text("toAmountRaw"))]);
    let summary = part.text_at("summary").unwrap();
    let symbol = |list: &str| part.text_at(&format!("{list}/0/token/symbol")).unwrap();
    // The build has 12.000000000000000345 of the one, and its arithmetic 27.80511320852440547 of the other.
    let expected = format!("Swapped 12 {} for 27.8051 {} on QuickSwap", symbol("out"), symbol("in"));
    assert_eq!(summary, expected);
    assert_eq!(part.at("complete").unwrap(), &Json::Bool(false));

    let receipt = fixture.on(NETWORK).0.rpc("eth_getTransactionReceipt", serde_json::json!([hash])).unwrap();
    let number = |name: &str| U256::from_str(receipt[name].as_str().unwrap()).unwrap();
    let paid = number("gasUsed") * number("effectiveGasPrice");
    assert_eq!(part.text_at("gas/amountRaw").unwrap(), paid.to_string());
}

#[test]
fn a_claim_is_what_came_in_from_the_farm() {
    let fixture = fixture();
    let (who, (farm, _, reward)) = (farmer(&fixture), farm(&fixture));
    let hash = fixture.done(NETWORK, &call(who, &farm, &Farm::getRewardCall {}));
    let answer = fixture.answer(&hash, &format!("network={NETWORK}&account={who}&detail=full"));
    let claims =
        answer.at("items").unwrap().items().unwrap().iter().filter(|item| item.text_at("type").unwrap() == "CLAIM");
    let [claim] = claims.collect::<Vec<_>>()[..] else { panic!("{answer}") };
    let raw = claim.text_at("metadata/amountRaw").unwrap();
    let part = answer.at("account").unwrap();
    assert_eq!((moved(part, "in"), moved(part, "out")), (vec![format!("{reward} {raw}")], vec![]));
    let summary = part.text_at("summary").unwrap();
    assert!(summary.starts_with("Claimed ") && summary.ends_with(" from QuickSwap"), "{summary}");
    // Whoever looks on has no part in it.
    let other = super::sent::SOMEBODY;
    let of_other = self::part(&fixture, &hash, other, "");
    assert_eq!(of_other.text_at("summary").unwrap(), "The receipt shows nothing of the account");
    assert_eq!(of_other.at("gas").unwrap(), &Json::Null);
}

#[test]
fn without_an_account_the_answer_is_as_ever_and_with_a_wrong_one_there_is_none() {
    let fixture = fixture();
    let (hash, _, account) = built(&fixture, "swap");
    let plain = fixture.answer(&hash, &format!("network={NETWORK}"));
    let with_account = fixture.answer(&hash, &format!("network={NETWORK}&account={account}"));
    assert_eq!(with_account.at("items").unwrap(), &plain);
    for wrong in ["foo", "0x123", ""] {
        let response = fixture.fetch(&hash, &format!("network={NETWORK}&account={wrong}"));
        problem::detail(&response, 400, "invalid-address").unwrap();
    }
}
