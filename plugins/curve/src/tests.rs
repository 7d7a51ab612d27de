//! Each row of the table decodes a log that another encoder made, and the shipped rows answer about accounts.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::{ARBITRUM, ETHEREUM};
use portolan_plugin_api::testing::{self, CannedReplies, End, EventCases, JobTest};
use portolan_plugin_api::{Address, Question, Settings, U256, address, sol};

use super::{Curve, TABLE};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");

#[test]
fn every_row_decodes_a_log_of_curve() {
    let cases = EventCases::load(CASES);
    cases.cover(TABLE);
    cases.check::<Curve>();
}

sol! {
    function n_gauges() external view returns (uint256);
    function get_gauge_count() external view returns (uint256);
    function user_point_epoch(address) external view returns (uint256);
    function n_collaterals() external view returns (uint256);
    function market_count() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
}

const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

/// Ethereum and Arbitrum with empty lists, at the addresses of Curve's own documentation.
fn empty() -> CannedReplies {
    let [controller, escrow, crvusd, lending, second, here, old, new] = [
        "0x2f50d538606fa9edd2b11e2446beb18c9d5846bb",
        "0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2",
        "0xc9332fdcb1c491dcc683bae86fe3cb70360738bc",
        "0xea6876dde9e3467564acbee1ed5bac88783205e0",
        "0x8f6b56ec5ddf1f2691a1059f1d3cd97ac9eab0bd",
        "0xcaec110c784c9df37240a8ce096d352a75922dea",
        "0xabc000d88f23bb45525e447528dbf656a9d55bf5",
        "0x988d1037e9608b21050a8efba0c6c45e01a3bce7",
    ]
    .map(|address| address.parse::<Address>().unwrap());
    let vesting = [
        "0x575ccd8e2d300e2377b43478339e364000318e2c",
        "0xd2d43555134dc575bf7279f4ba18809645db0f1d",
        "0x2a7d59e327759acd5d11a8fb652bf4072d28ac04",
        "0x679fcb9b33fc4ae10ff4f96caef49c1ae3f8fa67",
    ]
    .map(|address| address.parse::<Address>().unwrap());
    let nothing = |replies: CannedReplies, at| replies.reply(ETHEREUM, at, &balanceOfCall(ACCOUNT), &U256::ZERO);
    vesting
        .into_iter()
        .fold(CannedReplies::default(), nothing)
        .reply(ETHEREUM, controller, &n_gaugesCall {}, &U256::ZERO)
        .reply(ETHEREUM, escrow, &user_point_epochCall(ACCOUNT), &U256::ZERO)
        .reply(ETHEREUM, crvusd, &n_collateralsCall {}, &U256::ZERO)
        .reply(ETHEREUM, lending, &market_countCall {}, &U256::ZERO)
        .reply(ETHEREUM, second, &market_countCall {}, &U256::ZERO)
        .reply(ARBITRUM, here, &market_countCall {}, &U256::ZERO)
        .reply(ARBITRUM, old, &get_gauge_countCall {}, &U256::ZERO)
        .reply(ARBITRUM, new, &get_gauge_countCall {}, &U256::ZERO)
}

#[test]
fn shipped_rows_answer_about_gauges_locks_and_loans() {
    let questions = [Question::CLAIMABLES, Question::FARMING, Question::LENDING];
    for (network, questions) in
        [(ETHEREUM, &[&questions[..], &[Question::LOCKED]].concat()), (ARBITRUM, &questions.to_vec())]
    {
        for question in questions {
            let outcome = JobTest::new("curve", network, *question, ACCOUNT).run::<Curve>(&empty());
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{network}: {}", outcome.message);
        }
    }
}

#[test]
fn each_shipped_row_stands_once() {
    let catalogue = testing::catalogue::<Curve>(&Settings::default());
    let places = catalogue.deployments.iter().map(|row| (row.chain_id, &row.market));
    assert_eq!(places.collect::<std::collections::BTreeSet<_>>().len(), catalogue.deployments.len());
}

#[test]
fn recorded_jobs_find_what_the_arithmetic_says() {
    let records = testing::replay_all::<Curve>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    assert!(records >= 3, "nothing, typical, edge: only {records} are there");
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Curve>(&[
        &[("gauge_controller", FORKED), ("minter", FORKED), ("minted_token", FORKED)],
        &[("gauge_factory", FORKED), ("minted_token", FORKED)],
        &[("gauges", FORKED_LIST)],
        &[("vote_escrow", FORKED), ("fee_distributors", FORKED_LIST), ("fee_tokens", FORKED_LIST)],
        &[("crvusd_factory", FORKED)],
        &[("lending_factory", FORKED)],
        &[("market_factory", FORKED)],
        &[("meta_registry", FORKED)],
        &[("known_gaps", FORKED_LIST)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Curve>(Curve::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
