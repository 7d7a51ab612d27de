//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::token_plans::TokenPlansKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, list, n, one_row, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
    function plans(uint256) external view returns (address, uint256, uint256, uint256, uint256, uint256);
    function planBalanceOf(uint256 planId, uint256 timeStamp, uint256 redemptionTime) external view returns (uint256, uint256, uint256);
    function planEnd(uint256) external view returns (uint256);
    function redeemPlans(uint256[]) external;
}

const NETWORK: u64 = 1;
const VESTING: Address = address!("0xf000000000000000000000000000000000000001");
const LOCKUP: Address = address!("0xf000000000000000000000000000000000000002");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const END: u64 = NOW_S + 500;

const PLANS: TokenPlansKit = TokenPlansKit { plan: "plan" };

plugin! {
    Hedgey: &PLANS,
    ["hedgey" = "HEDGEY"],
    r#"
    [[deployment]]
    protocol = "hedgey"
    network = "ethereum"
    token_plans = ["0xf000000000000000000000000000000000000001", "0xf000000000000000000000000000000000000002"]
    "#
}

fn nothing() -> CannedReplies {
    [VESTING, LOCKUP]
        .into_iter()
        .fold(CannedReplies::default(), |chain, of| chain.reply(NETWORK, of, &balanceOfCall(ACCOUNT), &n(0)))
}

/// The account has these plans of the contract: id, what is unlocked and what is not.
fn plans(chain: CannedReplies, of: Address, plans: &[(u64, u64, u64)]) -> CannedReplies {
    let count = U256::from(plans.len());
    let chain = chain.reply(NETWORK, of, &balanceOfCall(ACCOUNT), &count);
    (0..).zip(plans).fold(chain, |chain, (place, (id, unlocked, locked))| {
        let terms = (TOKEN, n(unlocked + locked), n(NOW_S - 100), n(NOW_S - 50), n(1), n(1), ACCOUNT, true);
        chain
            .reply(NETWORK, of, &tokenOfOwnerByIndexCall { owner: ACCOUNT, index: n(place) }, &n(*id))
            .reply(NETWORK, of, &plansCall(n(*id)), &terms)
            .reply(
                NETWORK,
                of,
                &planBalanceOfCall { planId: n(*id), timeStamp: n(NOW_S), redemptionTime: n(NOW_S) },
                &(n(*unlocked), n(*locked), n(NOW_S)),
            )
            .reply(NETWORK, of, &planEndCall(n(*id)), &n(END))
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("hedgey", NETWORK, question, ACCOUNT).run::<Hedgey>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &nothing());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
    }
}

#[test]
fn what_is_unlocked_can_be_redeemed_and_the_rest_vests() {
    let chain = plans(plans(nothing(), VESTING, &[(3, 20, 80), (7, 0, 9)]), LOCKUP, &[(3, 5, 0)]);
    let (claims, locked) = (run(Question::CLAIMABLES, &chain), run(Question::LOCKED, &chain));
    assert_eq!((claims.end, locked.end), (End::Complete, End::Complete), "{} {}", claims.message, locked.message);
    assert_eq!(by_number(&claims), [(Some(n(3)), TOKEN, n(20)), (Some(n(3)), TOKEN, n(5))]);
    let first = claims.claimables()[0];
    assert_eq!((first.steps[0].to, &first.steps[0].arguments), (VESTING, &vec![n(3)].abi_encode()));
    assert!(first.steps[0].mergeable.is_some());
    let [one, other] = locked.positions()[..] else { panic!("{} positions", locked.positions().len()) };
    assert_eq!((one.contract, one.number, one.legs[0].amount), (VESTING, Some(n(3)), n(80)));
    let schedule =
        Vesting { start: Some(NOW_S - 100), cliff: Some(NOW_S - 50), end: Some(END), releasable: Some(n(20)) };
    assert_eq!((one.kind, one.vesting), (PositionKind::VESTING, Some(schedule)));
    assert_eq!((other.number, other.legs[0].amount), (Some(n(7)), n(9)));
    locked.check_totals(&claims);
}

#[test]
fn a_plan_that_cannot_be_read_costs_its_own_rows_and_is_reported() {
    let chain = plans(nothing(), VESTING, &[(3, 20, 80), (7, 1, 9)]);
    let chain = chain.revert(
        NETWORK,
        VESTING,
        &planBalanceOfCall { planId: n(7), timeStamp: n(NOW_S), redemptionTime: n(NOW_S) },
    );
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1), "{}", outcome.message);
        let job = JobTest::new("hedgey", NETWORK, question, ACCOUNT);
        assert_eq!(job.run::<Hedgey>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn times_that_are_no_times_are_left_out() {
    let chain = plans(nothing(), VESTING, &[(3, 20, 80)]);
    let terms = (TOKEN, U256::MAX, U256::MAX, U256::ZERO, U256::MAX, U256::ZERO);
    let chain =
        chain.reply(NETWORK, VESTING, &plansCall(n(3)), &terms).reply(NETWORK, VESTING, &planEndCall(n(3)), &U256::MAX);
    let schedule = run(Question::LOCKED, &chain).positions()[0].vesting.expect("a schedule");
    assert_eq!((schedule.start, schedule.cliff, schedule.end), (None, None, None));
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<Hedgey>(&one_row("hedgey", 10, vec![list("token_plans", [LOCKUP])]));
    assert_eq!(catalogue.deployments[0].contracts, [LOCKUP]);
}
