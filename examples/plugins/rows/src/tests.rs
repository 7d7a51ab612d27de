//! The plugin through the real binary interface: canned replies, and jobs that were recorded on a chain.
//!
//! The kit's own tests cover its mechanism; these cover the rows.

use portolan_plugin_api::networks::OPTIMISM;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest};
use portolan_plugin_api::{Address, Payment, Question, U256, address, sol};

use crate::*;

sol! {
    function rewardsToken() external view returns (address);
    function stakingToken() external view returns (address);
    function earned(address account) external view returns (uint256);
}

const FARM: Address = address!("0xfe757a40f3eda520845b339c698b321663986a4d");
const TOKEN: Address = address!("0x61baadcf22d2565b0f471b291c475db5555e0b76");
const ACCOUNT: Address = address!("0x2222222222222222222222222222222222222222");
/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Acme>(Acme::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}

#[test]
fn what_is_earned_is_claimed_from_the_listed_farm() {
    let account = ACCOUNT;
    let chain = CannedReplies::default()
        .reply(OPTIMISM, FARM, &earnedCall { account }, &U256::from(5))
        .reply(OPTIMISM, FARM, &rewardsTokenCall {}, &TOKEN)
        .reply(OPTIMISM, FARM, &stakingTokenCall {}, &TOKEN);
    let outcome = JobTest::new("acme", OPTIMISM, Question::CLAIMABLES, ACCOUNT).run::<Acme>(&chain);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 1), "{}", outcome.message);
    let found = outcome.claimables()[0];
    assert_eq!(found.payments, [Payment { token: TOKEN, amount: U256::from(5), ..Payment::default() }]);
    assert_eq!(found.steps[0].to, FARM);
}

#[test]
fn a_fork_is_a_row() {
    testing::serves_forks::<Acme>(&[
        &[("factory", FORKED)],
        &[("farms", "[0x1111111111111111111111111111111111111111]")],
    ]);
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Acme>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert_eq!(records, 3);
}
