//! Prices of what is made of priced tokens: shares of pairs and vaults, wrapped native tokens, receipts.

use std::fs;

use bigdecimal::BigDecimal;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Setup;
use portolan_tests::json::Json;
use portolan_tests::token_list::token_list;
use portolan_tests::truth::Truth;
use portolan_tests::world::World;
use serde_json::json;

use super::{LISTED, assert_price, fed, rows};

fn number(text: &str) -> BigDecimal {
    text.parse().unwrap()
}

#[test]
fn a_large_swap_in_the_same_block_does_not_move_a_pair_share() {
    let world = LISTED.get(World::listed).unwrap();
    let gateway = fed(&world).start().unwrap();
    for (_, truth) in &world.chains {
        let pair = truth.price_sources().unwrap().at("pair").unwrap();
        let row = &rows(&gateway, truth, "farmer")[pair.text_at("token").unwrap()];
        let [before, fair, spot] = ["before", "fair", "spot"].map(|member| number(pair.text_at(member).unwrap()));
        // The worth of the reserves as the swap left them: five times what they were.
        assert!(spot > &before * BigDecimal::from(5), "the swap is too small to show anything");
        let price = row.number_at("price").unwrap();
        let moved = (&price - &before).abs();
        assert!(moved * BigDecimal::from(100) < before, "{price} after, {before} before the swap");
        // And it is no other number than the geometric mean of both reserves' worth.
        assert_eq!(price, fair);
        assert_eq!(row.text_at("priceSource").unwrap(), "derived:pair");
        assert_eq!(*row.at("priceAgeSeconds").unwrap(), Json::number(1000));
        assert_eq!(row.text_at("token/type").unwrap(), "UNISWAP");
        // The price that is shown is rounded, the one that is multiplied is not.
        let off = (row.number_at("dollarValue").unwrap() - row.number_at("amount").unwrap() * &price).abs();
        assert!(off * number("1e17") < row.number_at("dollarValue").unwrap(), "{row}");
    }
}

#[test]
fn a_vault_share_is_worth_what_it_redeems_to() {
    let world = LISTED.get(World::listed).unwrap();
    let gateway = fed(&world).start().unwrap();
    for (_, truth) in &world.chains {
        let vault = truth.price_sources().unwrap().at("vault").unwrap();
        for who in ["farmer", "whale"] {
            let row = &rows(&gateway, truth, who)[vault.text_at("token").unwrap()];
            let price = vault.text_at("price").unwrap();
            assert_price(row, Some(price), Some("derived:erc4626"), Some(&Json::number(1000)));
        }
    }
}

#[test]
fn a_wrapped_native_token_is_worth_as_much_as_the_native_one() {
    let world = LISTED.get(World::listed).unwrap();
    let gateway = fed(&world).start().unwrap();
    for (_, truth) in &world.chains {
        let wrapped = truth.price_sources().unwrap().at("wrapped").unwrap();
        let row = &rows(&gateway, truth, "farmer")[wrapped.text_at("token").unwrap()];
        // Both have one feed.
        let price = wrapped.text_at("price").unwrap();
        assert_price(row, Some(price), Some("chainlink"), Some(&Json::number(1000)));
    }
}

#[test]
fn a_native_token_takes_the_stated_price_of_its_wrapper() {
    let world = LISTED.get(World::listed).unwrap();
    let (chain, truth) = world.chain("optimism").unwrap();
    let wrapped = truth.price_sources().unwrap().text_at("wrapped/token").unwrap();
    let config = format!("[prices.static]\noptimism.{wrapped:?} = \"1234.56789\"");
    let setup = Setup::default().config("[tokens]\nshipped = false").config(&config);
    let gateway = setup.rpc("optimism", &chain.url).start().unwrap();
    let path = format!("/{}/native-balance?network=optimism&detail=full", truth.address("whale").unwrap());
    let full = gateway.get(&path).unwrap().json().unwrap();
    assert_price(full.at("items/0").unwrap(), Some("1234.56789"), Some("derived:wrapped"), None);
}

#[test]
fn a_receipt_of_aave_is_worth_its_underlying() {
    let chain = Chain::start("ethereum").unwrap();
    let truth = Truth::new("ethereum", &chain.expected.to_string()).unwrap();
    // Accounts hold receipts of their loans, each worth what was lent.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("receipts.json");
    fs::write(&file, list(&truth)).unwrap();
    let config =
        format!("[tokens]\nshipped = false\nlists = [{file:?}]\n[prices.static]\n{}", truth.price_rows().unwrap());
    let pool = truth.contract("pool").unwrap();
    let config = format!("{config}\n[prices.issuers]\nethereum = [{pool:?}]");
    let gateway = Setup::default().config(&config).rpc("ethereum", &chain.url).start().unwrap();
    for who in ["farmer", "whale", "dust", "nothing"] {
        let lent = receipts(&truth, who);
        let rows = rows(&gateway, &truth, who);
        assert_eq!(rows.len(), lent.len(), "{who}: {rows:?}");
        for loan in lent {
            let row = &rows[loan.text_at("contract").unwrap()];
            assert_eq!(row.text_at("amountRaw").unwrap(), loan.text_at("amountRaw").unwrap());
            let dollars = Json::number(loan.text_at("dollarValue").unwrap());
            assert_eq!(row.at("dollarValue").unwrap().differences(&dollars), [""; 0], "{row}");
            assert_eq!(row.text_at("priceSource").unwrap(), "derived:aave");
        }
    }
}

fn receipts<'a>(truth: &'a Truth, who: &str) -> Vec<&'a Json> {
    let rows = truth.rows(who, portolan_tests::protocol::Question::Lending, Some("aave_v3")).unwrap();
    rows.into_iter().filter(|row| row.text_at("side").unwrap() == "supply").collect()
}

/// A token list of all receipts that anybody has.
fn list(truth: &Truth) -> String {
    let mut tokens: Vec<&str> = ["farmer", "whale", "dust"]
        .iter()
        .flat_map(|who| receipts(truth, who))
        .map(|row| row.text_at("contract").unwrap())
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    let row =
        |token: &&str| json!({"chainId": 1, "address": token, "name": "Receipt", "symbol": "RCT", "decimals": 18});
    token_list("Receipts", &tokens.iter().map(row).collect::<Vec<_>>()).to_string()
}
