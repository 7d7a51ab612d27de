//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::vester::VesterKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, n, one_row, plugin, text};

sol! {
    function esToken() external view returns (address);
    function claimableToken() external view returns (address);
    function vestingDuration() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function cumulativeClaimAmounts(address) external view returns (uint256);
    function claimedAmounts(address) external view returns (uint256);
    function lastVestingTimes(address) external view returns (uint256);
    function claimable(address) external view returns (uint256);
    function claim() external returns (uint256);
}

const NETWORK: u64 = 42_161;
/// The block of a `JobTest`.
const VESTER: Address = Address::repeat_byte(1);
const GMX: Address = Address::repeat_byte(2);
const ES_GMX: Address = Address::repeat_byte(3);
const TYPES: VesterKit = VesterKit { vester: "vester" };

plugin! {
    Gmx: &TYPES,
    ["gmx" = "GMX"],
    r#"
    [[deployment]]
    protocol = "gmx"
    network = "arbitrum"
    vester = "0x0101010101010101010101010101010101010101"
    "#
}

/// State of an account in a vester of a thousand seconds: its balance, the amount vested and the part claimed at its
/// last change, this many seconds ago.
fn vester(balance: u64, vested: u64, claimed: u64, ago_s: u64) -> CannedReplies {
    let next = ((balance + vested) * ago_s / 1_000).min(balance);
    let claimable = n(vested - claimed + next);
    CannedReplies::default()
        .reply(NETWORK, VESTER, &esTokenCall {}, &ES_GMX)
        .reply(NETWORK, VESTER, &claimableTokenCall {}, &GMX)
        .reply(NETWORK, VESTER, &vestingDurationCall {}, &n(1_000))
        .reply(NETWORK, VESTER, &balanceOfCall(ACCOUNT), &n(balance))
        .reply(NETWORK, VESTER, &cumulativeClaimAmountsCall(ACCOUNT), &n(vested))
        .reply(NETWORK, VESTER, &claimedAmountsCall(ACCOUNT), &n(claimed))
        .reply(NETWORK, VESTER, &lastVestingTimesCall(ACCOUNT), &n(NOW_S - ago_s))
        .reply(NETWORK, VESTER, &claimableCall(ACCOUNT), &claimable)
        .reply(NETWORK, VESTER, &claimCall {}, &claimable)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("gmx", NETWORK, question, ACCOUNT).run::<Gmx>(chain)
}

/// Returns the amount yet to vest, and the end of vesting.
fn vesting(chain: &CannedReplies) -> Vec<(U256, Option<u64>)> {
    let outcome = run(Question::LOCKED, chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let row = |row: &&Position| (row.legs[0].amount, row.lock.and_then(|lock| lock.unlocks_at));
    outcome.positions().iter().map(row).collect()
}

fn paid(chain: &CannedReplies) -> Vec<(Address, Address, U256)> {
    let outcome = run(Question::CLAIMABLES, chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_read() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &vester(0, 0, 0, NOW_S));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn what_is_deposited_vests_evenly_and_can_be_claimed_as_it_does() {
    // 300 of a thousand seconds are over: 300 of a thousand have vested.
    let chain = vester(1_000, 0, 0, 300);
    assert_eq!(vesting(&chain), [(n(700), Some(NOW_S + 700))]);
    assert_eq!(paid(&chain), [(VESTER, GMX, n(300))]);
    // 400 had vested, 150 of them claimed; since then 100 seconds at the whole thousand's rate.
    let chain = vester(600, 400, 150, 100);
    assert_eq!(vesting(&chain), [(n(500), Some(NOW_S + 500))]);
    assert_eq!(paid(&chain), [(VESTER, GMX, n(350))]);
    // Seven of nine, over 777.8 seconds: the last unit vests a second later.
    assert_eq!(vesting(&vester(7, 2, 2, 0)), [(n(7), Some(NOW_S + 778))]);
}

#[test]
fn what_vests_is_the_escrowed_token_and_becomes_the_other_one() {
    let outcome = run(Question::LOCKED, &vester(1_000, 0, 0, 0));
    let position = outcome.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::VESTING, VESTER));
    assert_eq!((position.mechanism.as_str(), &position.name), ("vester", &format!("{{{ES_GMX:#x}}} vesting")));
    let becomes = Some(vec![Part { token: GMX, amount: n(1_000) }]);
    assert_eq!(position.legs, [Leg { redeems_to: becomes, ..Leg::new(LegRole::VESTING, ES_GMX, n(1_000)) }]);
}

#[test]
fn what_has_vested_is_no_position_any_more_and_is_claimed() {
    let chain = vester(1_000, 0, 0, 1_000);
    assert_eq!(vesting(&chain), []);
    assert_eq!(paid(&chain), [(VESTER, GMX, n(1_000))]);
    // Also pays what vested before the rest was withdrawn.
    assert_eq!(paid(&vester(0, 400, 150, 100)), [(VESTER, GMX, n(250))]);
}

#[test]
fn a_claim_is_asked_for_as_the_account_and_one_that_is_refused_is_a_failure() {
    let chain = vester(1_000, 0, 0, 300);
    let replies = |read: &ReadRequest| {
        let is_claim = read.data.starts_with(&claimCall::SELECTOR);
        assert_eq!(read.from, is_claim.then_some(ACCOUNT));
        (&chain).reply(read)
    };
    let job = JobTest::new("gmx", NETWORK, Question::CLAIMABLES, ACCOUNT);
    assert_eq!(job.run::<Gmx>(replies).payments().len(), 1);
    // The vester lacks the token.
    let short = vester(1_000, 0, 0, 300).revert(NETWORK, VESTER, &claimCall {});
    assert_eq!(run(Question::CLAIMABLES, &short).end, End::Failed);
}

#[test]
fn amounts_that_contradict_each_other_are_a_failure() {
    let more = vester(1_000, 0, 0, 300).reply(NETWORK, VESTER, &claimableCall(ACCOUNT), &n(1_001));
    let less = vester(600, 400, 150, 100).reply(NETWORK, VESTER, &claimableCall(ACCOUNT), &n(249));
    let claimed = vester(600, 400, 150, 100).reply(NETWORK, VESTER, &claimedAmountsCall(ACCOUNT), &n(401));
    for chain in [more, less, claimed] {
        assert_eq!(run(Question::LOCKED, &chain).end, End::Failed);
    }
}

#[test]
fn a_row_of_settings_has_a_vester() {
    let rows = testing::catalogue::<Gmx>(&one_row("gmx", 10, vec![text("vester", VESTER)])).deployments;
    assert_eq!(rows[0].contracts, [VESTER]);
    assert_eq!(rows[0].questions, [Question::CLAIMABLES, Question::LOCKED]);
}
