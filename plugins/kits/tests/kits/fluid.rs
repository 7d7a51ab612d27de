//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test. Replies of resolvers
//! are assembled word by word, like their structs.

use portolan_kits::fluid::FluidKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, one_row, plugin, text};

sol! {
    function allTokens() external view returns (address[] memory);
    function balanceOf(address) external view returns (uint256);
    function asset() external view returns (address);
    function previewRedeem(uint256) external view returns (uint256);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
    function FACTORY() external view returns (address);
    function positionByNftId(uint256) external view returns (uint256[90] memory);
    function getDexState(address) external returns (uint256[30] memory);
}

const NETWORK: u64 = 1;
const LENDING: Address = Address::repeat_byte(1);
const RESOLVER: Address = Address::repeat_byte(2);
const DEX_RESOLVER: Address = Address::repeat_byte(3);
const FACTORY: Address = Address::repeat_byte(4);
const FTOKENS: [Address; 2] = [Address::repeat_byte(5), Address::repeat_byte(6)];
const VAULT: Address = Address::repeat_byte(7);
const DEX: Address = Address::repeat_byte(8);
const USDC: Address = Address::repeat_byte(9);
const WETH: Address = Address::repeat_byte(10);
const LIQUIDITY: Address = Address::repeat_byte(11);
const ETHER: Address = Address::repeat_byte(0xee);

const TYPES: FluidKit = FluidKit { token: "ftoken", vault: "vault" };

plugin! {
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    lending_factory = "0x0101010101010101010101010101010101010101"
    vault_resolver = "0x0202020202020202020202020202020202020202"
    dex_resolver = "0x0303030303030303030303030303030303030303"
    "#
}

fn word(address: Address) -> U256 {
    address.into_word().into()
}

/// A position in a vault of one token against another, at a price of two. `UserPosition` has 12 words;
/// `VaultEntireData` begins with the vault and its kind, 18 constants, 13 settings, and prices with rates. Unused
/// members are 99.
fn position(supply: u64, borrow: u64) -> [U256; 90] {
    let mut words = [n(99); 90];
    let amounts = [(9, n(supply)), (10, n(borrow)), (12, word(VAULT)), (13, n(0)), (14, n(0))];
    // A threshold of 80 %, and a price of 2 of the debt's smallest units per one of the collateral's.
    let settings = [(36, n(8_000)), (43, U256::from(2_000_000_000_000_000_000_000_000_000_u128))];
    // 2 % and 5 % a year.
    let rates = [(56, n(200)), (57, n(500))];
    let tokens = [LIQUIDITY, LIQUIDITY, ETHER, Address::ZERO, USDC, Address::ZERO].map(word);
    let tokens = (21..27).zip(tokens);
    amounts.into_iter().chain(settings).chain(rates).chain(tokens).for_each(|(at, value)| words[at] = value);
    (15..21).for_each(|at| words[at] = word(LIQUIDITY));
    words
}

/// A position in a vault that takes shares of a USDC/WETH pool, as collateral and as debt.
fn smart(supply: u64, borrow: u64) -> [U256; 90] {
    let mut words = position(supply, borrow);
    (13..15).for_each(|at| words[at] = n(1));
    let tokens = [DEX, DEX, USDC, WETH, USDC, WETH];
    (21..27).zip(tokens).for_each(|(at, token)| words[at] = word(token));
    // Users pay for both: negative rates.
    (56..58).for_each(|at| words[at] = U256::MAX);
    words
}

/// Two lending tokens, of which the account has these shares, worth twice as much; and positions by id.
fn chain(shares: [u64; 2], positions: &[(u64, [U256; 90])]) -> CannedReplies {
    let count = U256::from(positions.len());
    let mut chain = CannedReplies::default()
        .reply(NETWORK, LENDING, &allTokensCall {}, &FTOKENS.to_vec())
        .reply(NETWORK, RESOLVER, &FACTORYCall {}, &FACTORY)
        .reply(NETWORK, FACTORY, &balanceOfCall(ACCOUNT), &count);
    for (token, shares) in FTOKENS.into_iter().zip(shares) {
        chain = chain
            .reply(NETWORK, token, &balanceOfCall(ACCOUNT), &n(shares))
            .reply(NETWORK, token, &assetCall {}, &USDC)
            .reply(NETWORK, token, &previewRedeemCall(n(shares)), &n(2 * shares));
    }
    for (index, (number, words)) in (0_u64..).zip(positions) {
        chain = chain
            .reply(NETWORK, FACTORY, &tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: n(index) }, &n(*number))
            .reply(NETWORK, RESOLVER, &positionByNftIdCall(n(*number)), words);
    }
    let mut state = [n(99); 30];
    // Per 10^18 shares: 3 and 5 of each token as collateral, 7 and 11 as debt.
    (26..30).zip([3, 5, 7, 11]).for_each(|(at, amount)| state[at] = n(amount * 1_000_000_000_000_000_000));
    chain.reply(NETWORK, DEX_RESOLVER, &getDexStateCall(DEX), &state)
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).run::<Fork>(chain)
}

#[test]
fn an_account_with_nothing_is_answered_in_few_batches() {
    let outcome = run(&chain([0, 0], &[]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    // The lists; the account's balances.
    assert_eq!(outcome.batches, [2, 3]);
}

#[test]
fn lending_tokens_are_told_in_what_they_redeem_to() {
    let outcome = run(&chain([0, 1], &[]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!(
        (position.kind, position.contract, position.mechanism.as_str()),
        (PositionKind::LENT, FTOKENS[1], "ftoken")
    );
    assert_eq!(legs(position), [(LegRole::SUPPLIED, USDC, n(2), None)]);
    assert_eq!(position.legs[0].receipt, Some(FTOKENS[1]));
}

#[test]
fn a_position_in_a_vault_has_its_collateral_its_debt_and_its_health() {
    let outcome = run(&chain([0, 0], &[(42, position(1_000, 1_000))]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::BORROWED, VAULT));
    assert_eq!(position.nft, Some(Nft { collection: FACTORY, token_id: n(42) }));
    assert_eq!((position.number, position.name.clone()), (Some(n(42)), format!("FORK {{{NATIVE:#x}}}/{{{USDC:#x}}}")));
    let expected = [(LegRole::SUPPLIED, NATIVE, n(1_000), Some(true)), (LegRole::BORROWED, USDC, n(1_000), None)];
    assert_eq!(legs(position), expected);
    let percent = U256::from(10_000_000_000_000_000_000_000_000_u128);
    assert_eq!([0, 1].map(|leg: usize| position.legs[leg].rate_ray), [Some(percent * n(2)), Some(percent * n(5))]);
    // A thousand at 2 are 2,000; 80 % of that are 1,600.
    assert_eq!(position.health.expect("a health").factor_wad, Some(n(1_600_000_000_000_000_000)));
    // The lists; the account's balances; the position's id; the position.
    assert_eq!(outcome.batches, [2, 3, 1, 1]);
}

#[test]
fn shares_of_pools_are_told_as_both_tokens() {
    let outcome = run(&chain([0, 0], &[(1, smart(100, 10))]));
    let [position] = outcome.positions()[..] else { panic!("one position: {}", outcome.message) };
    let expected = [
        (LegRole::SUPPLIED, USDC, n(300), Some(true)),
        (LegRole::SUPPLIED, WETH, n(500), Some(true)),
        (LegRole::BORROWED, USDC, n(70), None),
        (LegRole::BORROWED, WETH, n(110), None),
    ];
    assert_eq!((outcome.end, legs(position)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    assert!(position.legs.iter().all(|leg| leg.rate_ray.is_none()));
    assert_eq!(position.health.expect("a health").factor_wad, Some(n(16_000_000_000_000_000_000)));
    let pair = format!("{{{USDC:#x}}}-{{{WETH:#x}}}");
    assert_eq!(position.name, format!("FORK {pair}/{pair}"));
}

#[test]
fn one_unit_is_not_nothing_and_collateral_alone_has_no_health() {
    let outcome = run(&chain([0, 0], &[(1, position(1, 0)), (2, position(0, 0))]));
    let [position] = outcome.positions()[..1] else { panic!("a position: {}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, NATIVE, n(1), Some(false))]);
    // A negative rate is unknown.
    let mut unlike = self::position(1, 0);
    unlike[56] = U256::MAX;
    assert_eq!(run(&chain([0, 0], &[(1, unlike)])).positions()[0].legs[0].rate_ray, None);
}

#[test]
fn a_part_that_fails_costs_its_own_row_and_is_reported() {
    let both = || chain([1, 1], &[(1, position(1, 1)), (2, smart(1_000, 1))]);
    assert_eq!(run(&both()).findings.len(), 4);
    let fails = |chain: CannedReplies, left: usize| {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, left), "{}", outcome.message);
    };
    fails(both().revert(NETWORK, FTOKENS[0], &balanceOfCall(ACCOUNT)), 3);
    fails(both().revert(NETWORK, LENDING, &allTokensCall {}), 2);
    fails(both().revert(NETWORK, FACTORY, &balanceOfCall(ACCOUNT)), 2);
    fails(both().revert(NETWORK, RESOLVER, &positionByNftIdCall(n(1))), 3);
    fails(both().revert(NETWORK, DEX_RESOLVER, &getDexStateCall(DEX)), 3);
    let mut unpriced = position(1, 1);
    unpriced[43] = n(0);
    let outcome = run(&chain([0, 0], &[(1, unpriced)]));
    assert_eq!((outcome.end, outcome.positions()[0].legs.len()), (End::Partial, 2), "{}", outcome.message);
    assert_eq!((outcome.positions()[0].kind, outcome.positions()[0].health), (PositionKind::BORROWED, None));
    assert_eq!(run(&CannedReplies::default()).end, End::Failed, "nothing can be read");
}

#[test]
fn more_positions_than_are_read_are_reported() {
    let many: Vec<_> = (1..=100).map(|number| (number, position(1, 0))).collect();
    let outcome = run(&chain([0, 0], &many).reply(NETWORK, FACTORY, &balanceOfCall(ACCOUNT), &U256::MAX));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 100), "{}", outcome.message);
    assert!(outcome.not_covered[0].contains("of which 100 are read"), "{:?}", outcome.not_covered);
}

#[test]
fn a_row_of_settings_has_a_factory_and_maybe_resolvers() {
    let settings = |keys| one_row("fork", 10, keys);
    let row = testing::catalogue::<Fork>(&settings(vec![text("lending_factory", LENDING)])).deployments[0].clone();
    assert_eq!((row.contracts, row.questions), (vec![LENDING], vec![Question::LENDING]));
    let refused = testing::settings_error::<Fork>(&settings(vec![text("vault_resolver", RESOLVER)]));
    assert_eq!(refused.and_then(|error| error.key).as_deref(), Some("lending_factory"));
}
