//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::beefy_vaults::BeefyVaultsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, list, n, one_row, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function want() external view returns (address);
    function getPricePerFullShare() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
}

const NETWORK: u64 = 1;
const VAULT: Address = address!("0xf000000000000000000000000000000000000001");
const OTHER: Address = address!("0xf000000000000000000000000000000000000002");
const LP: Address = address!("0xa000000000000000000000000000000000000001");

const TYPES: BeefyVaultsKit = BeefyVaultsKit { vault: "vault", share: "BEEFY" };

plugin! {
    Beefy: &TYPES,
    ["beefy" = "BEEFY"],
    r#"
    [[deployment]]
    protocol = "beefy"
    network = "ethereum"
    beefy_vaults = ["0xf000000000000000000000000000000000000001", "0xf000000000000000000000000000000000000002"]
    "#
}

/// The account's shares of both vaults, of which one is worth one and a half.
fn vaults(shares: [U256; 2]) -> CannedReplies {
    let chain = CannedReplies::default().revert(NETWORK, LP, &token0Call {}).revert(NETWORK, LP, &token1Call {});
    [VAULT, OTHER].into_iter().zip(shares).fold(chain, |chain, (vault, shares)| {
        chain.reply(NETWORK, vault, &balanceOfCall(ACCOUNT), &shares).reply(NETWORK, vault, &wantCall {}, &LP).reply(
            NETWORK,
            vault,
            &getPricePerFullShareCall {},
            &n(1_500_000_000_000_000_000),
        )
    })
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("beefy", NETWORK, Question::FARMING, ACCOUNT).run::<Beefy>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    let outcome = run(&vaults([n(0), n(0)]));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [2]);
}

#[test]
fn shares_are_told_as_what_they_are_worth_rounded_down() {
    let outcome = run(&vaults([n(0), n(5)]));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let position = outcome.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::STAKED, OTHER));
    assert_eq!(position.legs, [Leg::new(LegRole::STAKED, LP, n(7)).receipt(OTHER)]);
    assert_eq!(position.name, format!("{{{LP:#x}}} vault"));
}

#[test]
fn a_vault_that_fails_loses_only_its_own_row_and_is_reported() {
    let chain = vaults([n(4), n(5)]);
    let bad = [
        vaults([n(4), U256::MAX]),
        chain.clone().revert(NETWORK, OTHER, &getPricePerFullShareCall {}),
        chain.clone().revert(NETWORK, OTHER, &wantCall {}),
        chain.clone().revert(NETWORK, OTHER, &balanceOfCall(ACCOUNT)),
    ];
    for chain in bad {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    }
    let job = JobTest::new("beefy", NETWORK, Question::FARMING, ACCOUNT);
    assert_eq!(job.run::<Beefy>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
}

#[test]
fn a_share_has_a_composition() {
    let job = JobTest::for_tokens("beefy", NETWORK, &[VAULT, LP]);
    let outcome = job.run::<Beefy>(&vaults([n(0), n(0)]));
    let (supply, amount) = (n(1_000_000_000_000_000_000), n(1_500_000_000_000_000_000));
    let parts = vec![Part { token: LP, amount }];
    let expected = Composition { token: VAULT, kind: "BEEFY".to_owned(), supply, parts };
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![&expected]), "{}", outcome.message);
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<Beefy>(&one_row("beefy", 10, vec![list("beefy_vaults", [VAULT])]));
    assert_eq!(catalogue.deployments[0].contracts, [VAULT]);
    assert_eq!(catalogue.deployments[0].questions, [Question::FARMING, Question::COMPOSITION]);
}
