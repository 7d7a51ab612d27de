//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::boring_vaults::BoringVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, plugin};

sol! {
    function vault() external view returns (address);
    function base() external view returns (address);
    function getRate() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function decimals() external view returns (uint256);
}

const CHAIN: u64 = 1;
const ACCOUNTANTS: [Address; 2] =
    [address!("0xf000000000000000000000000000000000000001"), address!("0xf000000000000000000000000000000000000002")];
const VAULTS: [Address; 2] =
    [address!("0x5a00000000000000000000000000000000000001"), address!("0x5a00000000000000000000000000000000000002")];
const WETH: Address = address!("0xa000000000000000000000000000000000000001");
const USDC: Address = address!("0xa000000000000000000000000000000000000002");

plugin! {
    Boring: &BoringVaultsKit { vault: "vault", share: "BORING" },
    ["boring" = "BORING"],
    r#"
    [[deployment]]
    protocol = "boring"
    network = "ethereum"
    market = "vaults"
    accountants = [
        "0xf000000000000000000000000000000000000001",
        "0xf000000000000000000000000000000000000002",
    ]
    "#
}

/// The account has shares of both vaults: of ether, and of dollars with six decimals.
fn chain(shares: [U256; 2]) -> CannedReplies {
    (0..2).fold(CannedReplies::default(), |chain, place| {
        let (accountant, vault) = (ACCOUNTANTS[place], VAULTS[place]);
        let chain = chain.reply(CHAIN, accountant, &vaultCall {}, &vault);
        chain.reply(CHAIN, vault, &balanceOfCall(ACCOUNT), &shares[place])
    })
}

fn rate(chain: CannedReplies, place: usize, base: Address, decimals: u64, rate: U256) -> CannedReplies {
    let (accountant, vault) = (ACCOUNTANTS[place], VAULTS[place]);
    chain.reply(CHAIN, accountant, &baseCall {}, &base).reply(CHAIN, accountant, &getRateCall {}, &rate).reply(
        CHAIN,
        vault,
        &decimalsCall {},
        &n(decimals),
    )
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("boring", CHAIN, Question::FARMING, ACCOUNT).run::<Boring>(chain)
}

/// Returns vault, base token, shares and what they are worth.
fn staked(outcome: &Outcome) -> Vec<(Address, Address, U256, U256)> {
    let leg = |position: &&Position| {
        let leg = &position.legs[0];
        let redeemed = leg.redeems_to.as_ref().map(|parts| (parts[0].token, parts[0].amount));
        assert_eq!((leg.role, leg.receipt), (LegRole::STAKED, Some(position.contract)));
        assert_eq!(redeemed.map(|(token, _)| token), Some(leg.token));
        (position.contract, leg.token, leg.amount, redeemed.map_or(U256::ZERO, |(_, amount)| amount))
    };
    outcome.positions().iter().map(leg).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let outcome = run(&chain([n(0), n(0)]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn shares_are_worth_what_the_accountant_published() {
    let chain = chain([n(2_000_000_000_000_000_001), n(3_000_001)]);
    let chain = rate(chain, 0, WETH, 18, n(1_050_000_000_000_000_000));
    let chain = rate(chain, 1, USDC, 6, n(1_100_000));
    let outcome = run(&chain);
    // 2.1 and 1.05 smallest units; 3,000,001 at 1.1 are 3,300,001.1.
    let expected = [
        (VAULTS[0], WETH, n(2_000_000_000_000_000_001), n(2_100_000_000_000_000_001)),
        (VAULTS[1], USDC, n(3_000_001), n(3_300_001)),
    ];
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    let first = &outcome.positions()[0];
    assert_eq!(first.name, format!("{{{:#x}}} vault", VAULTS[0]));
    assert_eq!((first.kind, first.mechanism.as_str()), (PositionKind::STAKED, "vault"));
}

#[test]
fn a_vault_that_cannot_be_read_loses_only_its_own_row() {
    let held = || rate(chain([n(1), n(5)]), 1, USDC, 6, n(2_000_000));
    let rest = [(VAULTS[1], USDC, n(5), n(10))];
    let reverts = held().revert(CHAIN, ACCOUNTANTS[0], &baseCall {}).revert(CHAIN, ACCOUNTANTS[0], &getRateCall {});
    let reverts = reverts.reply(CHAIN, VAULTS[0], &decimalsCall {}, &n(18));
    let hostile = [
        reverts,
        rate(held(), 0, WETH, 300, n(1)),
        rate(rate(chain([U256::MAX, n(5)]), 1, USDC, 6, n(2_000_000)), 0, WETH, 18, U256::MAX),
    ];
    for chain in hostile {
        let outcome = run(&chain);
        assert_eq!((outcome.end, staked(&outcome)), (End::Partial, rest.to_vec()), "{}", outcome.message);
    }
}

#[test]
fn a_share_is_composed_of_its_base_token() {
    let chain = rate(chain([n(0), n(0)]), 1, USDC, 6, n(1_100_000));
    let outcome = JobTest::for_tokens("boring", CHAIN, &[WETH, VAULTS[1]]).run::<Boring>(&chain);
    let [found] = outcome.compositions()[..] else { panic!("{:?}", outcome.findings) };
    assert_eq!((found.token, found.supply, found.kind.as_str()), (VAULTS[1], n(1_000_000), "BORING"));
    assert_eq!(found.parts, [Part { token: USDC, amount: n(1_100_000) }]);
}
