//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::gains_staking::GainsStakingKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, legs, n, plugin};

sol! {
    struct Schedule {
        uint128 totalGns;
        uint128 claimedGns;
        uint128 debtDai;
        uint48 start;
        uint48 duration;
        bool revocable;
        uint8 unlockType;
        uint16 placeholder;
    }
    function gns() external view returns (address);
    function gnsBalance() external view returns (uint128);
    function getRewardTokens() external view returns (address[]);
    function totalGnsStaked(address) external view returns (uint128);
    function stakers(address) external view returns (uint128, uint128);
    function getUnlockSchedules(address) external view returns (Schedule[]);
    function releasableGns(Schedule, uint48) external view returns (uint128);
    function pendingRewardTokens(address) external view returns (uint128[]);
    function pendingRewardTokensFromUnlocks(address, uint256[]) external view returns (uint128[]);
    function harvestTokens() external;
    function claimUnlockedGns(uint256[]) external;
}

const NETWORK: u64 = 42_161;
const STAKING: Address = Address::repeat_byte(1);
const GNS: Address = Address::repeat_byte(2);
const DAI: Address = Address::repeat_byte(3);
const KIT: GainsStakingKit = GainsStakingKit { stake: "stake" };

plugin! {
    Gains: &KIT,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "arbitrum"
    gains_staking = "0x0101010101010101010101010101010101010101"
    "#
}

/// A vest of 100, of which this much is claimed.
fn schedule(claimed: u128, kind: u8) -> Schedule {
    let (start, duration) = (NOW_S - 50, 100);
    Schedule {
        totalGns: 100,
        claimedGns: claimed,
        debtDai: 0,
        start: U256::from(start).to(),
        duration: U256::from(duration).to(),
        revocable: false,
        unlockType: kind,
        placeholder: 0,
    }
}

fn of_vest(id: u64) -> pendingRewardTokensFromUnlocksCall {
    pendingRewardTokensFromUnlocksCall { _0: ACCOUNT, _1: vec![n(id)] }
}

/// A stake of 300 that is owed 7, and three vests: one claimed whole, one with 30 to claim, one that ends at once.
fn account() -> CannedReplies {
    let now = U256::from(NOW_S).to();
    CannedReplies::default()
        .reply(NETWORK, STAKING, &totalGnsStakedCall(ACCOUNT), &n(480))
        .reply(NETWORK, STAKING, &stakersCall(ACCOUNT), &(n(300), n(0)))
        .reply(NETWORK, STAKING, &gnsCall {}, &GNS)
        .reply(NETWORK, STAKING, &gnsBalanceCall {}, &n(1_000))
        .reply(NETWORK, STAKING, &getRewardTokensCall {}, &vec![DAI, GNS])
        .reply(NETWORK, STAKING, &pendingRewardTokensCall(ACCOUNT), &vec![7_u128, 0])
        .reply(
            NETWORK,
            STAKING,
            &getUnlockSchedulesCall(ACCOUNT),
            &vec![schedule(100, 0), schedule(20, 0), schedule(0, 1)],
        )
        .reply(NETWORK, STAKING, &releasableGnsCall { _0: schedule(20, 0), _1: now }, &n(30))
        .reply(NETWORK, STAKING, &releasableGnsCall { _0: schedule(0, 1), _1: now }, &n(0))
        .reply(NETWORK, STAKING, &of_vest(1), &vec![5_u128, 2])
        .reply(NETWORK, STAKING, &of_vest(2), &vec![0_u128, 0])
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Gains>(chain)
}

#[test]
fn a_stake_and_a_vest_have_a_claim_each() {
    let outcome = run(Question::CLAIMABLES, &account());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [earned, vested] = outcome.claimables()[..] else { panic!("two claims") };
    let paid = |row: &Claimable| row.payments.iter().map(|paid| (paid.token, paid.amount)).collect::<Vec<_>>();
    assert_eq!(paid(earned), [(DAI, n(7))]);
    assert!(earned.steps[0].arguments.is_empty());
    // 30 that have vested, and 2 as a reward in the same token.
    assert_eq!(paid(vested), [(GNS, n(32)), (DAI, n(5))]);
    let call = claimUnlockedGnsCall(vec![n(1)]);
    assert_eq!(&vested.steps[0].arguments[..], &call.abi_encode()[4..]);
}

#[test]
fn a_stake_is_a_position_and_each_vest_another() {
    let outcome = run(Question::FARMING, &account());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [stake] = outcome.positions()[..] else { panic!("one stake") };
    assert_eq!(legs(stake)[..2], [(LegRole::STAKED, GNS, n(300), None), (LegRole::REWARD_OWED, DAI, n(7), None)]);
    let outcome = run(Question::LOCKED, &account());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [linear, cliff] = outcome.positions()[..] else { panic!("two vests") };
    assert_eq!((legs(linear), linear.number), (vec![(LegRole::VESTING, GNS, n(50), None)], Some(n(1))));
    let end = Some(NOW_S + 50);
    let told = linear.vesting.expect("a schedule");
    assert_eq!((told.start, told.cliff, told.end, told.releasable), (Some(NOW_S - 50), None, end, Some(n(30))));
    assert_eq!(legs(cliff), [(LegRole::VESTING, GNS, n(100), None)]);
    assert_eq!(cliff.vesting.expect("a schedule").cliff, end);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    let chain = CannedReplies::default().reply(NETWORK, STAKING, &totalGnsStakedCall(ACCOUNT), &n(0));
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = run(question, &chain);
        assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
    }
}

#[test]
fn what_cannot_be_read_is_reported() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        assert_eq!(run(question, &CannedReplies::default()).end, End::Failed);
    }
    let broken = run(Question::CLAIMABLES, &account().revert(NETWORK, STAKING, &getUnlockSchedulesCall(ACCOUNT)));
    assert_eq!((broken.end, broken.payments().len()), (End::Partial, 1), "{}", broken.message);
    let none = account().reply(NETWORK, STAKING, &getRewardTokensCall {}, &Vec::<Address>::new());
    assert_eq!(run(Question::FARMING, &none).end, End::Failed);
    let long = account().reply(NETWORK, STAKING, &pendingRewardTokensCall(ACCOUNT), &vec![1_u128; 3]);
    assert_eq!(run(Question::FARMING, &long).end, End::Failed);
}
