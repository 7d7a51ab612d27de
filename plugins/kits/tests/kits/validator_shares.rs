//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::validator_shares::ValidatorSharesKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, by_number, n, plugin};

sol! {
    function NFTCounter() external view returns (uint256);
    function validators(uint256) external view returns (
        uint256, uint256, uint256, uint256, uint256, address, address, uint8, uint256, uint256, uint256, uint256, uint256
    );
    function balanceOf(address) external view returns (uint256);
    function getTotalStake(address) external view returns (uint256, uint256);
    function getLiquidRewards(address) external view returns (uint256);
    function withdrawRewardsPOL() external;
    function epoch() external view returns (uint256);
    function withdrawalDelay() external view returns (uint256);
    function unbondNonces(address) external view returns (uint256);
    function unbonds_new(address, uint256) external view returns (uint256, uint256);
    function unbonds(address) external view returns (uint256, uint256);
    function withdrawExchangeRate() external view returns (uint256);
    function unstakeClaimTokens_newPOL(uint256) external;
    function unstakeClaimTokensPOL() external;
}

const NETWORK: u64 = 1;
const MANAGER: Address = address!("0xc000000000000000000000000000000000000001");
const SIGNER: Address = address!("0xc000000000000000000000000000000000000002");
const POL: Address = address!("0xa000000000000000000000000000000000000001");
const SHARES: ValidatorSharesKit = ValidatorSharesKit { delegation: "validator-shares" };

plugin! {
    Polygon: &SHARES,
    ["polygon" = "POLYGON"],
    r#"
    [[deployment]]
    protocol = "polygon"
    network = "ethereum"
    stake_manager = "0xc000000000000000000000000000000000000001"
    staked_token = "0xa000000000000000000000000000000000000001"
    "#
}

fn shares(validator: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &validator.to_be_bytes()].concat())
}

fn validator(chain: CannedReplies, number: u64, contract: Address) -> CannedReplies {
    let zero = || n(0);
    let info = (n(5), zero(), n(1), zero(), zero(), SIGNER, contract, n(1), zero(), zero(), zero(), n(9), zero());
    let reply = ReadResult::Ok(info.abi_encode_params().into());
    chain.result(NETWORK, MANAGER, &validatorsCall(n(number)), reply)
}

/// A manager with validators 1 to `count`; the account has delegated to none. The first accepts no delegations.
fn manager(count: u64) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, MANAGER, &NFTCounterCall {}, &n(count + 1));
    let chain = validator(chain, 1, Address::ZERO);
    (2..=count).fold(chain, |chain, number| {
        validator(chain, number, shares(number))
            .reply(NETWORK, shares(number), &balanceOfCall(ACCOUNT), &n(0))
            .reply(NETWORK, shares(number), &unbondNoncesCall(ACCOUNT), &n(0))
            .reply(NETWORK, shares(number), &unbondsCall(ACCOUNT), &(n(0), n(0)))
    })
}

/// Shares of a validator that are worth `stake` and have earned `owed`.
fn delegate(chain: CannedReplies, number: u64, stake: u64, owed: u64) -> CannedReplies {
    chain
        .reply(NETWORK, shares(number), &balanceOfCall(ACCOUNT), &n(2 * stake))
        .reply(NETWORK, shares(number), &getTotalStakeCall(ACCOUNT), &(n(stake), n(50)))
        .reply(NETWORK, shares(number), &getLiquidRewardsCall(ACCOUNT), &n(owed))
}

fn case(question: Question) -> JobTest {
    JobTest::new("polygon", NETWORK, question, ACCOUNT)
}

fn run(question: Question, chain: impl Replies) -> Outcome {
    let known = [Address::ZERO, shares(2), shares(3), shares(4)];
    case(question).facts("main", "shares", &known).run::<Polygon>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    // For each validator: the balance, and the number of exits by both interfaces.
    for (question, reads) in [(Question::CLAIMABLES, 9), (Question::FARMING, 3), (Question::LOCKED, 6)] {
        let outcome = run(question, &manager(4));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1, reads]);
        let walked = case(question).run::<Polygon>(&manager(4));
        assert_eq!((walked.end, walked.findings.len()), (End::Complete, 0), "{}", walked.message);
        assert_eq!(walked.facts::<Address>("main", "shares"), [Address::ZERO, shares(2), shares(3), shares(4)]);
        assert_eq!(case(question).run::<Polygon>(&manager(1)).end, End::Complete);
    }
}

#[test]
fn rewards_are_claimed_of_each_validator() {
    let chain = delegate(delegate(delegate(manager(4), 2, 10, 7), 3, 1, 0), 4, 20, 1);
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(n(2)), POL, n(7)), (Some(n(4)), POL, n(1))]);
    let row = outcome.payments()[0];
    assert_eq!((row.contract, row.claim.to, row.claim.arguments.len()), (shares(2), shares(2), 0));
    assert_eq!(row.name, "Validator 2 rewards");
    assert_eq!(outcome.batches, [1, 9, 6]);
}

#[test]
fn a_delegation_is_what_its_shares_are_worth() {
    let outcome = run(Question::FARMING, &delegate(delegate(manager(4), 2, 10, 7), 4, 1, 0));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 2), "{}", outcome.message);
    let legs: Vec<_> = outcome.legs().into_iter().map(|leg| (leg.number, leg.token, leg.amount)).collect();
    assert_eq!(legs, [(Some(n(2)), POL, n(10)), (Some(n(4)), POL, n(1))]);
    assert!(outcome.legs().iter().all(|leg| leg.rewards == [Reward::new(POL, None)]));
}

#[test]
fn a_bad_validator_costs_its_own_rows_and_is_reported() {
    let chain = delegate(delegate(manager(4), 2, 10, 7), 4, 20, 1);
    let bad = [
        chain.clone().revert(NETWORK, shares(2), &balanceOfCall(ACCOUNT)),
        chain.clone().revert(NETWORK, shares(2), &getLiquidRewardsCall(ACCOUNT)),
        // The manager names another contract now.
        validator(chain.clone(), 2, SIGNER),
    ];
    for chain in bad {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!(
            (outcome.end, by_number(&outcome)),
            (End::Partial, vec![(Some(n(4)), POL, n(1))]),
            "{}",
            outcome.message
        );
        assert!(outcome.message.starts_with("main: "), "{}", outcome.message);
    }
    for question in [Question::CLAIMABLES, Question::FARMING] {
        assert_eq!(run(question, |_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

/// 10^29, the precision of current contracts' rates.
fn precision() -> U256 {
    U256::from(10).pow(U256::from(29))
}

/// The account left validator 3 four times, and has withdrawn the first exit; it left validator 4 by the older
/// interface. Forty of a hundred were slashed from exits of validator 3. The epoch is 180, and the delay is eighty.
fn leaving() -> CannedReplies {
    let chain = manager(4)
        .reply(NETWORK, MANAGER, &epochCall {}, &n(180))
        .reply(NETWORK, MANAGER, &withdrawalDelayCall {}, &n(80))
        .reply(NETWORK, shares(3), &unbondNoncesCall(ACCOUNT), &n(4))
        .reply(NETWORK, shares(3), &withdrawExchangeRateCall {}, &(precision() / n(10) * n(6)))
        .reply(NETWORK, shares(4), &unbondsCall(ACCOUNT), &(n(55), n(99)))
        .reply(NETWORK, shares(4), &withdrawExchangeRateCall {}, &n(100));
    let left = [(1, 0, 0), (2, 100, 100), (3, 200, 101), (4, 5, 180)];
    left.into_iter().fold(chain, |chain, (nonce, amount, since)| {
        chain.reply(NETWORK, shares(3), &unbonds_newCall { _0: ACCOUNT, _1: n(nonce) }, &(n(amount), n(since)))
    })
}

#[test]
fn what_has_waited_can_be_taken_out_and_what_waits_is_locked() {
    let outcome = run(Question::CLAIMABLES, &leaving());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    // Six tenths of a hundred; and 55 of one of the first validators, whose shares are worth their number.
    assert_eq!(by_number(&outcome), [(Some(n(3_000_002)), POL, n(60)), (Some(n(4_000_000)), POL, n(55))]);
    let claims: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.claim.arguments.clone())).collect();
    let numbered = unstakeClaimTokens_newPOLCall(n(2)).abi_encode()[4..].to_vec();
    assert_eq!(claims, [(shares(3), numbered), (shares(4), Vec::new())]);
    assert_ne!(outcome.payments()[0].claim.template, outcome.payments()[1].claim.template);
    assert_eq!(outcome.payments()[0].name, "Validator 3 withdrawal");

    let outcome = run(Question::LOCKED, &leaving());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let waits: Vec<_> = outcome.positions().iter().map(|row| (row.number, row.legs.clone(), row.lock)).collect();
    let locked = |amount| vec![Leg::new(LegRole::LOCKED, POL, n(amount))];
    let lock = Some(Lock { unlocks_at: None, is_permanent: Some(false) });
    assert_eq!(waits, [(Some(n(3_000_003)), locked(120), lock), (Some(n(3_000_004)), locked(3), lock)]);
    assert_eq!(run(Question::FARMING, &leaving()).findings.len(), 0);
}

#[test]
fn exits_are_found_where_one_of_the_two_ways_is_missing_and_failures_are_told() {
    let numbered_alone = leaving().revert(NETWORK, shares(4), &unbondsCall(ACCOUNT));
    let outcome = run(Question::CLAIMABLES, &numbered_alone);
    assert_eq!((outcome.end, by_number(&outcome).len()), (End::Complete, 1), "{}", outcome.message);
    let moved = validator(leaving(), 3, SIGNER);
    let unread = leaving().revert(NETWORK, shares(3), &unbonds_newCall { _0: ACCOUNT, _1: n(2) });
    for chain in [moved, unread] {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, by_number(&outcome)), (End::Partial, vec![(Some(n(4_000_000)), POL, n(55))]));
    }
}

#[test]
fn of_many_exits_the_newest_are_read_and_that_is_told() {
    let chain = leaving().reply(NETWORK, shares(3), &unbondNoncesCall(ACCOUNT), &n(102));
    let chain = (1..=102).fold(chain, |chain, nonce| {
        chain.reply(NETWORK, shares(3), &unbonds_newCall { _0: ACCOUNT, _1: n(nonce) }, &(n(10), n(100)))
    });
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, by_number(&outcome).len()), (End::Partial, 101));
    assert_eq!(by_number(&outcome)[0].0, Some(n(3_000_003)), "the first two are not read");
    assert_eq!(outcome.not_covered, ["main: of 102 exits from validator 3 the newest 100 are read"]);
}
