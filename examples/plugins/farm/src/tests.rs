//! The plugin through the real binary interface: canned replies, and jobs that were recorded on a chain.

use portolan_plugin_api::networks::OPTIMISM;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};

use crate::*;

const STAKING: Address = address!("0xfe757a40f3eda520845b339c698b321663986a4d");
const TOKEN: Address = address!("0x61baadcf22d2565b0f471b291c475db5555e0b76");
const ACCOUNT: Address = address!("0x2222222222222222222222222222222222222222");
const NOW_S: u64 = 1_700_000_000; // The block of a `JobTest`.

fn chain(stake: u64, earned: u64, finish_s: u64) -> CannedReplies {
    let account = ACCOUNT;
    let number = |n: u64| U256::from(n);
    CannedReplies::default()
        .reply(OPTIMISM, STAKING, &balanceOfCall { account }, &number(stake))
        .reply(OPTIMISM, STAKING, &earnedCall { account }, &number(earned))
        .reply(OPTIMISM, STAKING, &totalSupplyCall {}, &number(1_000))
        .reply(OPTIMISM, STAKING, &rewardRateCall {}, &number(7))
        .reply(OPTIMISM, STAKING, &periodFinishCall {}, &number(finish_s))
        .reply(OPTIMISM, STAKING, &stakingTokenCall {}, &TOKEN)
        .reply(OPTIMISM, STAKING, &rewardsTokenCall {}, &TOKEN)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("acme", OPTIMISM, question, ACCOUNT).token(TOKEN, 18).run::<Acme>(chain)
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Acme>(ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}

#[test]
fn what_is_earned_can_be_claimed() {
    let outcome = run(Question::CLAIMABLES, &chain(0, 5, NOW_S));
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 1), "{}", outcome.message);
    let found = outcome.claimables()[0];
    assert_eq!(found.payments, [Payment { token: TOKEN, amount: U256::from(5), ..Payment::default() }]);
    assert_eq!(found.steps[0].to, STAKING);
    assert_eq!(found.name, "{0x61baadcf22d2565b0f471b291c475db5555e0b76} reward");
}

#[test]
fn a_stake_earns_the_rate_until_its_period_is_over() {
    for (finish_s, per_second) in [(NOW_S + 1, 7), (NOW_S, 0)] {
        let outcome = run(Question::FARMING, &chain(40, 0, finish_s));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        let found = outcome.positions()[0];
        assert_eq!(found.legs[0].amount, U256::from(40));
        let rate = found.rewards[0].per_second.expect("the rate is known");
        assert_eq!(rate, U256::from(per_second));
    }
}

#[test]
fn an_account_with_nothing_gets_an_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &chain(0, 0, NOW_S));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn a_contract_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
    assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Acme>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert_eq!(records, 3);
}
