//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::ledger_vaults::LedgerVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, plugin};

sol! {
    function getClaimableAssets(address user, address token) external view returns (uint256);
}

const CHAIN: u64 = 1;
const VAULTS: [Address; 2] =
    [address!("0xc000000000000000000000000000000000000001"), address!("0xc000000000000000000000000000000000000002")];
const TOKENS: [Address; 2] =
    [address!("0xa000000000000000000000000000000000000001"), address!("0xa000000000000000000000000000000000000002")];

plugin! {
    Ledgers: &LedgerVaultsKit { vault: "vault" },
    ["ledgers" = "LEDGERS"],
    r#"
    [[deployment]]
    protocol = "ledgers"
    network = "ethereum"
    ledger_vaults = [
        "0xc000000000000000000000000000000000000001",
        "0xc000000000000000000000000000000000000002",
    ]
    ledger_tokens = [
        "0xa000000000000000000000000000000000000001",
        "0xa000000000000000000000000000000000000002",
    ]
    "#
}

/// What the account may ask back, of each vault and token; `None` where the vault does not answer.
fn run(amounts: [[Option<u64>; 2]; 2]) -> Outcome {
    let entries = VAULTS.into_iter().zip(amounts);
    let entries = entries.flat_map(|(vault, amounts)| TOKENS.into_iter().zip(amounts).map(move |rest| (vault, rest)));
    let chain = entries.fold(CannedReplies::default(), |chain, (vault, (token, amount))| {
        let call = getClaimableAssetsCall { user: ACCOUNT, token };
        match amount {
            Some(amount) => chain.reply(CHAIN, vault, &call, &n(amount)),
            None => chain.revert(CHAIN, vault, &call),
        }
    });
    JobTest::new("ledgers", CHAIN, Question::FARMING, ACCOUNT).run::<Ledgers>(&chain)
}

fn staked(outcome: &Outcome) -> Vec<(Address, Address, U256)> {
    outcome.legs().iter().map(|leg| (leg.contract, leg.token, leg.amount)).collect()
}

#[test]
fn an_account_with_nothing_costs_one_batch() {
    let outcome = run([[Some(0), Some(0)], [Some(0), Some(0)]]);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    assert_eq!(outcome.batches, [4]);
}

#[test]
fn each_token_of_each_vault_is_a_stake() {
    let outcome = run([[Some(5), Some(0)], [Some(7), Some(9)]]);
    let expected = [(VAULTS[0], TOKENS[0], n(5)), (VAULTS[1], TOKENS[0], n(7)), (VAULTS[1], TOKENS[1], n(9))];
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
}

#[test]
fn a_ledger_that_does_not_answer_loses_only_its_own_row() {
    let outcome = run([[None, Some(3)], [Some(0), Some(0)]]);
    let expected = [(VAULTS[0], TOKENS[1], n(3))];
    assert_eq!((outcome.end, staked(&outcome)), (End::Partial, expected.to_vec()), "{}", outcome.message);
    assert_eq!(run([[None, None], [None, None]]).end, End::Failed);
}
