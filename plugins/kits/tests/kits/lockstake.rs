//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::lockstake::LockstakeKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, legs, n, plugin};

mod vat {
    portolan_plugin_api::sol! {
        function urns(bytes32, address) external view returns (uint256, uint256);
        function ilks(bytes32) external view returns (uint256, uint256, uint256, uint256, uint256);
    }
}
mod jug {
    portolan_plugin_api::sol! {
        function ilks(bytes32) external view returns (uint256, uint256);
        function base() external view returns (uint256);
        function drip(bytes32) external returns (uint256);
    }
}
sol! {
    function ownerUrnsCount(address) external view returns (uint256);
    function ownerUrns(address, uint256) external view returns (address);
    function urnFarms(address) external view returns (address);
    function vat() external view returns (address);
    function jug() external view returns (address);
    function ilk() external view returns (bytes32);
    function sky() external view returns (address);
    function usds() external view returns (address);
    function getReward(address, uint256, address, address) external returns (uint256);
    function earned(address) external view returns (uint256);
    function rewardsToken() external view returns (address);
}

const NETWORK: u64 = 1;
const ENGINE: Address = Address::repeat_byte(1);
const VAT: Address = Address::repeat_byte(2);
const JUG: Address = Address::repeat_byte(3);
const SKY: Address = Address::repeat_byte(4);
const USDS: Address = Address::repeat_byte(5);
const FARM: Address = Address::repeat_byte(6);
const SPK: Address = Address::repeat_byte(7);
const URNS: [Address; 2] = [Address::repeat_byte(0x11), Address::repeat_byte(0x12)];
const ILK: B256 = B256::repeat_byte(8);
const KIT: LockstakeKit = LockstakeKit { urn: "urn" };

plugin! {
    Engine: &KIT,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    lockstake_engine = "0x0101010101010101010101010101010101010101"
    "#
}

fn ray() -> U256 {
    n(10).pow(n(27))
}

/// Two urns: the first empty and in no farm, the second with 1,000 against 100 at a price of a quarter.
fn urns() -> CannedReplies {
    let number = |index: usize| n(index as u64);
    let chain = (0..2).fold(CannedReplies::default(), |chain, index| {
        chain.reply(NETWORK, ENGINE, &ownerUrnsCall { _0: ACCOUNT, _1: number(index) }, &URNS[index])
    });
    chain
        .reply(NETWORK, ENGINE, &ownerUrnsCountCall(ACCOUNT), &n(2))
        .reply(NETWORK, ENGINE, &urnFarmsCall(URNS[0]), &Address::ZERO)
        .reply(NETWORK, ENGINE, &urnFarmsCall(URNS[1]), &FARM)
        .reply(NETWORK, ENGINE, &vatCall {}, &VAT)
        .reply(NETWORK, ENGINE, &jugCall {}, &JUG)
        .reply(NETWORK, ENGINE, &ilkCall {}, &ILK)
        .reply(NETWORK, ENGINE, &skyCall {}, &SKY)
        .reply(NETWORK, ENGINE, &usdsCall {}, &USDS)
        .reply(NETWORK, VAT, &vat::urnsCall { _0: ILK, _1: URNS[0] }, &(n(0), n(0)))
        .reply(NETWORK, VAT, &vat::urnsCall { _0: ILK, _1: URNS[1] }, &(n(1_000), n(100)))
        .reply(NETWORK, VAT, &vat::ilksCall(ILK), &(n(0), ray(), ray() / n(4), n(0), n(0)))
        .reply(NETWORK, JUG, &jug::ilksCall(ILK), &(ray(), n(0)))
        .reply(NETWORK, JUG, &jug::baseCall {}, &n(0))
        .reply(NETWORK, JUG, &jug::dripCall(ILK), &ray())
        .reply(NETWORK, FARM, &earnedCall(URNS[1]), &n(30))
        .reply(NETWORK, FARM, &rewardsTokenCall {}, &SPK)
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, question, ACCOUNT).run::<Engine>(chain)
}

#[test]
fn an_urn_is_a_position_with_what_its_farm_owes_it() {
    let outcome = run(Question::LENDING, &urns());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.contract, position.number, position.kind), (ENGINE, Some(n(1)), PositionKind::BORROWED));
    let supplied = (LegRole::SUPPLIED, SKY, n(1_000), Some(true));
    let owed = (LegRole::REWARD_OWED, SPK, n(30), None);
    assert_eq!(legs(position), [supplied, (LegRole::BORROWED, USDS, n(100), None), owed]);
    assert_eq!(position.health.unwrap().factor_wad, Some(n(2_500_000_000_000_000_000)));
}

#[test]
fn the_engine_pays_an_urns_rewards_to_the_account() {
    let outcome = run(Question::CLAIMABLES, &urns());
    assert_eq!((outcome.end, claimed(&outcome)), (End::Complete, vec![(ENGINE, SPK, n(30))]), "{}", outcome.message);
    let call = getRewardCall { _0: ACCOUNT, _1: n(1), _2: FARM, _3: ACCOUNT };
    assert_eq!(&outcome.claimables()[0].steps[0].arguments[..], &call.abi_encode()[4..]);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    let chain = CannedReplies::default().reply(NETWORK, ENGINE, &ownerUrnsCountCall(ACCOUNT), &n(0));
    for question in [Question::CLAIMABLES, Question::LENDING] {
        let outcome = run(question, &chain);
        assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
    }
}

#[test]
fn what_cannot_be_read_is_reported() {
    for question in [Question::CLAIMABLES, Question::LENDING] {
        assert_eq!(run(question, &CannedReplies::default()).end, End::Failed);
        let broken = run(question, &urns().revert(NETWORK, FARM, &earnedCall(URNS[1])));
        assert_eq!((broken.end, broken.findings.len()), (End::Partial, 0), "{}", broken.message);
    }
    let many = urns().reply(NETWORK, ENGINE, &ownerUrnsCountCall(ACCOUNT), &U256::MAX);
    assert_ne!(run(Question::LENDING, &many).end, End::Complete);
}
