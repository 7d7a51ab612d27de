//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::withdrawal_queue::WithdrawalQueueKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, by_number, n, plugin};

sol! {
    struct Status { uint256 amount; uint256 shares; address owner; uint256 timestamp; bool isFinalized; bool isClaimed; }
    function getWithdrawalRequests(address) external view returns (uint256[]);
    function getWithdrawalStatus(uint256[]) external view returns (Status[]);
    function getLastCheckpointIndex() external view returns (uint256);
    function findCheckpointHints(uint256[], uint256, uint256) external view returns (uint256[]);
    function getClaimableEther(uint256[], uint256[]) external view returns (uint256[]);
    function claimWithdrawals(uint256[], uint256[]) external;
}

const NETWORK: u64 = 1;
const QUEUE: Address = address!("0xc000000000000000000000000000000000000001");
const STETH: Address = address!("0xa000000000000000000000000000000000000001");

const TYPES: WithdrawalQueueKit = WithdrawalQueueKit { queue: "queue" };

plugin! {
    Queue: &TYPES,
    ["queue" = "QUEUE"],
    r#"
    [[deployment]]
    protocol = "queue"
    network = "ethereum"
    withdrawal_queue = "0xc000000000000000000000000000000000000001"
    queued_token = "0xa000000000000000000000000000000000000001"
    "#
}

fn words(numbers: &[u64]) -> Vec<U256> {
    numbers.iter().copied().map(U256::from).collect()
}

fn status(amount: u64, is_final: bool, is_claimed: bool) -> Status {
    Status {
        amount: n(amount),
        shares: n(amount),
        owner: ACCOUNT,
        timestamp: n(1_600_000_000),
        isFinalized: is_final,
        isClaimed: is_claimed,
    }
}

fn listed(ids: &[u64]) -> CannedReplies {
    CannedReplies::default().reply(NETWORK, QUEUE, &getWithdrawalRequestsCall(ACCOUNT), &words(ids))
}

/// Requests 41 of 20, which is paid 19, 42 of 30, which waits, and 43 of 10, whose checkpoint is newer than the index.
fn chain() -> CannedReplies {
    let ids = words(&[41, 42, 43]);
    let statuses = vec![status(20, true, false), status(30, false, false), status(10, true, false)];
    let hints = findCheckpointHintsCall { _0: ids.clone(), _1: n(1), _2: n(900) };
    listed(&[43, 42, 41])
        .reply(NETWORK, QUEUE, &getLastCheckpointIndexCall {}, &n(900))
        .reply(NETWORK, QUEUE, &getWithdrawalStatusCall(ids), &statuses)
        .reply(NETWORK, QUEUE, &hints, &words(&[555, 0, 0]))
        .reply(NETWORK, QUEUE, &getClaimableEtherCall { _0: words(&[41]), _1: words(&[555]) }, &words(&[19]))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("queue", NETWORK, question, ACCOUNT).run::<Queue>(chain)
}

#[test]
fn a_request_whose_time_has_come_is_claimed_with_its_hint() {
    let outcome = run(Question::CLAIMABLES, &chain());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(n(41)), NATIVE, n(19))]);
    let claim = claimWithdrawalsCall { _0: words(&[41]), _1: words(&[555]) };
    let found = outcome.claimables()[0];
    assert_eq!((found.steps[0].to, &found.steps[0].arguments[..]), (QUEUE, &claim.abi_encode()[4..]));
    assert!(found.steps[0].mergeable.is_some());
    assert_eq!(outcome.batches, [1, 2, 1, 1]);
}

#[test]
fn the_other_requests_are_locked() {
    let outcome = run(Question::LOCKED, &chain());
    let legs: Vec<_> = outcome.legs().iter().map(|leg| (leg.number, leg.token, leg.amount)).collect();
    assert_eq!(legs, [(Some(n(42)), STETH, n(30)), (Some(n(43)), STETH, n(10))]);
    outcome.check_totals(&run(Question::CLAIMABLES, &chain()));
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &listed(&[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn lists_of_other_lengths_are_a_failure_and_not_an_empty_answer() {
    let ids = words(&[41, 42, 43]);
    let fewer = chain().reply(NETWORK, QUEUE, &getWithdrawalStatusCall(ids), &vec![status(20, true, false)]);
    assert_eq!(run(Question::LOCKED, &fewer).end, End::Failed);
    let paid = getClaimableEtherCall { _0: words(&[41]), _1: words(&[555]) };
    let none = chain().reply(NETWORK, QUEUE, &paid, &words(&[]));
    assert_eq!(run(Question::CLAIMABLES, &none).end, End::Failed);
    assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
}
