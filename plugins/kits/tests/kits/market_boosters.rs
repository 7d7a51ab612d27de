//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::market_boosters::MarketBoostersKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, legs, n, paid, plugin};

sol! {
    function poolLength() external view returns (uint256);
    function poolInfo(uint256) external view returns (address, address, address, bool);
    function ePendleRewardPool() external view returns (address);
    function isShutdown() external view returns (bool);
    function pendle() external view returns (address);
    function eqb() external view returns (address);
    function xEqb() external view returns (address);
    function eqbMinter() external view returns (address);
    function farmEqbShare() external view returns (uint256);
    function getFactor() external view returns (uint256);
    function stakingToken() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function getRewardTokens() external view returns (address[]);
    function earned(address a, address b) external view returns (uint256);
    function rewards(address) external view returns (uint256, uint256, uint256, uint256, uint256);
    function getReward(address) external;
    function getUserRedeemsLength(address) external view returns (uint256);
    function getUserRedeem(address a, uint256 b) external view returns (uint256, uint256, uint256);
    function finalizeRedeem(uint256) external;
}

const NETWORK: u64 = 1;
const BOOSTER: Address = Address::repeat_byte(1);
const MARKET: Address = Address::repeat_byte(2);
const POOL: Address = Address::repeat_byte(3);
const OWN: Address = Address::repeat_byte(4);
const DERIVATIVE: Address = Address::repeat_byte(5);
const PENDLE: Address = Address::repeat_byte(6);
const EQB: Address = Address::repeat_byte(7);
const RECEIPT: Address = Address::repeat_byte(8);
const MINTER: Address = Address::repeat_byte(9);
const PLATFORM: Address = Address::repeat_byte(0xef);

plugin! {
    Boosters: &MarketBoostersKit { pool: "pool" },
    ["eqb" = "EQB"],
    r#"
    [[deployment]]
    protocol = "eqb"
    network = "ethereum"
    market_booster = "0x0101010101010101010101010101010101010101"
    "#
}

/// A booster of one pool, and that of its derivative; the account's stake in the first, and what it earned there.
fn chain(stake: u64, pendle: u64, native: u64) -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, BOOSTER, &poolLengthCall {}, &n(1))
        .reply(NETWORK, BOOSTER, &poolInfoCall(n(0)), &(MARKET, MARKET, POOL, true))
        .reply(NETWORK, BOOSTER, &ePendleRewardPoolCall {}, &OWN)
        .reply(NETWORK, BOOSTER, &isShutdownCall {}, &false)
        .reply(NETWORK, BOOSTER, &pendleCall {}, &PENDLE)
        .reply(NETWORK, BOOSTER, &eqbCall {}, &EQB)
        .reply(NETWORK, BOOSTER, &xEqbCall {}, &RECEIPT)
        .reply(NETWORK, BOOSTER, &eqbMinterCall {}, &MINTER)
        .reply(NETWORK, BOOSTER, &farmEqbShareCall {}, &n(2_500))
        .reply(NETWORK, MINTER, &getFactorCall {}, &n(9_000))
        .reply(NETWORK, OWN, &stakingTokenCall {}, &DERIVATIVE)
        .reply(NETWORK, OWN, &balanceOfCall(ACCOUNT), &n(0))
        .reply(NETWORK, RECEIPT, &getUserRedeemsLengthCall(ACCOUNT), &n(0));
    chain
        .reply(NETWORK, POOL, &balanceOfCall(ACCOUNT), &n(stake))
        .reply(NETWORK, POOL, &totalSupplyCall {}, &n(1_000))
        .reply(NETWORK, POOL, &getRewardTokensCall {}, &vec![PENDLE, PLATFORM])
        .reply(NETWORK, POOL, &earnedCall { a: ACCOUNT, b: PENDLE }, &n(pendle))
        .reply(NETWORK, POOL, &earnedCall { a: ACCOUNT, b: PLATFORM }, &n(native))
        .reply(NETWORK, POOL, &rewardsCall(PENDLE), &(n(NOW_S + 1), n(7), n(0), n(0), n(0)))
        .reply(NETWORK, POOL, &rewardsCall(PLATFORM), &(n(NOW_S), n(7), n(0), n(0), n(0)))
        .reply(NETWORK, POOL, &rewardsCall(EQB), &(n(0), n(0), n(0), n(0), n(0)))
        .reply(NETWORK, POOL, &rewardsCall(RECEIPT), &(n(0), n(0), n(0), n(0), n(0)))
        .reply(NETWORK, POOL, &getRewardCall(ACCOUNT), &())
}

/// Redemptions: what each pays, and its end in seconds from now.
fn redeems(chain: CannedReplies, redemptions: &[(u64, i64)]) -> CannedReplies {
    let count = U256::from(redemptions.len());
    let chain = chain.reply(NETWORK, RECEIPT, &getUserRedeemsLengthCall(ACCOUNT), &count);
    (0_u64..).zip(redemptions).fold(chain, |chain, (place, (amount, end))| {
        let call = getUserRedeemCall { a: ACCOUNT, b: n(place) };
        let reply = (n(*amount), n(2 * amount), n(NOW_S.saturating_add_signed(*end)));
        chain.reply(NETWORK, RECEIPT, &call, &reply)
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("eqb", NETWORK, question, ACCOUNT).run::<Boosters>(chain)
}

fn sorted(mut rows: Vec<(Address, U256)>) -> Vec<(Address, U256)> {
    rows.sort();
    rows
}

#[test]
fn a_claim_pays_what_is_earned_and_what_is_minted_for_it() {
    // 1,000 at nine tenths are 900, of which a quarter is paid and the rest is escrowed.
    let chain = chain(300, 1_000, 40);
    let outcome = run(Question::CLAIMABLES, &chain);
    let expected = [(PENDLE, n(1_000)), (NATIVE, n(40)), (EQB, n(225)), (RECEIPT, n(675))];
    assert_eq!(
        (outcome.end, sorted(paid(&outcome))),
        (End::Complete, sorted(expected.to_vec())),
        "{}",
        outcome.message
    );
    let positions = run(Question::FARMING, &chain);
    let [position] = positions.positions()[..] else { panic!("{:?}", positions.findings) };
    assert_eq!(legs(position)[0], (LegRole::STAKED, MARKET, n(300), None));
    assert_eq!(position.legs[0].total, Some(n(1_000)));
    let rates: Vec<_> = position.rewards.iter().map(|reward| (reward.token, reward.per_second)).collect();
    assert_eq!(rates[..2], [(PENDLE, Some(n(7))), (NATIVE, Some(n(0)))]);
    positions.check_totals(&outcome);
}

#[test]
fn a_claim_that_the_pool_refuses_is_reported() {
    let chain = chain(300, 1_000, 0).revert(NETWORK, POOL, &getRewardCall(ACCOUNT));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn an_account_with_nothing_has_no_findings_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
        let outcome = run(question, &chain(0, 0, 0));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}

#[test]
fn the_last_redemption_that_is_over_is_claimed_and_the_others_are_locked() {
    let chain = redeems(chain(0, 0, 0), &[(50, -9), (40, 9), (30, 0), (20, 1)]);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!((claims.end, paid(&claims)), (End::Complete, vec![(EQB, n(30))]), "{}", claims.message);
    let claim = &claims.payments()[0].claim;
    assert_eq!((claim.to, &claim.arguments[..]), (RECEIPT, &finalizeRedeemCall(n(2)).abi_encode()[4..]));
    let locked = run(Question::LOCKED, &chain);
    assert_eq!(locked.end, End::Complete, "{}", locked.message);
    let row =
        |row: &&Position| (row.number, row.legs[0].token, row.legs[0].amount, row.lock.as_ref().unwrap().unlocks_at);
    let expected = [
        (Some(n(0)), EQB, n(50), None),
        (Some(n(1)), EQB, n(40), Some(NOW_S + 9)),
        (Some(n(3)), EQB, n(20), Some(NOW_S + 1)),
    ];
    assert_eq!(locked.positions().iter().map(row).collect::<Vec<_>>(), expected);
    locked.check_totals(&claims);
}

#[test]
fn redemptions_that_cannot_be_read_leave_the_rewards() {
    let chain = chain(300, 1_000, 40).revert(NETWORK, RECEIPT, &getUserRedeemsLengthCall(ACCOUNT));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 4), "{}", outcome.message);
    assert_eq!(run(Question::LOCKED, &chain).end, End::Failed);
}
