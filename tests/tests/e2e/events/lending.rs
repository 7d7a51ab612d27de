//! Transactions that are sent here to Aave's pool and to SushiSwap's chef.

use alloy::primitives::U256;
use portolan_tests::protocol::Question;

use super::calls::{Chef, Pool, address, approve, call};
use super::{assert_reported, fixture};

const NETWORK: &str = "ethereum";
const VARIABLE: u64 = 2;

#[test]
fn loans_are_decoded_with_who_and_for_whom() {
    let fixture = fixture();
    let truth = &fixture.on(NETWORK).1;
    let (who, pool) = (truth.address("farmer").unwrap(), truth.contract("pool").unwrap());
    let rows = truth.rows("farmer", Question::Lending, Some("aave_v3")).unwrap();
    let owed = rows.iter().find(|row| row.text_at("side").unwrap() == "borrow").unwrap().text_at("token").unwrap();
    let (asset, on_behalf_of) = (address(owed), address(who));
    let reported = |kind: &str, transaction, raw: &str, further: &str| {
        let hash = fixture.done(NETWORK, &transaction);
        let members = format!(r#""user":"{who}","onBehalfOf":"{who}","asset":"{owed}","amountRaw":"{raw}"{further}"#);
        let expected = fixture.event(NETWORK, kind, Some("aave_v3"), &format!("{{{members}}}"));
        assert_reported(kind, &fixture.events(NETWORK, &hash), &expected);
    };
    let amount = |units: u64| U256::from(units);
    let borrow = Pool::borrowCall {
        asset,
        amount: amount(900),
        rateMode: amount(VARIABLE),
        referralCode: 0,
        onBehalfOf: on_behalf_of,
    };
    reported("BORROW", call(who, pool, &borrow), "900", "");
    fixture.done(NETWORK, &approve(who, owed, pool, amount(900)));
    let repay = Pool::repayCall { asset, amount: amount(500), rateMode: amount(VARIABLE), onBehalfOf: on_behalf_of };
    reported("REPAY", call(who, pool, &repay), "500", "");
    let supply = Pool::supplyCall { asset, amount: amount(400), onBehalfOf: on_behalf_of, referralCode: 0 };
    reported("SUPPLY", call(who, pool, &supply), "400", "");
    let withdraw = Pool::withdrawCall { asset, amount: amount(100), to: on_behalf_of };
    reported("WITHDRAW", call(who, pool, &withdraw), "100", &format!(r#","recipient":"{who}""#));
}

#[test]
fn a_chefs_stakes_are_decoded_with_the_token_of_the_pool() {
    let fixture = fixture();
    let truth = &fixture.on(NETWORK).1;
    let (who, chef) = (truth.address("farmer").unwrap(), truth.contract("masterChef").unwrap());
    let rows = truth.rows("farmer", Question::Farming, Some("sushiswap")).unwrap();
    let of_chef = |row: &&&portolan_tests::json::Json| row.text_at("contract").unwrap() == chef;
    let row = rows.iter().find(of_chef).unwrap();
    let pid: u64 = row.at("pid").unwrap().to_string().parse().unwrap();
    let staked = row.text_at("stakedToken").unwrap();
    let expected = |kind: &str| {
        let raw =
            format!(r#"{{"user":"{who}","asset":"{staked}","amountRaw":"5","contract":"{chef}","number":"{pid}"}}"#);
        fixture.event(NETWORK, kind, Some("sushiswap"), &raw)
    };
    let (pid, amount) = (U256::from(pid), U256::from(5));
    let hash = fixture.done(NETWORK, &call(who, chef, &Chef::withdrawCall { pid, amount }));
    assert_reported("withdraw", &fixture.events(NETWORK, &hash), &expected("UNSTAKE"));
    fixture.done(NETWORK, &approve(who, staked, chef, amount));
    let hash = fixture.done(NETWORK, &call(who, chef, &Chef::depositCall { pid, amount }));
    assert_reported("deposit", &fixture.events(NETWORK, &hash), &expected("STAKE"));
}
