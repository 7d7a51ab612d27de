//! Each row of the table decodes a log that another encoder made, and the shipped rows answer about accounts.

use std::collections::BTreeSet;

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::{ARBITRUM, AVALANCHE, BASE, ETHEREUM, FANTOM, GNOSIS, OPTIMISM, POLYGON};
use portolan_plugin_api::testing::{self, CannedReplies, End, EventCases, JobTest};
use portolan_plugin_api::{Address, Question, U256, address, sol};

use super::{Balancer, TABLE};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json");

#[test]
fn every_row_decodes_a_log_of_balancer() {
    let cases = EventCases::load(CASES);
    cases.cover(TABLE);
    cases.check::<Balancer>();
}

sol! {
    function n_gauges() external view returns (uint256);
    function user_point_epoch(address) external view returns (uint256);
    function beets() external view returns (address);
    function poolLength() external view returns (uint256);
    function userInfo(uint256, address) external view returns (uint256, uint256);
    function rewarder(uint256) external view returns (address);
    function lpTokens(uint256) external view returns (address);
    function pendingBeets(uint256, address) external view returns (uint256);
}

const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");

#[test]
fn shipped_rows_answer_about_gauges_and_locks() {
    let [controller, escrow] =
        ["0xc128468b7ce63ea702c1f104d55a2566b13d3abd", "0xc128a9954e6c874ea3d62ce62b468ba073093f25"]
            .map(|address| address.parse::<Address>().unwrap());
    let chain = CannedReplies::default().reply(ETHEREUM, controller, &n_gaugesCall {}, &U256::ZERO).reply(
        ETHEREUM,
        escrow,
        &user_point_epochCall(ACCOUNT),
        &U256::ZERO,
    );
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = JobTest::new("balancer", ETHEREUM, question, ACCOUNT).run::<Balancer>(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn gauges_of_other_networks_are_read_as_the_address_book_lists_them() {
    let counts = [(OPTIMISM, 99), (GNOSIS, 51), (POLYGON, 127), (BASE, 101), (ARBITRUM, 197), (AVALANCHE, 49)];
    for (network, count) in counts {
        for question in [Question::CLAIMABLES, Question::FARMING] {
            // None of them holds anything here.
            let outcome =
                JobTest::new("balancer", network, question, ACCOUNT).run::<Balancer>(&CannedReplies::default());
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{network}: {}", outcome.message);
            let gauges = outcome.facts::<(Address, Address, bool)>("main", "gauges");
            let distinct: BTreeSet<Address> = gauges.iter().map(|(gauge, ..)| *gauge).collect();
            assert_eq!((gauges.len(), distinct.len()), (count, count), "{network}");
        }
    }
}

#[test]
fn the_shipped_chef_of_beethoven_x_pays_with_harvest() {
    let chef: Address = "0x8166994d9ebbe5829ec86bd81258149b87facfd3".parse().unwrap();
    let (beets, share) = (Address::repeat_byte(0xbe), Address::repeat_byte(0x5a));
    let pid = U256::ZERO;
    let chain = CannedReplies::default()
        .reply(FANTOM, chef, &beetsCall {}, &beets)
        .reply(FANTOM, chef, &poolLengthCall {}, &U256::ONE)
        .reply(FANTOM, chef, &userInfoCall { _0: pid, _1: ACCOUNT }, &(U256::from(3), U256::ONE))
        .reply(FANTOM, chef, &rewarderCall(pid), &Address::ZERO)
        .reply(FANTOM, chef, &lpTokensCall(pid), &share)
        .reply(FANTOM, chef, &pendingBeetsCall { _0: pid, _1: ACCOUNT }, &U256::from(7));
    let outcome = JobTest::new("beethovenx", FANTOM, Question::CLAIMABLES, ACCOUNT).run::<Balancer>(&chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let paid: Vec<_> = outcome.payments().into_iter().map(|row| (row.contract, row.token, row.amount)).collect();
    assert_eq!(paid, [(chef, beets, U256::from(7))]);
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Balancer>(&[
        &[("gauges", FORKED_LIST)],
        &[("gauge_controller", FORKED), ("minter", FORKED), ("minted_token", FORKED)],
        &[("gauge_factory", FORKED), ("minted_token", FORKED)],
        &[("vote_escrow", FORKED)],
        &[("pool_vault", FORKED), ("pool_factories", FORKED_LIST)],
        &[("pool_vault_v3", FORKED), ("pool_factories", FORKED_LIST)],
        &[("kind", "beets-chef"), ("chef", FORKED)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Balancer>(Balancer::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
