//! The chain of sources, over a scripted chain and a service on loopback.

use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Bytes, I256, U256, aliases::U112};
use alloy::sol_types::SolCall;
use portolan_base::network::Networks;
use portolan_reader::Outcome;
use portolan_reader::testing::{BLOCK, ScriptedChain, is_pinned};
use tokio::time::Instant;

use super::derived::{Comptroller, LendingPool, PairFactory, SolidlyFactory};
use super::feeds::Aggregator;
use super::http::service::{Service, ServiceAnswer, body};
use super::*;
use crate::metadata::{AToken, CToken, Erc20, Erc4626, Pair, SolidlyPair};
use crate::token::NATIVE;
use crate::token_list::TokenIndex;

const A: Address = Address::repeat_byte(0xa1);
const B: Address = Address::repeat_byte(0xb1);
const LP: Address = Address::repeat_byte(0x1b);
const FEED_A: Address = Address::repeat_byte(0xfa);
const FEED_B: Address = Address::repeat_byte(0xfb);
/// A trusted issuer, named by the operator.
const FACTORY: Address = Address::repeat_byte(0xfc);
/// Vaults that are on a token list.
const LISTED: [Address; 7] = [
    A,
    LP,
    Address::repeat_byte(1),
    Address::repeat_byte(2),
    Address::repeat_byte(3),
    Address::repeat_byte(4),
    Address::repeat_byte(5),
];
const HEARTBEAT_S: u32 = 3600;

fn ethereum() -> Arc<Network> {
    Arc::clone(Networks::new([]).named("ethereum").unwrap())
}

fn feed(token: Address, address: Address) -> (u64, Address, Feed) {
    (1, token, Feed { address, heartbeat_s: HEARTBEAT_S })
}

fn fixed(token: Address, usd: &str) -> (u64, Address, BigDecimal) {
    (1, token, usd.parse().unwrap())
}

/// Scripts a feed with 8 decimals that was written `age_s` before the block.
fn round(script: &mut ScriptedChain, feed: Address, answer: i64, age_s: u64) {
    let at = U256::from(BLOCK.timestamp - age_s);
    let round = (U256::from(1), I256::try_from(answer).unwrap(), at, at, U256::from(1));
    script.call(feed, &Aggregator::latestRoundDataCall {}, round);
    script.call(feed, &Aggregator::decimalsCall {}, U256::from(8));
}

/// A at 2000 dollars with 18 decimals, B at 1 dollar with 6.
fn two_tokens() -> (ScriptedChain, PriceSettings) {
    let mut script = ScriptedChain::default();
    erc20(&mut script, A, 18);
    erc20(&mut script, B, 6);
    round(&mut script, FEED_A, 200_000_000_000, 10);
    round(&mut script, FEED_B, 100_000_000, 20);
    let feeds = vec![feed(A, FEED_A), feed(B, FEED_B)];
    (script, PriceSettings { feeds, issuers: vec![(1, FACTORY)], ..PriceSettings::default() })
}

fn erc20(script: &mut ScriptedChain, token: Address, decimals: u8) {
    script
        .call(token, &Erc20::nameCall {}, "Token".to_owned())
        .call(token, &Erc20::symbolCall {}, "T".to_owned())
        .call(token, &Erc20::decimalsCall {}, U256::from(decimals));
}

fn pair(script: &mut ScriptedChain, tokens: [Address; 2], reserves: [U256; 2], supply: U256) {
    erc20(script, LP, 18);
    script
        .call(LP, &Pair::token0Call {}, tokens[0])
        .call(LP, &Pair::token1Call {}, tokens[1])
        .call(LP, &Pair::getReservesCall {}, (U112::from(reserves[0]), U112::from(reserves[1]), U256::from(1)))
        .call(LP, &Erc20::totalSupplyCall {}, supply)
        .call(LP, &Pair::factoryCall {}, FACTORY)
        .call(FACTORY, &PairFactory::getPairCall { tokenA: tokens[0], tokenB: tokens[1] }, LP);
}

fn vault(script: &mut ScriptedChain, vault: Address, asset: Address, assets_a_share: U256) {
    erc20(script, vault, 18);
    let shares = e18(1);
    script.call(vault, &Erc4626::assetCall {}, asset).call(
        vault,
        &Erc4626::convertToAssetsCall { shares },
        assets_a_share,
    );
    script.call(vault, &Erc4626::previewRedeemCall { shares }, assets_a_share);
}

/// A pool's reserve data, with the receipt at `place`.
fn reserve(place: usize, receipt: Address) -> [U256; 15] {
    let mut words = [U256::from(7); 15];
    words[place] = receipt.into_word().into();
    words
}

fn e18(whole: u64) -> U256 {
    U256::from(whole) * U256::from(10).pow(U256::from(18))
}

async fn of(script: &ScriptedChain, settings: &PriceSettings, tokens: &[Address]) -> HashMap<Address, Price> {
    by(&Prices::new(settings.clone()), script, tokens, Instant::now() + Duration::from_secs(60)).await
}

/// The prices of the requested tokens only.
async fn by(prices: &Prices, script: &ScriptedChain, tokens: &[Address], deadline: Instant) -> HashMap<Address, Price> {
    let session = script.session(deadline);
    let network = ethereum();
    let index = TokenIndex::listing(LISTED.map(|token| (1, token)), 0);
    let issuers = Issuers::new(1, None, &index);
    let prefetch = prices.prefetch(&network, &issuers);
    let metadata = MetadataSet::read(&session, &network, Some(&prefetch), &tokens.iter().copied().collect()).await;
    let (mut priced, ridden) =
        prices.resolve(&session, &network, &issuers, &metadata, &HashMap::new(), Vec::new()).await;
    assert!(ridden.is_empty());
    priced.retain(|token, _| tokens.contains(token));
    priced
}

/// Dollars, source and age.
async fn one(
    script: &ScriptedChain,
    settings: &PriceSettings,
    token: Address,
) -> Option<(String, &'static str, Option<u64>)> {
    let price = of(script, settings, &[token]).await.remove(&token)?;
    Some((price.usd.normalized().to_plain_string(), price.source, price.age_s))
}

fn priced(usd: &str, source: &'static str, age_s: u64) -> Option<(String, &'static str, Option<u64>)> {
    Some((usd.into(), source, Some(age_s)))
}

#[tokio::test]
async fn what_the_operator_states_goes_before_a_feed_and_a_feed_before_the_http_source() {
    let (mut script, mut settings) = two_tokens();
    let other = Address::repeat_byte(0xc1);
    erc20(&mut script, other, 18);
    let service = Service::start(ServiceAnswer::Body(body(&[(A, "7"), (B, "8"), (other, "9")]))).await;
    settings.http = Some(service.base());
    settings.fixed = vec![fixed(B, "0.5")];
    let prices = of(&script, &settings, &[A, B, other]).await;
    let shown = |token| prices.get(&token).map(|price: &Price| (price.usd.normalized().to_string(), price.source));
    assert_eq!(shown(A), Some(("2000".into(), "chainlink")));
    assert_eq!(shown(B), Some(("0.5".into(), "static")));
    assert_eq!(shown(other), Some(("9".into(), "llama")));
    assert_eq!(service.requests().len(), 1, "and only tokens without another source are requested");
    assert!(service.requests()[0].ends_with(&format!("/ethereum:{other:#x}")), "{:?}", service.requests());
}

#[tokio::test]
async fn a_feed_that_is_wrong_leaves_the_price_to_the_next_source() {
    let silent = |script: &mut ScriptedChain, outcome: Outcome| {
        script.outcome(FEED_A, &SolCall::abi_encode(&Aggregator::latestRoundDataCall {}), outcome);
    };
    let at = |script: &mut ScriptedChain, updated_at: u64| {
        let answer = I256::try_from(200_000_000_000_i64).unwrap();
        let round = (U256::from(1), answer, U256::from(1), U256::from(updated_at), U256::from(1));
        script.call(FEED_A, &Aggregator::latestRoundDataCall {}, round);
    };
    type Break<'a> = (&'a str, Box<dyn Fn(&mut ScriptedChain) + 'a>);
    let breaks: [Break<'_>; 8] = [
        ("zero", Box::new(|script| round(script, FEED_A, 0, 10))),
        ("negative", Box::new(|script| round(script, FEED_A, -200_000_000_000, 10))),
        ("stale", Box::new(|script| round(script, FEED_A, 200_000_000_000, u64::from(HEARTBEAT_S) + 601))),
        ("from the future", Box::new(|script| at(script, BLOCK.timestamp + 1))),
        ("never written", Box::new(|script| at(script, 0))),
        ("reverting", Box::new(|script| silent(script, Outcome::Reverted(Bytes::from_static(b"x"))))),
        ("missing", Box::new(|script| silent(script, Outcome::NoCode))),
        ("not read", Box::new(|script| silent(script, Outcome::Failed(portolan_reader::ReadFailure::Timeout)))),
    ];
    for (how, break_feed) in breaks {
        let (mut script, mut settings) = two_tokens();
        assert_eq!(one(&script, &settings, A).await, priced("2000", "chainlink", 10), "{how}");
        break_feed(&mut script);
        assert_eq!(one(&script, &settings, A).await, None, "{how}");
        let service = Service::start(ServiceAnswer::Body(body(&[(A, "1999")]))).await;
        settings.http = Some(service.base());
        let next = one(&script, &settings, A).await.map(|(usd, source, _)| (usd, source));
        assert_eq!(next, Some(("1999".into(), "llama")), "{how}");
        settings.http = None;
        // The token is now a vault whose feed is as bad, so it is priced by its assets.
        vault(&mut script, A, B, U256::from(3_000_000));
        assert_eq!(one(&script, &settings, A).await, priced("3", "derived:erc4626", 20), "{how}");
    }
}

#[tokio::test]
async fn feeds_of_eighteen_decimals_and_feeds_in_a_row_are_exact() {
    let (mut script, settings) = two_tokens();
    script.call(FEED_A, &Aggregator::decimalsCall {}, U256::from(18));
    assert_eq!(one(&script, &settings, A).await, priced("0.0000002", "chainlink", 10));
    // The shipped row of WBTC: WBTC / BTC, then BTC / USD.
    let wbtc = alloy::primitives::address!("2260fac5e5542a773aa44fbcfedf7c193bc2c599");
    let feeds = Feeds::new([]).of(&ethereum(), wbtc).to_vec();
    round(&mut script, feeds[0].address, 99_900_000, 80_000);
    round(&mut script, feeds[1].address, 6_000_000_000_000, 30);
    assert_eq!(one(&script, &settings, wbtc).await, priced("59940", "chainlink", 80_000));
    round(&mut script, feeds[1].address, 0, 30);
    assert_eq!(one(&script, &settings, wbtc).await, None, "half a price is none");
}

#[tokio::test]
async fn the_native_token_and_its_wrapper_have_one_price() {
    let wrapped = ethereum().wrapped_native.unwrap();
    let mut script = ScriptedChain::default();
    erc20(&mut script, wrapped, 18);
    round(&mut script, FEED_A, 200_000_000_000, 10);
    for token in [NATIVE, wrapped] {
        let settings = PriceSettings { feeds: vec![feed(token, FEED_A)], ..PriceSettings::default() };
        assert_eq!(one(&script, &settings, NATIVE).await, priced("2000", "chainlink", 10));
        assert_eq!(one(&script, &settings, wrapped).await, priced("2000", "chainlink", 10));
    }
    let stated = |token| PriceSettings { fixed: vec![fixed(token, "1500")], ..PriceSettings::default() };
    let derived = Some(("1500".to_owned(), "derived:wrapped", None));
    assert_eq!(one(&script, &stated(NATIVE), wrapped).await, derived);
    assert_eq!(one(&script, &stated(wrapped), NATIVE).await, derived);
    assert_eq!(one(&script, &PriceSettings::default(), wrapped).await, None);
}

#[tokio::test]
async fn a_pair_share_is_worth_its_fair_part_of_the_reserves_in_two_requests() {
    let (mut script, settings) = two_tokens();
    pair(&mut script, [A, B], [e18(100), U256::from(200_000_000_000_u64)], e18(1000));
    assert_eq!(one(&script, &settings, LP).await, priced("400", "derived:pair", 20));
    let lookups = script.lookups();
    assert_eq!(script.requests().len(), 2, "the metadata of its tokens takes the amounts along");
    let changing = lookups.last().unwrap().iter().filter(|read| {
        read.data == SolCall::abi_encode(&Pair::getReservesCall {})
            || read.data == SolCall::abi_encode(&Erc20::totalSupplyCall {})
            || read.data == SolCall::abi_encode(&Aggregator::latestRoundDataCall {})
    });
    let changing: Vec<_> = changing.collect();
    assert_eq!(changing.len(), 4);
    assert!(changing.into_iter().all(is_pinned));
}

#[tokio::test]
async fn at_another_block_all_is_one_request_for_what_may_have_changed() {
    let (mut script, settings) = two_tokens();
    pair(&mut script, [A, B], [e18(100), U256::from(200_000_000_000_u64)], e18(1000));
    one(&script, &settings, LP).await;
    let before = script.requests().len();
    one(&script, &settings, LP).await;
    assert_eq!(script.requests().len(), before, "nothing new at the same block");
    script.next_block();
    assert_eq!(one(&script, &settings, LP).await, priced("400", "derived:pair", 20));
    let requests = script.requests();
    assert_eq!(requests[before..].iter().map(Vec::len).collect::<Vec<_>>(), [4], "two feeds, reserves, and supply");
    assert!(requests[before].iter().all(is_pinned));
}

#[tokio::test]
async fn the_amounts_of_known_tokens_are_read_with_the_metadata_of_a_new_one() {
    let (mut script, settings) = two_tokens();
    vault(&mut script, LP, A, e18(1));
    one(&script, &settings, LP).await;
    script.next_block();
    let before = script.requests().len();
    assert_eq!(of(&script, &settings, &[LP, A, B]).await.len(), 3);
    assert_eq!(script.requests().len() - before, 1);
}

#[tokio::test]
async fn a_large_swap_in_the_block_does_not_move_a_pair_share() {
    let [in_balance, swapped] = {
        let before = [e18(100), U256::from(200_000_000_000_u64)];
        // 900 A in: with a fee of 0.3 %, 900 · 0.997 / (100 + 900 · 0.997) of B come out.
        let paid = e18(900) * U256::from(997);
        let out = paid * before[1] / (before[0] * U256::from(1000) + paid);
        [before, [before[0] + e18(900), before[1] - out]]
    };
    let mut values = Vec::new();
    for reserves in [in_balance, swapped] {
        let (mut script, settings) = two_tokens();
        pair(&mut script, [A, B], reserves, e18(1000));
        values.push(of(&script, &settings, &[LP]).await.remove(&LP).unwrap().usd);
    }
    let moved = (&values[1] - &values[0]) / &values[0];
    assert!(moved.abs() < BigDecimal::new(1.into(), 2), "{moved}");
}

#[tokio::test]
async fn a_pair_with_an_unpriced_side_or_another_curve_has_no_price() {
    let (mut script, settings) = two_tokens();
    let unknown = Address::repeat_byte(0xc1);
    erc20(&mut script, unknown, 18);
    pair(&mut script, [A, unknown], [e18(1), e18(1)], e18(1));
    assert_eq!(one(&script, &settings, LP).await, None);
    pair(&mut script, [A, B], [e18(1), U256::from(2_000_000_000)], e18(1));
    assert_eq!(one(&script, &settings, LP).await, priced("4000", "derived:pair", 20));
    script.call(LP, &SolidlyPair::stableCall {}, false);
    assert_eq!(one(&script, &settings, LP).await, None, "a factory of another kind confirms nothing");
    script.call(FACTORY, &SolidlyFactory::getPoolCall { tokenA: A, tokenB: B, stable: false }, LP);
    script.next_block();
    assert_eq!(one(&script, &settings, LP).await, priced("4000", "derived:pair", 20));
    script.call(LP, &SolidlyPair::stableCall {}, true);
    assert_eq!(one(&script, &settings, LP).await, None);
}

#[tokio::test]
async fn receipts_are_worth_their_underlying_at_their_rate_and_debts_nothing() {
    let (mut script, settings) = two_tokens();
    let [a_token, debt, c_token] = [0x31, 0x32, 0x33].map(Address::repeat_byte);
    for token in [a_token, debt] {
        erc20(&mut script, token, 6);
        script.call(token, &AToken::UNDERLYING_ASSET_ADDRESSCall {}, B);
    }
    script.call(a_token, &AToken::RESERVE_TREASURY_ADDRESSCall {}, Address::repeat_byte(0x77));
    script.call(a_token, &AToken::POOLCall {}, FACTORY);
    script.call(FACTORY, &LendingPool::getReserveDataCall { asset: B }, reserve(8, a_token));
    erc20(&mut script, c_token, 8);
    // One cToken with 8 decimals is 0.02 of a token with 18: 0.02 · 10^(18 + 18 - 8).
    let rate = U256::from(2) * U256::from(10).pow(U256::from(26));
    script.call(c_token, &CToken::underlyingCall {}, A).call(c_token, &CToken::exchangeRateStoredCall {}, rate);
    script.call(c_token, &CToken::comptrollerCall {}, FACTORY);
    script.call(FACTORY, &Comptroller::marketsCall { cToken: c_token }, (true, e18(1), true));
    assert_eq!(one(&script, &settings, a_token).await, priced("1", "derived:aave", 20));
    assert_eq!(one(&script, &settings, debt).await, None);
    assert_eq!(one(&script, &settings, c_token).await, priced("40", "derived:compound", 10));
    // With the interest of this block the rate is 0.021.
    let accrued = U256::from(21) * U256::from(10).pow(U256::from(25));
    script.call(c_token, &CToken::exchangeRateCurrentCall {}, accrued).next_block();
    assert_eq!(one(&script, &settings, c_token).await, priced("42", "derived:compound", 10));
    let writes = |read: &Read| read.data.starts_with(&CToken::exchangeRateCurrentCall::SELECTOR);
    assert!(script.requests().concat().iter().filter(|read| writes(read)).all(|read| read.isolated));
}

#[tokio::test]
async fn a_market_of_the_native_token_names_no_underlying_and_is_worth_it_all_the_same() {
    let (mut script, settings) = two_tokens();
    let settings = PriceSettings { fixed: vec![fixed(NATIVE, "2000")], ..settings };
    let c_ether = Address::repeat_byte(0x33);
    erc20(&mut script, c_ether, 8);
    let rate = U256::from(2) * U256::from(10).pow(U256::from(26));
    script.call(c_ether, &CToken::exchangeRateStoredCall {}, rate);
    script.call(c_ether, &CToken::comptrollerCall {}, FACTORY);
    assert_eq!(one(&script, &settings, c_ether).await, None, "nobody else says that it is a market");
    script.call(FACTORY, &Comptroller::marketsCall { cToken: c_ether }, (true, e18(1), true));
    script.next_block();
    let price = of(&script, &settings, &[c_ether]).await.remove(&c_ether).unwrap();
    assert_eq!((price.usd.normalized().to_plain_string().as_str(), price.source), ("40", "derived:compound"));
}

#[tokio::test]
async fn derivations_go_four_deep_and_no_deeper() {
    let (mut script, settings) = two_tokens();
    let vaults: Vec<Address> = (1..=5).map(Address::repeat_byte).collect();
    for (place, token) in vaults.iter().enumerate() {
        let asset = place.checked_sub(1).map_or(A, |below| vaults[below]);
        // Each share is 1.5 of the one below it.
        vault(&mut script, *token, asset, e18(3) / U256::from(2));
    }
    for (token, usd) in vaults.iter().zip(["3000", "4500", "6750", "10125"]) {
        assert_eq!(one(&script, &settings, *token).await, priced(usd, "derived:erc4626", 10));
    }
    let before = script.requests().len();
    assert_eq!(one(&script, &settings, vaults[4]).await, None);
    assert!(script.requests().len() - before <= 5);
    let all = of(&script, &settings, &vaults).await;
    assert_eq!(all.len(), 4, "other requested tokens make no difference");
    assert!(!all.contains_key(&vaults[4]));
}

#[tokio::test]
async fn what_is_made_of_itself_has_no_price() {
    let (mut script, settings) = two_tokens();
    let [x, y] = [0x41, 0x42].map(Address::repeat_byte);
    vault(&mut script, x, y, e18(2));
    vault(&mut script, y, x, e18(2));
    vault(&mut script, B, B, e18(2));
    pair(&mut script, [A, LP], [e18(1), e18(1)], e18(1));
    let prices = of(&script, &settings, &[x, y, LP, A]).await;
    assert_eq!(prices.keys().copied().collect::<Vec<_>>(), [A]);
    assert_eq!(script.requests().len(), 2);
}

#[tokio::test]
async fn a_token_that_does_not_return_its_decimals_makes_nothing_of_its_parts() {
    let mut script = ScriptedChain::default();
    let settings = PriceSettings { fixed: vec![fixed(A, "2")], ..PriceSettings::default() };
    vault(&mut script, LP, A, e18(1));
    assert_eq!(one(&script, &settings, LP).await, None, "the part does not return them");
    erc20(&mut script, A, 18);
    assert_eq!(one(&script, &settings, LP).await, Some(("2".into(), "derived:erc4626", None)));
    script.call(LP, &Erc20::decimalsCall {}, U256::from(256));
    assert_eq!(one(&script, &settings, LP).await, None, "the share returns none that there are");
}

#[tokio::test]
async fn a_quote_of_a_token_with_other_decimals_is_not_used() {
    let mut script = ScriptedChain::default();
    let service = Service::start(ServiceAnswer::Body(body(&[(A, "5"), (B, "5")]))).await;
    let settings = PriceSettings { http: Some(service.base()), ..PriceSettings::default() };
    erc20(&mut script, A, 18);
    erc20(&mut script, B, 6);
    let prices = of(&script, &settings, &[A, B]).await;
    assert_eq!(prices.keys().copied().collect::<Vec<_>>(), [A]);
}

#[tokio::test]
async fn a_hanging_http_source_costs_a_part_of_the_time_and_nothing_where_others_know_the_price() {
    let (mut script, mut settings) = two_tokens();
    let service = Service::start(ServiceAnswer::Late(String::new())).await;
    settings.http = Some(service.base());
    vault(&mut script, LP, A, e18(1));
    let prices = Prices::new(settings);
    let started = Instant::now();
    let deadline = started + Duration::from_secs(40);
    let of_feed = by(&prices, &script, &[A], deadline).await;
    assert_eq!(of_feed.len(), 1);
    assert!(service.requests().is_empty(), "no quote is requested where a feed has a price");
    let derived = by(&prices, &script, &[LP], started + Duration::from_secs(1)).await;
    assert_eq!(derived.get(&LP).map(|price| price.source), Some("derived:erc4626"));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn no_tokens_read_nothing_and_plain_tokens_are_one_request() {
    let (script, settings) = two_tokens();
    assert!(of(&script, &settings, &[]).await.is_empty());
    assert!(script.lookups().is_empty());
    assert_eq!(of(&script, &settings, &[A, B, Address::repeat_byte(0xc1)]).await.len(), 2);
    assert_eq!(script.requests().len(), 1);
}

mod confirmation;
mod sequencer;
