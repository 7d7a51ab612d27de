//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::tokenized_vaults::TokenizedVaultsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, flag, list, n, one_row, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function asset() external view returns (address);
    function convertToAssets(uint256) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

const SAVES: u64 = 1;
const LENDS: u64 = 10;
const FIRST: Address = address!("0xf000000000000000000000000000000000000001");
const OTHER: Address = address!("0xf000000000000000000000000000000000000002");
const USDC: Address = address!("0xa000000000000000000000000000000000000001");

const TYPES: TokenizedVaultsKit = TokenizedVaultsKit { vault: "vault", share: "ERC4626" };

plugin! {
    Savings: &TYPES,
    ["savings" = "SAVINGS"],
    r#"
    [[deployment]]
    protocol = "savings"
    network = "ethereum"
    tokenized_vaults = ["0xf000000000000000000000000000000000000001", "0xf000000000000000000000000000000000000002"]

    [[deployment]]
    protocol = "savings"
    network = "optimism"
    tokenized_vaults = ["0xf000000000000000000000000000000000000001"]
    lends = true
    "#
}

/// Vaults of which the account has no shares.
fn vaults(network: u64) -> CannedReplies {
    [FIRST, OTHER].into_iter().fold(CannedReplies::default(), |chain, vault| {
        chain.reply(network, vault, &balanceOfCall(ACCOUNT), &n(0)).reply(network, vault, &assetCall {}, &USDC)
    })
}

fn shares(chain: CannedReplies, network: u64, vault: Address, shares: U256, worth: U256) -> CannedReplies {
    let chain = chain.reply(network, vault, &balanceOfCall(ACCOUNT), &shares);
    chain.reply(network, vault, &convertToAssetsCall(shares), &worth)
}

fn run(network: u64, chain: &CannedReplies) -> Outcome {
    let question = if network == LENDS { Question::LENDING } else { Question::FARMING };
    JobTest::new("savings", network, question, ACCOUNT).run::<Savings>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    let outcome = run(SAVES, &vaults(SAVES));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [2]);
}

#[test]
fn shares_are_told_as_what_they_are_worth() {
    let chain = shares(vaults(SAVES), SAVES, OTHER, U256::MAX, n(7));
    let outcome = run(SAVES, &chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let position = outcome.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::STAKED, OTHER));
    assert_eq!(position.legs, [Leg::new(LegRole::STAKED, USDC, n(7)).receipt(OTHER)]);
    assert_eq!(position.rewards, [Reward::new(USDC, None)]);
    assert_eq!(position.name, format!("{{{OTHER:#x}}} vault"));
}

#[test]
fn shares_of_vaults_that_lend_are_loans() {
    let outcome = run(LENDS, &shares(vaults(LENDS), LENDS, FIRST, n(5), n(6)));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let position = outcome.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::LENT, FIRST));
    assert_eq!(position.legs, [Leg::new(LegRole::SUPPLIED, USDC, n(6)).receipt(FIRST)]);
}

#[test]
fn a_vault_that_fails_loses_only_its_own_row_and_is_reported() {
    let both = shares(shares(vaults(SAVES), SAVES, FIRST, n(5), n(6)), SAVES, OTHER, n(5), n(6));
    let bad = [
        both.clone().revert(SAVES, OTHER, &convertToAssetsCall(n(5))),
        both.clone().revert(SAVES, OTHER, &assetCall {}),
        both.clone().revert(SAVES, OTHER, &balanceOfCall(ACCOUNT)),
    ];
    for chain in bad {
        let outcome = run(SAVES, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert!(outcome.message.contains(&OTHER.to_string()), "{}", outcome.message);
    }
    let job = JobTest::new("savings", SAVES, Question::FARMING, ACCOUNT);
    assert_eq!(job.run::<Savings>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
}

#[test]
fn the_whole_supply_has_a_composition() {
    let chain = vaults(SAVES)
        .reply(SAVES, FIRST, &totalSupplyCall {}, &n(40))
        .reply(SAVES, FIRST, &convertToAssetsCall(n(40)), &n(44))
        .reply(SAVES, OTHER, &totalSupplyCall {}, &n(0));
    let job = JobTest::for_tokens("savings", SAVES, &[FIRST, OTHER, USDC]);
    let outcome = job.run::<Savings>(&chain);
    let parts = vec![Part { token: USDC, amount: n(44) }];
    let expected = Composition { token: FIRST, kind: "ERC4626".to_owned(), supply: n(40), parts };
    assert_eq!((outcome.end, outcome.compositions()), (End::Complete, vec![&expected]), "{}", outcome.message);
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let questions = |lends: bool| {
        let keys = vec![list("tokenized_vaults", [FIRST]), flag("lends", lends)];
        let catalogue = testing::catalogue::<Savings>(&one_row("savings", 10, keys));
        assert_eq!(catalogue.deployments[0].contracts, [FIRST]);
        catalogue.deployments[0].questions.clone()
    };
    assert_eq!(questions(false), [Question::FARMING, Question::COMPOSITION]);
    assert_eq!(questions(true), [Question::LENDING, Question::COMPOSITION]);
}
