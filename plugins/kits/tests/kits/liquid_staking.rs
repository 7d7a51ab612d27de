//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::liquid_staking::LiquidStakingKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, one_row, plugin, text};

sol! {
    function balanceOf(address) external view returns (uint256);
    function stEthPerToken() external view returns (uint256);
    function ratio() external view returns (uint256);
    function getEthValue(uint256) external view returns (uint256);
}

const NETWORK: u64 = 1;
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const STAKED: Address = address!("0xa000000000000000000000000000000000000002");
const RATES: Address = address!("0xc000000000000000000000000000000000000001");
const WAD: u64 = 1_000_000_000_000_000_000;

const TYPES: LiquidStakingKit = LiquidStakingKit { stake: "liquid" };

plugin! {
    Liquid: &TYPES,
    ["liquid" = "LIQUID"],
    r#"
    [[deployment]]
    protocol = "liquid"
    network = "ethereum"
    liquid_token = "0xa000000000000000000000000000000000000001"
    staked_token = "0xa000000000000000000000000000000000000002"
    rate_view = "stEthPerToken"
    "#
}

/// The account holds this much; a token stands for 1.25 of the other one.
fn holding(amount: U256) -> CannedReplies {
    CannedReplies::default().reply(NETWORK, TOKEN, &balanceOfCall(ACCOUNT), &amount).reply(
        NETWORK,
        TOKEN,
        &stEthPerTokenCall {},
        &n(WAD / 4 * 5),
    )
}

fn job() -> JobTest {
    JobTest::new("liquid", NETWORK, Question::FARMING, ACCOUNT)
}

/// Token, amount and what it redeems to, of the only leg.
fn only_leg(outcome: &Outcome) -> (Address, U256, Option<U256>) {
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(outcome.positions().len(), 1, "{:?}", outcome.findings);
    let position = outcome.positions()[0];
    assert_eq!(position.legs.len(), 1, "{:?}", position.legs);
    let leg = &position.legs[0];
    let redeemed = leg.redeems_to.as_ref().and_then(|parts| parts.first()).map(|part| part.amount);
    (leg.token, leg.amount, redeemed)
}

#[test]
fn a_holding_stands_for_its_amount_times_the_rate() {
    let outcome = job().run::<Liquid>(&holding(n(1_001)));
    assert_eq!(only_leg(&outcome), (STAKED, n(1_001), Some(n(1_251))));
    assert_eq!(outcome.positions()[0].legs[0].receipt, Some(TOKEN));
    assert_eq!(outcome.batches, [1, 1]);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    let outcome = job().run::<Liquid>(&holding(n(0)));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [1]);
}

#[test]
fn a_token_without_a_view_is_its_own_stake() {
    let row = one_row("liquid", NETWORK, vec![text("liquid_token", TOKEN)]);
    assert_eq!(only_leg(&job().settings(row).run::<Liquid>(&holding(n(7)))), (TOKEN, n(7), None));
}

#[test]
fn views_of_another_contract_may_take_the_amount_or_be_inverse() {
    let chain = holding(n(100)).reply(NETWORK, RATES, &getEthValueCall(n(100)), &n(111)).reply(
        NETWORK,
        RATES,
        &ratioCall {},
        &n(WAD / 5 * 4),
    );
    for (key, view, stands_for) in [("value_view", "getEthValue", 111), ("inverse_rate_view", "ratio", 125)] {
        let keys = vec![text("liquid_token", TOKEN), text("rate_contract", RATES), text(key, view)];
        let outcome = job().settings(one_row("liquid", NETWORK, keys)).run::<Liquid>(&chain);
        assert_eq!(only_leg(&outcome), (NATIVE, n(100), Some(n(stands_for))), "{view}");
    }
}

#[test]
fn a_rate_that_no_amount_can_have_is_a_failure() {
    for rate in [U256::MAX, U256::from(2).pow(n(255))] {
        let chain = holding(n(7)).reply(NETWORK, TOKEN, &stEthPerTokenCall {}, &rate);
        assert_eq!(job().run::<Liquid>(&chain).end, End::Failed);
    }
    let chain = holding(n(7)).revert(NETWORK, TOKEN, &stEthPerTokenCall {});
    assert_eq!(job().run::<Liquid>(&chain).end, End::Failed);
    assert_eq!(job().run::<Liquid>(&CannedReplies::default()).end, End::Failed);
}

#[test]
fn a_unit_of_the_token_is_composed_of_what_it_stands_for() {
    let composed = |chain: &CannedReplies| JobTest::for_tokens("liquid", NETWORK, &[TOKEN]).run::<Liquid>(chain);
    let outcome = composed(&holding(n(0)));
    let [found] = outcome.compositions()[..] else { panic!("{:?}", outcome.findings) };
    assert_eq!((found.token, found.supply), (TOKEN, n(WAD)));
    assert_eq!(found.parts, [Part { token: STAKED, amount: n(WAD / 4 * 5) }]);
    let worthless = holding(n(0)).reply(NETWORK, TOKEN, &stEthPerTokenCall {}, &n(0));
    assert_eq!(composed(&worthless).compositions().len(), 0);
}
