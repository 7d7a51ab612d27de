//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::liquity::LiquityKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, one_row, plugin, text};

sol! {
    function getEntireDebtAndColl(address) external view returns (uint256, uint256, uint256, uint256);
    function MCR() external view returns (uint256);
    function priceFeed() external view returns (address);
    function stabilityPool() external view returns (address);
    function lusdToken() external view returns (address);
    function lqtyToken() external view returns (address);
    function lqtyStaking() external view returns (address);
    function borrowerOperationsAddress() external view returns (address);
    function fetchPrice() external returns (uint256);
    function getCompoundedLUSDDeposit(address) external view returns (uint256);
    function getDepositorETHGain(address) external view returns (uint256);
    function getDepositorLQTYGain(address) external view returns (uint256);
    function getTotalLUSDDeposits() external view returns (uint256);
    function stakes(address) external view returns (uint256);
    function getPendingETHGain(address) external view returns (uint256);
    function getPendingLUSDGain(address) external view returns (uint256);
    function totalLQTYStaked() external view returns (uint256);
    function getCollateral(address) external view returns (uint256);
}

const NETWORK: u64 = 1;
const MANAGER: Address = Address::repeat_byte(1);
const FEED: Address = Address::repeat_byte(2);
const POOL: Address = Address::repeat_byte(3);
const DEBT: Address = Address::repeat_byte(4);
const REWARD: Address = Address::repeat_byte(5);
const STAKING: Address = Address::repeat_byte(6);
const SURPLUS: Address = Address::repeat_byte(7);
const OPERATIONS: Address = Address::repeat_byte(8);
const ONE: u128 = 1_000_000_000_000_000_000;

const TYPES: LiquityKit = LiquityKit { trove: "trove", deposit: "pool", stake: "stake" };

plugin! {
    /// One deployment.
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    trove_manager = "0x0101010101010101010101010101010101010101"
    price_feed = "0x0202020202020202020202020202020202020202"
    stability_pool = "0x0303030303030303030303030303030303030303"
    debt_token = "0x0404040404040404040404040404040404040404"
    reward_token = "0x0505050505050505050505050505050505050505"
    staking = "0x0606060606060606060606060606060606060606"
    surplus_pool = "0x0707070707070707070707070707070707070707"
    borrower_operations = "0x0808080808080808080808080808080808080808"
    "#
}

fn n(number: u128) -> U256 {
    U256::from(number)
}

/// A trove with this debt and collateral, at a price of 2,000.
fn trove(debt: U256, collateral: U256) -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, MANAGER, &getEntireDebtAndCollCall(ACCOUNT), &(debt, collateral, U256::ZERO, U256::ZERO))
        .reply(NETWORK, MANAGER, &MCRCall {}, &n(ONE + ONE / 10))
        .reply(NETWORK, FEED, &fetchPriceCall {}, &n(2_000 * ONE))
}

/// A deposit with its two gains, a stake with its two gains, and surplus collateral.
fn deposits(pool: [u128; 3], stake: [u128; 3], surplus: u128) -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, POOL, &getCompoundedLUSDDepositCall(ACCOUNT), &n(pool[0]))
        .reply(NETWORK, POOL, &getDepositorETHGainCall(ACCOUNT), &n(pool[1]))
        .reply(NETWORK, POOL, &getDepositorLQTYGainCall(ACCOUNT), &n(pool[2]))
        .reply(NETWORK, POOL, &getTotalLUSDDepositsCall {}, &n(1_000))
        .reply(NETWORK, STAKING, &stakesCall(ACCOUNT), &n(stake[0]))
        .reply(NETWORK, STAKING, &getPendingETHGainCall(ACCOUNT), &n(stake[1]))
        .reply(NETWORK, STAKING, &getPendingLUSDGainCall(ACCOUNT), &n(stake[2]))
        .reply(NETWORK, STAKING, &totalLQTYStakedCall {}, &n(2_000))
        .reply(NETWORK, SURPLUS, &getCollateralCall(ACCOUNT), &n(surplus))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Fork>(chain)
}

fn legs(position: &Position) -> Vec<(LegRole, Address, U256)> {
    position.legs.iter().map(|leg| (leg.role, leg.token, leg.amount)).collect()
}

#[test]
fn a_trove_is_one_position_with_its_health() {
    let outcome = run(Question::LENDING, &trove(n(1_000 * ONE), n(3 * ONE)));
    assert_eq!((outcome.end, outcome.batches.clone()), (End::Complete, vec![1, 2]), "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract), (PositionKind::BORROWED, MANAGER));
    let expected = [(LegRole::SUPPLIED, NATIVE, n(3 * ONE)), (LegRole::BORROWED, DEBT, n(1_000 * ONE))];
    assert_eq!(legs(position), expected);
    // 3 at 2,000 are six times the debt, over the minimum of 1.1; at 1,100 / 3 the ratio is the minimum.
    let health = position.health.expect("a health");
    assert_eq!(health.factor_wad, Some(n(5_454_545_454_545_454_545)));
    let price = health.liquidation_price.expect("a price");
    assert_eq!((price.base, price.quote), (NATIVE, Some(DEBT)));
    assert_eq!(price.x128 * n(3), (n(1_100) << 128) - n(2), "rounded down");
}

#[test]
fn without_a_trove_its_price_is_not_read() {
    let outcome = run(Question::LENDING, &trove(U256::ZERO, U256::ZERO));
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
}

#[test]
fn a_health_that_cannot_be_told_is_absent_and_reported() {
    let normal = || trove(n(1_000 * ONE), n(3 * ONE));
    let broken = [
        normal().revert(NETWORK, FEED, &fetchPriceCall {}),
        normal().reply(NETWORK, FEED, &fetchPriceCall {}, &U256::MAX),
        normal().reply(NETWORK, MANAGER, &MCRCall {}, &U256::ZERO),
        trove(U256::MAX, n(1)),
        trove(n(1), U256::ZERO),
        trove(U256::ZERO, n(1)),
    ];
    for chain in broken {
        let outcome = run(Question::LENDING, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].health, None);
    }
}

#[test]
fn gains_that_one_call_pays_are_one_claim_of_a_call_that_withdraws_nothing() {
    let outcome = run(Question::CLAIMABLES, &deposits([10, 3, 4], [20, 5, 6], 7));
    assert_eq!((outcome.end, outcome.batches.clone()), (End::Complete, vec![5]), "{}", outcome.message);
    let paid = |claimable: &Claimable| {
        let payments = claimable.payments.iter().map(|payment| (payment.token, payment.amount)).collect::<Vec<_>>();
        (claimable.steps[0].to, claimable.steps[0].arguments.clone(), payments)
    };
    let zero = vec![0; 32];
    let expected = [
        (POOL, zero.clone(), vec![(NATIVE, n(3)), (REWARD, n(4))]),
        (STAKING, zero, vec![(NATIVE, n(5)), (DEBT, n(6))]),
        (OPERATIONS, vec![], vec![(NATIVE, n(7))]),
    ];
    assert_eq!(outcome.claimables().into_iter().map(paid).collect::<Vec<_>>(), expected);
    // If one gain is zero, the other is paid alone; if both are, there is no claim.
    let outcome = run(Question::CLAIMABLES, &deposits([10, 0, 4], [20, 0, 0], 0));
    assert_eq!((outcome.end, outcome.claimables().len(), outcome.payments().len()), (End::Complete, 1, 1));
    assert_eq!(run(Question::CLAIMABLES, &deposits([10, 0, 0], [20, 0, 0], 0)).findings.len(), 0);
}

#[test]
fn deposits_and_stakes_are_positions_with_what_they_are_owed() {
    let outcome = run(Question::FARMING, &deposits([10, 3, 4], [20, 5, 6], 0));
    assert_eq!((outcome.end, outcome.batches.clone()), (End::Complete, vec![6, 2]), "{}", outcome.message);
    outcome.check_totals(&run(Question::CLAIMABLES, &deposits([10, 3, 4], [20, 5, 6], 0)));
    let [deposit, stake] = outcome.positions()[..] else { panic!("two positions") };
    let owed = LegRole::REWARD_OWED;
    assert_eq!(legs(deposit), [(LegRole::STAKED, DEBT, n(10)), (owed, NATIVE, n(3)), (owed, REWARD, n(4))]);
    assert_eq!(legs(stake), [(LegRole::STAKED, REWARD, n(20)), (owed, NATIVE, n(5)), (owed, DEBT, n(6))]);
    assert_eq!([deposit, stake].map(|position| position.legs[0].total), [Some(n(1_000)), Some(n(2_000))]);
    // A used-up deposit still has its gains.
    let outcome = run(Question::FARMING, &deposits([0, 3, 0], [0, 0, 0], 0));
    let [used] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!(used.legs.iter().map(|leg| leg.amount).collect::<Vec<_>>(), [n(0), n(3), n(0)]);
    assert_eq!(run(Question::FARMING, &deposits([0; 3], [0; 3], 0)).findings.len(), 0);
}

#[test]
fn a_contract_that_cannot_be_read_costs_its_own_rows_and_is_reported() {
    let chain = deposits([10, 3, 4], [20, 5, 6], 7).revert(NETWORK, POOL, &getDepositorLQTYGainCall(ACCOUNT));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 2), "{}", outcome.message);
    let outcome = run(Question::FARMING, &chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed, "nothing can be read");
}

fn settings(keys: &[(&str, Address)]) -> Settings {
    one_row("fork", NETWORK, keys.iter().map(|(key, value)| text(key, value)).collect())
}

/// Keys that the manager also names; a row may omit them.
const LEAST: [(&str, Address); 5] = [
    ("trove_manager", MANAGER),
    ("price_feed", FEED),
    ("stability_pool", POOL),
    ("debt_token", DEBT),
    ("reward_token", REWARD),
];

#[test]
fn settings_name_the_contracts_and_what_pays_collateral_is_named_with_its_pool() {
    let served = testing::catalogue::<Fork>(&settings(&LEAST));
    assert_eq!(served.deployments[0].contracts, [MANAGER, FEED, POOL]);
    let alone = [&LEAST[..], &[("borrower_operations", OPERATIONS)]].concat();
    let refused = testing::settings_error::<Fork>(&settings(&alone)).expect("the settings are wrong");
    assert_eq!(refused.key.as_deref(), Some("surplus_pool"), "{}", refused.message);
    let refused = testing::settings_error::<Fork>(&settings(&LEAST[1..])).expect("the settings are wrong");
    assert!(refused.message.contains("has no keys of any mechanism"), "{}", refused.message);
}

/// Sets the contracts that the manager names.
fn manager(chain: CannedReplies) -> CannedReplies {
    chain
        .reply(NETWORK, MANAGER, &priceFeedCall {}, &FEED)
        .reply(NETWORK, MANAGER, &stabilityPoolCall {}, &POOL)
        .reply(NETWORK, MANAGER, &lusdTokenCall {}, &DEBT)
        .reply(NETWORK, MANAGER, &lqtyTokenCall {}, &REWARD)
        .reply(NETWORK, MANAGER, &lqtyStakingCall {}, &STAKING)
        .reply(NETWORK, MANAGER, &borrowerOperationsAddressCall {}, &OPERATIONS)
}

#[test]
fn a_row_of_two_keys_answers_what_one_of_eight_does() {
    let short = [("trove_manager", MANAGER), ("surplus_pool", SURPLUS)];
    assert_eq!(testing::catalogue::<Fork>(&settings(&short)).deployments[0].contracts, [MANAGER, SURPLUS]);
    let case = |question| JobTest::new("fork", NETWORK, question, ACCOUNT);
    for (question, chain) in [
        (Question::CLAIMABLES, deposits([700, 10, 20], [300, 30, 40], 50)),
        (Question::FARMING, deposits([700, 10, 20], [300, 30, 40], 50)),
        (Question::LENDING, trove(n(1_000 * ONE), n(3 * ONE))),
    ] {
        let outcome = case(question).settings(settings(&short)).run::<Fork>(&manager(chain.clone()));
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        assert_eq!(outcome.findings, run(question, &chain).findings);
    }
}

#[test]
fn what_the_manager_does_not_name_is_left_out_or_asked_for_by_its_key() {
    let claims = |keys: &[(&str, Address)], chain: &CannedReplies| {
        let case = JobTest::new("fork", NETWORK, Question::CLAIMABLES, ACCOUNT);
        case.settings(settings(keys)).run::<Fork>(chain)
    };
    let owing = || manager(deposits([700, 10, 20], [300, 30, 40], 50));
    let bare = owing().revert(NETWORK, MANAGER, &lqtyStakingCall {});
    // Without the surplus pool and staking, only the gains of the deposit remain.
    assert_eq!(claims(&[("trove_manager", MANAGER)], &bare).claimables().len(), 1);
    let renamed = owing().revert(NETWORK, MANAGER, &lusdTokenCall {});
    let outcome = claims(&[("trove_manager", MANAGER)], &renamed);
    assert!(outcome.end != End::Complete && outcome.message.contains("the key `debt_token`"), "{}", outcome.message);
    let outcome = claims(&[("trove_manager", MANAGER), ("debt_token", DEBT)], &renamed);
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 2), "{}", outcome.message);
}
