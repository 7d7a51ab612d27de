//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, with all that they return, so that a wrong one in the kit fails a
//! test.

use portolan_kits::aave_v3::{AaveV3Kit, AaveVersion};
use portolan_plugin_api::testing::{
    self, CannedReplies, End, JobTest, LegRow, Outcome, PaymentRow, ReadRequest, ReadResult, Replies,
};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, one_row, plugin, text};

sol! {
    struct ReserveData {
        uint256 configuration;
        uint128 liquidityIndex;
        uint128 currentLiquidityRate;
        uint128 variableBorrowIndex;
        uint128 currentVariableBorrowRate;
        uint128 currentStableBorrowRate;
        uint40 lastUpdateTimestamp;
        uint16 id;
        address aTokenAddress;
        address stableDebtTokenAddress;
        address variableDebtTokenAddress;
        address interestRateStrategyAddress;
        uint128 accruedToTreasury;
        uint128 unbacked;
        uint128 isolationModeTotalDebt;
    }
    function getReservesList() external view returns (address[]);
    function getReserveData(address) external view returns (ReserveData);
    function getUserAccountData(address) external view returns (uint256, uint256, uint256, uint256, uint256, uint256);
    function getReserveTokensAddresses(address) external view returns (address, address, address);
    function balanceOf(address) external view returns (uint256);
    function getUserStableRate(address) external view returns (uint256);
    function getRewardsByAsset(address) external view returns (address[]);
    function getUserRewards(address[], address, address) external view returns (uint256);
    function claimRewards(address[] assets, uint256 amount, address to, address reward) external returns (uint256);
}

const NETWORK: u64 = 10;
const POOL: Address = address!("0x9000000000000000000000000000000000000001");
const PROVIDER: Address = address!("0x9000000000000000000000000000000000000002");
const CONTROLLER: Address = address!("0x9000000000000000000000000000000000000003");
const OP: Address = address!("0x7000000000000000000000000000000000000001");
const LDO: Address = address!("0x7000000000000000000000000000000000000002");
const SUPPLIED: u8 = LegRole::SUPPLIED.0;
const BORROWED: u8 = LegRole::BORROWED.0;
const WAD: u128 = 1_000_000_000_000_000_000;
const RAY: u128 = 1_000_000_000_000_000_000_000_000_000;

const POOLS: AaveV3Kit = AaveV3Kit { version: AaveVersion::V3, reward_type: "rewards" };

const SECOND: u64 = 1;
const SECOND_POOLS: AaveV3Kit = AaveV3Kit { version: AaveVersion::V2, reward_type: "incentives" };

plugin! {
    /// A pool with a controller, and one without, under one slug each.
    Pools: &POOLS,
    ["aave" = "AAVE", "plain" = "PLAIN"],
    r#"
    [[deployment]]
    protocol = "aave"
    network = "optimism"
    pool = "0x9000000000000000000000000000000000000001"
    data_provider = "0x9000000000000000000000000000000000000002"
    rewards_controller = "0x9000000000000000000000000000000000000003"

    [[deployment]]
    protocol = "plain"
    network = "optimism"
    pool = "0x9000000000000000000000000000000000000001"
    data_provider = "0x9000000000000000000000000000000000000002"
    "#,
    &[("aave", "Aave v3"), ("plain", "Aave v3")]
}

plugin! {
    /// The same contracts of the second version.
    SecondPools: &SECOND_POOLS,
    ["second" = "SECOND"],
    r#"
    [[deployment]]
    protocol = "second"
    network = "ethereum"
    pool = "0x9000000000000000000000000000000000000001"
    data_provider = "0x9000000000000000000000000000000000000002"
    rewards_controller = "0x9000000000000000000000000000000000000003"
    "#
}

/// Returns a token of the `n`th reserve: the underlying, the aToken, the stable debt token or the variable debt token.
fn token(kind: u8, n: u8) -> Address {
    Address::left_padding_from(&[kind, n])
}

fn underlying(n: u8) -> Address {
    token(1, n)
}

fn a_token(n: u8) -> Address {
    token(2, n)
}

fn stable(n: u8) -> Address {
    token(3, n)
}

fn variable(n: u8) -> Address {
    token(4, n)
}

fn reply<C: SolCall>(chain: CannedReplies, to: Address, call: &C, value: &impl SolValue) -> CannedReplies {
    chain.reply(NETWORK, to, call, value)
}

fn balance(chain: CannedReplies, token: Address, amount: u128) -> CannedReplies {
    reply(chain, token, &balanceOfCall(ACCOUNT), &U256::from(amount))
}

/// Sets the rewards that an asset has earned for the account.
fn earns(chain: CannedReplies, asset: Address, rewards: &[(Address, u128)]) -> CannedReplies {
    let list: Vec<Address> = rewards.iter().map(|(reward, _)| *reward).collect();
    let chain = reply(chain, CONTROLLER, &getRewardsByAssetCall(asset), &list);
    rewards.iter().fold(chain, |chain, (reward, amount)| {
        let call = getUserRewardsCall { _0: vec![asset], _1: ACCOUNT, _2: *reward };
        reply(chain, CONTROLLER, &call, &U256::from(*amount))
    })
}

/// A reserve with a borrow rate of 5 % and a supply rate of 3 %, in which the account has nothing.
fn reserve(chain: CannedReplies, n: u8) -> CannedReplies {
    let data = ReserveData {
        configuration: U256::MAX,
        liquidityIndex: RAY + 1,
        currentLiquidityRate: 3 * RAY / 100,
        variableBorrowIndex: RAY + 2,
        currentVariableBorrowRate: 5 * RAY / 100,
        currentStableBorrowRate: 7 * RAY / 100,
        lastUpdateTimestamp: alloy::primitives::Uint::from(1_699_999_999_u64),
        id: u16::from(n),
        aTokenAddress: a_token(n),
        stableDebtTokenAddress: stable(n),
        variableDebtTokenAddress: variable(n),
        interestRateStrategyAddress: ACCOUNT,
        accruedToTreasury: 11,
        unbacked: 12,
        isolationModeTotalDebt: 13,
    };
    let tokens = (a_token(n), stable(n), variable(n));
    let chain = reply(chain, POOL, &getReserveDataCall(underlying(n)), &data);
    let chain = reply(chain, PROVIDER, &getReserveTokensAddressesCall(underlying(n)), &tokens);
    [a_token(n), stable(n), variable(n)].into_iter().fold(chain, |chain, part| {
        let chain = reply(chain, part, &getUserStableRateCall(ACCOUNT), &U256::ZERO);
        earns(balance(chain, part, 0), part, &[])
    })
}

/// A pool of this many reserves.
fn pool(count: u8) -> CannedReplies {
    let list: Vec<Address> = (0..count).map(underlying).collect();
    let chain = reply(CannedReplies::default(), POOL, &getReservesListCall {}, &list);
    (0..count).fold(health(chain, U256::MAX), reserve)
}

fn health(chain: CannedReplies, factor: U256) -> CannedReplies {
    let [one, two] = [1, 2].map(U256::from);
    reply(chain, POOL, &getUserAccountDataCall(ACCOUNT), &(one, two, one, two, one, factor))
}

fn run(slug: &str, question: Question, chain: impl Replies) -> Outcome {
    JobTest::new(slug, NETWORK, question, ACCOUNT).run::<Pools>(chain)
}

fn lending(chain: impl Replies) -> Outcome {
    run("aave", Question::LENDING, chain)
}

fn claimables(chain: impl Replies) -> Outcome {
    run("aave", Question::CLAIMABLES, chain)
}

fn word(amount: u128) -> U256 {
    U256::from(amount)
}

/// Contract, name, token, amount, rate, role and health factor of a row.
type Fields<'a> = (Address, &'a str, Address, U256, Option<U256>, u8, Option<U256>);

fn fields(row: LegRow<'_>) -> Fields<'_> {
    (row.contract, row.name, row.token, row.amount, row.rate_ray, row.role.0, row.health_factor_wad())
}

fn all_fields(outcome: &Outcome) -> Vec<Fields<'_>> {
    outcome.legs().into_iter().map(fields).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let outcome = lending(&pool(4));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [1, 4, 12]); // The list, the tokens, the account: a read for each token.
    let outcome = claimables(&earns(pool(4), a_token(1), &[(OP, 0), (LDO, 0)]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [1, 4, 12, 2]); // Then the rewards of each token, and what they owe.
    let outcome = claimables(&pool(0));
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
}

#[test]
fn only_what_an_account_has_is_read_at_the_block_itself() {
    let (chain, mut requests) = (earns(pool(2), a_token(0), &[(OP, 0)]), Vec::new());
    for question in [Question::LENDING, Question::CLAIMABLES] {
        run("aave", question, |it: &ReadRequest| {
            requests.push((it.freshness, it.freshness_s, it.to));
            (&chain).reply(it)
        });
    }
    let (pinned, within, zero_within) = (0, 2, 3);
    assert!(requests.iter().all(|(freshness, ..)| *freshness != pinned), "{requests:?}");
    // Only the lists may be old, and they change no amount.
    assert!(requests.iter().all(|(freshness, s, _)| *freshness != within || [300, 3_600].contains(s)), "{requests:?}");
    let of_account = requests.iter().filter(|(freshness, s, _)| (*freshness, *s) == (zero_within, 30)).count();
    assert_eq!(of_account, 7); // Six balances and a reward.
}

#[test]
fn a_supply_is_reported_with_its_interest_and_the_pools_rate() {
    // 952,380,953 scaled units at an index of 1.05: times 1.05 is 1,000,000,000.65, which a ray product rounds.
    let outcome = lending(&balance(pool(2), a_token(1), 1_000_000_001));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let name = format!("Aave v3 {{{:#x}}}", underlying(1));
    let rate = Some(word(30_000_000_000_000_000_000_000_000));
    assert_eq!(all_fields(&outcome), [(a_token(1), &*name, underlying(1), word(1_000_000_001), rate, SUPPLIED, None)]);
    assert_eq!(outcome.batches, [1, 2, 6, 1]); // Without debt the health is not read.
    assert_eq!(outcome.legs()[0].market, "main");
}

#[test]
fn debts_are_reported_in_the_underlying_token_beside_what_was_lent() {
    let chain = balance(balance(balance(pool(3), a_token(0), 5), variable(2), 7 * WAD), stable(2), 9);
    let chain = reply(chain, stable(2), &getUserStableRateCall(ACCOUNT), &U256::from(RAY / 16));
    let outcome = lending(&health(chain, U256::from(1_500_000_000_000_000_000_u128)));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let lent = format!("Aave v3 {{{:#x}}}", underlying(0));
    let owed = format!("Aave v3 {{{:#x}}} variable debt", underlying(2));
    let owed_stable = format!("Aave v3 {{{:#x}}} stable debt", underlying(2));
    let factor = Some(word(1_500_000_000_000_000_000));
    let [three, five, stable_rate] =
        [30_000_000_000_000_000_000_000_000, 50_000_000_000_000_000_000_000_000, 62_500_000_000_000_000_000_000_000]
            .map(|rate| Some(word(rate)));
    let expected = [
        (a_token(0), &*lent, underlying(0), word(5), three, SUPPLIED, factor),
        (stable(2), &*owed_stable, underlying(2), word(9), stable_rate, BORROWED, factor),
        (variable(2), &*owed, underlying(2), word(7_000_000_000_000_000_000), five, BORROWED, factor),
    ];
    assert_eq!(all_fields(&outcome), expected);
    let positions = outcome.positions();
    let held = [(PositionKind::BORROWED, POOL, 3)];
    assert_eq!(positions.iter().map(|held| (held.kind, held.contract, held.legs.len())).collect::<Vec<_>>(), held);
    assert_eq!(outcome.batches, [1, 3, 9, 4]);
}

#[test]
fn an_account_with_debt_alone_has_its_rows_and_a_worthless_debt_the_largest_health() {
    let chain = balance(pool(1), variable(0), 1);
    for (factor, expected) in
        [(U256::ZERO, Some(word(0))), (U256::from(WAD), Some(word(WAD))), (U256::MAX, Some(U256::MAX))]
    {
        let outcome = lending(&health(chain.clone(), factor));
        assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
        let row = outcome.legs()[0];
        assert_eq!((row.role.0, row.amount, row.health_factor_wad()), (BORROWED, word(1), expected));
    }
}

#[test]
fn a_health_that_cannot_be_computed_keeps_the_rows_and_is_reported() {
    let chain = balance(balance(pool(1), variable(0), 3), a_token(0), 4).revert(
        NETWORK,
        POOL,
        &getUserAccountDataCall(ACCOUNT),
    );
    let outcome = lending(&chain);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 2));
    assert!(outcome.message.contains("health factor"), "{}", outcome.message);
    assert!(outcome.legs().iter().all(|row| row.health_factor_wad().is_none()));
}

#[test]
fn tokens_that_a_pool_does_not_have_are_not_queried() {
    let none = Address::ZERO;
    let chain = [(0, (a_token(0), none, variable(0))), (1, (none, none, none))]
        .into_iter()
        .fold(balance(pool(2), variable(0), 6), |chain, (n, tokens)| {
            reply(chain, PROVIDER, &getReserveTokensAddressesCall(underlying(n)), &tokens)
        });
    let outcome = lending(&chain);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.batches, [1, 2, 2, 2]);
    assert_eq!(claimables(&chain).batches, [1, 2, 2]);
}

#[test]
fn a_reserve_that_misbehaves_costs_its_own_rows_and_is_reported() {
    let held = || (0..3).fold(pool(3), |chain, n| balance(chain, a_token(n), 8));
    let tokens = getReserveTokensAddressesCall(underlying(1));
    let spoiled = [
        (held().revert(NETWORK, PROVIDER, &tokens), PROVIDER),
        (held().result(NETWORK, PROVIDER, &tokens, ReadResult::Ok(Bytes::from_static(&[1; 40]))), PROVIDER),
        (held().result(NETWORK, a_token(1), &balanceOfCall(ACCOUNT), ReadResult::GasCap), a_token(1)),
        (held().result(NETWORK, a_token(1), &balanceOfCall(ACCOUNT), ReadResult::Unavailable), a_token(1)),
        (held().revert(NETWORK, POOL, &getReserveDataCall(underlying(1))), POOL),
    ];
    for (chain, named) in spoiled {
        let outcome = lending(&chain);
        assert_eq!(outcome.end, End::Partial);
        let left: Vec<_> = outcome.legs().iter().map(|row| row.contract).collect();
        assert_eq!(left, [a_token(0), a_token(2)]);
        assert!(outcome.message.contains(&named.to_string()), "{}", outcome.message);
    }
}

#[test]
fn a_pool_that_does_not_list_its_reserves_is_a_failure_and_no_empty_answer() {
    for answer in
        [ReadResult::Reverted(Bytes::new()), ReadResult::NoCode, ReadResult::Unavailable, ReadResult::Ok(Bytes::new())]
    {
        let chain = pool(2).result(NETWORK, POOL, &getReservesListCall {}, answer);
        for outcome in [lending(&chain), claimables(&chain)] {
            assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0));
            assert!(outcome.message.contains(&POOL.to_string()), "{}", outcome.message);
        }
    }
}

/// Returns assets, amount, beneficiary and reward of a claim; `None` if its arguments do not decode.
fn claim(row: &PaymentRow<'_>) -> Option<(Vec<Address>, U256, Address, Address)> {
    assert_eq!((row.claim.to, row.claim.template, row.claim.value), (CONTROLLER, 0, None));
    let call = claimRewardsCall::abi_decode_raw(&row.claim.arguments).ok()?;
    Some((call.assets, call.amount, call.to, call.reward))
}

fn assets(row: &PaymentRow<'_>) -> Option<Vec<Address>> {
    claim(row).map(|call| call.0)
}

#[test]
fn each_reward_token_has_a_claim_of_its_own_for_the_assets_that_pay_it() {
    let chain = earns(pool(3), a_token(0), &[(LDO, 40), (OP, 2)]);
    let chain = earns(chain, variable(1), &[(OP, 500)]);
    let chain = earns(chain, a_token(2), &[(LDO, 0), (OP, 0)]);
    let outcome = claimables(&chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let rows = outcome.payments();
    let expected = [(OP, 502, vec![a_token(0), variable(1)]), (LDO, 40, vec![a_token(0)])];
    assert_eq!(rows.len(), expected.len());
    for (row, (reward, amount, assets)) in rows.into_iter().zip(expected) {
        assert_eq!((row.contract, row.token, row.amount), (CONTROLLER, reward, word(amount)));
        assert_eq!((row.market.as_str(), row.mechanism.as_str()), ("main", "rewards"));
        assert_eq!(row.name, format!("Aave v3 {{{reward:#x}}} rewards, claimed on their own"));
        assert_eq!(claim(&row), Some((assets, U256::MAX, ACCOUNT, reward)));
    }
    assert_eq!(outcome.batches, [1, 3, 9, 5]);
}

#[test]
fn an_account_that_left_an_asset_can_still_claim_what_it_earned_there() {
    let chain = earns(pool(2), variable(1), &[(OP, 12)]);
    assert!(lending(&chain).findings.is_empty());
    let outcome = claimables(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(assets(&outcome.payments()[0]), Some(vec![variable(1)]));
}

#[test]
fn a_reward_that_is_listed_twice_is_counted_once() {
    let chain =
        reply(earns(pool(1), a_token(0), &[(OP, 5)]), CONTROLLER, &getRewardsByAssetCall(a_token(0)), &vec![OP, OP]);
    let outcome = claimables(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.amount, assets(&row)), (word(5), Some(vec![a_token(0)])));
}

#[test]
fn an_asset_whose_rewards_cannot_be_read_costs_its_own_amount_and_is_reported() {
    let held = || earns(earns(pool(2), a_token(0), &[(OP, 30)]), a_token(1), &[(OP, 4)]);
    let owed = getUserRewardsCall { _0: vec![a_token(1)], _1: ACCOUNT, _2: OP };
    let spoiled = [
        held().revert(NETWORK, CONTROLLER, &owed),
        held().result(NETWORK, CONTROLLER, &getRewardsByAssetCall(a_token(1)), ReadResult::GasCap),
    ];
    for chain in spoiled {
        let outcome = claimables(&chain);
        assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 1));
        assert!(outcome.message.contains(&CONTROLLER.to_string()), "{}", outcome.message);
        let row = outcome.payments()[0];
        assert_eq!((row.amount, assets(&row)), (word(30), Some(vec![a_token(0)])));
    }
}

#[test]
fn rewards_that_do_not_fit_an_amount_cost_their_token_and_no_other() {
    let chain = earns(earns(pool(2), a_token(0), &[(OP, 1), (LDO, 6)]), a_token(1), &[(OP, 0)]);
    let call = getUserRewardsCall { _0: vec![a_token(1)], _1: ACCOUNT, _2: OP };
    let outcome = claimables(&reply(chain, CONTROLLER, &call, &U256::MAX));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 1));
    assert_eq!((outcome.payments()[0].token, outcome.payments()[0].amount), (LDO, word(6)));
    assert!(outcome.message.contains(&OP.to_string()), "{}", outcome.message);
}

#[test]
fn a_controller_that_is_none_fails_the_claimables_alone() {
    let chain = (0..2).fold(balance(pool(2), a_token(0), 5), |chain, n| {
        [a_token(n), stable(n), variable(n)].into_iter().fold(chain, |chain, part| {
            chain.result(NETWORK, CONTROLLER, &getRewardsByAssetCall(part), ReadResult::NoCode)
        })
    });
    let outcome = claimables(&chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0));
    assert!(outcome.message.contains(&CONTROLLER.to_string()), "{}", outcome.message);
    assert_eq!((lending(&chain).end, lending(&chain).findings.len()), (End::Complete, 1));
}

#[test]
fn without_a_controller_there_is_nothing_to_claim() {
    let chain = balance(earns(pool(1), a_token(0), &[(OP, 1)]), a_token(0), 5);
    assert_eq!(run("plain", Question::LENDING, &chain).legs().len(), 1);
    let served = testing::catalogue::<Pools>(&Settings::default()).deployments;
    let plain = served.iter().find(|row| row.protocol == "plain").unwrap();
    assert_eq!((&plain.questions[..], plain.contracts.len()), (&[Question::LENDING, Question::EVENTS][..], 2));
}

#[test]
fn a_large_pool_costs_few_batches() {
    let chain = balance(balance(pool(60), a_token(59), 1), variable(3), 2);
    assert_eq!(lending(&chain).batches, [1, 60, 180, 3]); // Two rates and the health.
}

#[test]
fn settings_name_the_contracts_and_the_controller_may_be_missing() {
    let [pool, provider] = [text("pool", OP), text("data_provider", LDO)];
    let read = |keys| one_row("plain", NETWORK, keys);
    for controller in [None, Some(ACCOUNT)] {
        let keys = [pool.clone(), provider.clone()].into_iter();
        let keys = keys.chain(controller.map(|at| text("rewards_controller", at))).collect();
        let expected: Vec<Address> = [OP, LDO].into_iter().chain(controller).collect();
        let served = testing::catalogue::<Pools>(&read(keys));
        assert_eq!(served.deployments[0].contracts, expected);
        assert_eq!(served.deployments[0].questions.contains(&Question::CLAIMABLES), controller.is_some());
    }
    let wrong = [
        (vec![provider.clone()], "pool", "missing"),
        (vec![pool.clone()], "data_provider", "missing"),
        (vec![pool.clone(), provider.clone(), text("rewards_controller", "0x12")], "rewards_controller", "40 hex"),
        (vec![pool, provider, text("controller", OP)], "controller", "unknown key"),
    ];
    for (keys, key, message) in wrong {
        let refused = testing::settings_error::<Pools>(&read(keys)).expect("the settings are wrong");
        assert_eq!((refused.row, refused.key.as_deref()), (Some(0), Some(key)));
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}

/// Functions that differ in the second version, with all that they return.
mod v2 {
    use portolan_plugin_api::sol;

    sol! {
        struct ReserveData {
            uint256 configuration;
            uint128 liquidityIndex;
            uint128 variableBorrowIndex;
            uint128 currentLiquidityRate;
            uint128 currentVariableBorrowRate;
            uint128 currentStableBorrowRate;
            uint40 lastUpdateTimestamp;
            address aTokenAddress;
            address stableDebtTokenAddress;
            address variableDebtTokenAddress;
            address interestRateStrategyAddress;
            uint8 id;
        }
        function getReserveData(address) external view returns (ReserveData);
        function REWARD_TOKEN() external view returns (address);
        function getRewardsBalance(address[], address) external view returns (uint256);
    }
}

/// A pool of the second version with two reserves: one lent, the other owed.
fn second_version() -> CannedReplies {
    let token = Address::repeat_byte;
    let data = |lent: u128, owed: u128| v2::ReserveData {
        configuration: U256::ZERO,
        liquidityIndex: 11,
        variableBorrowIndex: 12,
        currentLiquidityRate: lent,
        currentVariableBorrowRate: owed,
        currentStableBorrowRate: 13,
        lastUpdateTimestamp: alloy::primitives::aliases::U40::ZERO,
        aTokenAddress: Address::ZERO,
        stableDebtTokenAddress: Address::ZERO,
        variableDebtTokenAddress: Address::ZERO,
        interestRateStrategyAddress: Address::ZERO,
        id: 0,
    };
    let none = (U256::ZERO, U256::ZERO, U256::ZERO, U256::ZERO, U256::ZERO, U256::from(2 * WAD));
    let held = |place: u8, amount: u64| (token(place), U256::from(amount));
    let chain = CannedReplies::default()
        .reply(SECOND, POOL, &getReservesListCall {}, &vec![OP, LDO])
        .reply(SECOND, PROVIDER, &getReserveTokensAddressesCall(OP), &(token(1), token(2), token(3)))
        .reply(SECOND, PROVIDER, &getReserveTokensAddressesCall(LDO), &(token(4), token(5), token(6)))
        .reply(SECOND, POOL, &v2::getReserveDataCall(OP), &data(1, 2))
        .reply(SECOND, POOL, &v2::getReserveDataCall(LDO), &data(3, 4))
        .reply(SECOND, POOL, &getUserAccountDataCall(ACCOUNT), &none)
        .reply(SECOND, CONTROLLER, &v2::REWARD_TOKENCall {}, &OP)
        .reply(
            SECOND,
            CONTROLLER,
            &v2::getRewardsBalanceCall { _0: vec![token(1), token(6)], _1: ACCOUNT },
            &U256::from(9),
        )
        .reply(SECOND, CONTROLLER, &v2::getRewardsBalanceCall { _0: Vec::new(), _1: ACCOUNT }, &U256::from(4));
    let balances = [held(1, 100), held(2, 0), held(3, 0), held(4, 0), held(5, 0), held(6, 7)];
    balances
        .into_iter()
        .fold(chain, |chain, (token, amount)| chain.reply(SECOND, token, &balanceOfCall(ACCOUNT), &amount))
}

#[test]
fn the_second_version_has_its_rates_in_another_order() {
    let outcome = JobTest::new("second", SECOND, Question::LENDING, ACCOUNT).run::<SecondPools>(&second_version());
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    let legs: Vec<_> = position.legs.iter().map(|leg| (leg.role, leg.token, leg.amount, leg.rate_ray)).collect();
    let rate = |rate: u64| Some(U256::from(rate));
    let lent = (LegRole::SUPPLIED, OP, U256::from(100), rate(1));
    assert_eq!(legs, [lent, (LegRole::BORROWED, LDO, U256::from(7), rate(4))]);
    assert_eq!(position.mechanism, "aave-v2");
    assert_eq!(position.health.and_then(|health| health.factor_wad), Some(U256::from(2 * WAD)));
}

#[test]
fn the_second_version_pays_one_token_from_all_that_the_account_has() {
    let outcome = JobTest::new("second", SECOND, Question::CLAIMABLES, ACCOUNT).run::<SecondPools>(&second_version());
    let [claim] = outcome.claimables()[..] else { panic!("one claim: {}", outcome.message) };
    assert_eq!((claim.payments[0].token, claim.payments[0].amount), (OP, U256::from(9)));
    let assets = vec![Address::repeat_byte(1), Address::repeat_byte(6)];
    assert_eq!(claim.steps[0].arguments, (assets, U256::MAX, ACCOUNT).abi_encode_params());
    assert_eq!(claim.steps[0].to, CONTROLLER);
}

#[test]
fn the_second_version_pays_what_is_noted_to_an_account_that_has_left() {
    let left = [1, 6].into_iter().fold(second_version(), |chain, token| {
        chain.reply(SECOND, Address::repeat_byte(token), &balanceOfCall(ACCOUNT), &U256::ZERO)
    });
    let outcome = JobTest::new("second", SECOND, Question::CLAIMABLES, ACCOUNT).run::<SecondPools>(&left);
    let [claim] = outcome.claimables()[..] else { panic!("one claim: {}", outcome.message) };
    assert_eq!(claim.payments[0].amount, U256::from(4));
    assert_eq!(claim.steps[0].arguments, (Vec::<Address>::new(), U256::MAX, ACCOUNT).abi_encode_params());
}
