//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::known_gaps::KnownGapsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, list, one_row, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function locks(address) external view returns (int128, uint256);
}

const NETWORK: u64 = 1;
const FIRST: Address = Address::repeat_byte(1);
const SECOND: Address = Address::repeat_byte(2);
const QUESTIONS: [Question; 2] = [Question::CLAIMABLES, Question::FARMING];

plugin! {
    Fork: &KnownGapsKit,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    known_gaps = ["0x0101010101010101010101010101010101010101", "0x0202020202020202020202020202020202020202"]
    gap_views = ["balanceOf", "locks"]
    gap_names = ["the first stake", "the second"]
    "#
}

/// The second contract's view returns more words after the amount.
fn run(question: Question, [first, second]: [u64; 2]) -> Outcome {
    let chain = CannedReplies::default().reply(NETWORK, FIRST, &balanceOfCall(ACCOUNT), &U256::from(first)).reply(
        NETWORK,
        SECOND,
        &locksCall(ACCOUNT),
        &(U256::from(second), U256::from(9)),
    );
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Fork>(&chain)
}

#[test]
fn who_has_something_there_is_told_of_it() {
    for question in QUESTIONS {
        let outcome = run(question, [0, 1]);
        let told = format!("the second at {SECOND} holds something of this account, and is not read");
        assert_eq!((outcome.findings.len(), &outcome.not_covered), (0, &vec![told]));
        assert_eq!(run(question, [7, 1]).not_covered.len(), 2);
    }
}

#[test]
fn whoever_has_nothing_there_gets_a_whole_answer_in_one_batch() {
    for question in QUESTIONS {
        let outcome = run(question, [0, 0]);
        assert_eq!((outcome.end, outcome.findings.len(), outcome.not_covered.len()), (End::Complete, 0, 0));
        assert_eq!(outcome.batches, [2]);
    }
}

#[test]
fn a_contract_that_cannot_be_read_is_missing() {
    let chain = CannedReplies::default().reply(NETWORK, SECOND, &locksCall(ACCOUNT), &(U256::ZERO, U256::ZERO));
    let broken = chain.revert(NETWORK, FIRST, &balanceOfCall(ACCOUNT));
    let outcome = JobTest::new("fork", NETWORK, Question::FARMING, ACCOUNT).run::<Fork>(&broken);
    assert_eq!((outcome.end, outcome.not_covered.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn a_row_of_settings_has_contracts() {
    let rows = testing::catalogue::<Fork>(&one_row("fork", 10, vec![list("known_gaps", [SECOND])])).deployments;
    assert_eq!((&rows[0].contracts, &rows[0].questions), (&vec![SECOND], &QUESTIONS.to_vec()));
}
