//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::curve_pools::CurvePoolsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, one_row, plugin, text};

sol! {
    function get_pool_from_lp_token(address) external view returns (address);
    function get_lp_token(address) external view returns (address);
    function get_coins(address) external view returns (address[8]);
    function get_balances(address) external view returns (uint256[8]);
    function minter() external view returns (address);
    function totalSupply() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function registry_length() external view returns (uint256);
    function get_registry(uint256) external view returns (address);
    function pool_count() external view returns (uint256);
    function pool_list(uint256) external view returns (address);
}

const NETWORK: u64 = 1;
const REGISTRY: Address = address!("0xf000000000000000000000000000000000000001");
const POOL: Address = address!("0xf000000000000000000000000000000000000002");
const LATER: Address = address!("0xf000000000000000000000000000000000000003");
/// The handlers of two generations, which differ in the bytes that name their lists.
const FIRST: Address = address!("0xf100000000000000000000000000000000000000");
const SECOND: Address = address!("0xf200000000000000000000000000000000000000");
const SHARE: Address = address!("0xa000000000000000000000000000000000000001");
const DAI: Address = address!("0xa000000000000000000000000000000000000002");
const ETHER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

const POOLS: CurvePoolsKit = CurvePoolsKit { share: "CURVE", pool: "curve-pool" };

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
    assert_eq!(catalogue.deployments[0].questions, [Question::POOLING, Question::COMPOSITION]);
    assert_eq!(catalogue.lineages.as_deref(), Some(&[Lineage::markets::<get_lp_tokenCall>()][..]));
}

/// Handlers with a pool each: one whose share is apart from it, and one that is its own share. Of both the account has
/// as many shares as it says.
fn listed(shares: [u64; 2]) -> CannedReplies {
    let registry = CannedReplies::default()
        .reply(NETWORK, REGISTRY, &registry_lengthCall {}, &n(2))
        .reply(NETWORK, REGISTRY, &get_registryCall(n(0)), &FIRST)
        .reply(NETWORK, REGISTRY, &get_registryCall(n(1)), &SECOND);
    let handlers = [(FIRST, POOL, SHARE, shares[0]), (SECOND, LATER, LATER, shares[1])];
    handlers.into_iter().fold(registry, |chain, (handler, at, share, held)| {
        let chain = pool(chain, at, share).reply(NETWORK, share, &balanceOfCall(ACCOUNT), &n(held));
        let chain = chain.reply(NETWORK, handler, &pool_countCall {}, &n(1));
        let chain = chain.reply(NETWORK, handler, &pool_listCall(n(0)), &at);
        chain.reply(NETWORK, handler, &get_lp_tokenCall(at), &share)
    })
}

fn job() -> JobTest {
    JobTest::new("curve", NETWORK, Question::POOLING, ACCOUNT)
}

fn pooling(chain: &CannedReplies) -> Outcome {
    job().run::<Curve>(chain)
}

#[test]
fn an_account_without_shares_costs_a_read_of_each_pool() {
    let first = pooling(&listed([0, 0]));
    assert_eq!((first.end, first.findings.len()), (End::Complete, 0), "{}", first.message);
    assert_eq!(first.facts::<(Address, Address)>("shares", "pools-f100000000000000"), [(POOL, SHARE)]);
    assert_eq!(first.facts::<(Address, Address)>("shares", "pools-f200000000000000"), [(LATER, LATER)]);
    // The number of handlers, both of them with their lists, the length of each list, and a balance of each share.
    let later = job().after(&first).run::<Curve>(&listed([0, 0]));
    assert_eq!((later.end, later.batches.last()), (End::Complete, Some(&2)), "{}", later.message);
    assert!(later.batches.iter().sum::<usize>() < first.batches.iter().sum(), "{:?}", later.batches);
}

#[test]
fn shares_are_their_part_of_all_balances_rounded_down() {
    let outcome = pooling(&listed([7, 0]));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::POOLED, POOL));
    // 7 / 40 of 1,200 and of 3.
    assert_eq!(legs(position), [(LegRole::POOLED, DAI, n(210), None), (LegRole::POOLED, NATIVE, n(0), None)]);
    assert_eq!(position.name, format!("{{{SHARE:#x}}} liquidity"));
}

#[test]
fn pools_of_every_handler_count_and_a_share_that_two_list_counts_once() {
    assert_eq!(pooling(&listed([40, 40])).positions().len(), 2);
    let both = listed([40, 0]).reply(NETWORK, SECOND, &pool_listCall(n(0)), &POOL);
    let outcome = pooling(&both.reply(NETWORK, SECOND, &get_lp_tokenCall(POOL), &SHARE));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
}

#[test]
fn a_handler_or_a_pool_that_cannot_be_read_costs_its_own_rows_and_is_reported() {
    let unread = listed([40, 40]).result(NETWORK, FIRST, &pool_countCall {}, ReadResult::Unavailable);
    let unlisted = listed([40, 40]).result(NETWORK, FIRST, &pool_listCall(n(0)), ReadResult::Unavailable);
    let broken = listed([40, 40]).revert(NETWORK, REGISTRY, &get_balancesCall(POOL));
    let few = listed([41, 40]);
    let empty = listed([40, 40]).reply(NETWORK, SHARE, &totalSupplyCall {}, &n(0));
    let all = padded([U256::MAX, U256::MAX], U256::ZERO);
    let huge = listed([40, 40]).reply(NETWORK, REGISTRY, &get_balancesCall(POOL), &all);
    for chain in [unread, unlisted, broken, few, empty, huge] {
        let outcome = pooling(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].contract, LATER);
    }
}

#[test]
fn what_the_registry_no_longer_names_for_the_pool_is_no_share_of_it() {
    let outcome = pooling(&listed([40, 0]).reply(NETWORK, REGISTRY, &get_lp_tokenCall(POOL), &DAI));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    let outcome = pooling(&listed([40, 40]).revert(NETWORK, FIRST, &get_lp_tokenCall(POOL)));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
}

#[test]
fn a_list_without_end_is_bounded_and_reported() {
    let chain = listed([40, 40]).reply(NETWORK, REGISTRY, &registry_lengthCall {}, &U256::MAX);
    let outcome = pooling(
        &(2..10).fold(chain, |chain, index| chain.reply(NETWORK, REGISTRY, &get_registryCall(n(index)), &SECOND)),
    );
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 2), "{}", outcome.message);
    let reported = format!("shares: {} handlers of pools, of which 10 are answered", U256::MAX);
    assert_eq!(outcome.not_covered, [reported]);
}

#[test]
fn a_registry_that_cannot_be_read_is_no_empty_answer() {
    let unread = listed([40, 40]).result(NETWORK, REGISTRY, &registry_lengthCall {}, ReadResult::Unavailable);
    assert_eq!(pooling(&unread).end, End::Failed);
}
