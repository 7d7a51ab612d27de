//! Each row of the table decodes a log that another encoder made, and the shipped rows answer about accounts.

use portolan_plugin_api::networks::ETHEREUM;
use portolan_plugin_api::testing::{CannedReplies, End, EventCases, JobTest};
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
