//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::reward_vaults::RewardVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, plugin};

sol! {
    function get_gauge_count() external view returns (uint256);
    function get_gauge(uint256) external view returns (address);
    function vault(address) external view returns (address);
    function REWARD_TOKEN() external view returns (address);
    function accounts(address a, address b) external view returns (uint128, uint256, uint256);
    function vaults(address) external view returns (uint256, uint128);
    function asset() external view returns (address);
    function totalSupply() external view returns (uint256);
    function getRewardTokens() external view returns (address[]);
    function earned(address a, address b) external view returns (uint128);
}

const NETWORK: u64 = 42_161;
const CONTROLLER: Address = Address::repeat_byte(1);
const ACCOUNTANT: Address = Address::repeat_byte(2);
const FACTORY: Address = Address::repeat_byte(3);
const GAUGES: [Address; 2] = [Address::repeat_byte(4), Address::repeat_byte(5)];
const VAULT: Address = Address::repeat_byte(6);
const ASSET: Address = Address::repeat_byte(7);
const MAIN: Address = Address::repeat_byte(8);
const EXTRA: Address = Address::repeat_byte(9);
const RAY: u128 = 1_000_000_000_000_000_000_000_000_000;

plugin! {
    Vaults: &RewardVaultsKit { vault: "vault" },
    ["sdao" = "SDAO"],
    r#"
    [[deployment]]
    protocol = "sdao"
    network = "arbitrum"
    vault_controller = "0x0101010101010101010101010101010101010101"
    vault_accountant = "0x0202020202020202020202020202020202020202"
    vault_gauges = "0x0303030303030303030303030303030303030303"
    "#
}

/// The vault of the second gauge: the account's balance and unpaid reward, and its other reward.
fn chain(balance: u64, pending: u64, extra: u64) -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, FACTORY, &get_gauge_countCall {}, &n(2))
        .reply(NETWORK, FACTORY, &get_gaugeCall(n(0)), &GAUGES[0])
        .reply(NETWORK, FACTORY, &get_gaugeCall(n(1)), &GAUGES[1])
        .reply(NETWORK, CONTROLLER, &vaultCall(GAUGES[0]), &Address::ZERO)
        .reply(NETWORK, CONTROLLER, &vaultCall(GAUGES[1]), &VAULT)
        .reply(NETWORK, ACCOUNTANT, &REWARD_TOKENCall {}, &MAIN)
        .reply(NETWORK, ACCOUNTANT, &accountsCall { a: VAULT, b: ACCOUNT }, &(n(balance), U256::from(RAY), n(pending)))
        // Since then a unit has earned a half.
        .reply(NETWORK, ACCOUNTANT, &vaultsCall(VAULT), &(U256::from(RAY / 2 * 3), n(1_000)))
        .reply(NETWORK, VAULT, &assetCall {}, &ASSET)
        .reply(NETWORK, VAULT, &totalSupplyCall {}, &n(1_000))
        .reply(NETWORK, VAULT, &getRewardTokensCall {}, &vec![EXTRA])
        .reply(NETWORK, VAULT, &earnedCall { a: ACCOUNT, b: EXTRA }, &n(extra))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("sdao", NETWORK, question, ACCOUNT).run::<Vaults>(chain)
}

#[test]
fn the_accountant_pays_the_main_reward_and_the_vault_the_others() {
    let chain = chain(200, 7, 9);
    let outcome = run(Question::CLAIMABLES, &chain);
    // Half of 200, and 7.
    let expected = vec![(ACCOUNTANT, MAIN, n(107)), (VAULT, EXTRA, n(9))];
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, expected), "{}", outcome.message);
    let positions = run(Question::FARMING, &chain);
    let [position] = positions.positions()[..] else { panic!("{:?}", positions.findings) };
    let owed = |token, amount| (LegRole::REWARD_OWED, token, n(amount), None);
    assert_eq!(legs(position), [(LegRole::STAKED, ASSET, n(200), None), owed(MAIN, 107), owed(EXTRA, 9)]);
    positions.check_totals(&outcome);
}

#[test]
fn who_has_left_is_still_paid() {
    let chain = chain(0, 7, 0);
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(
        (outcome.end, claimed(&outcome)),
        (End::Complete, vec![(ACCOUNTANT, MAIN, n(7))]),
        "{}",
        outcome.message
    );
    assert_eq!(run(Question::FARMING, &chain).findings.len(), 0);
}

#[test]
fn an_account_with_nothing_has_no_findings_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &chain(0, 0, 9));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_ne!(run(question, &CannedReplies::default()).end, End::Complete);
    }
}
