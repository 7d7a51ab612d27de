//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::withdraw_requests::WithdrawRequestsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, n, plugin};

sol! {
    function getOutstandingWithdrawRequests(address) external view returns (uint256);
    function withdrawRequests(address, uint256) external view returns (address, uint256, uint256, uint256, uint256);
    function coolDownPeriod() external view returns (uint256);
    function calculateAmountToRedeem(uint256, address) external view returns (uint256[][], uint256);
    function claim(uint256, address) external;
}

const NETWORK: u64 = 1;
const QUEUE: Address = address!("0xc000000000000000000000000000000000000001");
const PLACEHOLDER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
const STETH: Address = address!("0xa000000000000000000000000000000000000002");
const PERIOD: u64 = 1_000;

const TYPES: WithdrawRequestsKit = WithdrawRequestsKit { request: "request" };

plugin! {
    Requests: &TYPES,
    ["requests" = "REQUESTS"],
    r#"
    [[deployment]]
    protocol = "requests"
    network = "ethereum"
    request_queue = "0xc000000000000000000000000000000000000001"
    requested_token = "0xa000000000000000000000000000000000000001"
    "#
}

/// A request: token, promised amount, what it would be promised now, when it was made, and whether it would be paid.
type Request = (Address, u64, u64, u64, bool);

fn chain(requests: &[Request]) -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, QUEUE, &getOutstandingWithdrawRequestsCall(ACCOUNT), &U256::from(requests.len()))
        .reply(NETWORK, QUEUE, &coolDownPeriodCall {}, &n(PERIOD));
    (0..).zip(requests).fold(chain, |chain, (place, (token, promised, now, made, is_paid))| {
        let (index, locked) = (n(place), n(1_000 + place));
        let request = (*token, n(70 + place), n(*promised), locked, n(*made));
        let redeemed = calculateAmountToRedeemCall { _0: locked, _1: *token };
        let redeemed_now = (Vec::<Vec<U256>>::new(), n(*now)).abi_encode_params();
        let claim = claimCall { _0: index, _1: ACCOUNT };
        let paid = if *is_paid { ReadResult::Ok(Bytes::new()) } else { ReadResult::Reverted(Bytes::new()) };
        chain
            .reply(NETWORK, QUEUE, &withdrawRequestsCall { _0: ACCOUNT, _1: index }, &request)
            .result(NETWORK, QUEUE, &redeemed, ReadResult::Ok(redeemed_now.into()))
            .result(NETWORK, QUEUE, &claim, paid)
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("requests", NETWORK, question, ACCOUNT).run::<Requests>(chain)
}

const THREE: [Request; 3] = [
    (PLACEHOLDER, 100, 90, NOW_S - 2 * PERIOD, true),
    (STETH, 200, 300, NOW_S - 2 * PERIOD, true),
    (PLACEHOLDER, 50, 60, NOW_S - 1, false),
];

#[test]
fn the_last_request_that_would_be_paid_is_claimed() {
    let outcome = run(Question::CLAIMABLES, &chain(&THREE));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(n(71)), STETH, n(200))]);
    let claim = claimCall { _0: n(1), _1: ACCOUNT };
    let row = outcome.payments()[0];
    assert_eq!((row.claim.to, &row.claim.arguments[..]), (QUEUE, &claim.abi_encode()[4..]));
}

#[test]
fn the_other_requests_are_locked_until_their_time_is_over() {
    let outcome = run(Question::LOCKED, &chain(&THREE));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let rows: Vec<_> = outcome.positions();
    let told: Vec<_> = rows.iter().map(|row| (row.number, row.legs[0].amount)).collect();
    assert_eq!(told, [(Some(n(70)), n(90)), (Some(n(72)), n(50))]);
    let ends: Vec<_> = rows.iter().map(|row| row.lock.as_ref().and_then(|lock| lock.unlocks_at)).collect();
    assert_eq!(ends, [None, Some(NOW_S - 1 + PERIOD)]);
    outcome.check_totals(&run(Question::CLAIMABLES, &chain(&THREE)));
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &chain(&[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn a_queue_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
    assert_eq!(run(Question::LOCKED, &CannedReplies::default()).end, End::Failed);
    let many = chain(&THREE).reply(NETWORK, QUEUE, &getOutstandingWithdrawRequestsCall(ACCOUNT), &U256::MAX);
    let outcome = run(Question::LOCKED, &many);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 2), "{}", outcome.message);
}
