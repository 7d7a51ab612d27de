//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::token_masters::TokenMastersKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, one_row, paid, plugin, text};

sol! {
    function poolLength() external view returns (uint256);
    function registeredToken(uint256) external view returns (address);
    function stakingInfo(address a, address b) external view returns (uint256, uint256);
    function unClaimedMgp(address a, address b) external view returns (uint256);
    function userInfo(address a, address b) external view returns (uint256, uint256, uint256, uint256);
    function getPoolInfo(address) external view returns (uint256, uint256, uint256, uint256);
    function allPendingTokens(address a, address b) external view
        returns (uint256, address[], string[], uint256[]);
    function MPGRewardPool(address) external view returns (bool);
    function getRewardablePercentWAD(address) external view returns (uint256);
    function multiclaim(address[]) external;
}

const NETWORK: u64 = 56;
const MAGPIE: Address = Address::repeat_byte(1);
const PENPIE: Address = Address::repeat_byte(2);
const MAIN: Address = Address::repeat_byte(3);
const LOCK: Address = Address::repeat_byte(4);
const POOLS: [Address; 2] = [Address::repeat_byte(5), Address::repeat_byte(6)];
const BONUS: Address = Address::repeat_byte(7);
const WAD: u64 = 1_000_000_000_000_000_000;

plugin! {
    Masters: &TokenMastersKit { stake: "stake" },
    ["magpie" = "MAGPIE", "penpie" = "PENPIE"],
    r#"
    [[deployment]]
    protocol = "magpie"
    network = "smartchain"
    token_master = "0x0101010101010101010101010101010101010101"
    master_kind = "magpie"
    master_reward = "0x0303030303030303030303030303030303030303"
    master_locks = ["0x0404040404040404040404040404040404040404"]

    [[deployment]]
    protocol = "penpie"
    network = "smartchain"
    token_master = "0x0202020202020202020202020202020202020202"
    master_kind = "penpie"
    master_reward = "0x0303030303030303030303030303030303030303"
    master_locks = ["0x0404040404040404040404040404040404040404"]
    "#
}

/// A master with both pools and the lock, in which the account has nothing.
fn listed(master: Address) -> CannedReplies {
    let tokens = [POOLS[0], POOLS[1], LOCK];
    let chain = CannedReplies::default().reply(NETWORK, master, &poolLengthCall {}, &n(3));
    (0_u64..).zip(tokens).fold(chain, |chain, (place, token)| {
        let none = (n(0), n(0), n(0), n(0));
        chain
            .reply(NETWORK, master, &registeredTokenCall(n(place)), &token)
            .reply(NETWORK, master, &stakingInfoCall { a: token, b: ACCOUNT }, &(n(0), n(0)))
            .reply(NETWORK, master, &unClaimedMgpCall { a: token, b: ACCOUNT }, &n(0))
            .reply(NETWORK, master, &userInfoCall { a: token, b: ACCOUNT }, &none)
            .reply(NETWORK, master, &getPoolInfoCall(token), &(n(9), n(1), n(100), n(3)))
            .reply(NETWORK, master, &MPGRewardPoolCall(token), &(token == POOLS[1]))
    })
}

/// A stake in a pool with what it owes of the main reward, and of another.
fn stake(chain: CannedReplies, master: Address, pool: Address, amounts: [u64; 3]) -> CannedReplies {
    let [staked, main, bonus] = amounts.map(n);
    let owed = (main, vec![BONUS], vec!["BONUS".to_owned()], vec![bonus]);
    chain
        .reply(NETWORK, master, &stakingInfoCall { a: pool, b: ACCOUNT }, &(staked, staked))
        .reply(NETWORK, master, &userInfoCall { a: pool, b: ACCOUNT }, &(staked, n(0), staked, main))
        .reply(NETWORK, master, &unClaimedMgpCall { a: pool, b: ACCOUNT }, &main)
        .result(
            NETWORK,
            master,
            &allPendingTokensCall { a: pool, b: ACCOUNT },
            ReadResult::Ok(owed.abi_encode_params().into()),
        )
}

fn run(protocol: &str, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new(protocol, NETWORK, question, ACCOUNT).run::<Masters>(chain)
}

#[test]
fn an_account_with_nothing_has_no_findings() {
    for (protocol, master) in [("magpie", MAGPIE), ("penpie", PENPIE)] {
        for question in [Question::CLAIMABLES, Question::FARMING] {
            let outcome = run(protocol, question, &listed(master));
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        }
    }
}

#[test]
fn what_magpie_locks_is_no_payment_and_what_it_excepts_is_one() {
    let chain = stake(stake(listed(MAGPIE), MAGPIE, POOLS[0], [40, 5, 3]), MAGPIE, POOLS[1], [10, 2, 0]);
    let outcome = run("magpie", Question::CLAIMABLES, &chain);
    assert_eq!(
        (outcome.end, paid(&outcome)),
        (End::Complete, vec![(BONUS, n(3)), (MAIN, n(2))]),
        "{}",
        outcome.message
    );
    let claims: Vec<_> = outcome.payments().iter().map(|row| row.claim.arguments.to_vec()).collect();
    let calls = POOLS.map(|pool| multiclaimCall(vec![pool]).abi_encode()[4..].to_vec());
    assert_eq!(claims, calls);
    let positions = run("magpie", Question::FARMING, &chain);
    let [first, second] = positions.positions()[..] else { panic!("{:?}", positions.findings) };
    let staked = (LegRole::STAKED, POOLS[0], n(40), None);
    let owed = (LegRole::REWARD_OWED, BONUS, n(3), None);
    assert_eq!(legs(first), [staked, owed, (LegRole::LOCKED, MAIN, n(5), None)]);
    assert_eq!(legs(second), [(LegRole::STAKED, POOLS[1], n(10), None), (LegRole::REWARD_OWED, MAIN, n(2), None)]);
    assert_eq!((first.legs[0].total, first.rewards[0].per_second), (Some(n(100)), Some(n(9))));
    positions.check_totals(&outcome);
}

#[test]
fn a_lock_pays_a_part_and_is_no_stake() {
    // Three quarters; a part that keeps less than a thousandth pays all.
    for (percent, expected) in
        [(WAD / 4 * 3, [(BONUS, n(6_000)), (MAIN, n(3_000))]), (WAD - 1, [(BONUS, n(8_000)), (MAIN, n(4_000))])]
    {
        let chain = stake(listed(PENPIE), PENPIE, LOCK, [50, 4_000, 8_000]);
        let chain = chain.reply(NETWORK, LOCK, &getRewardablePercentWADCall(ACCOUNT), &n(percent));
        let outcome = run("penpie", Question::CLAIMABLES, &chain);
        let mut found = paid(&outcome);
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!((outcome.end, found), (End::Complete, expected), "{}", outcome.message);
        assert_eq!(run("penpie", Question::FARMING, &chain).findings.len(), 0);
    }
}

#[test]
fn a_reward_is_claimed_without_a_stake_and_a_failing_pool_loses_only_itself() {
    let chain = stake(listed(PENPIE), PENPIE, POOLS[0], [0, 7, 1]);
    let outcome = run("penpie", Question::CLAIMABLES, &chain);
    let mut found = paid(&outcome);
    found.sort();
    assert_eq!((outcome.end, found), (End::Complete, vec![(MAIN, n(7)), (BONUS, n(1))]), "{}", outcome.message);
    assert_eq!(run("penpie", Question::FARMING, &chain).findings.len(), 0);
    let broken = stake(chain, PENPIE, POOLS[1], [3, 1, 1]).revert(
        NETWORK,
        PENPIE,
        &allPendingTokensCall { a: POOLS[1], b: ACCOUNT },
    );
    let outcome = run("penpie", Question::CLAIMABLES, &broken);
    assert_eq!((outcome.end, paid(&outcome).len()), (End::Partial, 2), "{}", outcome.message);
    assert_ne!(run("penpie", Question::CLAIMABLES, &CannedReplies::default()).end, End::Complete);
}

#[test]
fn an_unknown_kind_is_refused() {
    let row = vec![text("token_master", MAGPIE), text("master_kind", "other")];
    let refused = testing::settings_error::<Masters>(&one_row("magpie", NETWORK, row));
    assert_eq!(refused.and_then(|error| error.key).as_deref(), Some("master_kind"));
}
