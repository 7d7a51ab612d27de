//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::interaction_vaults::InteractionVaultsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, one_row, plugin, text};

mod core {
    portolan_plugin_api::sol! {
        function urns(bytes32, address) external view returns (uint256, uint256);
        function ilks(bytes32) external view returns (uint256, uint256, uint256, uint256, uint256);
    }
}
mod prices {
    portolan_plugin_api::sol! {
        function ilks(bytes32) external view returns (address, uint256);
    }
}
mod fees {
    portolan_plugin_api::sol! {
        function ilks(bytes32) external view returns (uint256, uint256);
        function base() external view returns (uint256);
        function drip(bytes32) external returns (uint256);
    }
}
sol! {
    function vat() external view returns (address);
    function jug() external view returns (address);
    function hay() external view returns (address);
    function spotter() external view returns (address);
    function collaterals(address) external view returns (address, bytes32, uint32, address);
}

const NETWORK: u64 = 1;
const INTERACTION: Address = Address::repeat_byte(1);
const STAKED: Address = Address::repeat_byte(2);
const OLD: Address = Address::repeat_byte(3);
const UNKNOWN: Address = Address::repeat_byte(4);
const VAT: Address = Address::repeat_byte(5);
const JUG: Address = Address::repeat_byte(6);
const HAY: Address = Address::repeat_byte(7);
const SPOTTER: Address = Address::repeat_byte(8);
const KIT: InteractionVaultsKit = InteractionVaultsKit { vault: "vault" };

plugin! {
    Vaults: &KIT,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    interaction = "0x0101010101010101010101010101010101010101"
    collaterals = [
        "0x0202020202020202020202020202020202020202",
        "0x0303030303030303030303030303030303030303",
        "0x0404040404040404040404040404040404040404",
    ]
    "#
}

/// 1 with so many decimals.
fn one(decimals: u64) -> U256 {
    n(10).pow(n(decimals))
}

fn ilk(token: Address) -> B256 {
    B256::right_padding_from(if token == OLD { b"OLD" } else { b"STA" })
}

/// A collateral with the account's vault. Normalised debt has grown by a half; a token of collateral secures 1,500.
fn vault(chain: CannedReplies, token: Address, live: u64, ink: U256, art: U256) -> CannedReplies {
    let known = (B256::ZERO, ilk(token), n(live), B256::ZERO);
    chain
        .reply(NETWORK, INTERACTION, &collateralsCall(token), &known)
        .reply(NETWORK, VAT, &core::urnsCall { _0: ilk(token), _1: ACCOUNT }, &(ink, art))
        .reply(NETWORK, VAT, &core::ilksCall(ilk(token)), &(n(0), one(27), n(1_500) * one(27), n(0), n(0)))
        .reply(NETWORK, SPOTTER, &prices::ilksCall(ilk(token)), &(B256::ZERO, one(27) * n(5) / n(4)))
        .reply(NETWORK, JUG, &fees::ilksCall(ilk(token)), &(one(27) + n(2), n(0)))
        .reply(NETWORK, JUG, &fees::dripCall(ilk(token)), &(one(27) * n(3) / n(2)))
}

/// Vaults of two collaterals; the contract has never known the third.
fn chain(staked: [U256; 2], old: [U256; 2]) -> CannedReplies {
    let nothing = (B256::ZERO, B256::ZERO, n(0), B256::ZERO);
    let chain = CannedReplies::default()
        .reply(NETWORK, INTERACTION, &vatCall {}, &VAT)
        .reply(NETWORK, INTERACTION, &jugCall {}, &JUG)
        .reply(NETWORK, INTERACTION, &hayCall {}, &HAY)
        .reply(NETWORK, INTERACTION, &spotterCall {}, &SPOTTER)
        .reply(NETWORK, INTERACTION, &collateralsCall(UNKNOWN), &nothing)
        .reply(NETWORK, JUG, &fees::baseCall {}, &n(1));
    let chain = vault(chain, STAKED, 1, staked[0], staked[1]);
    vault(chain, OLD, 2, old[0], old[1])
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).run::<Vaults>(chain)
}

#[test]
fn a_vault_has_its_collateral_and_its_debt_with_the_fee() {
    let outcome = run(&chain([n(4) * one(18), n(1_000) * one(18)], [n(0), n(0)]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract), (PositionKind::BORROWED, INTERACTION));
    assert_eq!((position.number, &position.name), (Some(ilk(STAKED).into()), &format!("FORK {{{STAKED:#x}}} vault")));
    // Three halves of the debt are owed.
    let supplied = (LegRole::SUPPLIED, STAKED, n(4) * one(18), Some(true));
    assert_eq!(legs(position), [supplied, (LegRole::BORROWED, HAY, n(1_500) * one(18), None)]);
    // The fees are 2 and 1 a second, of 10^27. Four at 1,500 are four times the debt.
    assert_eq!(position.legs[1].rate_ray, Some(n(3 * 31_536_000)));
    let health = position.health.expect("a health");
    assert_eq!(health.factor_wad, Some(n(4) * one(18)));
    // Five fourths of 1,500 by four; prices are in dollars, which have 18 decimals too.
    let price = health.liquidation_price.expect("a price");
    assert_eq!((price.base, price.quote, price.x128), (STAKED, None, (n(1_875) << 128) / n(4)));
}

#[test]
fn a_liquidation_price_that_cannot_be_read_is_missing_alone() {
    let whole = || chain([n(4) * one(18), n(1_000) * one(18)], [n(0), n(0)]);
    let broken = [
        whole().revert(NETWORK, SPOTTER, &prices::ilksCall(ilk(STAKED))),
        whole().reply(NETWORK, SPOTTER, &prices::ilksCall(ilk(STAKED)), &(B256::ZERO, U256::MAX)),
        whole().revert(NETWORK, INTERACTION, &spotterCall {}),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        let health = outcome.positions()[0].health.expect("a health");
        assert_eq!((health.factor_wad, health.liquidation_price), (Some(n(4) * one(18)), None));
    }
    // A debt without collateral has no such price.
    let bare = run(&chain([n(0), one(18)], [n(0), n(0)]));
    assert_eq!((bare.end, bare.positions()[0].health.expect("a health").liquidation_price), (End::Complete, None));
}

#[test]
fn a_collateral_that_was_taken_off_counts_all_the_same() {
    let outcome = run(&chain([n(0), n(0)], [n(5), n(0)]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, legs(position)[0].1, legs(position)[0].2), (PositionKind::LENT, OLD, n(5)));
    assert_eq!(position.health, None);
}

#[test]
fn an_account_with_nothing_costs_two_batches() {
    let outcome = run(&chain([n(0), n(0)], [n(0), n(0)]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    // What the contract names stands for an hour; then the account's vaults.
    assert_eq!(outcome.batches, [6, 2]);
}

#[test]
fn a_vault_that_cannot_be_read_loses_only_its_own_row() {
    let both = || chain([one(18), one(18)], [n(5), n(0)]);
    let broken = [
        both().revert(NETWORK, JUG, &fees::dripCall(ilk(STAKED))),
        both().reply(NETWORK, JUG, &fees::dripCall(ilk(STAKED)), &U256::MAX),
        both().revert(NETWORK, INTERACTION, &collateralsCall(STAKED)),
        both().revert(NETWORK, VAT, &core::urnsCall { _0: ilk(STAKED), _1: ACCOUNT }),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert_eq!(legs(outcome.positions()[0])[0].1, OLD);
    }
}

#[test]
fn a_contract_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
    assert_eq!(run(&CannedReplies::default()).end, End::Failed);
    let silent = chain([n(0), n(0)], [n(0), n(0)]).revert(NETWORK, INTERACTION, &vatCall {});
    assert_eq!(run(&silent).end, End::Failed);
}

#[test]
fn a_row_names_its_collaterals() {
    let row = one_row("fork", 10, vec![text("interaction", INTERACTION)]);
    assert_eq!(testing::settings_error::<Vaults>(&row).and_then(|error| error.key).as_deref(), Some("collaterals"));
}
