//! The plugin through the real binary interface: lists of farms on four networks, and a settings file.
//!
//! The kit's tests cover farms that misbehave; these cover what Hop makes of them.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::OPTIMISM;
use portolan_plugin_api::testing::{self, End, EventCases, JobTest, Outcome, ReadRequest, ReadResult, map};
use portolan_plugin_api::{Address, Question, Settings, SolCall, SolValue, U256, address, sol};

use crate::{Hop, TABLE};

sol! {
    function rewardsToken() external view returns (address);
    function stakingToken() external view returns (address);
    function earned(address account) external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

const USDC_FARM: Address = address!("0xf587b9309c603feedf0445af4d3b21300989e93a");
const SHARE: Address = address!("0x2e17b8193566345a2dd467183526dedc42d2d5a8");
const HOP_TOKEN: Address = address!("0xc5102fe9359fd9a28f877a67e36b0f050d81a3cc");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");
const NOW_S: u64 = 1_700_000_000; // The block of a `JobTest`.

fn n(number: u64) -> ReadResult {
    ReadResult::Ok(U256::from(number).abi_encode().into())
}

/// Every farm is there; one has a stake of 40 that earned 6.
fn chain(request: &ReadRequest) -> ReadResult {
    let selector: [u8; 4] = request.data[..4].try_into().expect("a call has a selector");
    let holds = request.to == USDC_FARM;
    match selector {
        _ if request.to == SHARE => ReadResult::Reverted(Vec::new().into()), // A share of Hop's is no pair.
        earnedCall::SELECTOR => n(if holds { 6 } else { 0 }),
        balanceOfCall::SELECTOR => n(if holds { 40 } else { 0 }),
        rewardsTokenCall::SELECTOR => ReadResult::Ok(HOP_TOKEN.abi_encode().into()),
        stakingTokenCall::SELECTOR => ReadResult::Ok(SHARE.abi_encode().into()),
        rewardRateCall::SELECTOR => n(3),
        periodFinishCall::SELECTOR => n(NOW_S + 1),
        totalSupplyCall::SELECTOR => n(400),
        _ => ReadResult::Reverted(Vec::new().into()),
    }
}

fn run(network: u64, question: Question, replies: impl FnMut(&ReadRequest) -> ReadResult) -> Outcome {
    JobTest::new("hop", network, question, ACCOUNT).run::<Hop>(replies)
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

#[test]
fn what_is_earned_is_claimed_from_its_farm() {
    let outcome = run(OPTIMISM, Question::CLAIMABLES, chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.contract, row.claim.to, row.token), (USDC_FARM, USDC_FARM, HOP_TOKEN));
    assert_eq!((row.amount, row.mechanism.as_str()), (word(6), "hop-reward"));
    assert_eq!(row.name, format!("{{{SHARE:#x}}} reward"));
    assert_eq!(outcome.batches[0], 9);
}

#[test]
fn a_stake_is_reported_with_its_rate() {
    let outcome = run(OPTIMISM, Question::FARMING, chain);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.legs()[0];
    assert_eq!((row.token, row.amount, row.total), (SHARE, word(40), Some(word(400))));
    assert_eq!((row.mechanism.as_str(), row.rewards[0].per_second), ("hop-staking-rewards", Some(word(3))));
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for (network, farms) in [(137, 9), (42_161, 9), (8_453, 2)] {
        for question in [Question::CLAIMABLES, Question::FARMING] {
            let outcome = run(network, question, chain);
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
            assert_eq!(outcome.batches, [farms]);
        }
    }
}

#[test]
fn a_bad_farm_leaves_the_others_rows() {
    let bad = address!("0x95d6a95becfd98a7032ed0c7d950ff6e0fa8d697");
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome =
            run(OPTIMISM, question, |request| if request.to == bad { ReadResult::GasCap } else { chain(request) });
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1));
        assert!(outcome.message.contains(&bad.to_string()), "{}", outcome.message);
    }
}

/// How many protocols, deployments of staking and deployments of bridges the catalogue has.
fn served(settings: &Settings) -> (usize, usize, usize) {
    let hop = testing::catalogue::<Hop>(settings);
    let bridges = hop.deployments.iter().filter(|row| row.questions == [Question::EVENTS]).count();
    (hop.protocols.len(), hop.deployments.len() - bridges, bridges)
}

#[test]
fn a_settings_file_replaces_a_networks_list() {
    let farms = map::SettingsValue::List(vec![map::SettingsValue::Text(USDC_FARM.to_string())]);
    let keys = vec![map::SettingsKey { key: "farms".to_owned(), value: farms }];
    let row = map::SettingsRow { protocol: "hop".to_owned(), chain_id: OPTIMISM, market: "main".to_owned(), keys };
    let settings = Settings::from_rows(true, Vec::new(), vec![row]);
    assert_eq!(served(&settings), (1, 4, 11));
    let case = JobTest::new("hop", OPTIMISM, Question::CLAIMABLES, ACCOUNT).settings(settings);
    assert_eq!(case.run::<Hop>(chain).batches[0], 1);
}

#[test]
fn a_settings_file_leaves_bridges_out_with_everything_that_ships() {
    let served = |shipped: bool| served(&Settings::from_rows(shipped, Vec::new(), Vec::new()));
    assert_eq!((served(true), served(false)), ((1, 4, 11), (0, 0, 0)));
}

#[test]
fn the_logs_of_bridges_are_reported_as_what_they_mean() {
    let cases = EventCases::load(concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json"));
    cases.cover(TABLE);
    assert!(cases.check::<Hop>() >= 11);
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Hop>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Hop>(&[&[("factory", FORKED)], &[("farms", FORKED_LIST)], &[("contracts", FORKED_LIST)]]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Hop>(Hop::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
