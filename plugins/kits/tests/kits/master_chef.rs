//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

mod beets;
mod costs;
mod pending;
mod settings;

use portolan_kits::master_chef::{Kind, MasterChefKit};
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies, map};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, n, plugin};

sol! {
    function poolLength() external view returns (uint256);
    function totalAllocPoint() external view returns (uint256);
    function userInfo(uint256, address) external view returns (uint256, int256);
    function poolInfo(uint256) external view returns (address, uint256, uint256, uint256);
    function lpToken(uint256) external view returns (address);
    function rewarder(uint256) external view returns (address);
    function pendingSushi(uint256, address) external view returns (uint256);
    function pendingBOO(uint256, address) external view returns (uint256);
    function pendingTokens(uint256, address, uint256) external view returns (address[], uint256[]);
    function sushi() external view returns (address);
    function SUSHI() external view returns (address);
    function boo() external view returns (address);
    function sushiPerSecond() external view returns (uint256);
    function booPerSecond() external view returns (uint256);
    function rewardPerSecond() external view returns (uint256);
    function rewardsExpiration() external view returns (uint256);
    function endTime() external view returns (uint256);
    function endTimestamp() external view returns (uint256);
    function endRewardTime() external view returns (uint256);
    function rewardEndTimestamp() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function balanceOf(address) external view returns (uint256);
}

const NETWORK: u64 = 1;
const CHEF: Address = address!("0xc000000000000000000000000000000000000001");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const BONUS: Address = address!("0xa000000000000000000000000000000000000002");
const REWARDER: Address = address!("0xe000000000000000000000000000000000000001");

const CHEFS: MasterChefKit = MasterChefKit { v1: "chef", v2: "chef", mini: "chef" };

plugin! {
    /// One chef of each kind, each under its own slug, all at the same address.
    Chefs: &CHEFS,
    [
        "v1" = "CHEF",
        "v2" = "CHEF",
        "mini" = "CHEF",
        "boo" = "CHEF",
        "cake" = "CHEF",
        "lp-staking" = "CHEF",
        "bonus" = "CHEF",
        "bonuses" = "CHEF",
        "lists" = "CHEF",
        "beets" = "CHEF",
    ],
    r#"
    [[deployment]]
    protocol = "v1"
    network = "ethereum"
    kind = "master-chef-v1"
    chef = "0xc000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "v2"
    network = "ethereum"
    kind = "master-chef-v2"
    chef = "0xc000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "mini"
    network = "ethereum"
    kind = "mini-chef"
    chef = "0xc000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "boo"
    network = "ethereum"
    kind = "master-chef-v1"
    chef = "0xc000000000000000000000000000000000000001"
    pending = "pendingBOO"
    claim = "deposit"

    [[deployment]]
    protocol = "cake"
    network = "ethereum"
    kind = "master-chef-v1"
    chef = "0xc000000000000000000000000000000000000001"
    reward_token = "0xa000000000000000000000000000000000000002"
    single_stake = true

    [[deployment]]
    protocol = "lp-staking"
    network = "ethereum"
    kind = "master-chef-v1"
    chef = "0xc000000000000000000000000000000000000001"
    pending = "pendingEmissionToken"
    claim = "deposit"
    getter = "eToken"
    funded = true

    [[deployment]]
    protocol = "bonus"
    network = "ethereum"
    kind = "master-chef-v1"
    chef = "0xc000000000000000000000000000000000000001"
    pending = "pendingTokens"
    pending_returns = "bonus"
    claim = "deposit"
    reward_token = "0xa000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "bonuses"
    network = "ethereum"
    kind = "master-chef-v1"
    chef = "0xc000000000000000000000000000000000000001"
    pending = "pendingTokens"
    pending_returns = "bonuses"
    claim = "deposit"
    reward_token = "0xa000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "lists"
    network = "ethereum"
    kind = "master-chef-v1"
    chef = "0xc000000000000000000000000000000000000001"
    pending = "pendingTokens"
    pending_returns = "lists"
    claim = "deposit"
    reward_token = "0xa000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "beets"
    network = "ethereum"
    kind = "beets-chef"
    chef = "0xc000000000000000000000000000000000000001"
    "#
}

/// The staked token of a pool.
fn lp(pid: u16) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &pid.to_be_bytes()].concat())
}

fn reply<C: SolCall>(chain: CannedReplies, to: Address, call: &C, value: &impl SolValue) -> CannedReplies {
    chain.reply(NETWORK, to, call, value)
}

fn user(pid: u64) -> userInfoCall {
    userInfoCall { _0: n(pid), _1: ACCOUNT }
}

fn pending(pid: u64) -> pendingSushiCall {
    pendingSushiCall { _0: n(pid), _1: ACCOUNT }
}

fn pending_boo(pid: u64) -> pendingBOOCall {
    pendingBOOCall { _0: n(pid), _1: ACCOUNT }
}

/// The first reads of a rewarder, which find out if it counts by the harvest.
fn bonus(pid: u64) -> [pendingTokensCall; 2] {
    let large = U256::from(10).pow(n(24));
    [U256::ZERO, large].map(|harvest| pendingTokensCall { _0: n(pid), _1: ACCOUNT, _2: harvest })
}

/// A chef with pools in which nobody has anything; each pool has one point.
fn chef(kind: Kind, count: u16) -> CannedReplies {
    let mut chain = reply(CannedReplies::default(), CHEF, &poolLengthCall {}, &n(count.into()));
    chain = reply(chain, CHEF, &totalAllocPointCall {}, &n(count.into()));
    for pid in 0..count {
        let at = n(pid.into());
        chain = reply(chain, CHEF, &user(pid.into()), &(U256::ZERO, U256::ZERO));
        chain = reply(chain, CHEF, &pending(pid.into()), &U256::ZERO);
        chain = match kind {
            Kind::V1 => reply(chain, CHEF, &poolInfoCall(at), &(lp(pid), n(1), n(9), n(9))),
            Kind::V2 | Kind::Mini => {
                let chain = reply(chain, CHEF, &poolInfoCall(at), &(n(9), n(9), n(1)));
                let chain = reply(chain, CHEF, &rewarderCall(at), &Address::ZERO);
                reply(chain, CHEF, &lpTokenCall(at), &lp(pid))
            }
            Kind::Beets => {
                let chain = reply(chain, CHEF, &poolInfoCall(at), &(n(1), n(9), n(9)));
                let chain = reply(chain, CHEF, &rewarderCall(at), &Address::ZERO);
                reply(chain, CHEF, &beets::lpTokensCall(at), &lp(pid))
            }
        };
        chain = reply(chain, lp(pid), &balanceOfCall(CHEF), &n(4_000));
    }
    match kind {
        Kind::V1 => reply(chain, CHEF, &sushiCall {}, &TOKEN),
        Kind::V2 | Kind::Mini => reply(chain, CHEF, &SUSHICall {}, &TOKEN),
        Kind::Beets => reply(chain, CHEF, &beets::beetsCall {}, &TOKEN),
    }
}

/// A stake in a pool, with its pending rewards.
fn stake(chain: CannedReplies, pid: u64, amount: u64, owed: u64) -> CannedReplies {
    let chain = reply(chain, CHEF, &user(pid), &(n(amount), n(5)));
    reply(chain, CHEF, &pending(pid), &n(owed))
}

/// A pool's rewarder, with what it owes.
fn rewards(chain: CannedReplies, pid: u64, tokens: Vec<Address>, amounts: Vec<u64>) -> CannedReplies {
    let amounts: Vec<U256> = amounts.into_iter().map(n).collect();
    let chain = reply(chain, CHEF, &rewarderCall(n(pid)), &REWARDER);
    let owed = ReadResult::Ok((tokens, amounts).abi_encode_params().into());
    bonus(pid).iter().fold(chain, |chain, call| chain.result(NETWORK, REWARDER, call, owed.clone()))
}

fn run(slug: &str, question: Question, chain: impl Replies) -> Outcome {
    JobTest::new(slug, NETWORK, question, ACCOUNT).run::<Chefs>(chain)
}

fn claimables(slug: &str, chain: impl Replies) -> Outcome {
    run(slug, Question::CLAIMABLES, chain)
}

fn farming(slug: &str, chain: impl Replies) -> Outcome {
    run(slug, Question::FARMING, chain)
}

fn word(amount: u64) -> U256 {
    n(amount)
}

const KINDS: [(&str, Kind); 3] = [("v1", Kind::V1), ("v2", Kind::V2), ("mini", Kind::Mini)];

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for (slug, kind) in KINDS {
        // From the second version on, rewarders may still owe something.
        let owing = if kind == Kind::V1 { 3 } else { 6 };
        for (outcome, reads) in [(claimables(slug, &chef(kind, 3)), owing), (farming(slug, &chef(kind, 3)), 3)] {
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
            // The number of pools and five names of the token; the account.
            assert_eq!(outcome.batches, [6, reads]);
        }
    }
    for outcome in [claimables("v1", &chef(Kind::V1, 0)), farming("mini", &chef(Kind::Mini, 0))] {
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn what_is_pending_is_claimed_from_its_pool() {
    for (slug, kind) in KINDS {
        let outcome = claimables(slug, &stake(stake(chef(kind, 4), 0, 10, 7), 3, 20, 11));
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let token = TOKEN;
        assert_eq!(by_number(&outcome), [(Some(word(0)), token, word(7)), (Some(word(3)), token, word(11))]);
        let row = outcome.payments()[1];
        assert_eq!((row.contract, row.claim.to), (CHEF, CHEF));
        assert_eq!(row.name, format!("{{{:#x}}} reward", lp(3)));
        assert_eq!((row.market.as_str(), row.mechanism.as_str(), row.claim.value), ("main", "chef", None));
        let (template, second) = match kind {
            Kind::V1 => (1, word(0).to_be_bytes::<32>()),
            Kind::V2 | Kind::Mini | Kind::Beets => (2, ACCOUNT.into_word().0),
        };
        assert_eq!(row.claim.template, template);
        assert_eq!(row.claim.arguments, [word(3).to_be_bytes(), second].concat());
    }
}

#[test]
fn a_chef_of_its_own_token_is_claimed_by_a_function_of_its_own() {
    let outcome = claimables("cake", &stake(stake(chef(Kind::V1, 4), 0, 10, 7), 3, 20, 11));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    // The row names the token, whatever a getter returns.
    assert_eq!(by_number(&outcome), [(Some(word(0)), BONUS, word(7)), (Some(word(3)), BONUS, word(11))]);
    let claims: Vec<_> = outcome.payments().iter().map(|row| (row.claim.template, row.claim.arguments.len())).collect();
    assert_eq!(claims, [(3, 32), (1, 64)]);
    assert_eq!(outcome.payments()[0].claim.arguments, word(0).to_be_bytes::<32>());
}

#[test]
fn a_fork_renames_its_view_its_getters_and_its_claim() {
    let chain = reply(chef(Kind::V1, 2), CHEF, &booCall {}, &BONUS);
    let chain = reply(stake(chain, 1, 10, 0), CHEF, &pending_boo(1), &n(8));
    let outcome = claimables("boo", &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(word(1)), BONUS, word(8))]);
    assert_eq!(outcome.payments()[0].claim.template, 0);
    assert_eq!(outcome.payments()[0].claim.arguments, [word(1), word(0)].map(|word| word.to_be_bytes::<32>()).concat());
    // It emits per second: half of the points get half of 6.
    let outcome = farming("boo", &reply(chain, CHEF, &booPerSecondCall {}, &n(6)));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let reward = outcome.legs()[0].rewards[0];
    assert_eq!((reward.token, reward.per_second), (BONUS, Some(word(3))));
}

#[test]
fn shares_of_a_pair_are_named_by_its_tokens() {
    let chain = stake(chef(Kind::Mini, 1), 0, 10, 1);
    let chain = reply(reply(chain, lp(0), &token0Call {}, &TOKEN), lp(0), &token1Call {}, &BONUS);
    assert_eq!(claimables("mini", &chain).payments()[0].name, format!("{{{TOKEN:#x}}}/{{{BONUS:#x}}} reward"));
    assert_eq!(farming("mini", &chain).legs()[0].name, format!("{{{TOKEN:#x}}}/{{{BONUS:#x}}} farm"));
}

#[test]
fn a_rewarder_adds_a_row_for_each_of_its_tokens_and_the_claim_is_the_same() {
    let chain = rewards(stake(chef(Kind::V2, 2), 1, 10, 40), 1, vec![BONUS, lp(0), ACCOUNT], vec![2, 0, 3]);
    let outcome = claimables("v2", &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let pool = Some(word(1));
    assert_eq!(by_number(&outcome), [(pool, TOKEN, word(40)), (pool, BONUS, word(2)), (pool, ACCOUNT, word(3))]);
    let claims: Vec<_> = outcome.payments().into_iter().map(|row| row.claim).collect();
    assert!(claims.iter().all(|claim| *claim == claims[0]));
    // The rewarder pays the chef's own token: one call pays the sum.
    let chain = rewards(stake(chef(Kind::V2, 2), 1, 10, 40), 1, vec![TOKEN], vec![2]);
    assert_eq!(by_number(&claimables("v2", &chain)), [(pool, TOKEN, word(42))]);
    // Nothing is pending of the chef's own token.
    let chain = rewards(stake(chef(Kind::V2, 2), 1, 10, 0), 1, vec![BONUS], vec![2]);
    assert_eq!(by_number(&claimables("v2", &chain)), [(pool, BONUS, word(2))]);
}

#[test]
fn what_was_not_harvested_before_the_stake_left_is_owed_still() {
    let chain = reply(chef(Kind::Mini, 1), CHEF, &pending(0), &n(6));
    let left = (U256::ZERO, U256::MAX - n(5)); // A debt of -6.
    let chain = reply(chain, CHEF, &user(0), &left);
    let outcome = claimables("mini", &chain);
    assert_eq!(by_number(&outcome), [(Some(word(0)), TOKEN, word(6))]);
    let outcome = farming("mini", &chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn a_stake_is_reported_with_its_share_of_the_emission() {
    let chain = reply(stake(chef(Kind::Mini, 4), 2, 1_000, 0), CHEF, &sushiPerSecondCall {}, &n(12));
    let outcome = farming("mini", &rewards(chain.clone(), 2, vec![BONUS], vec![0]));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.legs()[0];
    assert_eq!((row.contract, row.token, row.number), (CHEF, lp(2), Some(word(2))));
    assert_eq!((row.amount, row.underlying_amount, row.total), (word(1_000), word(1_000), Some(word(4_000))));
    // One of four points of 12 per second; the rewarder's rate is unknown.
    let paid: Vec<_> = row.rewards.iter().map(|reward| (reward.token, reward.per_second)).collect();
    assert_eq!(paid, [(TOKEN, Some(word(3))), (BONUS, None)]);
    // The number of pools and the token; the account; all staked tokens, the emission by two names, its end by six, the
    // total points, and the stake (amount, points, token, rewarder); the pair, the chef's balance and the rewarder.
    assert_eq!(outcome.batches, [6, 4, 4 + 9 + 4, 4]);
    // The rate of the chef's own token is unknown if its rewarder pays it too, or cannot be read.
    let own = rewards(chain.clone(), 2, vec![BONUS, TOKEN], vec![0, 0]);
    let unread = bonus(2).iter().fold(own.clone(), |own, call| own.revert(NETWORK, REWARDER, call));
    for (chain, end) in [(own, End::Complete), (unread, End::Partial)] {
        let outcome = farming("mini", &chain);
        let own = outcome.legs()[0].rewards[0];
        assert_eq!((outcome.end, own), (end, Reward::new(TOKEN, None)), "{}", outcome.message);
    }
}

#[test]
fn a_share_of_an_emission_is_exact() {
    let chain = reply(stake(chef(Kind::Mini, 3), 2, 10, 0), CHEF, &sushiPerSecondCall {}, &n(100));
    let share = |points: u64, all: u64| {
        let chain = reply(chain.clone(), CHEF, &poolInfoCall(n(2)), &(n(9), n(9), n(points)));
        let outcome = farming("mini", &reply(chain, CHEF, &totalAllocPointCall {}, &n(all)));
        outcome.legs()[0].rewards[0]
    };
    assert_eq!(share(2, 3), Reward { divisor: Some(n(3)), ..Reward::new(TOKEN, n(200)) });
    assert_eq!(share(1, 4), Reward::new(TOKEN, n(25)));
    assert_eq!(share(0, 3), Reward::new(TOKEN, n(0)));
    for (points, all) in [(4, 3), (0, 0)] {
        assert_eq!(share(points, all), Reward::new(TOKEN, None), "{points} of {all} points");
    }
    let most = reply(chain, CHEF, &sushiPerSecondCall {}, &U256::MAX);
    let most = reply(most, CHEF, &poolInfoCall(n(2)), &(n(9), n(9), n(2)));
    assert_eq!(farming("mini", &most).legs()[0].rewards[0], Reward::new(TOKEN, None));
}

#[test]
fn a_chef_whose_emission_is_over_pays_nothing_more() {
    let chain = reply(stake(chef(Kind::Mini, 4), 2, 1_000, 0), CHEF, &sushiPerSecondCall {}, &n(12));
    for (ends_s, rate) in [(NOW_S + 1, 3), (NOW_S, 0), (0, 0)] {
        let chain = reply(chain.clone(), CHEF, &rewardsExpirationCall {}, &n(ends_s));
        let outcome = farming("mini", &chain);
        assert_eq!(outcome.legs()[0].rewards, [Reward::new(TOKEN, n(rate))], "{}", outcome.message);
    }
}

#[test]
fn each_name_of_an_end_is_one_unless_it_is_zero() {
    let chain = reply(stake(chef(Kind::V1, 4), 2, 1_000, 0), CHEF, &booPerSecondCall {}, &n(12));
    let names = [
        endTimeCall::SELECTOR,
        endTimestampCall::SELECTOR,
        endRewardTimeCall::SELECTOR,
        rewardEndTimestampCall::SELECTOR,
        periodFinishCall::SELECTOR,
    ];
    for name in names {
        for (ends_s, rate) in [(NOW_S + 1, 3), (NOW_S, 0), (1, 0), (0, 3)] {
            let outcome = farming("boo", |request: &ReadRequest| {
                if request.to == CHEF && request.data[..] == name {
                    return ReadResult::Ok(n(ends_s).abi_encode().into());
                }
                (&chain).reply(request)
            });
            assert_eq!(
                outcome.legs()[0].rewards,
                [Reward::new(TOKEN, n(rate))],
                "{name:02x?} {ends_s}: {}",
                outcome.message
            );
        }
    }
}

#[test]
fn what_a_rewarder_could_not_pay_is_owed_without_a_stake() {
    for (slug, kind) in [("v2", Kind::V2), ("mini", Kind::Mini)] {
        let outcome = claimables(slug, &rewards(chef(kind, 2), 1, vec![BONUS], vec![7]));
        assert_eq!((outcome.end, by_number(&outcome)), (End::Complete, vec![(Some(word(1)), BONUS, word(7))]));
        let outcome = claimables(slug, &rewards(chef(kind, 2), 1, vec![BONUS], vec![0]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(farming(slug, &rewards(chef(kind, 2), 1, vec![BONUS], vec![7])).findings.len(), 0);
    }
}

#[test]
fn a_chef_that_counts_in_blocks_reports_no_rate() {
    for (slug, kind) in [("v1", Kind::V1), ("v2", Kind::V2)] {
        let outcome = farming(slug, &stake(chef(kind, 2), 0, 10, 0));
        assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
        assert_eq!(outcome.legs()[0].rewards[0].per_second, None);
        assert_eq!(outcome.legs()[0].total, Some(word(4_000)));
    }
}

#[test]
fn pools_that_share_a_staked_token_or_stake_the_reward_report_no_total() {
    let shared = reply(chef(Kind::Mini, 3), CHEF, &lpTokenCall(n(1)), &lp(0));
    let outcome = farming("mini", &stake(stake(stake(shared, 0, 1, 0), 1, 2, 0), 2, 3, 0));
    let found: Vec<_> = outcome.legs().into_iter().map(|row| (row.number, row.token, row.amount, row.total)).collect();
    let expected = [
        (Some(word(0)), lp(0), word(1), None),
        (Some(word(1)), lp(0), word(2), None),
        (Some(word(2)), lp(2), word(3), Some(word(4_000))),
    ];
    assert_eq!(found, expected);
    // The chef's balance of its reward token is not only stakes.
    let own = reply(chef(Kind::Mini, 1), CHEF, &lpTokenCall(n(0)), &TOKEN);
    let own = reply(own, TOKEN, &balanceOfCall(CHEF), &n(9));
    assert_eq!(farming("mini", &stake(own, 0, 1, 0)).legs()[0].total, None);
}

#[test]
fn a_bad_pool_costs_its_own_row_and_is_reported() {
    let bad = [
        ReadResult::Reverted(Bytes::new()),
        ReadResult::GasCap,
        ReadResult::Unavailable,
        ReadResult::Ok(Bytes::from_static(&[1; 31])),
    ];
    for answer in bad {
        let chain = stake(stake(chef(Kind::V1, 3), 1, 10, 5), 2, 10, 6);
        let outcome = claimables("v1", &chain.result(NETWORK, CHEF, &pending(1), answer));
        assert_eq!((outcome.end, by_number(&outcome)), (End::Partial, vec![(Some(word(2)), TOKEN, word(6))]));
        assert!(
            outcome.message.starts_with(&format!("main: pendingSushi(uint256,address) of {CHEF}: ")),
            "{}",
            outcome.message
        );
    }
    // Partial too if an account's stake cannot be read, and if the failed row is the only one.
    let chain = stake(chef(Kind::Mini, 3), 2, 10, 6);
    let outcome = claimables("mini", &chain.revert(NETWORK, CHEF, &user(0)));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 1));
    let chain = stake(chef(Kind::Mini, 3), 2, 10, 6);
    let outcome = claimables("mini", &chain.revert(NETWORK, CHEF, &pending(2)));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
}

#[test]
fn a_hostile_staked_token_costs_at_most_its_name_and_its_total() {
    for answer in [
        ReadResult::NoCode,
        ReadResult::GasCap,
        ReadResult::Reverted(Bytes::new()),
        ReadResult::Ok(Bytes::from(vec![7; 99])),
    ] {
        let chain = stake(chef(Kind::V1, 2), 1, 10, 5).result(NETWORK, lp(1), &token0Call {}, answer.clone()).result(
            NETWORK,
            lp(1),
            &balanceOfCall(CHEF),
            answer.clone(),
        );
        let outcome = claimables("v1", &chain);
        assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
        assert_eq!(outcome.payments()[0].name, format!("{{{:#x}}} reward", lp(1)));
        let outcome = farming("v1", &chain);
        assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
        let is_number = matches!(answer, ReadResult::Ok(_));
        assert_eq!(outcome.legs()[0].total.is_some(), is_number);
    }
}

#[test]
fn a_rewarder_that_pays_a_multiple_of_the_harvest_is_called_with_it() {
    let multiple = |request: &ReadRequest, chain: &CannedReplies| {
        let mut chain = chain;
        if request.to != REWARDER {
            return chain.reply(request);
        }
        let harvest = U256::from_be_slice(&request.data[68..100]);
        ReadResult::Ok((vec![BONUS], vec![harvest * n(3)]).abi_encode_params().into())
    };
    let chain = rewards(stake(chef(Kind::Mini, 1), 0, 10, 5), 0, vec![], vec![]);
    let outcome = claimables("mini", |request: &ReadRequest| multiple(request, &chain));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(word(0)), TOKEN, word(5)), (Some(word(0)), BONUS, word(15))]);
    assert_eq!(outcome.batches, [6, 2, 4, 3]); // With the pair, the rewarder is read again.
    // A rewarder that ignores the harvest is not read again.
    assert_eq!(claimables("mini", &rewards(chain, 0, vec![BONUS], vec![2])).batches, [6, 2, 4, 2]);
}

#[test]
fn a_bad_rewarder_costs_its_own_rows_and_is_reported() {
    let [none, large] = bonus(0);
    let calls = [none, large, pendingTokensCall { _0: n(0), _1: ACCOUNT, _2: n(5) }];
    let uneven = (vec![BONUS, TOKEN], vec![n(1)]).abi_encode_params();
    let many = (vec![BONUS; 17], vec![n(1); 17]).abi_encode_params();
    for answer in [
        ReadResult::NoCode,
        ReadResult::GasCap,
        ReadResult::Ok(Bytes::new()),
        ReadResult::Ok(uneven.into()),
        ReadResult::Ok(many.into()),
    ] {
        let chain = rewards(stake(chef(Kind::Mini, 1), 0, 10, 5), 0, vec![], vec![]);
        let chain = calls.iter().fold(chain, |chain, call| chain.result(NETWORK, REWARDER, call, answer.clone()));
        let outcome = claimables("mini", &chain);
        assert_eq!((outcome.end, by_number(&outcome)), (End::Partial, vec![(Some(word(0)), TOKEN, word(5))]));
        assert!(outcome.message.contains(&REWARDER.to_string()), "{}", outcome.message);
        assert_eq!((farming("mini", &chain).end, farming("mini", &chain).legs().len()), (End::Partial, 1));
    }
}

#[test]
fn a_chef_without_the_function_has_no_rewarders() {
    let chain = stake(chef(Kind::V2, 1), 0, 10, 5).revert(NETWORK, CHEF, &rewarderCall(n(0)));
    let outcome = claimables("v2", &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
}

#[test]
fn a_chef_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
    let gone = |_: &ReadRequest| ReadResult::Unavailable;
    let no_code = |_: &ReadRequest| ReadResult::NoCode;
    for question in [Question::CLAIMABLES, Question::FARMING] {
        assert_eq!(run("v1", question, gone).end, End::Failed);
        assert_eq!(run("mini", question, no_code).end, End::Failed);
        let no_pool = (0..3)
            .fold(chef(Kind::V1, 3), |chain, pid| chain.result(NETWORK, CHEF, &user(pid), ReadResult::Unavailable));
        assert_eq!(run("v1", question, &no_pool).end, End::Failed);
        let endless = reply(chef(Kind::V1, 1), CHEF, &poolLengthCall {}, &n(5_001));
        let outcome = run("v1", question, &endless);
        assert_eq!(outcome.message, format!("{CHEF}: lists 5001 pools, more than 5000"));
    }
    let outcome = claimables("v1", &chef(Kind::V1, 1).revert(NETWORK, CHEF, &sushiCall {}));
    assert_eq!(outcome.end, End::Failed);
    assert!(outcome.message.contains("returns no reward token as sushi, SUSHI, Sushi"), "{}", outcome.message);
}
