//! Mistakes of a test of a plugin: the test fails and says what would be right.

use portolan_plugin_api::testing::{CannedReplies, JobTest, Replies};
use portolan_plugin_api::{Bytes, Question, SolCall, U256};

use crate::scenario::{ACCOUNT, NETWORK, Play, TARGET, contract, found, scenario, value, valueCall};

scenario!(OneRead, |cx| { Ok(vec![found(value(cx, 1).await?)]) });

fn run(protocol: &str, network: u64, question: Question) {
    JobTest::new(protocol, network, question, ACCOUNT).run::<Play<OneRead>>(contract);
}

#[test]
#[should_panic = "the catalogue has no deployment of `acne`; its protocols are {\"acme\"}"]
fn a_protocol_that_the_catalogue_lacks() {
    run("acne", NETWORK, Question::CLAIMABLES);
}

#[test]
#[should_panic = "`acme` has no deployment on chain 10; it has on {137}"]
fn a_network_that_the_catalogue_lacks() {
    run("acme", 10, Question::CLAIMABLES);
}

#[test]
#[should_panic = "no deployment of `acme` on chain 137 declares `farming`; declared are {\"claimables\"}"]
fn a_question_that_no_deployment_declares() {
    run("acme", NETWORK, Question::FARMING);
}

#[test]
fn a_read_without_a_canned_reply_is_described_with_the_replies_that_are_most_like_it() {
    let call = |of: u64| valueCall { of: U256::from(of) };
    let canned = CannedReplies::default()
        .reply(NETWORK, ACCOUNT, &call(1), &U256::from(3))
        .reply(10, TARGET, &call(1), &U256::from(3))
        .balance(NETWORK, TARGET, U256::from(5));
    let mut described = Vec::new();
    let outcome = JobTest::new("acme", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Play<OneRead>>(|request: &_| {
        described.extend((&canned).describe_missing(request));
        (&mut &canned).reply(request)
    });
    assert_eq!(outcome.message, format!("value(uint256) of {TARGET}: no contract"));
    let data = Bytes::from(call(1).abi_encode());
    let expected = format!(
        "no canned reply to a call of {TARGET} on chain 137 with {data}; it finds nothing. There are replies to:
  a call of {TARGET} on chain 10 with {data}
  the native balance of {TARGET} on chain 137
  a call of {ACCOUNT} on chain 137 with {data}"
    );
    assert_eq!(described, [expected]);
}
