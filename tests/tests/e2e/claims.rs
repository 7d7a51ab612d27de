//! Claim and check: every `claimTransaction`, sent exactly as it was answered, pays exactly what was promised.
//!
//! The next block has the pinned one's time, so only what is paid by the block can be more: by exactly what the
//! build's arithmetic says of one block.

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use portolan_tests::chain::Chain;
use portolan_tests::json::Json;
use portolan_tests::protocol::Question;
use portolan_tests::truth::{self, ACCOUNTS, Truth};
use portolan_tests::world::World;

#[test]
fn every_claim_pays_exactly_its_amount() {
    let world = World::start().unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let mut paid = BTreeMap::<String, usize>::new();
    let (mut by_the_block, mut exact) = (0, 0);
    for who in ACCOUNTS {
        for slug in world.slugs().unwrap() {
            let path = Question::Claimables.path(&slug, world.address(who).unwrap());
            // Answered before any claim is sent: afterwards the chains are back where they were.
            let answer = gateway.get(&format!("{path}?detail=full")).unwrap().json().unwrap();
            for item in answer.at("items").unwrap().items().unwrap() {
                let chain_id = item.at("network/chainId").unwrap();
                let is_named =
                    |truth: &Truth| truth::network(&truth.network).unwrap().at("chainId").unwrap() == chain_id;
                let (chain, truth) = world.chains.iter().find(|(_, truth)| is_named(truth)).unwrap();
                let more = emission_of_a_block(who, truth, item);
                by_the_block += usize::from(more > BigInt::from(0));
                exact += usize::from(assert_paid(who, chain, truth, item, &more));
                *paid.entry(slug.clone()).or_default() += 1;
            }
        }
    }
    let mut promised = BTreeMap::<String, usize>::new();
    for (_, truth) in &world.chains {
        for row in ACCOUNTS.iter().flat_map(|who| truth.shown_rows(who, Question::Claimables, None).unwrap()) {
            *promised.entry(row.text_at("protocol").unwrap().to_owned()).or_default() += 1;
        }
    }
    assert_eq!(paid, promised);
    assert_eq!(paid.keys().cloned().collect::<Vec<_>>(), world.slugs().unwrap(), "a protocol without a claim");
    assert!(by_the_block > 0, "no chain pays by the block");
    assert!(exact > 0, "of no claim is the gas the one that was simulated");
}

/// What one more block pays, by the build's row of the same call and token.
fn emission_of_a_block(who: &str, truth: &Truth, item: &Json) -> BigInt {
    let (token, sent) = (item.text_at("token/address").unwrap(), item.at("claimTransaction").unwrap());
    let same = |row: &&&Json| {
        row.text_at("token").unwrap() == token && ["to", "data"].iter().all(|name| row.get(name) == sent.get(name))
    };
    let rows = truth.rows(who, Question::Claimables, None).unwrap();
    let row = rows.iter().find(same).unwrap_or_else(|| panic!("nobody expected {item}"));
    row.text_at("emissionPerBlockRaw").map_or_else(|_| BigInt::from(0), |raw| raw.parse().unwrap())
}

/// Sends one claim from a snapshot of its own, in a block at the pinned block's time.
/// Returns whether the gas that was used is the one that was simulated, to the last unit.
fn assert_paid(who: &str, chain: &Chain, truth: &Truth, item: &Json, more: &BigInt) -> bool {
    let account = truth.address(who).unwrap();
    let transaction = item.at("claimTransaction").unwrap();
    assert_eq!(transaction.text_at("from").unwrap(), account);
    let token = item.text_at("token/address").unwrap();
    let balance = || -> BigInt { chain.token_balance(token, account).unwrap().parse().unwrap() };

    let what = format!("{who} on {} by {item}", truth.network);
    let simulation = item.at("simulation").unwrap();
    assert_eq!(item.text_at("simulated").unwrap(), "paid", "{what}");
    assert_eq!(simulation.text_at("method").unwrap(), "override", "{what}");
    let simulated = simulation.at("receives").unwrap().items().unwrap().iter();
    let simulated = simulated.filter(|flow| flow.text_at("tokenAddress").unwrap() == token);
    let simulated: Vec<&str> = simulated.map(|flow| flow.text_at("amountRaw").unwrap()).collect();
    assert_eq!(simulated, [item.text_at("amountRaw").unwrap()], "{what}");
    assert_eq!(simulation.at("gives").unwrap().items().unwrap(), [], "{what}");

    let snapshot = chain.snapshot().unwrap();
    let before = balance();
    let (to, data) = (transaction.text_at("to").unwrap(), transaction.text_at("data").unwrap());
    let receipt = chain.send_as(account, to, data, chain.block_timestamp).unwrap();
    let received = balance() - before - more;
    chain.revert(&snapshot).unwrap();

    // What is given back for storage that is cleared is a fifth at most (EIP-3529).
    let used = receipt["gasUsed"].as_str().unwrap().strip_prefix("0x").unwrap();
    let used = u64::from_str_radix(used, 16).unwrap();
    let gas: u64 = simulation.at("gasUsed").unwrap().to_string().parse().unwrap();
    assert!(used <= gas && used >= gas - gas / 5, "used {used}, simulated {gas}: {what}");
    assert_eq!(received.to_string(), item.text_at("amountRaw").unwrap(), "{what}");
    let decimals: i64 = item.at("token/decimals").unwrap().to_string().parse().unwrap();
    assert_eq!(BigDecimal::new(received, decimals), item.number_at("amount").unwrap(), "{what}");
    used == gas
}
