//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::personal_vaults::PersonalVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, plugin};

sol! {
    function poolLength() external view returns (uint256);
    function poolInfo(uint256) external view returns (address, address, address, address, uint8);
    function vaultMap(uint256 a, address b) external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function lockedLiquidityOf(address) external view returns (uint256);
    function totalLiquidityLocked() external view returns (uint256);
    function earned() external returns (address[], uint256[]);
    function getReward() external;
}

const NETWORK: u64 = 1;
const REGISTRIES: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const GAUGE: Address = Address::repeat_byte(3);
const TOKEN: Address = Address::repeat_byte(4);
const VAULT: Address = Address::repeat_byte(5);
const REWARDS: [Address; 2] = [Address::repeat_byte(6), Address::repeat_byte(7)];

plugin! {
    Vaults: &PersonalVaultsKit { vault: "vault" },
    ["fxn" = "FXN", "frax" = "FRAX"],
    r#"
    [[deployment]]
    protocol = "fxn"
    network = "ethereum"
    vault_registry = "0x0101010101010101010101010101010101010101"

    [[deployment]]
    protocol = "frax"
    network = "ethereum"
    vault_registry = "0x0202020202020202020202020202020202020202"
    vault_farms = true
    "#
}

/// The account's vault of the only pool, if any, its stake in a gauge, and that in a farm.
fn chain(vault: Address, stakes: [u64; 2]) -> CannedReplies {
    let chain = REGISTRIES.iter().fold(CannedReplies::default(), |chain, registry| {
        chain
            .reply(NETWORK, *registry, &poolLengthCall {}, &n(1))
            .reply(NETWORK, *registry, &poolInfoCall(n(0)), &(TOKEN, GAUGE, TOKEN, TOKEN, n(1)))
            .reply(NETWORK, *registry, &vaultMapCall { a: n(0), b: ACCOUNT }, &vault)
    });
    let owed = (vec![REWARDS[0], REWARDS[1], REWARDS[0]], vec![n(2), n(1), n(3)]);
    chain
        .reply(NETWORK, GAUGE, &balanceOfCall(VAULT), &n(stakes[0]))
        .reply(NETWORK, GAUGE, &totalSupplyCall {}, &n(100))
        .reply(NETWORK, GAUGE, &lockedLiquidityOfCall(VAULT), &n(stakes[1]))
        .reply(NETWORK, GAUGE, &totalLiquidityLockedCall {}, &n(200))
        .result(NETWORK, VAULT, &earnedCall {}, ReadResult::Ok(owed.abi_encode_params().into()))
        .reply(NETWORK, VAULT, &getRewardCall {}, &())
}

fn run(protocol: &str, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new(protocol, NETWORK, question, ACCOUNT).run::<Vaults>(chain)
}

#[test]
fn a_vault_pays_its_owner_and_stakes_in_a_gauge_or_a_farm() {
    let chain = chain(VAULT, [12, 30]);
    for (protocol, stake, total) in [("fxn", 12, 100), ("frax", 30, 200)] {
        let outcome = run(protocol, Question::CLAIMABLES, &chain);
        let expected = vec![(VAULT, REWARDS[0], n(5)), (VAULT, REWARDS[1], n(1))];
        assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, expected), "{}", outcome.message);
        let positions = run(protocol, Question::FARMING, &chain);
        let [position] = positions.positions()[..] else { panic!("{:?}", positions.findings) };
        let owed = |place: usize, amount| (LegRole::REWARD_OWED, REWARDS[place], n(amount), None);
        assert_eq!(legs(position), [(LegRole::STAKED, TOKEN, n(stake), None), owed(0, 5), owed(1, 1)]);
        assert_eq!(position.legs[0].total, Some(n(total)));
        positions.check_totals(&outcome);
    }
}

#[test]
fn a_claim_that_the_vault_refuses_is_reported() {
    let chain = chain(VAULT, [12, 0]).revert(NETWORK, VAULT, &getRewardCall {});
    let outcome = run("fxn", Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn an_account_without_a_vault_has_no_findings_and_a_failure_is_no_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run("fxn", question, &chain(Address::ZERO, [0, 0]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_ne!(run("fxn", question, &CannedReplies::default()).end, End::Complete);
    }
}
