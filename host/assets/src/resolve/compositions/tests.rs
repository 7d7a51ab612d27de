//! Compositions and the prices derived from them, over a scripted chain.

use std::time::Duration;

use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use portolan_base::network::Networks;
use portolan_reader::testing::ScriptedChain;
use tokio::time::Instant;

use super::*;
use crate::metadata::{Erc20, Erc4626};
use crate::price::PriceSettings;
use crate::resolve::script::Table;
use crate::token::NATIVE;
use crate::token::Price;
use crate::token_list::TokenIndex;

/// At 2000 dollars, with 18 decimals.
const A: Address = Address::repeat_byte(0xa1);
/// At one dollar, with 6 decimals.
const B: Address = Address::repeat_byte(0xb1);
/// Without a price.
const C: Address = Address::repeat_byte(0xc1);

fn e18(whole: u64) -> U256 {
    U256::from(whole) * U256::from(10).pow(U256::from(18))
}

fn share(number: u8) -> Address {
    Address::repeat_byte(number)
}

/// Shares 1 to 9 and the three tokens return only their decimals.
fn chain() -> ScriptedChain {
    let mut script = ScriptedChain::default();
    let shares = (1..10).map(|number| (share(number), 18));
    for (token, decimals) in shares.chain([(A, 18), (B, 6), (C, 18)]) {
        script.call(token, &Erc20::decimalsCall {}, U256::from(decimals));
    }
    script
}

async fn of(script: &ScriptedChain, table: &Table, tokens: &[Address]) -> HashMap<Address, Price> {
    let networks = Networks::new([]);
    let fixed = [(A, "2000"), (B, "1")].map(|(token, usd)| (1, token, usd.parse().unwrap()));
    let prices = Prices::new(PriceSettings { fixed: fixed.to_vec(), ..PriceSettings::default() });
    let deadline = Instant::now() + Duration::from_secs(60);
    let session = script.session(deadline);
    let network = networks.named("ethereum").unwrap();
    let index = TokenIndex::listing([(1, share(2))], 0);
    let issuers = Issuers::new(network.chain_id, None, &index);
    let prefetch = prices.prefetch(network, &issuers);
    let mut metadata = MetadataSet::read(&session, network, Some(&prefetch), &tokens.iter().copied().collect()).await;
    let compositions = find(&session, network, table, &prices, &issuers, &mut metadata).await;
    let (mut priced, _) = prices.resolve(&session, network, &issuers, &metadata, &compositions, Vec::new()).await;
    priced.retain(|token, _| tokens.contains(token));
    priced
}

async fn one(script: &ScriptedChain, table: &Table, token: Address) -> Option<BigDecimal> {
    of(script, table, &[token]).await.remove(&token).map(|price| price.usd)
}

#[tokio::test]
async fn a_share_is_worth_its_part_of_all_that_is_redeemed() {
    let mut table = Table::default();
    // Three A and five B for four whole shares: (3 · 2000 + 5 · 1) / 4.
    table.insert(share(1), e18(4), &[(A, e18(3)), (B, U256::from(5_000_000))]);
    let price = of(&chain(), &table, &[share(1)]).await.remove(&share(1)).unwrap();
    assert_eq!((price.usd, price.source), ("1501.25".parse().unwrap(), "derived:composition"));
    table.insert(share(2), e18(1), &[(A, e18(1)), (C, U256::from(1))]);
    assert_eq!(one(&chain(), &table, share(2)).await, None, "a part without a price leaves none to the whole");
    table.insert(share(3), e18(1), &[(A, U256::ZERO)]);
    assert_eq!(one(&chain(), &table, share(3)).await, None, "what redeems to nothing has no price");
}

#[tokio::test]
async fn shares_of_shares_go_four_deep_and_no_deeper() {
    let mut table = Table::default();
    for number in 1..=5 {
        let part = if number == 1 { A } else { share(number - 1) };
        // Each is worth one and a half of the one below.
        table.insert(share(number), e18(2), &[(part, e18(3))]);
    }
    for (number, usd) in [(1, "3000"), (2, "4500"), (3, "6750"), (4, "10125")] {
        assert_eq!(one(&chain(), &table, share(number)).await, Some(usd.parse().unwrap()));
    }
    assert_eq!(one(&chain(), &table, share(5)).await, None);
    let all: Vec<Address> = (1..=5).map(share).collect();
    let priced = of(&chain(), &table, &all).await;
    assert!(priced.len() == 4 && !priced.contains_key(&share(5)), "other requested tokens make no difference");
}

#[tokio::test]
async fn a_ring_of_shares_ends_without_a_price() {
    let mut table = Table::default();
    table.insert(share(1), e18(1), &[(share(2), e18(1)), (A, e18(1))]);
    table.insert(share(2), e18(1), &[(share(1), e18(1))]);
    assert!(of(&chain(), &table, &[share(1), share(2)]).await.is_empty());
    assert_eq!(table.queries(), [[share(1), share(2)]], "no token is queried twice");
}

#[tokio::test]
async fn a_share_of_a_vault_is_worth_what_the_vault_redeems_to() {
    let (mut script, mut table) = (chain(), Table::default());
    let vault = share(2);
    script
        .call(vault, &Erc4626::assetCall {}, A)
        .call(vault, &Erc4626::convertToAssetsCall { shares: e18(1) }, e18(2))
        .call(vault, &Erc4626::previewRedeemCall { shares: e18(1) }, e18(2));
    table.insert(share(1), e18(1), &[(vault, e18(3))]).insert(vault, e18(1), &[(B, U256::from(1))]);
    assert_eq!(one(&script, &table, share(1)).await, Some("12000".parse().unwrap()));
    assert_eq!(table.queries(), [[share(1)]], "a vault reports by itself what it is made of");
}

#[tokio::test]
async fn tokens_with_a_source_and_the_native_token_are_not_queried() {
    let table = Table::default();
    let priced = of(&chain(), &table, &[A, B, NATIVE]).await;
    assert_eq!(priced.len(), 2);
    assert!(table.queries().is_empty());
}

#[tokio::test]
async fn the_parts_of_an_answer_are_bounded() {
    let (script, mut table) = (chain(), Table::default());
    // Four hundred shares of sixteen tokens each, all different.
    let token = |number: u64| Address::left_padding_from(&(number + 1).to_be_bytes());
    let shares: Vec<Address> = (0..400).map(token).collect();
    for (first, share) in (1000..).step_by(16).zip(&shares) {
        let parts: Vec<(Address, U256)> = (first..first + 16).map(|part| (token(part), e18(1))).collect();
        table.insert(*share, e18(1), &parts);
    }
    of(&script, &table, &shares).await;
    let counts: Vec<usize> = table.queries().iter().map(Vec::len).collect();
    assert_eq!(counts, [400, PARTS_MAX]);
}
