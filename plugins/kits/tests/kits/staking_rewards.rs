//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::staking_rewards::{FarmTypes, StakingRewardsKit};
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, added_row, fork, list, plugin, text};

sol! {
    function stakingTokens(uint256) external view returns (address);
    function stakingRewardsInfoByStakingToken(address) external view returns (address, uint256, uint256);
    function stakingRewardsGenesis() external view returns (uint256);
    function rewardsToken() external view returns (address);
    function stakingToken() external view returns (address);
    function earned(address) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function rewardsTokenA() external view returns (address);
    function rewardsTokenB() external view returns (address);
    function earnedA(address) external view returns (uint256);
    function earnedB(address) external view returns (uint256);
    function rewardRateA() external view returns (uint256);
    function rewardRateB() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
}

const NETWORK: u64 = 137;
const SINGLE: Address = address!("0xf000000000000000000000000000000000000001");
const DUAL: Address = address!("0xf000000000000000000000000000000000000002");
const QUICK: Address = address!("0xa000000000000000000000000000000000000001");
const MATIC: Address = address!("0xa000000000000000000000000000000000000002");

const TYPES: FarmTypes = FarmTypes { reward_type: "farm", vault_type: "farm" };
const FARMS: StakingRewardsKit = StakingRewardsKit { single: TYPES, dual: TYPES };

plugin! {
    /// One factory of each kind, each under its own slug.
    Farms: &FARMS,
    ["single" = "SINGLE", "dual" = "DUAL"],
    r#"
    [[deployment]]
    protocol = "single"
    network = "polygon"
    factory = "0xf000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "dual"
    network = "polygon"
    factory = "0xf000000000000000000000000000000000000002"
    dual = true
    "#
}

/// The `n`th staking token and its farm.
fn staked(n: u16) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &n.to_be_bytes()].concat())
}

fn farm(n: u16) -> Address {
    Address::left_padding_from(&[&[0xfa][..], &n.to_be_bytes()].concat())
}

/// A factory of `count` farms that owe the account nothing; beyond its list it burns its gas.
fn factory(address: Address, count: u16, mut chain: CannedReplies) -> CannedReplies {
    for n in (0..256).chain([1023, 4095]) {
        let call = stakingTokensCall(U256::from(n));
        chain = match n < count {
            true => chain.reply(NETWORK, address, &call, &staked(n)),
            false => chain.result(NETWORK, address, &call, ReadResult::GasCap),
        };
    }
    chain = chain.reply(NETWORK, address, &stakingRewardsGenesisCall {}, &U256::from(1_600_000_000));
    for n in 0..count {
        let info = stakingRewardsInfoByStakingTokenCall(staked(n));
        chain = chain
            .reply(NETWORK, address, &info, &(farm(n), U256::ZERO, U256::from(86_400)))
            .reply(NETWORK, farm(n), &earnedCall(ACCOUNT), &U256::ZERO)
            .reply(NETWORK, farm(n), &balanceOfCall(ACCOUNT), &U256::ZERO)
            .reply(NETWORK, farm(n), &rewardsTokenCall {}, &QUICK)
            .reply(NETWORK, farm(n), &stakingTokenCall {}, &staked(n));
    }
    chain
}

fn singles(count: u16) -> CannedReplies {
    factory(SINGLE, count, CannedReplies::default())
}

fn earns(chain: CannedReplies, n: u16, amount: u64) -> CannedReplies {
    chain.reply(NETWORK, farm(n), &earnedCall(ACCOUNT), &U256::from(amount))
}

/// A stake of `amount` among 4,000, and a period at `rate` until `finish_s`.
fn stakes(chain: CannedReplies, n: u16, amount: u64, rate: u64, finish_s: u64) -> CannedReplies {
    chain
        .reply(NETWORK, farm(n), &balanceOfCall(ACCOUNT), &U256::from(amount))
        .reply(NETWORK, farm(n), &totalSupplyCall {}, &U256::from(4_000))
        .reply(NETWORK, farm(n), &rewardRateCall {}, &U256::from(rate))
        .reply(NETWORK, farm(n), &periodFinishCall {}, &U256::from(finish_s))
}

fn case(slug: &str, question: Question) -> JobTest {
    JobTest::new(slug, NETWORK, question, ACCOUNT)
}

fn claimables(chain: impl Replies) -> Outcome {
    case("single", Question::CLAIMABLES).run::<Farms>(chain)
}

fn farming(chain: impl Replies) -> Outcome {
    case("single", Question::FARMING).run::<Farms>(chain)
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for outcome in [claimables(&singles(3)), farming(&singles(3))] {
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [7, 2, 3, 3, 3]); // Two batches of guesses, the list, the farms, the account.
    }
}

#[test]
fn what_is_earned_is_claimed_from_its_farm() {
    let outcome = claimables(&earns(earns(singles(3), 0, 7), 2, 11));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let expected = [(farm(0), staked(0), 7), (farm(2), staked(2), 11)];
    assert_eq!(outcome.payments().len(), expected.len());
    for (row, (farm, staked, amount)) in outcome.payments().into_iter().zip(expected) {
        assert_eq!((row.contract, row.claim.to, row.token), (farm, farm, QUICK));
        assert_eq!(row.amount, word(amount));
        assert_eq!(row.name, format!("{{{staked:#x}}} reward"));
        assert_eq!((row.market.as_str(), row.mechanism.as_str()), ("main", "farm"));
        assert_eq!((row.claim.template, row.claim.arguments.len(), row.claim.value), (0, 0, None));
    }
}

#[test]
fn shares_of_a_pair_are_named_by_its_tokens() {
    let chain = earns(singles(1), 0, 1).reply(NETWORK, staked(0), &token0Call {}, &QUICK).reply(
        NETWORK,
        staked(0),
        &token1Call {},
        &MATIC,
    );
    assert_eq!(claimables(&chain).payments()[0].name, format!("{{{QUICK:#x}}}/{{{MATIC:#x}}} reward"));
    let chain = stakes(chain, 0, 5, 1, NOW_S + 1);
    assert_eq!(farming(&chain).legs()[0].name, format!("{{{QUICK:#x}}}/{{{MATIC:#x}}} reward pool"));
}

#[test]
fn a_hostile_staking_token_keeps_its_row_under_its_own_symbol() {
    for answer in [ReadResult::GasCap, ReadResult::Reverted(Bytes::new()), ReadResult::Ok(Bytes::from_static(&[1; 7]))]
    {
        let chain = earns(singles(1), 0, 9).result(NETWORK, staked(0), &token0Call {}, answer).reply(
            NETWORK,
            staked(0),
            &token1Call {},
            &MATIC,
        );
        let outcome = claimables(&chain);
        assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
        assert_eq!(outcome.payments()[0].name, format!("{{{:#x}}} reward", staked(0)));
    }
}

#[test]
fn a_running_period_pays_its_rate_and_a_finished_one_nothing() {
    for (finish_s, per_second) in [(NOW_S + 1, 12), (NOW_S, 0), (NOW_S - 1, 0), (0, 0)] {
        let outcome = farming(&stakes(singles(2), 1, 1_000, 12, finish_s));
        assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
        let row = outcome.legs()[0];
        assert_eq!((row.contract, row.token), (farm(1), staked(1)));
        assert_eq!((row.amount, row.underlying_amount, row.total), (word(1_000), word(1_000), Some(word(4_000))));
        assert_eq!(row.rewards.len(), 1);
        assert_eq!((row.rewards[0].token, row.rewards[0].per_second), (QUICK, Some(word(per_second))));
    }
}

fn duals(earned: [u64; 2]) -> CannedReplies {
    factory(DUAL, 1, CannedReplies::default())
        .reply(NETWORK, farm(0), &earnedACall(ACCOUNT), &U256::from(earned[0]))
        .reply(NETWORK, farm(0), &earnedBCall(ACCOUNT), &U256::from(earned[1]))
        .reply(NETWORK, farm(0), &rewardsTokenACall {}, &QUICK)
        .reply(NETWORK, farm(0), &rewardsTokenBCall {}, &MATIC)
}

#[test]
fn a_dual_farm_gives_a_row_for_each_token_and_one_claim_for_both() {
    let outcome = case("dual", Question::CLAIMABLES).run::<Farms>(&duals([40, 2]));
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.payments().len(), 2);
    let [first, second] = [outcome.payments()[0], outcome.payments()[1]];
    assert_eq!((first.token, first.amount), (QUICK, word(40)));
    assert_eq!((second.token, second.amount), (MATIC, word(2)));
    assert_eq!(first.claim, second.claim);
    assert_eq!(first.claim.to, farm(0));
}

#[test]
fn a_dual_farm_of_which_one_reward_cannot_be_read_pays_the_other() {
    let unread = [
        duals([40, 2]).revert(NETWORK, farm(0), &earnedBCall(ACCOUNT)),
        duals([40, 2]).revert(NETWORK, farm(0), &rewardsTokenBCall {}),
    ];
    for chain in unread {
        let outcome = case("dual", Question::CLAIMABLES).run::<Farms>(&chain);
        let paid: Vec<_> = outcome.payments().iter().map(|row| (row.token, row.amount)).collect();
        assert_eq!((outcome.end, paid), (End::Partial, vec![(QUICK, word(40))]));
    }
}

#[test]
fn a_dual_farm_that_pays_one_token_twice_pays_the_sum() {
    let chain = duals([40, 2]).reply(NETWORK, farm(0), &rewardsTokenBCall {}, &QUICK);
    let outcome = case("dual", Question::CLAIMABLES).run::<Farms>(&chain);
    let paid: Vec<_> = outcome.payments().iter().map(|row| (row.token, row.amount)).collect();
    assert_eq!((outcome.end, paid), (End::Complete, vec![(QUICK, word(42))]), "{}", outcome.message);
}

#[test]
fn a_dual_farm_that_owes_one_token_gives_one_row() {
    let outcome = case("dual", Question::CLAIMABLES).run::<Farms>(&duals([0, 2]));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.payments()[0].token, MATIC);
}

#[test]
fn a_dual_farm_reports_both_rates() {
    let chain = stakes(duals([0, 0]), 0, 10, 0, NOW_S + 60)
        .reply(NETWORK, farm(0), &rewardRateACall {}, &U256::from(3))
        .reply(NETWORK, farm(0), &rewardRateBCall {}, &U256::from(4));
    let outcome = case("dual", Question::FARMING).run::<Farms>(&chain);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let rewards: Vec<_> = outcome.legs()[0].rewards.iter().map(|reward| (reward.token, reward.per_second)).collect();
    assert_eq!(rewards, [(QUICK, Some(word(3))), (MATIC, Some(word(4)))]);
}

#[test]
fn a_bad_farm_costs_its_own_row_and_is_reported() {
    let call = earnedCall(ACCOUNT);
    let bad = [ReadResult::Reverted(Bytes::new()), ReadResult::GasCap, ReadResult::Ok(Bytes::from_static(&[1; 31]))];
    for answer in bad {
        let outcome = claimables(&earns(singles(3), 2, 11).result(NETWORK, farm(1), &call, answer));
        assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 1));
        assert_eq!(outcome.payments()[0].contract, farm(2));
        assert!(outcome.message.starts_with(&format!("main: earned(address) of {}: ", farm(1))), "{}", outcome.message);
    }
}

#[test]
fn a_farm_that_is_gone_has_nothing_for_anybody_while_others_answer() {
    let gone = |chain: CannedReplies, n: u16| {
        chain.result(NETWORK, farm(n), &earnedCall(ACCOUNT), ReadResult::NoCode).result(
            NETWORK,
            farm(n),
            &balanceOfCall(ACCOUNT),
            ReadResult::NoCode,
        )
    };
    let chain = stakes(earns(gone(singles(3), 1), 2, 11), 2, 5, 1, NOW_S + 1);
    let (claims, stakes) = (claimables(&chain), farming(&chain));
    assert_eq!((claims.end, claims.payments()[0].amount), (End::Complete, word(11)), "{}", claims.message);
    assert_eq!((stakes.end, stakes.legs()[0].amount), (End::Complete, word(5)), "{}", stakes.message);
    // If nothing replies, settings or endpoint are wrong; that is not an empty answer.
    let all = (0..3).fold(singles(3), gone);
    for outcome in [claimables(&all), farming(&all)] {
        assert_eq!(outcome.end, End::Failed);
        assert!(outcome.message.contains(&format!(" of {}: no contract there", farm(0))), "{}", outcome.message);
    }
}

#[test]
fn a_farm_whose_reward_token_cannot_be_read_costs_its_own_row() {
    let chain = earns(earns(singles(2), 0, 5), 1, 6).revert(NETWORK, farm(0), &rewardsTokenCall {});
    let outcome = claimables(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 1));
    assert_eq!(outcome.payments()[0].amount, word(6));
    // Partial too if it was the only row: the other farm was read, and owes nothing.
    let outcome = claimables(&earns(singles(2), 0, 5).revert(NETWORK, farm(0), &rewardsTokenCall {}));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
}

#[test]
fn a_network_that_answers_no_farm_is_a_failure_and_not_an_empty_answer() {
    let gone = (0..20)
        .fold(singles(20), |chain, n| chain.result(NETWORK, farm(n), &balanceOfCall(ACCOUNT), ReadResult::Unavailable));
    assert_eq!(farming(&gone).end, End::Failed);
    // With one farm left, eight errors are reported one by one, and the number of the others.
    let outcome = farming(&stakes(gone, 19, 1, 1, NOW_S + 1));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 1));
    assert_eq!(outcome.message.matches("no endpoint answered in time").count(), 8);
    assert!(outcome.message.ends_with("main: 11 more are missing"), "{}", outcome.message);
}

#[test]
fn a_long_list_costs_few_guesses_beyond_its_end() {
    // 75 farms lie between the guesses 63 and 255; then guesses are 24 apart, 3 apart, and adjacent.
    let chain = earns(singles(75), 74, 1);
    let mut beyond = 0;
    let outcome = claimables(|request: &ReadRequest| {
        let answer = (&chain).reply(request);
        beyond += usize::from(answer == ReadResult::GasCap);
        answer
    });
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.payments()[0].contract, farm(74));
    assert_eq!(outcome.batches, [7, 7, 7, 2, 75, 75, 75, 3]);
    assert_eq!(beyond, 14); // 255, 1023, 4095; 87 and six more; 75 and three more.
    for count in [1, 2, 4, 16, 31, 32, 64, 127, 199] {
        assert_eq!(claimables(&singles(count)).batches.last(), Some(&usize::from(count)), "{count} farms");
    }
}

#[test]
fn an_empty_factory_is_empty_and_no_factory_is_a_failure() {
    let outcome = claimables(&singles(0));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    let refuses = |_: &ReadRequest| ReadResult::Reverted(Bytes::new());
    let answers_nothing = |_: &ReadRequest| ReadResult::Ok(Bytes::new());
    let no_code = |_: &ReadRequest| ReadResult::NoCode;
    for outcome in [claimables(refuses), claimables(answers_nothing), claimables(no_code)] {
        assert_eq!(outcome.end, End::Failed);
        assert!(outcome.message.contains(&format!(" of {SINGLE}: ")), "{}", outcome.message);
    }
}

#[test]
fn a_list_that_never_ends_is_a_failure() {
    let endless = |request: &ReadRequest| ReadResult::Ok(request.data.slice(4..));
    let outcome = claimables(endless);
    assert_eq!(outcome.end, End::Failed);
    assert_eq!(outcome.message, format!("{SINGLE}: lists more than 4095 staking tokens"));
}

#[test]
fn a_farm_that_was_not_there_before_is_read_again() {
    let chain = earns(singles(1), 0, 5);
    let info = stakingRewardsInfoByStakingTokenCall(staked(0)).abi_encode();
    // The host caches immutable replies: its cached zero is older than the farm.
    let cached_zero = |request: &ReadRequest| match request.freshness {
        IMMUTABLE if request.data == info => {
            ReadResult::Ok((Address::ZERO, U256::ZERO, U256::ZERO).abi_encode().into())
        }
        _ => (&chain).reply(request),
    };
    assert_eq!(claimables(cached_zero).payments().len(), 1);
    // While there is no farm, nothing is earned.
    let none = chain.clone().reply(
        NETWORK,
        SINGLE,
        &stakingRewardsInfoByStakingTokenCall(staked(0)),
        &(Address::ZERO, U256::ZERO, U256::ZERO),
    );
    let outcome = claimables(&none);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

const PINNED: u8 = 0;
const IMMUTABLE: u8 = 1;
const WITHIN: u8 = 2;
const ZERO_WITHIN: u8 = 3;

#[test]
fn only_zeros_and_facts_that_never_change_may_be_old() {
    let chain = stakes(earns(singles(1), 0, 5), 0, 10, 1, NOW_S + 1);
    let expected = [
        (stakingTokensCall::SELECTOR, WITHIN),
        (stakingTokensCall::SELECTOR, IMMUTABLE),
        (stakingRewardsInfoByStakingTokenCall::SELECTOR, IMMUTABLE),
        (rewardsTokenCall::SELECTOR, IMMUTABLE),
        (token0Call::SELECTOR, WITHIN),
        (token1Call::SELECTOR, WITHIN),
        (earnedCall::SELECTOR, ZERO_WITHIN),
        (balanceOfCall::SELECTOR, ZERO_WITHIN),
        (rewardRateCall::SELECTOR, PINNED),
        (periodFinishCall::SELECTOR, PINNED),
        (totalSupplyCall::SELECTOR, PINNED),
    ];
    let mut seen = Vec::new();
    for question in [Question::CLAIMABLES, Question::FARMING] {
        case("single", question).run::<Farms>(|request: &ReadRequest| {
            seen.push((<[u8; 4]>::try_from(&request.data[..4]).expect("a call has a selector"), request.freshness));
            (&chain).reply(request)
        });
    }
    for read in &seen {
        assert!(expected.contains(read), "{read:02x?} is not expected");
    }
    for read in &expected {
        assert!(seen.contains(read), "{read:02x?} was not read");
    }
}

#[test]
fn guesses_may_burn_their_gas_and_are_capped() {
    let chain = earns(singles(3), 0, 5);
    let mut guesses = 0;
    claimables(|request: &ReadRequest| {
        let is_guess = request.data.starts_with(&stakingTokensCall::SELECTOR) && request.freshness == WITHIN;
        guesses += usize::from(is_guess);
        assert_eq!(request.gas_cap, if is_guess { 100_000 } else { 0 }, "only guesses are capped");
        (&chain).reply(request)
    });
    assert_eq!(guesses, 9);
}

#[test]
fn a_list_of_farms_needs_no_factory() {
    let settings = fork(NETWORK, vec![list("farms", [farm(0), farm(1)])]);
    let chain = stakes(earns(singles(2), 1, 8), 1, 3, 2, NOW_S + 1);
    let case = |question| case("fork", question).settings(settings.clone());
    let outcome = case(Question::CLAIMABLES).run::<Farms>(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.payments()[0].amount, word(8));
    assert_eq!(outcome.payments()[0].name, format!("{{{:#x}}} reward", staked(1)));
    assert_eq!(outcome.batches, [2, 2, 2]); // The account, both tokens of one farm, its pair.
    let outcome = case(Question::FARMING).run::<Farms>(&chain);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.legs()[0].token, staked(1));
}

#[test]
fn a_row_names_a_factory_or_farms() {
    let farms = |farms: &[Address]| list("farms", farms);
    let cases = [
        (vec![], "factory", "missing; give `factory` or `farms`"),
        (vec![farms(&[])], "factory", "missing; give `factory` or `farms`"),
        (vec![text("factory", SINGLE), farms(&[farm(0)])], "farms", "is given beside `factory`; give one of them"),
        (vec![farms(&[farm(0), farm(1), farm(0)])], "farms", "appears twice"),
        (vec![text("factory", "0x12")], "factory", "is not 0x and 40 hex digits"),
        (vec![text("factory", SINGLE), text("dual", "yes")], "dual", "not true or false"),
    ];
    for (keys, key, message) in cases {
        let refused = testing::settings_error::<Farms>(&added_row("single", NETWORK, keys));
        let refused = refused.expect("the settings are wrong");
        assert_eq!((refused.row, refused.key.as_deref()), (Some(0), Some(key)));
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}
