//! The plugin through the real binary interface: what it makes of logs that another encoder made.

use portolan_kits::accounts::AccountProtocols;
use portolan_plugin_api::networks::{BASE, ETHEREUM};
use portolan_plugin_api::testing::{self, CannedReplies, End, EventCases, JobTest};
use portolan_plugin_api::{Address, Question, Reward, SolCall, U256, address, sol};

use crate::{Bridges, TABLE};

sol! {
    function poolLength() external view returns (uint256);
    function totalAllocPoint() external view returns (uint256);
    function poolInfo(uint256) external view returns (address, uint256, uint256, uint256);
    function userInfo(uint256, address) external view returns (uint256, uint256);
    function stargate() external view returns (address);
    function pendingStargate(uint256, address) external view returns (uint256);
    function eToken() external view returns (address);
    function eTokenPerSecond() external view returns (uint256);
    function pendingEmissionToken(uint256, address) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function deposit(uint256, uint256) external;
    function tokens() external view returns (address[]);
    function user_point_epoch(address) external view returns (uint256);
    function token() external view returns (address);
    function locked(address) external view returns (int128, uint256);
    function unlocked() external view returns (bool);
}

const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");
const STG: Address = address!("0xa000000000000000000000000000000000000001");
const POOL: Address = address!("0xa000000000000000000000000000000000000002");

fn cases() -> EventCases {
    EventCases::load(concat!(env!("CARGO_MANIFEST_DIR"), "/src/events.cases.json"))
}

#[test]
fn logs_are_reported_as_what_they_mean() {
    assert!(cases().check::<Bridges>() >= 120);
}

#[test]
fn every_row_of_the_table_has_a_case() {
    cases().cover(TABLE);
}

/// A farm of one pool in which the account has staked 10 of 40, and 7 are pending of a token of which it holds 5.
fn farm<T: SolCall, P: SolCall>(network: u64, chef: Address, token: &T, pending: &P) -> CannedReplies {
    let n = |number: u64| U256::from(number);
    let chain = CannedReplies::default().reply(network, chef, &poolLengthCall {}, &n(1));
    let chain = chain.reply(network, chef, &totalAllocPointCall {}, &n(2));
    let chain = chain.reply(network, chef, &poolInfoCall(n(0)), &(POOL, n(1), n(9), n(9)));
    let chain = chain.reply(network, chef, &userInfoCall { _0: n(0), _1: ACCOUNT }, &(n(10), n(3)));
    let chain = chain.reply(network, chef, token, &STG).reply(network, chef, pending, &n(7));
    let chain = chain.reply(network, STG, &balanceOfCall(chef), &n(5));
    chain.reply(network, POOL, &balanceOfCall(chef), &n(40))
}

#[test]
fn farms_of_stargate_pay_what_is_pending_as_far_as_they_hold_it() {
    let n = |number: u64| U256::from(number);
    let blocks = address!("0xb0d502e938ed5f4df2e681fe6e419ff29631d62b");
    let pending = pendingStargateCall { _0: n(0), _1: ACCOUNT };
    let blocks = (ETHEREUM, blocks, farm(ETHEREUM, blocks, &stargateCall {}, &pending), None);
    let seconds = address!("0x06eb48763f117c7be887296cdcdfad2e4092739c");
    let pending = pendingEmissionTokenCall { _0: n(0), _1: ACCOUNT };
    let chain = farm(BASE, seconds, &eTokenCall {}, &pending).reply(BASE, seconds, &eTokenPerSecondCall {}, &n(6));
    // One point of two gets half of 6 a second.
    let seconds = (BASE, seconds, chain, Some(n(3)));
    let others = [
        (ETHEREUM, address!("0xff551feddbedc0aee764139ccd9cb644bb04a6bd")),
        (BASE, address!("0xdfc47dcef7e8f9ab19a1b8af3eecf000c7ea0b80")),
    ];
    for (network, chef, chain, rate) in [blocks, seconds] {
        // Nothing is staked in farms of the second version.
        let nothing = |chain: CannedReplies, (network, staking): (u64, Address)| {
            chain.reply(network, staking, &tokensCall {}, &Vec::<Address>::new())
        };
        let chain = others.into_iter().fold(chain, nothing);
        let ask = |question| JobTest::new("stargate", network, question, ACCOUNT).run::<Bridges>(&chain);
        let outcome = ask(Question::CLAIMABLES);
        assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
        let payment = outcome.payments()[0];
        assert_eq!((payment.token, payment.amount, payment.claim.to), (STG, n(5), chef));
        let call = depositCall { _0: n(0), _1: n(0) }.abi_encode();
        assert_eq!(payment.claim.arguments, call[4..]);
        let outcome = ask(Question::FARMING);
        assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
        let leg = outcome.legs()[0];
        assert_eq!((leg.token, leg.amount, leg.total), (POOL, n(10), Some(n(40))));
        assert_eq!(leg.rewards, [Reward::new(STG, rate)]);
    }
}

#[test]
fn locks_of_stg_are_read() {
    let n = |number: u64| U256::from(number);
    let escrow = address!("0x0e42acbd23faee03249daff896b78d7e79fbd58e");
    let chain = CannedReplies::default()
        .reply(ETHEREUM, escrow, &user_point_epochCall(ACCOUNT), &n(1))
        .reply(ETHEREUM, escrow, &tokenCall {}, &STG)
        .reply(ETHEREUM, escrow, &lockedCall(ACCOUNT), &(n(9), n(1_800_000_000)))
        .reply(ETHEREUM, escrow, &unlockedCall {}, &false);
    let outcome = JobTest::new("stargate", ETHEREUM, Question::LOCKED, ACCOUNT).run::<Bridges>(&chain);
    let lock = outcome.positions()[0].lock.and_then(|lock| lock.unlocks_at);
    let leg = outcome.legs()[0];
    assert_eq!((outcome.end, leg.token, leg.amount, lock), (End::Complete, STG, n(9), Some(1_800_000_000)));
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Bridges>(&[
        &[("kind", "stargate-chef"), ("chef", FORKED)],
        &[("kind", "stargate-time-chef"), ("chef", FORKED)],
        &[("stargate_staking", FORKED)],
        &[("vote_escrow", FORKED)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Bridges>(Bridges::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
