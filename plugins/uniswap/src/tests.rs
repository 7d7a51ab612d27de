//! Each row of the tables decodes a log that another encoder made, and pools are known by their addresses.

use portolan_kits::accounts::AccountProtocols;
use portolan_kits::events::tables;
use portolan_plugin_api::networks::{BASE, BSC};
use portolan_plugin_api::testing::{self, CannedReplies, End, EventCases, JobTest};
use portolan_plugin_api::{Address, Question, Reward, SolCall, U256, address, sol};

use super::{OWN_TABLE, Uniswap};

sol! {
    function poolLength() external view returns (uint256);
    function lpToken(uint256) external view returns (address);
    function poolInfo(uint256) external view returns (uint256, uint256, uint256, uint256, bool);
    function userInfo(uint256, address) external view returns (uint256, uint256, uint256);
    function pendingCake(uint256, address) external view returns (uint256);
    function CAKE() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function withdraw(uint256, uint256) external;
}

const HERE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_row_decodes_a_log_of_uniswap_and_its_forks() {
    let shared = "../kits/src/events/tables";
    let files = [
        (format!("{shared}/uniswap_v2"), tables::UNISWAP_V2),
        (format!("{shared}/uniswap_v3"), tables::UNISWAP_V3),
        ("src/events".to_owned(), OWN_TABLE),
    ];
    for (file, table) in files {
        let cases = EventCases::load(format!("{HERE}/{file}.cases.json"));
        cases.cover(table);
        cases.check::<Uniswap>();
    }
}

#[test]
fn a_pool_belongs_to_the_factory_that_its_address_follows_from() {
    EventCases::load(format!("{HERE}/src/attribution.cases.json")).check::<Uniswap>();
}

const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const PAIR: Address = address!("0xa000000000000000000000000000000000000002");

/// The pool of CAKE, and veCAKE.
mod former {
    portolan_plugin_api::sol! {
        function userInfo(address) external view returns (uint256, uint256);
        function getUserInfo(address) external view returns (int128, uint256);
    }
}

/// The manager of Infinity's concentrated positions.
const INFINITY: Address = address!("0x55f4c8aba71a1e923edc303eb4feff14608cc226");

/// PancakeSwap's chefs on BSC: nothing in the first and the third, and in the second a stake of 10 of 40 that is owed 7.
fn chefs() -> CannedReplies {
    let n = |number: u64| U256::from(number);
    let v1 = address!("0x73feaa1ee314f8c655e354234017be2193c9e24e");
    let v2 = address!("0xa5f8c5dbd5f286960b9d90548680ae5ebff07652");
    let v3 = address!("0x556b9306565093c855aea9ae92a594704c2cd59e");
    sol! {
        function cake() external view returns (address);
    }
    let chain = CannedReplies::default().reply(BSC, v1, &poolLengthCall {}, &n(0)).reply(BSC, v1, &cakeCall {}, &TOKEN);
    let chain = chain.reply(BSC, v3, &balanceOfCall(ACCOUNT), &n(0)).reply(BSC, v3, &CAKECall {}, &TOKEN);
    // No positions of v3 or of Infinity.
    let chain = [address!("0x46a15b0b27311cedf172ab29e4f4766fbe7f4364"), INFINITY]
        .into_iter()
        .fold(chain, |chain, at| chain.reply(BSC, at, &balanceOfCall(ACCOUNT), &n(0)));
    // Nothing in the pool of CAKE, nor in veCAKE.
    let (pool, escrow) = (
        address!("0x45c54210128a065de780c4b0df3d16664f7f859e"),
        address!("0x5692db8177a81a6c6afc8084c2976c9933ec1bab"),
    );
    let chain = chain.reply(BSC, pool, &former::userInfoCall(ACCOUNT), &(n(0), n(0)));
    let chain = chain.reply(BSC, escrow, &former::getUserInfoCall(ACCOUNT), &(n(0), n(0)));
    // A share may have earned more than 2^128.
    let pool = (U256::MAX, n(9), n(1), n(9), true);
    chain
        .reply(BSC, v2, &poolLengthCall {}, &n(1))
        .reply(BSC, v2, &CAKECall {}, &TOKEN)
        .reply(BSC, v2, &lpTokenCall(n(0)), &PAIR)
        .reply(BSC, v2, &poolInfoCall(n(0)), &pool)
        .reply(BSC, v2, &userInfoCall { _0: n(0), _1: ACCOUNT }, &(n(10), n(3), n(1)))
        .reply(BSC, v2, &pendingCakeCall { _0: n(0), _1: ACCOUNT }, &n(7))
        .reply(BSC, PAIR, &balanceOfCall(v2), &n(40))
}

#[test]
fn a_chef_without_rewarders_and_points_of_all_pools_is_answered() {
    let ask = |question| JobTest::new("pancakeswap", BSC, question, ACCOUNT).run::<Uniswap>(&chefs());
    let outcome = ask(Question::CLAIMABLES);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.market.as_str(), row.token, row.amount), ("farms-v2", TOKEN, U256::from(7)));
    let call = withdrawCall { _0: U256::ZERO, _1: U256::ZERO }.abi_encode();
    assert_eq!(row.claim.arguments, call[4..]);
    let outcome = ask(Question::FARMING);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let leg = outcome.legs()[0];
    assert_eq!((leg.token, leg.amount, leg.total), (PAIR, U256::from(10), Some(U256::from(40))));
    assert_eq!(leg.rewards, [Reward::new(TOKEN, None)]);
}

#[test]
fn positions_that_no_contract_lists_are_told_to_who_has_some() {
    let chain = chefs().reply(BSC, INFINITY, &balanceOfCall(ACCOUNT), &U256::from(2));
    let outcome = JobTest::new("pancakeswap", BSC, Question::POOLING, ACCOUNT).run::<Uniswap>(&chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
    let manager = "the manager of PancakeSwap Infinity's concentrated positions";
    assert_eq!(
        outcome.not_covered,
        [format!("{manager} at {INFINITY} holds something of this account, and is not read")]
    );
    let v4 = address!("0x7c5f5a4bbd8fd63184577525326123b519429bdc");
    for (count, end) in [(0, End::Complete), (1, End::Partial)] {
        let chain = CannedReplies::default().reply(BASE, v4, &balanceOfCall(ACCOUNT), &U256::from(count));
        let outcome = JobTest::new("uniswap_v4", BASE, Question::POOLING, ACCOUNT).run::<Uniswap>(&chain);
        assert_eq!((outcome.end, outcome.not_covered.len()), (end, count), "{}", outcome.message);
    }
}

#[test]
fn an_account_without_positions_costs_a_read_of_each_manager() {
    let manager = address!("0x03a520b32c04bf3beef7beb72e919cf822ed34f1");
    let chain = CannedReplies::default().reply(BASE, manager, &balanceOfCall(ACCOUNT), &U256::ZERO);
    for question in [Question::CLAIMABLES, Question::POOLING] {
        let outcome = JobTest::new("uniswap_v3", BASE, question, ACCOUNT).run::<Uniswap>(&chain);
        assert_eq!((outcome.end, outcome.batches), (End::Complete, vec![1]), "{}", outcome.message);
    }
}

/// A contract of a fork.
const FORKED: &str = "0x1111111111111111111111111111111111111111";
/// A list of one.
const FORKED_LIST: &str = "[0x1111111111111111111111111111111111111111]";
/// A list of another one.
const OTHER_LIST: &str = "[0x3333333333333333333333333333333333333333]";
/// The hash of its code.
const FORKED_HASH: &str = "0x2222222222222222222222222222222222222222222222222222222222222222";

#[test]
fn a_fork_of_each_mechanism_is_a_row_of_three_lines_at_most() {
    testing::serves_forks::<Uniswap>(&[
        &[("kind", "cake-chef"), ("chef", FORKED), ("pending", "pendingFork")],
        &[("position_chef", FORKED)],
        &[("position_manager", FORKED), ("manager_kind", "algebra")],
        &[("factory", FORKED), ("init_code_hash", FORKED_HASH), ("salt", "packed")],
        &[("pairs", FORKED_LIST)],
        &[("pair_factory", FORKED), ("base_tokens", FORKED_LIST), ("paired_tokens", OTHER_LIST)],
        &[("known_gaps", FORKED_LIST)],
        &[("contracts", FORKED_LIST)],
    ]);
}

#[test]
fn every_row_that_ships_is_read() {
    testing::check_rows::<Uniswap>(Uniswap::ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
}
