//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::stargate_staking::StargateStakingKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, n, one_row, plugin, text};

sol! {
    function tokens() external view returns (address[]);
    function balanceOf(address, address) external view returns (uint256);
    function totalSupply(address) external view returns (uint256);
    function rewarder(address) external view returns (address);
    function getRewards(address, address) external view returns (address[], uint256[]);
    function allocPointsByStake(address) external view returns (address[], uint48[]);
    function rewardDetails(address) external view returns (tuple(uint256, uint160, uint48, uint48, bool));
}

mod share {
    portolan_plugin_api::sol! {
        function balanceOf(address) external view returns (uint256);
        function stargate() external view returns (address);
        function totalSupply() external view returns (uint256);
        function token() external view returns (address);
    }
}

const NETWORK: u64 = 1;
/// The block of a `JobTest`.
const STAKING: Address = Address::repeat_byte(0x50);
const REWARDER: Address = Address::repeat_byte(0x51);
const OTHER: Address = Address::repeat_byte(0x52);
const USDC_SHARE: Address = Address::repeat_byte(0xa1);
const ETH_SHARE: Address = Address::repeat_byte(0xa2);
const USDC_POOL: Address = Address::repeat_byte(0xb1);
const ETH_POOL: Address = Address::repeat_byte(0xb2);
const STG: Address = Address::repeat_byte(0xc1);
const TYPES: StargateStakingKit = StargateStakingKit { stake: "staking", share: "STARGATE" };

plugin! {
    Stargate: &TYPES,
    ["stargate" = "STARGATE"],
    r#"
    [[deployment]]
    protocol = "stargate"
    network = "ethereum"
    stargate_staking = "0x5050505050505050505050505050505050505050"
    "#
}

/// Encodes tokens with an amount for each.
fn lists(tokens: Vec<Address>, amounts: Vec<U256>) -> ReadResult {
    ReadResult::Ok((tokens, amounts).abi_encode_params().into())
}

/// Stake of the account in a share of 4,000, with what the rewarder owes for it.
fn stake(chain: CannedReplies, share: Address, staked: u64, owed: &[(Address, u64)]) -> CannedReplies {
    let (tokens, amounts): (Vec<Address>, Vec<U256>) = owed.iter().map(|(token, amount)| (*token, n(*amount))).unzip();
    chain
        .reply(NETWORK, STAKING, &balanceOfCall { _0: share, _1: ACCOUNT }, &n(staked))
        .reply(NETWORK, STAKING, &totalSupplyCall(share), &n(4_000))
        .reply(NETWORK, STAKING, &rewarderCall(share), &REWARDER)
        .result(NETWORK, REWARDER, &getRewardsCall { _0: share, _1: ACCOUNT }, lists(tokens, amounts))
}

/// Two farms with one rewarder, which gives the first share a quarter of 100 STG and all of 3 native tokens per second.
/// The account has nothing.
fn farms() -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, STAKING, &tokensCall {}, &vec![USDC_SHARE, ETH_SHARE]);
    let points = |points: [u64; 2]| lists(vec![STG, NATIVE], points.map(n).to_vec());
    let details = |rate: u64, points: u64| (n(rate), n(points), n(NOW_S), n(NOW_S + 1), true);
    let chain = chain
        .result(NETWORK, REWARDER, &allocPointsByStakeCall(USDC_SHARE), points([25, 7]))
        .result(NETWORK, REWARDER, &allocPointsByStakeCall(ETH_SHARE), points([75, 0]))
        .reply(NETWORK, REWARDER, &rewardDetailsCall(STG), &details(100, 100))
        .reply(NETWORK, REWARDER, &rewardDetailsCall(NATIVE), &details(3, 7));
    stake(stake(chain, USDC_SHARE, 0, &[(STG, 0), (NATIVE, 0)]), ETH_SHARE, 0, &[])
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("stargate", NETWORK, question, ACCOUNT).run::<Stargate>(chain)
}

fn paid(outcome: &Outcome) -> Vec<(Address, Address, U256)> {
    outcome
        .claimables()
        .iter()
        .flat_map(|row| row.payments.iter().map(|paid| (row.contract, paid.token, paid.amount)))
        .collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &farms());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1, 2]);
    }
}

/// The farms, and shares that the account holds without a stake.
fn unstaked(held: [u64; 2]) -> CannedReplies {
    let pools = [(USDC_SHARE, USDC_POOL, STG), (ETH_SHARE, ETH_POOL, NATIVE)];
    pools.into_iter().zip(held).fold(farms(), |chain, ((share, pool, token), held)| {
        chain
            .reply(NETWORK, share, &share::balanceOfCall(ACCOUNT), &n(held))
            .reply(NETWORK, share, &share::stargateCall {}, &pool)
            .reply(NETWORK, pool, &share::tokenCall {}, &token)
    })
}

#[test]
fn shares_without_a_stake_are_equal_amounts_of_their_pools_tokens() {
    let outcome = run(Question::POOLING, &unstaked([0, 0]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [1, 2]);
    let told = |outcome: &Outcome| -> Vec<(Address, Address, U256)> {
        let row = |row: &&Position| (row.contract, row.legs[0].token, row.legs[0].amount);
        outcome.positions().iter().map(row).collect()
    };
    let outcome = run(Question::POOLING, &unstaked([500, 7]));
    let expected = [(USDC_SHARE, STG, n(500)), (ETH_SHARE, NATIVE, n(7))];
    assert_eq!((outcome.end, told(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    let leg = &outcome.positions()[0].legs[0];
    assert_eq!((leg.role, leg.receipt), (LegRole::POOLED, Some(USDC_SHARE)));
    let outcome = run(Question::POOLING, &unstaked([500, 7]).revert(NETWORK, USDC_POOL, &share::tokenCall {}));
    assert_eq!((outcome.end, told(&outcome)), (End::Partial, expected[1..].to_vec()), "{}", outcome.message);
}

#[test]
fn each_share_has_a_claim_that_pays_all_of_its_rewards() {
    let chain = stake(farms(), USDC_SHARE, 500, &[(STG, 40), (NATIVE, 7)]);
    let outcome = run(Question::CLAIMABLES, &stake(chain, ETH_SHARE, 1, &[(STG, 9), (NATIVE, 0)]));
    let expected = vec![(USDC_SHARE, STG, n(40)), (USDC_SHARE, NATIVE, n(7)), (ETH_SHARE, STG, n(9))];
    assert_eq!((outcome.end, paid(&outcome)), (End::Complete, expected), "{}", outcome.message);
    let claim = &outcome.claimables()[0];
    assert_eq!((claim.steps[0].to, &claim.name), (STAKING, &format!("{{{USDC_SHARE:#x}}} rewards")));
    assert_eq!(claim.steps[0].arguments, (vec![USDC_SHARE],).abi_encode_params());
    // A stake without rewards yet.
    let outcome = run(Question::CLAIMABLES, &stake(farms(), ETH_SHARE, 1, &[(STG, 0)]));
    assert_eq!((outcome.end, paid(&outcome)), (End::Complete, vec![]));
}

#[test]
fn a_stake_has_what_is_owed_and_its_part_of_what_is_paid_a_second() {
    let outcome = run(Question::FARMING, &stake(farms(), USDC_SHARE, 500, &[(STG, 40), (NATIVE, 0)]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one stake") };
    assert_eq!((position.kind, position.contract), (PositionKind::STAKED, STAKING));
    let staked = Leg::new(LegRole::STAKED, USDC_SHARE, n(500)).of_total(n(4_000));
    assert_eq!(position.legs, [staked, Leg::new(LegRole::REWARD_OWED, STG, n(40))]);
    assert_eq!(position.rewards, [Reward::new(STG, n(25)), Reward::new(NATIVE, n(3))]);
    assert_eq!(position.name, format!("{{{USDC_SHARE:#x}}} farm"));
}

#[test]
fn nothing_is_paid_a_second_before_and_after_a_rewards_time() {
    let staked = stake(farms(), USDC_SHARE, 500, &[]);
    let details = |start: u64, end: u64| (n(100), n(100), n(start), n(end), true);
    for (start, end) in [(NOW_S - 9, NOW_S), (NOW_S + 1, NOW_S + 9)] {
        let chain = staked.clone().reply(NETWORK, REWARDER, &rewardDetailsCall(STG), &details(start, end));
        let rewards = run(Question::FARMING, &chain).positions()[0].rewards.clone();
        assert_eq!(rewards, [Reward::new(STG, n(0)), Reward::new(NATIVE, n(3))]);
    }
}

#[test]
fn what_fails_costs_its_own_rows_and_is_reported() {
    let both = || {
        let chain = stake(farms(), USDC_SHARE, 5, &[(STG, 10)]);
        stake(chain, ETH_SHARE, 6, &[(STG, 20)]).reply(NETWORK, STAKING, &rewarderCall(USDC_SHARE), &OTHER)
    };
    let unequal = lists(vec![STG], vec![n(1), n(2)]);
    for chain in [
        both(),
        both().revert(NETWORK, STAKING, &rewarderCall(USDC_SHARE)),
        both().result(NETWORK, OTHER, &getRewardsCall { _0: USDC_SHARE, _1: ACCOUNT }, unequal),
    ] {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, paid(&outcome)), (End::Partial, vec![(ETH_SHARE, STG, n(20))]), "{}", outcome.message);
        let stakes = run(Question::FARMING, &chain);
        assert_eq!((stakes.end, stakes.positions().len()), (End::Partial, 1));
    }
    assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
    let shares: Vec<Address> = (1..=101).map(Address::with_last_byte).collect();
    let many = CannedReplies::default().reply(NETWORK, STAKING, &tokensCall {}, &shares);
    assert_eq!(run(Question::CLAIMABLES, &many).end, End::Failed, "more than any known deployment");
}

#[test]
fn more_rewards_than_are_told_are_reported() {
    let many: Vec<(Address, u64)> = (1..=17).map(|place| (Address::with_last_byte(place), 1)).collect();
    let outcome = run(Question::CLAIMABLES, &stake(farms(), USDC_SHARE, 5, &many));
    assert_eq!((outcome.end, paid(&outcome).len()), (End::Partial, 16), "{}", outcome.message);
}

/// A share with this supply.
fn pool(chain: CannedReplies, share: Address, token: Address, supply: u64) -> CannedReplies {
    let pool = Address::repeat_byte(share[0] ^ 0x10);
    chain
        .reply(NETWORK, share, &share::stargateCall {}, &pool)
        .reply(NETWORK, share, &share::totalSupplyCall {}, &n(supply))
        .reply(NETWORK, pool, &share::tokenCall {}, &token)
}

#[test]
fn a_share_redeems_to_as_much_of_its_pools_token() {
    let usdc = Address::repeat_byte(0xd1);
    let chain = pool(pool(farms(), USDC_SHARE, usdc, 900), ETH_SHARE, NATIVE, 0);
    let ask = |tokens: &[Address]| JobTest::for_tokens("stargate", NETWORK, tokens).run::<Stargate>(&chain);
    // The other share has no supply, and the third token is not a share.
    let outcome = ask(&[USDC_SHARE, ETH_SHARE, STG]);
    let parts = vec![Part { token: usdc, amount: n(900) }];
    let expected = Composition { token: USDC_SHARE, kind: "STARGATE".to_owned(), supply: n(900), parts };
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![&expected]), "{}", outcome.message);
    let none = ask(&[STG]);
    assert_eq!((none.end, none.findings.len(), none.batches), (End::Complete, 0, vec![1]));
}

#[test]
fn a_row_of_settings_has_a_staking_contract() {
    let settings = one_row("stargate", 137, vec![text("stargate_staking", STAKING)]);
    let rows = testing::catalogue::<Stargate>(&settings).deployments;
    assert_eq!(rows[0].contracts, [STAKING]);
    let questions = [Question::CLAIMABLES, Question::FARMING, Question::POOLING, Question::COMPOSITION];
    assert_eq!(rows[0].questions, questions);
}
