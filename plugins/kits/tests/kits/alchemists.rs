//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::alchemists::AlchemistsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

sol! {
    function alchemistPositionNFT() external view returns (address);
    function myt() external view returns (address);
    function debtToken() external view returns (address);
    function getCDP(uint256) external view returns (uint256, uint256, uint256);
    function totalValue(uint256) external view returns (uint256);
    function collateralizationLowerBound() external view returns (uint256);
    function asset() external view returns (address);
    function convertToAssets(uint256) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
}

const NETWORK: u64 = 10;
const ALCHEMISTS: [Address; 2] = [Address::repeat_byte(1), Address::repeat_byte(2)];
const NFTS: [Address; 2] = [Address::repeat_byte(3), Address::repeat_byte(4)];
const VAULT: Address = Address::repeat_byte(5);
const WETH: Address = Address::repeat_byte(6);
const DEBT: Address = Address::repeat_byte(7);
const WAD: u64 = 1_000_000_000_000_000_000;

plugin! {
    Alchemix: &AlchemistsKit { position: "position" },
    ["alchemix" = "ALCHEMIX"],
    r#"
    [[deployment]]
    protocol = "alchemix"
    network = "optimism"
    alchemists = ["0x0101010101010101010101010101010101010101", "0x0202020202020202020202020202020202020202"]
    "#
}

/// Positions at the first alchemist, by number, with shares and debt. A share is worth 1.2, and the worth counts as
/// much in the debt token; the bound is 1.25.
fn chain(positions: &[(u64, u64, u64)]) -> CannedReplies {
    let mut chain = CannedReplies::default();
    for place in 0..2 {
        let count = if place == 0 { positions.len() } else { 0 };
        chain = chain.reply(NETWORK, ALCHEMISTS[place], &alchemistPositionNFTCall {}, &NFTS[place]).reply(
            NETWORK,
            NFTS[place],
            &balanceOfCall(ACCOUNT),
            &U256::from(count),
        );
    }
    let first = ALCHEMISTS[0];
    chain = chain
        .reply(NETWORK, first, &mytCall {}, &VAULT)
        .reply(NETWORK, first, &debtTokenCall {}, &DEBT)
        .reply(NETWORK, first, &collateralizationLowerBoundCall {}, &n(WAD / 4 * 5))
        .reply(NETWORK, VAULT, &assetCall {}, &WETH);
    for (index, (number, shares, debt)) in (0_u64..).zip(positions) {
        chain = chain
            .reply(NETWORK, NFTS[0], &tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: n(index) }, &n(*number))
            .reply(NETWORK, first, &getCDPCall(n(*number)), &(n(*shares), n(*debt), n(1)))
            .reply(NETWORK, first, &totalValueCall(n(*number)), &n(shares * 6 / 5))
            .reply(NETWORK, VAULT, &convertToAssetsCall(n(*shares)), &n(shares * 6 / 5));
    }
    chain
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("alchemix", NETWORK, Question::LENDING, ACCOUNT).run::<Alchemix>(chain)
}

#[test]
fn a_position_owes_against_what_its_shares_are_worth() {
    let outcome = run(&chain(&[(42, 1_000, 480)]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!(
        (position.kind, position.contract, position.number),
        (PositionKind::BORROWED, ALCHEMISTS[0], Some(n(42)))
    );
    assert_eq!(position.nft, Some(Nft { collection: NFTS[0], token_id: n(42) }));
    let expected = [(LegRole::SUPPLIED, WETH, n(1_200), Some(true)), (LegRole::BORROWED, DEBT, n(480), None)];
    assert_eq!(legs(position), expected);
    assert_eq!((position.legs[0].receipt, position.legs[1].rate_ray), (Some(VAULT), Some(n(0))));
    // 1,200 over 480, over 1.25.
    assert_eq!(position.health.expect("a health").factor_wad, Some(n(2) * n(WAD)));
}

#[test]
fn a_position_without_debt_lends_and_an_empty_one_is_none() {
    let outcome = run(&chain(&[(1, 0, 0), (2, 10, 0)]));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.health), (End::Complete, PositionKind::LENT, None));
    assert_eq!(legs(position), [(LegRole::SUPPLIED, WETH, n(12), Some(false))]);
}

#[test]
fn an_account_with_nothing_costs_two_reads_for_each_alchemist() {
    let outcome = run(&chain(&[]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [2, 2]);
}

#[test]
fn a_part_that_cannot_be_read_is_reported_and_loses_only_itself() {
    let two = || chain(&[(1, 1_000, 480), (2, 10, 0)]);
    let broken = [
        two().revert(NETWORK, ALCHEMISTS[0], &getCDPCall(n(1))),
        two().revert(NETWORK, VAULT, &convertToAssetsCall(n(1_000))),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    }
    let unpriced = run(&two().revert(NETWORK, ALCHEMISTS[0], &totalValueCall(n(1))));
    assert_eq!((unpriced.end, unpriced.positions().len()), (End::Partial, 2), "{}", unpriced.message);
    assert_eq!(unpriced.positions()[0].health, None);
    let one = run(&two().revert(NETWORK, NFTS[1], &balanceOfCall(ACCOUNT)));
    assert_eq!((one.end, one.positions().len()), (End::Partial, 2), "{}", one.message);
    assert_eq!(run(&CannedReplies::default()).end, End::Failed);
}
