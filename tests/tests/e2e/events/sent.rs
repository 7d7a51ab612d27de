//! Transactions that are sent here to real contracts: tokens, a farm, value, a creation, a revert.

use std::str::FromStr;

use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use portolan_tests::bytecode::REVERTER;
use serde_json::json;

use super::calls::{Farm, Token, address, approve, call, paid};
use super::{Fixture, assert_same, fixture};

pub(super) const NETWORK: &str = "polygon";
/// The network's own: what wraps its native token.
const WMATIC: &str = "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270";
/// Its factory has it for its token.
const OF_FARM: Option<&str> = Some("quickswap");
pub(super) const SOMEBODY: &str = "0x00000000000000000000000000000000000a11ce";

pub(super) fn farmer(fixture: &Fixture) -> &str {
    fixture.on(NETWORK).1.address("farmer").unwrap()
}

/// A farm of QuickSwap that the farmer has a stake in: contract, staked token, reward.
pub(super) fn farm(fixture: &Fixture) -> (String, String, String) {
    let rows = fixture.on(NETWORK).1.rows("farmer", portolan_tests::protocol::Question::Farming, Some("quickswap"));
    let rows = rows.unwrap();
    let row = rows.iter().find(|row| row.text_at("vaultType").unwrap() == "quickswap-reward-rewardPool").unwrap();
    let text = |path: &str| row.text_at(path).unwrap().to_owned();
    (text("contract"), text("stakedToken"), text("rewardTokens/0"))
}

#[test]
fn a_farms_stakes_and_rewards_are_decoded_with_the_tokens_that_move() {
    let fixture = fixture();
    let (who, (farm, staked, reward)) = (farmer(&fixture), farm(&fixture));
    let event = |kind: &str, protocol: Option<&str>, raw: &str| fixture.event(NETWORK, kind, protocol, raw);
    let moved = |from: &str, to: &str| {
        let raw = format!(r#"{{"from":"{from}","to":"{to}","asset":"{staked}","amountRaw":"7"}}"#);
        event("TRANSFER", None, &raw)
    };
    let own = format!(r#"{{"user":"{who}","asset":"{staked}","amountRaw":"7","contract":"{farm}"}}"#);

    let out = call(who, &farm, &Farm::withdrawCall { amount: U256::from(7) });
    let reported = fixture.events(NETWORK, &fixture.done(NETWORK, &out));
    assert_same("withdraw", &reported, &[moved(&farm, who), event("UNSTAKE", OF_FARM, &own)]);

    let hash = fixture.done(NETWORK, &approve(who, &staked, &farm, U256::MAX));
    let unlimited = format!(r#"{{"owner":"{who}","spender":"{farm}","asset":"{staked}","amountRaw":"{}"}}"#, U256::MAX);
    assert_same("approve", &fixture.events(NETWORK, &hash), &[event("APPROVAL", None, &unlimited)]);

    let back = call(who, &farm, &Farm::stakeCall { amount: U256::from(7) });
    let reported = fixture.events(NETWORK, &fixture.done(NETWORK, &back));
    assert_same("stake", &reported, &[moved(who, &farm), event("STAKE", OF_FARM, &own)]);

    let receipt = fixture.send(NETWORK, &call(who, &farm, &Farm::getRewardCall {}));
    let hash = receipt["transactionHash"].as_str().unwrap();
    // Its block has no other transaction: what the account holds more after it was paid by it.
    let block = U256::from_str(receipt["blockNumber"].as_str().unwrap()).unwrap();
    let chain = &fixture.on(NETWORK).0;
    let held = |block: U256| {
        let balance = chain.token_balance_at(&reward, who, &format!("{block:#x}")).unwrap();
        balance.parse::<U256>().unwrap()
    };
    let paid = held(block) - held(block - U256::ONE);
    assert!(paid > U256::ZERO);
    let paid_out = format!(r#"{{"from":"{farm}","to":"{who}","asset":"{reward}","amountRaw":"{paid}"}}"#);
    let claim = format!(r#"{{"user":"{who}","asset":"{reward}","amountRaw":"{paid}","contract":"{farm}"}}"#);
    let expected = [event("TRANSFER", None, &paid_out), event("CLAIM", OF_FARM, &claim)];
    assert_same("getReward", &fixture.events(NETWORK, hash), &expected);
}

#[test]
fn wrapping_is_decoded_beside_the_value_that_was_sent() {
    let fixture = fixture();
    let who = fixture.on(NETWORK).1.address("whale").unwrap();
    let hash = fixture.done(NETWORK, &paid(who, WMATIC, &Token::depositCall {}, 1_234_567_890_123_456_789));
    let raw = |members: &str| format!(r#"{{{members},"amountRaw":"1234567890123456789"}}"#);
    let sent = raw(&format!(r#""from":"{who}","to":"{WMATIC}","asset":"0x0""#));
    let wrapped = raw(&format!(r#""account":"{who}","asset":"{WMATIC}""#));
    let event = |kind: &str, raw: &str| fixture.event(NETWORK, kind, None, raw);
    assert_same("wrap", &fixture.events(NETWORK, &hash), &[event("TRANSFER", &sent), event("WRAP", &wrapped)]);

    let amount = U256::from(1_234_567_890_123_456_789_u64);
    let hash = fixture.done(NETWORK, &call(who, WMATIC, &Token::withdrawCall { amount }));
    assert_same("unwrap", &fixture.events(NETWORK, &hash), &[event("UNWRAP", &wrapped)]);
}

#[test]
fn a_plain_token_moves_in_units_of_its_own() {
    let fixture = fixture();
    let (who, (_, _, reward)) = (farmer(&fixture), farm(&fixture));
    fixture.done(NETWORK, &call(who, &farm(&fixture).0, &Farm::getRewardCall {}));
    let transfer = Token::transferCall { to: address(SOMEBODY), amount: U256::from(1) };
    let hash = fixture.done(NETWORK, &call(who, &reward, &transfer));
    let raw = format!(r#"{{"from":"{who}","to":"{SOMEBODY}","asset":"{reward}","amountRaw":"1"}}"#);
    let reported = fixture.events(NETWORK, &hash);
    assert_same("transfer", &reported, &[fixture.event(NETWORK, "TRANSFER", None, &raw)]);
    // The smallest unit of a token with 18 decimals.
    assert_eq!(reported[0].number_at("metadata/amount").unwrap(), BigDecimal::new(1.into(), 18));
}

#[test]
fn value_is_shown_where_it_moved_and_nowhere_else() {
    let fixture = fixture();
    let who = farmer(&fixture);
    let value = |to: &str, raw: &str| {
        let raw = format!(r#"{{"from":"{who}","to":"{to}","asset":"0x0","amountRaw":"{raw}"}}"#);
        fixture.event(NETWORK, "TRANSFER", None, &raw)
    };
    let hash = fixture.done(NETWORK, &json!({"from": who, "to": SOMEBODY, "value": "0x1"}));
    assert_same("value", &fixture.events(NETWORK, &hash), &[value(SOMEBODY, "1")]);

    let hash = fixture.done(NETWORK, &json!({"from": who, "to": SOMEBODY}));
    assert_same("neither value nor logs", &fixture.events(NETWORK, &hash), &[]);

    // Creation code that stops at once leaves an empty contract that holds what came with it.
    let receipt = fixture.send(NETWORK, &json!({"from": who, "data": "0x00", "value": "0x5"}));
    let (hash, created) = (receipt["transactionHash"].as_str().unwrap(), receipt["contractAddress"].as_str().unwrap());
    assert_same("creation", &fixture.events(NETWORK, hash), &[value(&created.to_lowercase(), "5")]);

    let chain = &fixture.on(NETWORK).0;
    chain.rpc("anvil_setCode", json!([REVERTER.address, REVERTER.code])).unwrap();
    let receipt = fixture.send(NETWORK, &json!({"from": who, "to": REVERTER.address, "value": "0x7"}));
    assert_eq!(receipt["status"], "0x0");
    assert_same("revert", &fixture.events(NETWORK, receipt["transactionHash"].as_str().unwrap()), &[]);
}

#[test]
fn calldata_is_encoded_as_the_standard_has_it() {
    // transfer(address,uint256) is a9059cbb.
    let transfer = call(SOMEBODY, WMATIC, &Token::transferCall { to: address(SOMEBODY), amount: U256::from(255) });
    let expected = format!("0xa9059cbb{:0>64}{:0>64}", &SOMEBODY[2..], "ff");
    assert_eq!(transfer["data"], expected);
}
