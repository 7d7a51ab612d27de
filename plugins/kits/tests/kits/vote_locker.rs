//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::vote_locker::VoteLockerKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, flag, n, one_row, plugin, text};

sol! {
    function stakingToken() external view returns (address);
    function isShutdown() external view returns (bool);
    function claimableRewards(address) external view returns ((address, uint256)[]);
    function balances(address) external view returns (uint112, uint112, uint32);
    function lockedBalances(address) external view returns (uint256, uint256, uint256, bytes);
}

const NETWORK: u64 = 1;
const WEEK_S: u64 = 604_800;
const PLAIN: Address = Address::repeat_byte(1);
const BOOSTED: Address = Address::repeat_byte(2);
const AURA: Address = Address::repeat_byte(0xa1);
const REWARD: Address = Address::repeat_byte(0xa2);
const OTHER: Address = Address::repeat_byte(0xa3);

const TYPES: VoteLockerKit = VoteLockerKit { lock: "vote-lock" };

plugin! {
    /// A locker of each version.
    Fork: &TYPES,
    ["plain" = "PLAIN", "boosted" = "BOOSTED"],
    r#"
    [[deployment]]
    protocol = "plain"
    network = "ethereum"
    locker = "0x0101010101010101010101010101010101010101"

    [[deployment]]
    protocol = "boosted"
    network = "ethereum"
    locker = "0x0202020202020202020202020202020202020202"
    boosted = true
    "#
}

/// Lockers in which the account has these locks, each with its end, `free` to withdraw, and rewards.
fn lockers(free: u64, locks: &[(u64, u64)], owed: &[(Address, u64)]) -> CannedReplies {
    let locked: u64 = locks.iter().map(|(amount, _)| amount).sum();
    let totals = (n(free + locked), n(free), n(locked));
    let plain: Vec<(U256, U256)> = locks.iter().map(|(amount, end)| (n(*amount), n(*end))).collect();
    let boosted: Vec<(U256, U256, U256)> = plain.iter().map(|(amount, end)| (*amount, *amount, *end)).collect();
    let plain = (totals.0, totals.1, totals.2, plain).abi_encode_params();
    let boosted = (totals.0, totals.1, totals.2, boosted).abi_encode_params();
    let owed: Vec<(Address, U256)> = owed.iter().map(|(token, amount)| (*token, n(*amount))).collect();
    [(PLAIN, plain), (BOOSTED, boosted)].into_iter().fold(CannedReplies::default(), |chain, (at, locks)| {
        chain
            .reply(NETWORK, at, &stakingTokenCall {}, &AURA)
            .reply(NETWORK, at, &isShutdownCall {}, &false)
            .reply(NETWORK, at, &balancesCall(ACCOUNT), &(n(free + locked), n(0), n(3)))
            .reply(NETWORK, at, &claimableRewardsCall(ACCOUNT), &owed)
            .result(NETWORK, at, &lockedBalancesCall(ACCOUNT), ReadResult::Ok(locks.into()))
    })
}

fn run(protocol: &str, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new(protocol, NETWORK, question, ACCOUNT).run::<Fork>(chain)
}

/// Returns amount, end and number of each lock.
fn locks(outcome: &Outcome) -> Vec<(U256, Option<u64>, Option<U256>)> {
    let row = |row: &&Position| (row.legs[0].amount, row.lock.and_then(|lock| lock.unlocks_at), row.number);
    outcome.positions().iter().map(row).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let chain = lockers(0, &[], &[(REWARD, 0), (OTHER, 0)]);
    for (protocol, question) in
        [("plain", Question::LOCKED), ("boosted", Question::LOCKED), ("plain", Question::CLAIMABLES)]
    {
        let outcome = run(protocol, question, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches.len(), 1, "{:?}", outcome.batches);
    }
}

#[test]
fn each_lock_has_its_end_and_what_is_over_can_be_withdrawn_now() {
    let ends = [NOW_S + 1, NOW_S + WEEK_S];
    let chain = lockers(40, &[(5, ends[0]), (7, ends[1])], &[]);
    for protocol in ["plain", "boosted"] {
        let outcome = run(protocol, Question::LOCKED, &chain);
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let expected = [
            (n(40), Some(NOW_S), None),
            (n(5), Some(ends[0]), Some(n(ends[0]))),
            (n(7), Some(ends[1]), Some(n(ends[1]))),
        ];
        assert_eq!(locks(&outcome), expected);
        assert_eq!(outcome.batches, [1, 3]);
        let position = outcome.positions()[1];
        assert_eq!(position.legs, [Leg::new(LegRole::LOCKED, AURA, n(5))]);
        assert_eq!((position.kind, position.mechanism.as_str()), (PositionKind::LOCKED, "vote-lock"));
        assert_eq!(position.name, format!("{{{AURA:#x}}} lock"));
    }
    assert_eq!(locks(&run("plain", Question::LOCKED, &lockers(1, &[], &[]))), [(n(1), Some(NOW_S), None)]);
}

#[test]
fn all_can_be_withdrawn_of_a_locker_that_is_shut_down() {
    let chain = lockers(40, &[(5, NOW_S + 1)], &[]).reply(NETWORK, PLAIN, &isShutdownCall {}, &true);
    assert_eq!(locks(&run("plain", Question::LOCKED, &chain)), [(n(45), Some(NOW_S), None)]);
}

#[test]
fn one_claim_pays_all_rewards() {
    let chain = lockers(0, &[], &[(REWARD, 1), (AURA, 0), (OTHER, 9)]);
    for (protocol, at) in [("plain", PLAIN), ("boosted", BOOSTED)] {
        let outcome = run(protocol, Question::CLAIMABLES, &chain);
        let rows: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
        assert_eq!((outcome.end, rows), (End::Complete, vec![(at, REWARD, n(1)), (at, OTHER, n(9))]));
        assert_eq!(outcome.claimables()[0].steps[0].arguments, ACCOUNT.abi_encode());
        assert_eq!(outcome.claimables()[0].name, format!("{{{AURA:#x}}} lock rewards"));
    }
}

#[test]
fn a_locker_that_cannot_be_read_is_a_failure_and_one_of_the_other_version_too() {
    let chain = lockers(0, &[(5, NOW_S + 1)], &[(REWARD, 1)]);
    let unread = chain.clone().revert(NETWORK, PLAIN, &claimableRewardsCall(ACCOUNT));
    assert_eq!(run("plain", Question::CLAIMABLES, &unread).end, End::Failed);
    let unread = chain.clone().revert(NETWORK, PLAIN, &lockedBalancesCall(ACCOUNT));
    assert_eq!(run("plain", Question::LOCKED, &unread).end, End::Failed);
    // The reply of a locker without boosted amounts.
    let plain = (n(5), n(0), n(5), vec![(n(5), n(NOW_S + 1))]).abi_encode_params();
    let other = chain.result(NETWORK, BOOSTED, &lockedBalancesCall(ACCOUNT), ReadResult::Ok(plain.into()));
    assert_eq!(run("boosted", Question::LOCKED, &other).end, End::Failed);
}

#[test]
fn lists_that_are_too_long_are_cut_and_the_answer_says_so() {
    let many: Vec<_> = (0..65).map(|place| (1, NOW_S + 1 + place)).collect();
    let outcome = run("plain", Question::LOCKED, &lockers(0, &many, &[]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 64));
    assert_eq!(outcome.not_covered, ["main: 64 of 65 locks are reported"]);
}

#[test]
fn a_row_of_settings_has_a_locker_and_maybe_boosted_amounts() {
    let settings = |keys| one_row("plain", NETWORK, keys);
    let at = |at: Address| text("locker", at);
    let chain = lockers(0, &[(5, NOW_S + 1)], &[]);
    for (at, boosted) in [(at(PLAIN), false), (at(BOOSTED), true)] {
        let settings = settings(vec![at, flag("boosted", boosted)]);
        let test = JobTest::new("plain", NETWORK, Question::LOCKED, ACCOUNT).settings(settings);
        assert_eq!(locks(&test.run::<Fork>(&chain)).len(), 1);
    }
    let refused = testing::settings_error::<Fork>(&settings(vec![flag("boosted", true)]));
    assert_eq!(refused.and_then(|error| error.key).as_deref(), Some("locker"));
}
