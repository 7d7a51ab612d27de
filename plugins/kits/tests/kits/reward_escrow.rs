//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::reward_escrow::RewardEscrowKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, n, plugin};

sol! {
    struct VestingEntryWithID { uint64 endTime; uint256 escrowAmount; uint256 entryID; }
    function balanceOf(address) external view returns (uint256);
    function numVestingEntries(address) external view returns (uint256);
    function getVestingSchedules(address, uint256, uint256) external view returns (VestingEntryWithID[]);
    function vest(uint256[]) external;
}

const NETWORK: u64 = 1;
const ESCROW: Address = Address::repeat_byte(1);
const SNX: Address = Address::repeat_byte(2);

plugin! {
    Synthetix: &RewardEscrowKit { escrow: "escrow" },
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    reward_escrow = "0x0101010101010101010101010101010101010101"
    escrowed_token = "0x0202020202020202020202020202020202020202"
    "#
}

/// An entry's id, its amount, and its end in seconds from now.
type Entry = (u64, u64, i64);

/// The last entries of as many, which are read from the first place on.
fn chain(count: u64, first: u64, entries: &[Entry]) -> CannedReplies {
    let row = |(id, amount, end): &Entry| VestingEntryWithID {
        endTime: NOW_S.saturating_add_signed(*end),
        escrowAmount: n(*amount),
        entryID: n(*id),
    };
    let balance: u64 = entries.iter().map(|(_, amount, _)| amount).sum();
    let chain = CannedReplies::default().reply(NETWORK, ESCROW, &balanceOfCall(ACCOUNT), &n(balance)).reply(
        NETWORK,
        ESCROW,
        &numVestingEntriesCall(ACCOUNT),
        &n(count),
    );
    (first..).step_by(65).zip(entries.chunks(65)).fold(chain, |chain, (place, page)| {
        let call = getVestingSchedulesCall { _0: ACCOUNT, _1: n(place), _2: U256::from(page.len()) };
        chain.reply(NETWORK, ESCROW, &call, &page.iter().map(row).collect::<Vec<_>>())
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Synthetix>(chain)
}

/// Number, amount and end of each position.
fn locked(outcome: &Outcome) -> Vec<(Option<U256>, U256, Option<u64>)> {
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let row = |row: &&Position| {
        assert_eq!((row.contract, row.legs.len(), row.legs[0].token), (ESCROW, 1, SNX));
        (row.number, row.legs[0].amount, row.lock.as_ref().and_then(|lock| lock.unlocks_at))
    };
    outcome.positions().iter().map(row).collect()
}

/// The arguments of a claim of these entries.
fn arguments(entries: impl IntoIterator<Item = u64>) -> Vec<u8> {
    vestCall(entries.into_iter().map(n).collect()).abi_encode()[4..].to_vec()
}

/// The arguments of each claim.
fn vested(outcome: &Outcome) -> Vec<Vec<u8>> {
    outcome.payments().iter().map(|row| row.claim.arguments.to_vec()).collect()
}

#[test]
fn entries_that_are_over_are_one_claim_and_others_are_locked() {
    // The second one was paid; the fourth ends with the block.
    let chain = chain(5, 0, &[(3, 7, -100), (4, 0, -50), (9, 20, 1), (11, 5, 0), (12, 6, 1)]);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!(claims.end, End::Complete, "{}", claims.message);
    assert_eq!(by_number(&claims), [(Some(n(3)), SNX, n(12))]);
    assert_eq!(vested(&claims), [arguments([3, 11])]);
    assert_eq!(claims.payments()[0].claim.to, ESCROW);
    let end = Some(NOW_S + 1);
    let outcome = run(Question::LOCKED, &chain);
    assert_eq!(locked(&outcome), [(Some(n(9)), n(20), end), (Some(n(12)), n(6), end)]);
    outcome.check_totals(&claims);
    // The balance; the number of entries; the entries.
    assert_eq!(outcome.batches, [1, 1, 1]);
}

#[test]
fn an_account_whose_entries_were_paid_costs_one_read() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &chain(400, 0, &[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn many_entries_are_several_claims() {
    let entries: Vec<Entry> = (1..=131).map(|id| (id, 2, -1)).collect();
    let claims = run(Question::CLAIMABLES, &chain(131, 0, &entries));
    assert_eq!(claims.end, End::Complete, "{}", claims.message);
    let paid = [(Some(n(1)), SNX, n(130)), (Some(n(66)), SNX, n(130)), (Some(n(131)), SNX, n(2))];
    assert_eq!(by_number(&claims), paid);
    assert_eq!(vested(&claims), [arguments(1..=65), arguments(66..=130), arguments([131])]);
    assert_eq!(claims.batches, [1, 1, 3]);
}

#[test]
fn old_entries_beyond_the_bound_are_reported() {
    let entries: Vec<Entry> = (10..530).map(|id| (id, 1, 60)).collect();
    let outcome = run(Question::LOCKED, &chain(530, 10, &entries));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 520), "{}", outcome.message);
}

#[test]
fn a_failed_read_is_not_an_empty_answer() {
    assert_eq!(run(Question::LOCKED, &CannedReplies::default()).end, End::Failed);
    let lacks = chain(1, 0, &[(1, 5, 0)]).revert(NETWORK, ESCROW, &numVestingEntriesCall(ACCOUNT));
    assert_eq!(run(Question::CLAIMABLES, &lacks).end, End::Failed);
}
