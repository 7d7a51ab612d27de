//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::cooldown_locks::CooldownLocksKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, bound, by_number, n, plugin};

sol! {
    struct Slot {
        uint256 start;
        uint256 end;
        uint256 amount;
    }

    function getUserTotalLocked(address) external view returns (uint256);
    function getUserUnlockingSchedule(address) external view returns (Slot[] slots);
    function getUserNthUnlockSlot(address a, uint256 b) external view returns (uint256, uint256, uint256);
    function unlock(uint256) external;
}

const NETWORK: u64 = 56;
const LOCK: Address = Address::repeat_byte(1);
const TOKEN: Address = Address::repeat_byte(2);

plugin! {
    Locks: &CooldownLocksKit { lock: "lock" },
    ["magpie" = "MAGPIE"],
    r#"
    [[deployment]]
    protocol = "magpie"
    network = "smartchain"
    cooldown_lock = "0x0101010101010101010101010101010101010101"
    cooldown_token = "0x0202020202020202020202020202020202020202"
    "#
}

fn chain(locked: u64, slots: &[(u64, u64)]) -> CannedReplies {
    let chain = (0_u64..).zip(slots).fold(CannedReplies::default(), |chain, (place, (end, amount))| {
        let call = getUserNthUnlockSlotCall { a: ACCOUNT, b: n(place) };
        chain.reply(NETWORK, LOCK, &call, &(n(1), n(*end), n(*amount)))
    });
    let slots: Vec<Slot> =
        slots.iter().map(|(end, amount)| Slot { start: n(1), end: n(*end), amount: n(*amount) }).collect();
    chain.reply(NETWORK, LOCK, &getUserTotalLockedCall(ACCOUNT), &n(locked)).reply(
        NETWORK,
        LOCK,
        &getUserUnlockingScheduleCall(ACCOUNT),
        &slots,
    )
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("magpie", NETWORK, question, ACCOUNT)
        .claim_functions(&bound("unlock(uint256 number)", &[LOCK]))
        .run::<Locks>(chain)
}

#[test]
fn what_waits_is_locked_and_what_has_waited_is_a_claim() {
    // The first was taken; the third is over at this second.
    let chain = chain(90, &[(NOW_S - 9, 0), (NOW_S + 1, 20), (NOW_S, 30)]);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!(
        (claims.end, by_number(&claims)),
        (End::Complete, vec![(Some(n(2)), TOKEN, n(30))]),
        "{}",
        claims.message
    );
    assert_eq!(claims.payments()[0].claim.arguments[..], unlockCall(n(2)).abi_encode()[4..]);
    let locked = run(Question::LOCKED, &chain);
    let found: Vec<_> = locked
        .positions()
        .iter()
        .map(|row| (row.legs[0].amount, row.lock.as_ref().and_then(|lock| lock.unlocks_at)))
        .collect();
    assert_eq!(found, [(n(90), None), (n(20), Some(NOW_S + 1))]);
    locked.check_totals(&claims);
}

#[test]
fn an_account_with_nothing_costs_two_reads_and_a_failure_is_no_empty_answer() {
    for (question, reads) in [(Question::CLAIMABLES, 1), (Question::LOCKED, 2)] {
        let outcome = run(question, &chain(0, &[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [reads]);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
