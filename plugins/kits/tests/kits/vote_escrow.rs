//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::vote_escrow::VoteEscrowKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, list, n, one_row, plugin, text};

sol! {
    function user_epoch_of(address) external view returns (uint256);
    function time_cursor_of(address) external view returns (uint256);
    function last_token_time() external view returns (uint256);
    function token() external view returns (address);
    function locked(address) external view returns (int128, uint256);
    function user_point_epoch(address) external view returns (uint256);
    function epoch(address) external view returns (uint256);
    function unlocked() external view returns (bool);
    function claim(address) external returns (uint256);
    function claimTokens(address, address[]) external returns (uint256[]);
}

const CURVE: u64 = 1;
const BALANCER: u64 = 137;
const YEARN: u64 = 8_453;
const STARGATE: u64 = 56;
const ESCROW: Address = address!("0xf000000000000000000000000000000000000001");
const OLD: Address = address!("0xf000000000000000000000000000000000000002");
const NEW: Address = address!("0xf000000000000000000000000000000000000003");
const CRV: Address = address!("0xa000000000000000000000000000000000000001");
const THREE_CRV: Address = address!("0xa000000000000000000000000000000000000002");
const USD: Address = address!("0xa000000000000000000000000000000000000003");

const TYPES: VoteEscrowKit = VoteEscrowKit { lock: "lock", fee: "fee" };

plugin! {
    Locks: &TYPES,
    ["locks" = "LOCKS"],
    r#"
    [[deployment]]
    protocol = "locks"
    network = "ethereum"
    vote_escrow = "0xf000000000000000000000000000000000000001"
    fee_distributors = [
        "0xf000000000000000000000000000000000000002",
        "0xf000000000000000000000000000000000000003",
    ]

    [[deployment]]
    protocol = "locks"
    network = "polygon"
    vote_escrow = "0xf000000000000000000000000000000000000001"
    fee_distributors = ["0xf000000000000000000000000000000000000003"]
    fee_tokens = [
        "0xa000000000000000000000000000000000000002",
        "0xa000000000000000000000000000000000000001",
        "0xa000000000000000000000000000000000000003",
    ]

    [[deployment]]
    protocol = "locks"
    network = "base"
    vote_escrow = "0xf000000000000000000000000000000000000001"
    fee_distributors = ["0xf000000000000000000000000000000000000003"]
    points = "epoch"

    [[deployment]]
    protocol = "locks"
    network = "smartchain"
    vote_escrow = "0xf000000000000000000000000000000000000001"
    unlockable = true
    "#
}

fn locked(network: u64, amount: i128, end: u64) -> CannedReplies {
    CannedReplies::default()
        .reply(network, ESCROW, &user_point_epochCall(ACCOUNT), &n(2))
        .reply(network, ESCROW, &tokenCall {}, &CRV)
        .result(network, ESCROW, &lockedCall(ACCOUNT), ReadResult::Ok((amount, n(end)).abi_encode().into()))
}

fn fees(chain: CannedReplies, owed: [u64; 2]) -> CannedReplies {
    chain
        .reply(CURVE, OLD, &tokenCall {}, &THREE_CRV)
        .reply(CURVE, NEW, &tokenCall {}, &USD)
        .reply(CURVE, OLD, &claimCall(ACCOUNT), &n(owed[0]))
        .reply(CURVE, NEW, &claimCall(ACCOUNT), &n(owed[1]))
}

fn run(network: u64, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("locks", network, question, ACCOUNT).run::<Locks>(chain)
}

#[test]
fn whoever_has_never_locked_anything_has_nothing_in_one_read() {
    let chain = CannedReplies::default().reply(CURVE, ESCROW, &user_point_epochCall(ACCOUNT), &U256::ZERO);
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(CURVE, question, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn a_lock_has_its_end_even_when_it_is_over() {
    for end in [NOW_S + 1, NOW_S - 1] {
        let outcome = run(CURVE, Question::LOCKED, &locked(CURVE, 5_000, end));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        let position = outcome.positions()[0];
        assert_eq!((position.kind, position.contract), (PositionKind::LOCKED, ESCROW));
        assert_eq!(position.lock, Some(Lock { unlocks_at: Some(end), is_permanent: Some(false) }));
        assert_eq!(position.legs, [Leg::new(LegRole::LOCKED, CRV, n(5_000))]);
    }
    let withdrawn = run(CURVE, Question::LOCKED, &locked(CURVE, 0, 0));
    assert_eq!((withdrawn.end, withdrawn.findings.len()), (End::Complete, 0));
    let nonsense = run(CURVE, Question::LOCKED, &locked(CURVE, -1, 0));
    assert_eq!((nonsense.end, nonsense.findings.len()), (End::Failed, 0));
}

#[test]
fn a_lock_that_was_let_go_with_all_others_ends_now() {
    let chain = locked(STARGATE, 5_000, NOW_S + 9);
    for (unlocked, end) in [(false, NOW_S + 9), (true, NOW_S)] {
        let outcome =
            run(STARGATE, Question::LOCKED, &chain.clone().reply(STARGATE, ESCROW, &unlockedCall {}, &unlocked));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].lock.and_then(|lock| lock.unlocks_at), Some(end));
    }
    assert_eq!(run(STARGATE, Question::LOCKED, &chain).end, End::Failed, "whether it was is a part of the answer");
}

#[test]
fn a_fork_may_count_what_an_account_has_locked_by_another_name() {
    let chain = |points: u64| {
        CannedReplies::default()
            .reply(YEARN, ESCROW, &epochCall(ACCOUNT), &n(points))
            .reply(YEARN, ESCROW, &tokenCall {}, &CRV)
            .reply(YEARN, ESCROW, &lockedCall(ACCOUNT), &(n(9), n(NOW_S + 1)))
            .reply(YEARN, NEW, &tokenCall {}, &USD)
            .reply(YEARN, NEW, &claimCall(ACCOUNT), &n(4))
    };
    for (points, found) in [(0, 0), (1, 1)] {
        for question in [Question::CLAIMABLES, Question::LOCKED] {
            let outcome = run(YEARN, question, &chain(points));
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, found), "{}", outcome.message);
        }
    }
    let locked = run(YEARN, Question::LOCKED, &chain(1));
    assert_eq!(locked.legs().iter().map(|leg| (leg.token, leg.amount)).collect::<Vec<_>>(), [(CRV, n(9))]);
}

#[test]
fn each_distributor_that_owes_has_a_claim_of_its_own() {
    // A withdrawn lock may still be owed fees for its time.
    for (owed, expected) in
        [([3, 7], vec![(OLD, THREE_CRV, n(3)), (NEW, USD, n(7))]), ([0, 1], vec![(NEW, USD, n(1))]), ([0, 0], vec![])]
    {
        let outcome = run(CURVE, Question::CLAIMABLES, &fees(locked(CURVE, 0, 0), owed));
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
        assert_eq!(found, expected);
        assert!(outcome.payments().iter().all(|row| row.claim.arguments == ACCOUNT.abi_encode()));
    }
}

#[test]
fn a_distributor_that_was_stopped_costs_its_own_fees() {
    let chain = fees(locked(CURVE, 5, NOW_S + 1), [3, 7]).revert(CURVE, OLD, &claimCall(ACCOUNT));
    let outcome = run(CURVE, Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 1), "{}", outcome.message);
    assert!(outcome.message.contains(&OLD.to_string()), "{}", outcome.message);
}

#[test]
fn one_claim_may_pay_several_tokens() {
    let tokens = vec![THREE_CRV, CRV, USD];
    let call = claimTokensCall { _0: ACCOUNT, _1: tokens.clone() };
    let chain = locked(BALANCER, 5, NOW_S + 1).reply(BALANCER, NEW, &call, &vec![n(4), U256::ZERO, n(9)]);
    let outcome = run(BALANCER, Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 1), "{}", outcome.message);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    assert_eq!(found, [(NEW, THREE_CRV, n(4)), (NEW, USD, n(9))]);
    let short = locked(BALANCER, 5, NOW_S + 1).reply(BALANCER, NEW, &call, &vec![n(4)]);
    let outcome = run(BALANCER, Question::CLAIMABLES, &short);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0));
}

#[test]
fn a_fork_is_a_row_of_settings() {
    let settings = |keys| one_row("locks", 10, keys);
    let named = |points: &str| settings(vec![text("vote_escrow", ESCROW), text("points", points)]);
    let error = testing::settings_error::<Locks>(&named("an epoch"));
    assert_eq!(error.and_then(|error| error.key).as_deref(), Some("points"));
    assert_eq!(testing::catalogue::<Locks>(&named("epoch")).deployments[0].questions, [Question::LOCKED]);
    let keys = vec![text("vote_escrow", ESCROW), list("fee_distributors", [OLD, NEW])];
    let catalogue = testing::catalogue::<Locks>(&settings(keys));
    assert_eq!(catalogue.deployments[0].contracts, [ESCROW, OLD, NEW]);
    assert_eq!(catalogue.deployments[0].questions, [Question::CLAIMABLES, Question::LOCKED]);
}

#[test]
fn a_distributor_that_owes_for_more_than_one_claim_counts_is_told() {
    const WEEK_S: u64 = 7 * 86_400;
    let chain = |changes: u64, counted: u64, weeks: u64| {
        fees(locked(CURVE, 5, 1), [7, 0])
            .reply(CURVE, ESCROW, &user_point_epochCall(ACCOUNT), &n(changes))
            .reply(CURVE, OLD, &user_epoch_ofCall(ACCOUNT), &n(counted))
            .reply(CURVE, OLD, &time_cursor_ofCall(ACCOUNT), &n(WEEK_S))
            .reply(CURVE, OLD, &last_token_timeCall {}, &n(WEEK_S * (weeks + 1)))
    };
    for (changes, counted, weeks, is_told) in
        [(52, 2, 50, false), (53, 2, 50, true), (2, 1, 51, true), (1, 1, 0, false)]
    {
        let outcome = run(CURVE, Question::CLAIMABLES, &chain(changes, counted, weeks));
        assert_eq!((outcome.end == End::Partial, outcome.claimables().len()), (is_told, 1), "{}", outcome.message);
        let told = format!("main: {OLD} owes for more than the 50 weeks or changes that one claim counts");
        assert_eq!(outcome.not_covered, if is_told { vec![told] } else { Vec::new() });
    }
    // An account that never claimed has no week to continue from.
    let never = chain(2, 0, 500).reply(CURVE, OLD, &time_cursor_ofCall(ACCOUNT), &U256::ZERO);
    assert_eq!(run(CURVE, Question::CLAIMABLES, &never).end, End::Complete);
}
