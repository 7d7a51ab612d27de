//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::trove_managers::TroveManagersKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, one_row, plugin, text};

sol! {
    function troveManagerCount() external view returns (uint256);
    function troveManagers(uint256) external view returns (address);
    function getEntireDebtAndColl(address) external view returns (uint256, uint256, uint256, uint256);
    function collateralToken() external view returns (address);
    function debtToken() external view returns (address);
    function decimals() external view returns (uint8);
    function interestRate() external view returns (uint256);
    function MCR() external view returns (uint256);
    function fetchPrice() external returns (uint256);
    function surplusBalances(address) external view returns (uint256);
    function accountDeposits(address) external view returns (uint256, uint256);
    function getCompoundedDebtDeposit(address) external view returns (uint256);
    function getTotalDebtTokenDeposits() external view returns (uint256);
    function getDepositorCollateralGain(address) external view returns (uint256[] memory);
    function collateralGainsByDepositor(address, uint256) external view returns (uint256);
    function collateralTokens(uint256) external view returns (address);
}

const NETWORK: u64 = 8_453;
const APP: Address = Address::repeat_byte(1);
const MANAGERS: [Address; 2] = [Address::repeat_byte(2), Address::repeat_byte(3)];
const TOKENS: [Address; 2] = [Address::repeat_byte(4), Address::repeat_byte(5)];
const DEBT: Address = Address::repeat_byte(6);
const WAD: u64 = 1_000_000_000_000_000_000;

plugin! {
    River: &TroveManagersKit { trove: "trove", deposit: "deposit" },
    ["river" = "RIVER"],
    r#"
    [[deployment]]
    protocol = "river"
    network = "base"
    trove_factory = "0x0101010101010101010101010101010101010101"
    stability_pool = "0x0101010101010101010101010101010101010101"
    "#
}

fn wads(amount: u64) -> U256 {
    n(amount) * n(WAD)
}

/// Two managers, of which the second's collateral has eight decimals. The account has so much collateral and debt at
/// each.
fn chain(troves: [(U256, U256); 2]) -> CannedReplies {
    let mut chain = CannedReplies::default()
        .reply(NETWORK, APP, &troveManagerCountCall {}, &n(2))
        .reply(NETWORK, APP, &debtTokenCall {}, &DEBT)
        .reply(NETWORK, DEBT, &decimalsCall {}, &n(18))
        .reply(NETWORK, APP, &accountDepositsCall(ACCOUNT), &(n(0), n(0)))
        .reply(NETWORK, APP, &getDepositorCollateralGainCall(ACCOUNT), &vec![n(0), n(0)]);
    for (place, (coll, debt)) in troves.into_iter().enumerate() {
        let (manager, token) = (MANAGERS[place], TOKENS[place]);
        let index = U256::from(place);
        chain = chain
            .reply(NETWORK, APP, &troveManagersCall(index), &manager)
            .reply(NETWORK, APP, &collateralTokensCall(index), &token)
            .reply(NETWORK, APP, &collateralGainsByDepositorCall { _0: ACCOUNT, _1: index }, &n(2))
            .reply(NETWORK, manager, &getEntireDebtAndCollCall(ACCOUNT), &(debt, coll, n(99), n(99)))
            .reply(NETWORK, manager, &collateralTokenCall {}, &token)
            .reply(NETWORK, manager, &debtTokenCall {}, &DEBT)
            .reply(NETWORK, token, &decimalsCall {}, &U256::from([18, 8][place]))
            // Two and three parts of 10^27 a second.
            .reply(NETWORK, manager, &interestRateCall {}, &U256::from(2 + place))
            .reply(NETWORK, manager, &MCRCall {}, &(n(WAD / 5 * 6)))
            .reply(NETWORK, manager, &fetchPriceCall {}, &wads([3_000, 60_000][place]))
            .reply(NETWORK, manager, &surplusBalancesCall(ACCOUNT), &n(0));
    }
    chain
}

fn empty() -> CannedReplies {
    chain([(n(0), n(0)), (n(0), n(0))])
}

/// A deposit of a thousand, of which 900 are left, with gains of 5 of the second collateral, and 7 where it says so.
fn deposit(first: u64) -> CannedReplies {
    empty()
        .reply(NETWORK, APP, &accountDepositsCall(ACCOUNT), &(n(1_000), n(99)))
        .reply(NETWORK, APP, &getCompoundedDebtDepositCall(ACCOUNT), &n(900))
        .reply(NETWORK, APP, &getTotalDebtTokenDepositsCall {}, &n(9_000))
        .reply(NETWORK, APP, &getDepositorCollateralGainCall(ACCOUNT), &vec![n(first), n(5)])
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("river", NETWORK, question, ACCOUNT).run::<River>(chain)
}

#[test]
fn a_trove_has_its_debt_its_health_and_its_price() {
    // Two at 3,000 against 2,500; half a coin of eight decimals at 60,000 against 12,500.
    let outcome = run(Question::LENDING, &chain([(wads(2), wads(2_500)), (n(50_000_000), wads(12_500))]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [first, second] = outcome.positions()[..] else { panic!("two positions") };
    assert_eq!((first.kind, first.contract, first.mechanism.as_str()), (PositionKind::BORROWED, MANAGERS[0], "trove"));
    let expected = [(LegRole::SUPPLIED, TOKENS[0], wads(2), Some(true)), (LegRole::BORROWED, DEBT, wads(2_500), None)];
    assert_eq!(legs(first), expected);
    assert_eq!([0, 1].map(|leg: usize| first.legs[leg].rate_ray), [Some(n(0)), Some(n(2 * 31_536_000))]);
    // 2.4 over 1.2, and both at half of it: 1,500 for a coin of as many decimals as the debt.
    let health = first.health.expect("a health");
    assert_eq!(health.factor_wad, Some(wads(2)));
    let price = health.liquidation_price.expect("a price");
    assert_eq!((price.base, price.quote, price.x128), (TOKENS[0], Some(DEBT), n(1_500) << 128));
    assert_eq!(second.contract, MANAGERS[1]);
    // 2.4 over 1.2 again: 30,000 for a coin of 10^8, so 3 * 10^14 for each of its units.
    let health = second.health.expect("a health");
    assert_eq!(health.factor_wad, Some(wads(2)));
    assert_eq!(health.liquidation_price.expect("a price").x128, n(300_000_000_000_000) << 128);
}

#[test]
fn a_deposit_has_what_is_left_of_it_and_its_gains() {
    let outcome = run(Question::FARMING, &deposit(7));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::STAKED, APP));
    let owed = [(LegRole::REWARD_OWED, TOKENS[0], n(7), None), (LegRole::REWARD_OWED, TOKENS[1], n(5), None)];
    assert_eq!(legs(position), [(LegRole::STAKED, DEBT, n(900), None), owed[0], owed[1]]);
    assert_eq!(run(Question::FARMING, &empty()).findings.len(), 0);
}

#[test]
fn all_gains_are_one_claim_and_what_is_left_over_another() {
    let chain = deposit(7).reply(NETWORK, MANAGERS[1], &surplusBalancesCall(ACCOUNT), &n(11));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let expected = [(MANAGERS[1], TOKENS[1], n(11)), (APP, TOKENS[0], n(7)), (APP, TOKENS[1], n(5))];
    assert_eq!(claimed(&outcome), expected);
    let arguments: Vec<_> = outcome.payments().iter().map(|row| row.claim.arguments.to_vec()).collect();
    assert_eq!(arguments[0], ACCOUNT.abi_encode());
    assert_eq!(arguments[1], (ACCOUNT, vec![n(0), n(1)]).abi_encode_params());
    // A collateral without gains is not named.
    let outcome = run(Question::CLAIMABLES, &deposit(0));
    assert_eq!(claimed(&outcome), [(APP, TOKENS[1], n(5))]);
    assert_eq!(outcome.payments()[0].claim.arguments.to_vec(), (ACCOUNT, vec![n(1)]).abi_encode_params());
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_three_batches() {
    for (question, batches) in
        [(Question::LENDING, [1, 2, 2]), (Question::FARMING, [1, 2, 2]), (Question::CLAIMABLES, [1, 2, 3])]
    {
        let outcome = run(question, &empty());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, batches, "{question:?}");
    }
}

#[test]
fn a_row_without_a_pool_has_no_deposits() {
    let settings = || one_row("river", NETWORK, vec![text("trove_factory", APP)]);
    for question in [Question::FARMING, Question::CLAIMABLES] {
        let job = JobTest::new("river", NETWORK, question, ACCOUNT).settings(settings());
        let outcome = job.run::<River>(&deposit(7));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn a_part_that_cannot_be_read_is_reported_and_loses_only_itself() {
    let two = || chain([(wads(2), wads(2_500)), (n(50_000_000), wads(12_500))]);
    let broken = [
        two().revert(NETWORK, MANAGERS[0], &getEntireDebtAndCollCall(ACCOUNT)),
        two().revert(NETWORK, MANAGERS[0], &interestRateCall {}),
    ];
    for chain in broken {
        let outcome = run(Question::LENDING, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    }
    let unpriced = [
        two().revert(NETWORK, MANAGERS[0], &fetchPriceCall {}),
        two().reply(NETWORK, TOKENS[0], &decimalsCall {}, &n(19)),
    ];
    for chain in unpriced {
        let outcome = run(Question::LENDING, &chain);
        let healths: Vec<bool> = outcome.positions().iter().map(|position| position.health.is_some()).collect();
        assert_eq!((outcome.end, healths), (End::Partial, vec![false, true]), "{}", outcome.message);
    }
    let outcome = run(Question::CLAIMABLES, &deposit(7).revert(NETWORK, MANAGERS[0], &surplusBalancesCall(ACCOUNT)));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 2), "{}", outcome.message);
    let more = collateralGainsByDepositorCall { _0: ACCOUNT, _1: n(0) };
    for chain in
        [deposit(7).revert(NETWORK, APP, &collateralTokensCall(n(0))), deposit(7).reply(NETWORK, APP, &more, &n(8))]
    {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 0), "{}", outcome.message);
    }
    for question in [Question::LENDING, Question::FARMING, Question::CLAIMABLES] {
        assert_eq!(run(question, &CannedReplies::default()).end, End::Failed);
    }
}

#[test]
fn a_long_list_of_managers_is_cut_and_reported() {
    let many = (0..32).fold(empty().reply(NETWORK, APP, &troveManagerCountCall {}, &n(40)), |chain, index| {
        chain.reply(NETWORK, APP, &troveManagersCall(n(index)), &MANAGERS[0])
    });
    let outcome = run(Question::LENDING, &many);
    assert_eq!((outcome.end, outcome.not_covered.len()), (End::Partial, 1), "{}", outcome.message);
}
