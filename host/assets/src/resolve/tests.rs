//! Tokens as answers get them, over a scripted chain.

use std::time::Duration;

use alloy::sol_types::{SolCall, SolValue};
use portolan_base::network::Networks;
use portolan_reader::testing::{ScriptedChain, is_pinned};
use portolan_reader::{Freshness, Outcome};
use tokio::time::Instant;

use super::*;
use crate::metadata::{AToken, CToken, Erc20, Erc4626, Pair, SolidlyPair};
use crate::price::{PairFactory, PriceSettings};
use crate::resolve::script::Table;
use crate::token::DecimalsSource;

const A: Address = Address::repeat_byte(0xa1);
const B: Address = Address::repeat_byte(0xb1);
const P: Address = Address::repeat_byte(0x1b);
const TIMEOUT: TokenFailure = TokenFailure::Unread(ReadFailure::Timeout);
const FACTORY: Address = Address::repeat_byte(0xfc);

fn erc20(script: &mut ScriptedChain, token: Address, symbol: &str, supply: u64) {
    crate::testing::erc20(script, token, symbol, 18);
    script.call(token, &Erc20::totalSupplyCall {}, U256::from(supply));
}

/// A pair of A at 2 and B at 3 dollars, with 100 smallest units of each behind 50 shares.
fn pair() -> (ScriptedChain, PriceSettings) {
    let mut script = ScriptedChain::default();
    erc20(&mut script, A, "A", 1000);
    erc20(&mut script, B, "B", 2000);
    erc20(&mut script, P, "UNI-V2", 50);
    script.call(P, &Pair::token0Call {}, A).call(P, &Pair::token1Call {}, B).call(
        P,
        &Pair::getReservesCall {},
        (U256::from(100), U256::from(100), U256::from(1)),
    );
    script.call(P, &Pair::factoryCall {}, FACTORY).call(FACTORY, &PairFactory::getPairCall { tokenA: A, tokenB: B }, P);
    let fixed = vec![(1, A, "4".parse().unwrap()), (1, B, "9".parse().unwrap())];
    (script, PriceSettings { fixed, issuers: vec![(1, FACTORY)], ..PriceSettings::default() })
}

async fn tokens(script: &ScriptedChain, settings: PriceSettings, wanted: &[Address]) -> Tokens {
    let networks = Networks::new([]);
    let (network, deadline) = (networks.named("ethereum").unwrap(), Instant::now() + Duration::from_secs(60));
    let session = script.session(deadline);
    let (prices, index) = (Prices::new(settings), TokenIndex::default());
    let issuers = Issuers::new(network.chain_id, None, &index);
    let wanted = wanted.iter().copied().collect();
    priced_tokens(&session, network, &Table::default(), &prices, &issuers, &wanted).await
}

#[tokio::test]
async fn a_pair_is_shown_by_its_tokens_and_valued_by_its_reserves() {
    let (script, settings) = pair();
    let tokens = tokens(&script, settings, &[P]).await;
    let share = tokens.get(P).unwrap();
    assert_eq!((share.name.as_str(), share.symbol.as_str(), share.kind.as_ref()), ("A/B LP", "A-B", "UNISWAP"));
    assert_eq!((share.decimals, share.total_supply, &share.underlying), (18, U256::from(50), &vec![A, B]));
    // 2 · √(100 · 4 · 100 · 9) / 50 dollars for a share.
    assert_eq!(share.price.as_ref().map(|price| price.usd.clone()), Some(bigdecimal::BigDecimal::from(24)));
    assert!(tokens.get(A).is_err(), "what was not requested is not there");
}

#[tokio::test]
async fn the_supplies_leave_with_what_prices_need() {
    let (script, settings) = pair();
    tokens(&script, settings, &[A, B, P]).await;
    let (lookups, requests) = (script.lookups(), script.requests());
    assert_eq!(requests.len(), 2, "the parts were requested themselves");
    assert!(!requests.concat().iter().any(is_pinned));
    assert!(requests[1].iter().all(|read| read.to == FACTORY), "who the issuer is is known by then");
    let supplies = lookups.last().unwrap().iter().filter(|read| read.data == Erc20::totalSupplyCall {}.abi_encode());
    assert_eq!(supplies.map(is_pinned).collect::<Vec<_>>(), [false, false, false, true]);
}

#[tokio::test]
async fn one_failing_token_hides_no_other() {
    let (mut script, settings) = pair();
    script.outcome(A, &Erc20::totalSupplyCall {}.abi_encode(), Outcome::Failed(ReadFailure::Timeout));
    let tokens = tokens(&script, settings, &[A, B, P]).await;
    assert_eq!(tokens.get(A).err(), Some(TIMEOUT));
    assert_eq!(tokens.get(B).unwrap().total_supply, U256::from(2000));
    assert_eq!(tokens.get(P).unwrap().symbol, "A-B");
}

#[tokio::test]
async fn a_token_without_decimals_has_no_amounts_but_a_name() {
    let (mut script, mut settings) = pair();
    settings.fixed.push((1, P, "3000".parse().unwrap()));
    let empty = [Outcome::Reverted(Default::default()), Outcome::Ok(Default::default()), Outcome::NoCode];
    let absurd = [78_u64, 256].map(|decimals| Outcome::Ok(U256::from(decimals).to_be_bytes_vec().into()));
    for outcome in empty.into_iter().chain(absurd) {
        script.outcome(A, &Erc20::decimalsCall {}.abi_encode(), outcome.clone());
        let tokens = tokens(&script, settings.clone(), &[A, B, P]).await;
        assert_eq!(tokens.get(A).err(), Some(TokenFailure::NoDecimals), "{outcome:?}");
        assert_eq!(tokens.named(A).unwrap().symbol, "A");
        assert_eq!((tokens.get(B).unwrap().decimals, tokens.get(P).unwrap().symbol.as_str()), (18, "A-B"));
        script.next_block();
    }
    assert_eq!(Tokens::default().get(A).err(), Some(TokenFailure::Unread(ReadFailure::Upstream)));
}

#[tokio::test]
async fn a_pair_whose_token_could_not_be_read_is_missing_and_its_other_token_is_not() {
    let (mut script, settings) = pair();
    script.outcome(A, &Erc20::symbolCall {}.abi_encode(), Outcome::Failed(ReadFailure::Timeout));
    let tokens = tokens(&script, settings, &[B, P]).await;
    assert_eq!(tokens.get(P).err(), Some(TIMEOUT));
    assert_eq!(tokens.get(B).unwrap().symbol, "B");
}

#[tokio::test]
async fn the_native_token_is_shown_without_a_read() {
    let mut settings = PriceSettings::default();
    settings.fixed.push((1, NATIVE, "2000".parse().unwrap()));
    let script = ScriptedChain::default();
    let tokens = tokens(&script, settings, &[NATIVE]).await;
    let native = tokens.get(NATIVE).unwrap();
    assert_eq!((native.symbol.as_str(), native.decimals, native.kind.as_ref()), ("ETH", 18, "NATIVE"));
    assert_eq!((native.total_supply, native.underlying.len()), (U256::ZERO, 0));
    assert!(native.price.is_some());
    assert!(script.lookups().concat().iter().all(|read| read.to != NATIVE));
}

#[tokio::test]
async fn five_thousand_tokens_are_fifteen_reads_each_in_one_request() {
    let held: Vec<Address> = (1..=5000_u16).map(|number| Address::left_padding_from(&number.to_be_bytes())).collect();
    let script = ScriptedChain::default();
    let tokens = tokens(&script, PriceSettings::default(), &held).await;
    assert!(held.iter().all(|token| tokens.get(*token).err() == Some(TokenFailure::NoDecimals)));
    assert_eq!(script.requests().iter().map(Vec::len).collect::<Vec<_>>(), [75_000]);
}

/// Caches what a token returned before its code changed.
fn was(script: &mut ScriptedChain, token: Address, symbol: &str, decimals: u64) {
    let returned = |bytes: Vec<u8>| Outcome::Ok(bytes.into());
    script
        .cache(token, &Erc20::nameCall {}.abi_encode(), returned(symbol.to_owned().abi_encode()))
        .cache(token, &Erc20::symbolCall {}.abi_encode(), returned(symbol.to_owned().abi_encode()))
        .cache(token, &Erc20::decimalsCall {}.abi_encode(), returned(U256::from(decimals).abi_encode()));
    for selector in [
        Pair::token0Call::SELECTOR,
        Pair::token1Call::SELECTOR,
        Pair::getReservesCall::SELECTOR,
        SolidlyPair::stableCall::SELECTOR,
        Erc4626::assetCall::SELECTOR,
        AToken::UNDERLYING_ASSET_ADDRESSCall::SELECTOR,
        AToken::RESERVE_TREASURY_ADDRESSCall::SELECTOR,
        CToken::underlyingCall::SELECTOR,
    ] {
        script.cache(token, &selector, Outcome::Reverted(Default::default()));
    }
}

#[tokio::test]
async fn a_token_is_shown_as_it_is_at_the_block_whatever_the_cache_has() {
    let (mut script, settings) = pair();
    was(&mut script, A, "OLD", 6);
    let fresh = tokens(&script, settings.clone(), &[A, B]).await;
    let a = fresh.get(A).unwrap();
    assert_eq!((a.symbol.as_str(), a.name.as_str(), a.decimals), ("A", "A", 18));
    assert_eq!(fresh.get(B).unwrap().decimals, 18);
    // It is cached now: the next answer reads it once.
    script.next_block();
    let before = script.requests().len();
    assert_eq!(tokens(&script, settings, &[A, B]).await.get(A).unwrap().symbol, "A");
    assert_eq!(script.requests().len() - before, 1);
}

#[tokio::test]
async fn what_a_token_was_made_of_goes_with_its_old_words() {
    let (mut script, settings) = pair();
    // It was not a pair when it was read.
    was(&mut script, P, "PLAIN", 18);
    let share = tokens(&script, settings, &[P]).await;
    assert_eq!(share.get(P).unwrap().symbol, "A-B");
    assert!(share.get(P).unwrap().price.is_some());
}

#[tokio::test]
async fn a_part_with_other_decimals_scales_no_price() {
    let (mut script, settings) = pair();
    was(&mut script, A, "A", 6);
    let share = tokens(&script, settings, &[P]).await;
    // As in `a_pair_is_shown_by_its_tokens_and_valued_by_its_reserves`.
    assert_eq!(
        share.get(P).unwrap().price.as_ref().map(|price| price.usd.clone()),
        Some(bigdecimal::BigDecimal::from(24))
    );
}

#[tokio::test]
async fn a_token_that_could_not_be_checked_is_missing_and_so_is_a_price_by_it() {
    let (mut script, settings) = pair();
    tokens(&script, settings.clone(), &[A, P]).await;
    script.next_block();
    script.outcome(A, &Erc20::decimalsCall {}.abi_encode(), Outcome::Failed(ReadFailure::Timeout));
    // The cache still has the old value.
    script.cache(A, &Erc20::decimalsCall {}.abi_encode(), Outcome::Ok(U256::from(18).abi_encode().into()));
    let found = tokens(&script, settings, &[A, B, P]).await;
    assert_eq!(found.get(A).err(), Some(TIMEOUT));
    assert_eq!(found.get(B).unwrap().decimals, 18);
    assert_eq!(found.get(P).err(), Some(TIMEOUT), "its name needs the other's");
}

#[tokio::test]
async fn tokens_in_events_are_checked_with_their_supplies() {
    let (mut script, _) = pair();
    was(&mut script, A, "OLD", 6);
    let networks = Networks::new([]);
    let network = networks.named("ethereum").unwrap();
    let session = script.session(Instant::now() + Duration::from_secs(60));
    let found = unpriced_tokens(&session, network, &TokenIndex::default(), &[A].into()).await;
    // This reader's cache ignores ages: it returns whatever a check within a minute would find.
    assert_eq!(found.get(A).unwrap().symbol, "OLD");
    let checked: Vec<Read> =
        script.lookups().concat().into_iter().filter(|read| read.data == Erc20::decimalsCall {}.abi_encode()).collect();
    assert!(checked.iter().any(|read| read.freshness == Freshness::Within(60)), "{checked:?}");
    assert!(!checked.iter().any(is_pinned));
}

#[tokio::test]
async fn a_list_says_the_decimals_of_a_token_that_does_not() {
    let (mut script, settings) = pair();
    script.outcome(A, &Erc20::decimalsCall {}.abi_encode(), Outcome::Reverted(Default::default()));
    script.call(B, &Erc20::decimalsCall {}, U256::from(9));
    let networks = Networks::new([]);
    let network = networks.named("ethereum").unwrap();
    let session = script.session(Instant::now() + Duration::from_secs(60));
    // The list says 18 for both.
    let (prices, index) = (Prices::new(settings), TokenIndex::listing([(1, A), (1, B)], 0));
    let issuers = Issuers::new(network.chain_id, None, &index);
    let found = priced_tokens(&session, network, &Table::default(), &prices, &issuers, &[A, B].into()).await;
    let source = |token| found.get(token).map(|token| (token.decimals, token.decimals_source)).unwrap();
    assert_eq!((source(A), source(B)), ((18, DecimalsSource::List), (9, DecimalsSource::Contract)));
}

#[tokio::test]
async fn the_native_token_is_one_under_each_of_its_addresses() {
    let placeholder = Address::repeat_byte(0xee);
    let settings = PriceSettings { fixed: vec![(1, placeholder, "2000".parse().unwrap())], ..PriceSettings::default() };
    let script = ScriptedChain::default();
    let found = tokens(&script, settings, &[NATIVE, placeholder]).await;
    for address in [NATIVE, placeholder] {
        let token = found.get(address).unwrap();
        assert_eq!((token.address, token.symbol.as_str(), token.kind.as_ref()), (NATIVE, "ETH", "NATIVE"));
        let usd = token.price.as_ref().map(|price| price.usd.clone());
        assert_eq!(usd, Some(bigdecimal::BigDecimal::from(2000)));
    }
    assert!(script.lookups().concat().iter().all(|read| ![NATIVE, placeholder].contains(&read.to)));
}
