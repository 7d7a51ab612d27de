//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::vesting_escrows::VestingEscrowsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, claimed, list, n, one_row, plugin};

sol! {
    function escrows_length() external view returns (uint256);
    function escrows(uint256) external view returns (address);
    function recipient() external view returns (address);
    function token() external view returns (address);
    function unclaimed() external view returns (uint256);
    function locked() external view returns (uint256);
    function start_time() external view returns (uint256);
    function end_time() external view returns (uint256);
    function cliff_length() external view returns (uint256);
    function claim() external returns (uint256);
}

const NETWORK: u64 = 1;
const FACTORY: Address = address!("0xf000000000000000000000000000000000000001");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const OTHER: Address = address!("0xacc0000000000000000000000000000000000002");
/// The escrow of another account, and three of the account's.
const ESCROWS: [Address; 4] = [
    address!("0xe000000000000000000000000000000000000001"),
    address!("0xe000000000000000000000000000000000000002"),
    address!("0xe000000000000000000000000000000000000003"),
    address!("0xe000000000000000000000000000000000000004"),
];

const ESCROW: VestingEscrowsKit = VestingEscrowsKit { escrow: "escrow" };

plugin! {
    LlamaPay: &ESCROW,
    ["llamapay" = "LLAMAPAY"],
    r#"
    [[deployment]]
    protocol = "llamapay"
    network = "ethereum"
    escrow_factories = ["0xf000000000000000000000000000000000000001"]
    "#
}

/// What is unclaimed and locked in each of the account's escrows.
fn chain(amounts: [(u64, u64); 3]) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, FACTORY, &escrows_lengthCall {}, &n(4));
    let chain = chain.reply(NETWORK, ESCROWS[0], &recipientCall {}, &OTHER);
    let chain = (0..)
        .zip(ESCROWS)
        .fold(chain, |chain, (place, escrow)| chain.reply(NETWORK, FACTORY, &escrowsCall(n(place)), &escrow));
    ESCROWS[1..].iter().zip(amounts).fold(chain, |chain, (escrow, (unclaimed, locked))| {
        chain
            .reply(NETWORK, *escrow, &recipientCall {}, &ACCOUNT)
            .reply(NETWORK, *escrow, &tokenCall {}, &TOKEN)
            .reply(NETWORK, *escrow, &unclaimedCall {}, &n(unclaimed))
            .reply(NETWORK, *escrow, &lockedCall {}, &n(locked))
            .reply(NETWORK, *escrow, &start_timeCall {}, &n(NOW_S - 60))
            .reply(NETWORK, *escrow, &end_timeCall {}, &n(NOW_S + 40))
            .reply(NETWORK, *escrow, &cliff_lengthCall {}, &n(10))
    })
}

fn run(question: Question, account: Address, chain: &CannedReplies) -> Outcome {
    JobTest::new("llamapay", NETWORK, question, account).run::<LlamaPay>(chain)
}

#[test]
fn what_has_vested_can_be_claimed_and_the_rest_is_locked() {
    // The second was revoked, the third is over.
    let chain = chain([(20, 40), (5, 0), (0, 0)]);
    let claims = run(Question::CLAIMABLES, ACCOUNT, &chain);
    let locked = run(Question::LOCKED, ACCOUNT, &chain);
    assert_eq!((claims.end, locked.end), (End::Complete, End::Complete), "{} {}", claims.message, locked.message);
    assert_eq!(claimed(&claims), [(ESCROWS[1], TOKEN, n(20)), (ESCROWS[2], TOKEN, n(5))]);
    assert!(claims.claimables().iter().all(|row| row.steps[0].arguments.is_empty()));
    let [position] = locked.positions()[..] else { panic!("{} positions", locked.positions().len()) };
    assert_eq!((position.kind, position.contract), (PositionKind::VESTING, ESCROWS[1]));
    assert_eq!(position.legs, [Leg::new(LegRole::VESTING, TOKEN, n(40))]);
    let (start, cliff, end) = (Some(NOW_S - 60), Some(NOW_S - 50), Some(NOW_S + 40));
    assert_eq!(position.vesting, Some(Vesting { start, cliff, end, releasable: Some(n(20)) }));
    locked.check_totals(&claims);
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let nobody = Address::repeat_byte(7);
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, nobody, &chain([(20, 40), (5, 0), (0, 0)]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn an_escrow_that_cannot_be_read_costs_its_own_rows_and_is_reported() {
    let chain = chain([(20, 40), (5, 6), (0, 0)]);
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, ACCOUNT, &chain.clone().revert(NETWORK, ESCROWS[2], &lockedCall {}));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1), "{}", outcome.message);
        let job = JobTest::new("llamapay", NETWORK, question, ACCOUNT);
        assert_eq!(job.run::<LlamaPay>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn times_that_are_no_times_are_left_out() {
    let chain = chain([(20, 40), (0, 0), (0, 0)])
        .reply(NETWORK, ESCROWS[1], &start_timeCall {}, &U256::MAX)
        .reply(NETWORK, ESCROWS[1], &end_timeCall {}, &U256::MAX)
        .reply(NETWORK, ESCROWS[1], &cliff_lengthCall {}, &U256::MAX);
    let schedule = run(Question::LOCKED, ACCOUNT, &chain).positions()[0].vesting.expect("a schedule");
    assert_eq!((schedule.start, schedule.cliff, schedule.end), (None, None, None));
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<LlamaPay>(&one_row("llamapay", 10, vec![list("escrow_factories", [FACTORY])]));
    assert_eq!(catalogue.deployments[0].contracts, [FACTORY]);
}
