//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::curve_pools::CurvePoolsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{n, one_row, plugin, text};

sol! {
    function get_pool_from_lp_token(address) external view returns (address);
    function get_lp_token(address) external view returns (address);
    function get_coins(address) external view returns (address[8]);
    function get_balances(address) external view returns (uint256[8]);
    function minter() external view returns (address);
    function totalSupply() external view returns (uint256);
}

const NETWORK: u64 = 1;
const REGISTRY: Address = address!("0xf000000000000000000000000000000000000001");
const POOL: Address = address!("0xf000000000000000000000000000000000000002");
const SHARE: Address = address!("0xa000000000000000000000000000000000000001");
const DAI: Address = address!("0xa000000000000000000000000000000000000002");
const ETHER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

const POOLS: CurvePoolsKit = CurvePoolsKit { share: "CURVE" };

plugin! {
    Curve: &POOLS,
    ["curve" = "CURVE"],
    r#"
    [[deployment]]
    protocol = "curve"
    network = "ethereum"
    market = "shares"
    meta_registry = "0xf000000000000000000000000000000000000001"
    "#
}

fn padded<T: Copy>(first: [T; 2], none: T) -> [T; 8] {
    let mut all = [none; 8];
    all[..2].copy_from_slice(&first);
    all
}

/// A registry that does not know a token, which names no minter.
fn unknown(token: Address) -> CannedReplies {
    CannedReplies::default()
        .revert(NETWORK, REGISTRY, &get_lp_tokenCall(token))
        .result(NETWORK, REGISTRY, &get_pool_from_lp_tokenCall(token), ReadResult::GasCap)
        .revert(NETWORK, token, &minterCall {})
}

/// A pool of 1,200 DAI and 3 ether, with 40 shares.
fn pool(chain: CannedReplies, pool: Address, share: Address) -> CannedReplies {
    chain
        .reply(NETWORK, REGISTRY, &get_lp_tokenCall(pool), &share)
        .reply(NETWORK, REGISTRY, &get_coinsCall(pool), &padded([DAI, ETHER], Address::ZERO))
        .reply(NETWORK, REGISTRY, &get_balancesCall(pool), &padded([n(1_200), n(3)], U256::ZERO))
        .reply(NETWORK, share, &totalSupplyCall {}, &n(40))
}

fn ask(chain: &CannedReplies, tokens: &[Address]) -> Outcome {
    JobTest::for_tokens("curve", NETWORK, tokens).run::<Curve>(chain)
}

#[track_caller]
fn check(chain: &CannedReplies, token: Address) {
    let outcome = ask(chain, &[token]);
    let parts = vec![Part { token: DAI, amount: n(1_200) }, Part { token: NATIVE, amount: n(3) }];
    let share = Composition { token, kind: "CURVE".to_owned(), supply: n(40), parts };
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![&share]), "{}", outcome.message);
}

#[track_caller]
fn check_nothing(chain: &CannedReplies, token: Address) {
    let outcome = ask(chain, &[token]);
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![]), "{}", outcome.message);
}

#[test]
fn a_share_redeems_to_all_balances_of_its_pool() {
    check(&pool(unknown(POOL), POOL, POOL), POOL);
}

#[test]
fn a_share_apart_from_its_pool_is_found_by_the_registry_or_by_its_own_word() {
    let found = unknown(SHARE).reply(NETWORK, REGISTRY, &get_pool_from_lp_tokenCall(SHARE), &POOL);
    check(&pool(found, POOL, SHARE), SHARE);
    for searched in [ReadResult::GasCap, ReadResult::Ok(Address::ZERO.abi_encode().into())] {
        let named = unknown(SHARE).result(NETWORK, REGISTRY, &get_pool_from_lp_tokenCall(SHARE), searched);
        check(&pool(named.reply(NETWORK, SHARE, &minterCall {}, &POOL), POOL, SHARE), SHARE);
    }
}

#[test]
fn what_the_registry_does_not_name_for_the_pool_is_no_share_of_it() {
    check_nothing(&unknown(SHARE), SHARE);
    let liar = unknown(SHARE).reply(NETWORK, SHARE, &minterCall {}, &POOL);
    check_nothing(&pool(liar.clone(), POOL, DAI).reply(NETWORK, SHARE, &totalSupplyCall {}, &n(1)), SHARE);
    let minted = liar
        .revert(NETWORK, REGISTRY, &get_lp_tokenCall(POOL))
        .revert(NETWORK, REGISTRY, &get_coinsCall(POOL))
        .revert(NETWORK, REGISTRY, &get_balancesCall(POOL))
        .reply(NETWORK, SHARE, &totalSupplyCall {}, &n(1));
    check_nothing(&minted, SHARE);
}

#[test]
fn shares_that_nobody_has_redeem_to_nothing() {
    check_nothing(&pool(unknown(POOL), POOL, POOL).reply(NETWORK, POOL, &totalSupplyCall {}, &U256::ZERO), POOL);
}

#[test]
fn a_pool_that_cannot_be_read_costs_its_own_shares_alone() {
    let chain = pool(unknown(POOL), POOL, POOL);
    let chain = pool(
        chain
            .revert(NETWORK, REGISTRY, &get_lp_tokenCall(SHARE))
            .reply(NETWORK, REGISTRY, &get_pool_from_lp_tokenCall(SHARE), &DAI)
            .revert(NETWORK, SHARE, &minterCall {}),
        DAI,
        SHARE,
    )
    .revert(NETWORK, REGISTRY, &get_balancesCall(DAI));
    let outcome = ask(&chain, &[SHARE, POOL]);
    assert_eq!((outcome.end, outcome.compositions().len()), (End::Partial, 1), "{}", outcome.message);
    assert_eq!(outcome.compositions()[0].token, POOL);
}

#[test]
fn a_registry_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<Curve>(&one_row("curve", 10, vec![text("meta_registry", REGISTRY)]));
    assert_eq!(catalogue.deployments[0].contracts, [REGISTRY]);
    assert_eq!(catalogue.deployments[0].questions, [Question::COMPOSITION]);
    assert_eq!(catalogue.lineages.as_deref(), Some(&[Lineage::markets::<get_lp_tokenCall>()][..]));
}
