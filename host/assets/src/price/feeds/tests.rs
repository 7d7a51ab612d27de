//! Feeds that are good, and every way in which one can be bad.

use std::collections::BTreeSet;

use alloy::primitives::I256;
use alloy::sol_types::SolValue;
use portolan_base::network::Networks;

use super::*;

const FEED: Feed = Feed { address: Address::repeat_byte(0xfe), heartbeat_s: 3600 };
const NOW: u64 = 1_700_000_000;

fn ok(bytes: Vec<u8>) -> Reply {
    Reply::fresh(Outcome::Ok(bytes.into()))
}

fn validated(answer: i128, updated_at: U256, decimals: u32) -> Result<FeedPrice, RoundError> {
    let answer = I256::try_from(answer).unwrap();
    let round = (U256::from(7), answer, updated_at, updated_at, U256::from(7)).abi_encode();
    validate_round(FEED, &[ok(round), ok(U256::from(decimals).abi_encode())], NOW)
}

#[test]
fn an_answer_is_divided_by_the_decimals_that_the_feed_returns() {
    let priced = |usd: &str| Ok(FeedPrice { usd: usd.parse().unwrap(), age_s: 60 });
    let at = U256::from(NOW - 60);
    assert_eq!(validated(184_025_000_000, at, 8), priced("1840.25"));
    assert_eq!(validated(1_840_250_000_000_000_000_000, at, 18), priced("1840.25"));
    assert_eq!(validated(1840, at, 0), priced("1840"));
}

#[test]
fn an_answer_that_is_not_above_zero_is_refused() {
    for answer in [0, -1, i128::MIN] {
        assert_eq!(validated(answer, U256::from(NOW), 8), Err(RoundError::NotPositive), "{answer}");
    }
}

#[test]
fn an_answer_counts_until_heartbeat_and_margin_are_over() {
    let oldest = 3600 + MARGIN_S;
    assert_eq!(validated(1, U256::from(NOW), 0).map(|price| price.age_s), Ok(0));
    assert_eq!(validated(1, U256::from(NOW - oldest), 0).map(|price| price.age_s), Ok(oldest));
    assert_eq!(validated(1, U256::from(NOW - oldest - 1), 0), Err(RoundError::Stale { age_s: oldest + 1 }));
}

#[test]
fn an_answer_from_after_the_block_or_from_never_is_refused() {
    assert_eq!(validated(1, U256::from(NOW + 1), 0), Err(RoundError::FromTheFuture));
    assert_eq!(validated(1, U256::MAX, 0), Err(RoundError::FromTheFuture));
    assert_eq!(validated(1, U256::ZERO, 0), Err(RoundError::NeverWritten));
}

#[test]
fn what_does_not_answer_as_a_feed_is_silent() {
    let (one, word) = (U256::from(1), U256::from(8).abi_encode());
    let round = (one, one, U256::from(NOW), U256::from(NOW), one).abi_encode();
    let too_many_decimals = U256::from(256).abi_encode();
    let cases = [
        (Outcome::Reverted(Default::default()), Outcome::Ok(word.clone().into())),
        (Outcome::NoCode, Outcome::NoCode),
        (Outcome::Ok(round[..128].to_vec().into()), Outcome::Ok(word.into())),
        (Outcome::Ok(round.clone().into()), Outcome::Ok(Default::default())),
        (Outcome::Ok(round.into()), Outcome::Ok(too_many_decimals.into())),
    ];
    for (round, decimals) in cases {
        let shown = format!("{round:?} {decimals:?}");
        assert_eq!(
            validate_round(FEED, &[Reply::fresh(round), Reply::fresh(decimals)], NOW),
            Err(RoundError::NotAFeed),
            "{shown}"
        );
    }
    assert_eq!(validate_round(FEED, &[], NOW), Err(RoundError::NotAFeed));
}

#[test]
fn a_configured_feed_replaces_the_shipped_ones_of_its_token_alone() {
    let networks = Networks::new([]);
    let ethereum = networks.named("ethereum").unwrap();
    let wrapped = ethereum.wrapped_native.unwrap();
    let shipped = Feeds::new([]);
    let configured = Feeds::new([(1, NATIVE, FEED)]);
    assert_ne!(shipped.of(ethereum, NATIVE), [FEED]);
    assert_eq!(shipped.of(ethereum, wrapped), shipped.of(ethereum, NATIVE), "the wrapper has the feed of the native");
    assert_eq!(configured.of(ethereum, NATIVE), [FEED]);
    assert_eq!(configured.of(ethereum, wrapped), [FEED]);
    assert_eq!(
        configured.of(networks.named("polygon").unwrap(), NATIVE),
        shipped.of(networks.named("polygon").unwrap(), NATIVE)
    );
    assert!(shipped.of(ethereum, Address::repeat_byte(1)).is_empty());
}

#[test]
fn shipped_rows_are_unique_and_every_network_has_its_native_token() {
    for (chain_id, rows) in table::SHIPPED {
        let tokens: BTreeSet<Address> = rows.iter().map(|row| row.token).collect();
        assert_eq!(tokens.len(), rows.len(), "a token of {chain_id} stands twice");
        assert!(tokens.contains(&NATIVE), "{chain_id} has no feed of its native token");
        for row in rows {
            assert!((1..=2).contains(&row.feeds.len()), "{chain_id} {}", row.token);
            assert!(row.feeds.iter().all(|feed| feed.heartbeat_s >= 60 && feed.address != row.token), "{}", row.token);
        }
    }
}
