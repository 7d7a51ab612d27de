//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::balancer_pools::BalancerPoolsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{list, n, one_row, plugin, text};

sol! {
    function getPoolId() external view returns (bytes32);
    function totalSupply() external view returns (uint256);
    function getActualSupply() external view returns (uint256);
    function getPoolTokens(bytes32) external view returns (address[], uint256[], uint256);
    function isPoolRegistered(address) external view returns (bool);
    function getPoolTokenInfo(address)
        external view
        returns (address[], (uint8, address, bool)[], uint256[], uint256[]);
    function isPoolFromFactory(address) external view returns (bool);

    interface SharesOfAll {
        function totalSupply(address) external view returns (uint256);
    }
}

const OLD: u64 = 1;
const NEW: u64 = 10;
const VAULT: Address = address!("0xf000000000000000000000000000000000000001");
const FACTORY: Address = address!("0xf000000000000000000000000000000000000002");
const POOL: Address = address!("0xb001000000000000000000000000000000000003");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const BAL: Address = address!("0xa000000000000000000000000000000000000002");
const WETH: Address = address!("0xa000000000000000000000000000000000000003");

const POOLS: BalancerPoolsKit = BalancerPoolsKit { share: "BALANCER" };

plugin! {
    Balancer: &POOLS,
    ["balancer" = "BALANCER"],
    r#"
    [[deployment]]
    protocol = "balancer"
    network = "ethereum"
    market = "shares"
    pool_vault = "0xf000000000000000000000000000000000000001"
    pool_factories = ["0xf000000000000000000000000000000000000002"]

    [[deployment]]
    protocol = "balancer"
    network = "optimism"
    market = "shares"
    pool_vault_v3 = "0xf000000000000000000000000000000000000001"
    pool_factories = ["0xf000000000000000000000000000000000000002"]
    "#
}

/// Returns the id of a pool: its address, its kind and its index.
fn number(pool: Address) -> B256 {
    B256::right_padding_from(&[pool.as_slice(), &[0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]].concat())
}

/// A pool of the second generation with 800 BAL and 20 ether, of which 50 shares were minted.
fn old(held: (Vec<Address>, Vec<U256>, U256)) -> CannedReplies {
    CannedReplies::default()
        .reply(OLD, POOL, &getPoolIdCall {}, &number(POOL))
        .result(OLD, VAULT, &getPoolTokensCall(number(POOL)), ReadResult::Ok(held.abi_encode_params().into()))
        .reply(OLD, POOL, &totalSupplyCall {}, &n(50))
        .revert(OLD, POOL, &getActualSupplyCall {})
        .reply(OLD, FACTORY, &isPoolFromFactoryCall(POOL), &true)
}

fn two() -> (Vec<Address>, Vec<U256>, U256) {
    (vec![BAL, WETH], vec![n(800), n(20)], n(1))
}

fn new() -> CannedReplies {
    let info = (U256::ZERO, Address::ZERO, false);
    let held = (vec![BAL, WETH], vec![info, info], vec![n(800), n(20)], vec![n(9), n(9)]);
    CannedReplies::default()
        .reply(NEW, VAULT, &isPoolRegisteredCall(POOL), &true)
        .result(NEW, VAULT, &getPoolTokenInfoCall(POOL), ReadResult::Ok(held.abi_encode_params().into()))
        .reply(NEW, VAULT, &SharesOfAll::totalSupplyCall(POOL), &n(50))
        .reply(NEW, FACTORY, &isPoolFromFactoryCall(POOL), &true)
}

fn ask(network: u64, chain: &CannedReplies, token: Address) -> Outcome {
    JobTest::for_tokens("balancer", network, &[token]).run::<Balancer>(chain)
}

#[track_caller]
fn check(network: u64, chain: &CannedReplies, supply: u64) {
    let outcome = ask(network, chain, POOL);
    let parts = vec![Part { token: BAL, amount: n(800) }, Part { token: WETH, amount: n(20) }];
    let share = Composition { token: POOL, kind: "BALANCER".to_owned(), supply: n(supply), parts };
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![&share]), "{}", outcome.message);
}

#[track_caller]
fn check_nothing(network: u64, chain: &CannedReplies, token: Address) {
    let outcome = ask(network, chain, token);
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![]), "{}", outcome.message);
}

#[test]
fn a_share_redeems_to_what_the_vault_holds_for_its_pool() {
    check(OLD, &old(two()), 50);
    check(NEW, &new(), 50);
}

#[test]
fn shares_that_the_vault_itself_holds_are_left_out() {
    // 46 of the 50 shares were never sold.
    let held = || (vec![BAL, POOL, WETH], vec![n(800), n(46), n(20)], n(1));
    check(OLD, &old(held()), 4);
    // The pool's own supply also counts fees that it has not yet minted.
    check(OLD, &old(held()).reply(OLD, POOL, &getActualSupplyCall {}, &n(5)), 5);
}

#[test]
fn a_token_that_is_no_pool_of_the_vault_is_left_out() {
    check_nothing(OLD, &CannedReplies::default().revert(OLD, TOKEN, &getPoolIdCall {}), TOKEN);
    let borrowed = old(two()).reply(OLD, TOKEN, &getPoolIdCall {}, &number(POOL));
    check_nothing(OLD, &borrowed, TOKEN);
    check_nothing(OLD, &old(two()).revert(OLD, VAULT, &getPoolTokensCall(number(POOL))), POOL);
    check_nothing(NEW, &CannedReplies::default().reply(NEW, VAULT, &isPoolRegisteredCall(TOKEN), &false), TOKEN);
}

#[test]
fn shares_that_nobody_has_redeem_to_nothing() {
    check_nothing(OLD, &old(two()).reply(OLD, POOL, &totalSupplyCall {}, &U256::ZERO), POOL);
    check_nothing(NEW, &new().reply(NEW, VAULT, &SharesOfAll::totalSupplyCall(POOL), &U256::ZERO), POOL);
}

#[test]
fn the_factories_are_asked_about_a_pool() {
    // Without the factory's confirmation there is no price, but the parts are known.
    check(OLD, &old(two()).reply(OLD, FACTORY, &isPoolFromFactoryCall(POOL), &false), 50);
    check(NEW, &new().revert(NEW, FACTORY, &isPoolFromFactoryCall(POOL)), 50);
    let catalogue = testing::catalogue::<Balancer>(&Settings::default());
    let lineage = Lineage::markets::<isPoolFromFactoryCall>().argument(0);
    assert_eq!(catalogue.lineages.as_deref(), Some(&[lineage][..]));
}

#[test]
fn a_vault_is_a_few_lines_of_settings() {
    let settings = |vaults: &[&str]| {
        let vaults = vaults.iter().map(|name| text(name, VAULT));
        one_row("balancer", 10, vaults.chain([list("pool_factories", [FACTORY])]).collect())
    };
    for vault in ["pool_vault", "pool_vault_v3"] {
        let catalogue = testing::catalogue::<Balancer>(&settings(&[vault]));
        assert_eq!(catalogue.deployments[0].contracts, [VAULT, FACTORY]);
        assert_eq!(catalogue.deployments[0].questions, [Question::COMPOSITION]);
    }
    let error = testing::settings_error::<Balancer>(&settings(&["pool_vault", "pool_vault_v3"])).unwrap();
    assert!(error.to_string().contains("pool_vault_v3"), "{error}");
}
