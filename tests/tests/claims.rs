//! Claim and check: every `claimTransaction`, sent exactly as it was answered, pays exactly what was promised.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use portolan_tests::chain::Chain;
use portolan_tests::json::Json;
use portolan_tests::truth::{self, ACCOUNTS, Truth};
use portolan_tests::world::World;

#[test]
fn every_claim_pays_exactly_its_amount() {
    let world = World::start().unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let mut paid = 0;
    for who in ACCOUNTS {
        let path = format!("/quickswap/{}/claimables?detail=full", world.address(who).unwrap());
        // Answered before any claim is sent: afterwards the chains are back where they were.
        let items = gateway.get(&path).unwrap().json().unwrap().at("items").unwrap().items().unwrap().to_vec();
        for item in &items {
            let chain_id = item.at("network/chainId").unwrap();
            let is_named = |truth: &Truth| truth::network(&truth.network).unwrap().at("chainId").unwrap() == chain_id;
            let (chain, truth) = world.chains.iter().find(|(_, truth)| is_named(truth)).unwrap();
            assert_paid(who, chain, truth, item);
            paid += 1;
        }
    }
    let promised: usize = world.chains.iter().map(|(_, truth)| claims_of(truth)).sum();
    assert_eq!(paid, promised);
}

fn claims_of(truth: &Truth) -> usize {
    ACCOUNTS.iter().map(|who| truth.rows(who, "claimables").unwrap().len()).sum()
}

/// Sends one claim from a snapshot of its own, in a block at the pinned block's time.
fn assert_paid(who: &str, chain: &Chain, truth: &Truth, item: &Json) {
    let account = truth.address(who).unwrap();
    let transaction = item.at("claimTransaction").unwrap();
    assert_eq!(transaction.text_at("from").unwrap(), account);
    let token = item.text_at("token/address").unwrap();
    let balance = || -> BigInt { chain.token_balance(token, account).unwrap().parse().unwrap() };

    let snapshot = chain.snapshot().unwrap();
    let before = balance();
    let (to, data) = (transaction.text_at("to").unwrap(), transaction.text_at("data").unwrap());
    chain.send_as(account, to, data, chain.block_timestamp).unwrap();
    let received = balance() - before;
    chain.revert(&snapshot).unwrap();

    let what = format!("{who} on {} by {item}", truth.network);
    assert_eq!(received.to_string(), item.text_at("amountRaw").unwrap(), "{what}");
    let decimals: i64 = item.at("token/decimals").unwrap().to_string().parse().unwrap();
    assert_eq!(BigDecimal::new(received, decimals), item.number_at("amount").unwrap(), "{what}");
}
