//! The plugin through the real binary interface: stakes, withdrawals that are requested, and their payment.
//!
//! The expected events stand in `events.cases.json`, written by hand; another encoder made the logs.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::ETHEREUM;
use portolan_plugin_api::testing::{self, CannedReplies, End, EventCases, JobTest};
use portolan_plugin_api::{Address, Question, U256, address, sol};

use crate::{Staking, TABLE};

/// The file has more; a test of an empty one would say nothing.
const CASES_MIN: usize = 40;

#[test]
fn every_case_is_reported_as_it_is_written() {
    let cases = EventCases::load("src/events.cases.json");
    assert!(cases.check::<Staking>() >= CASES_MIN);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    EventCases::load("src/events.cases.json").cover(TABLE);
}

sol! {
    function token() external view returns (address);
    function locked(address) external view returns (int128, uint256);
    function user_point_epoch(address) external view returns (uint256);
}

const VEFXS: Address = address!("0xc8418af6358ffdda74e09ca9cc3fe03ca6adc5b0");
const FXS: Address = address!("0x3432b6a60d23ca0dfca7761b7ab56459d9c964d0");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

#[test]
fn a_lock_of_fxs_has_its_end() {
    let chain = CannedReplies::default()
        .reply(ETHEREUM, VEFXS, &user_point_epochCall(ACCOUNT), &U256::from(1))
        .reply(ETHEREUM, VEFXS, &tokenCall {}, &FXS)
        .reply(ETHEREUM, VEFXS, &lockedCall(ACCOUNT), &(U256::from(9), U256::from(1_800_000_000_u64)));
    let outcome = JobTest::new("frax", ETHEREUM, Question::LOCKED, ACCOUNT).run::<Staking>(&chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let lock = outcome.positions()[0];
    assert_eq!((lock.legs[0].token, lock.legs[0].amount), (FXS, U256::from(9)));
    assert_eq!(lock.lock.as_ref().and_then(|lock| lock.unlocks_at), Some(1_800_000_000));
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Staking>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Staking>(&[
        &[("liquid_token", FORKED)],
        &[("liquid_token", FORKED), ("staked_token", FORKED), ("rate_view", "getRate")],
        &[("withdrawal_queue", FORKED), ("queued_token", FORKED)],
        &[("exit_nft", FORKED), ("exited_token", FORKED)],
        &[("request_queue", FORKED), ("requested_token", FORKED)],
        &[("request_queue", FORKED), ("requested_token", FORKED), ("queue_kind", "kelp")],
        &[("delegation_manager", FORKED), ("strategy_manager", FORKED)],
        &[("restaking_vaults", FORKED_LIST)],
        &[("default_collaterals", FORKED_LIST)],
        &[("vault_supervisor", FORKED)],
        &[("stake_manager", FORKED), ("staked_token", FORKED)],
        &[("vote_escrow", FORKED), ("fee_distributors", FORKED_LIST)],
        &[("unified_farms", FORKED_LIST)],
        &[("known_gaps", FORKED_LIST)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Staking>(Staking::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
