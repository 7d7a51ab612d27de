//! The mechanism through the real binary interface, with an arbitrary server and a contract with a root for each token.
//!
//! The trees are built by hand here, so that a wrong hash in the kit fails a test.

use portolan_kits::merkle_stash::MerkleStashKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, added_row, claimed, list, n, plugin, text};
use crate::merkle_tree::{leaf, pair};

sol! {
    function merkleRoot(address token) external view returns (bytes32);
    function isClaimed(address token, uint256 index) external view returns (bool);
}

const NETWORK: u64 = 10;
const STASH: Address = address!("0xf000000000000000000000000000000000000001");
const A: Address = address!("0xa000000000000000000000000000000000000001");
const B: Address = address!("0xa000000000000000000000000000000000000002");
const UNLISTED: Address = address!("0xa000000000000000000000000000000000000003");
const OTHER: Address = address!("0xacc0000000000000000000000000000000000002");
const URL: &str = "https://merkle.example.org/0xacacacacacacacacacacacacacacacacacacacac.json";

const DROPS: MerkleStashKit = MerkleStashKit { reward_type: "drop" };

plugin! {
    Drops: &DROPS,
    ["drops" = "DROPS"],
    r#"
    [[deployment]]
    protocol = "drops"
    network = "optimism"
    merkle_stash = "0xf000000000000000000000000000000000000001"
    stash_tokens = ["0xa000000000000000000000000000000000000001", "0xa000000000000000000000000000000000000002"]
    entries = "https://merkle.example.org/{account}.json"
    "#
}

/// The tree of the first token: 500 of it are the account's, at index 1.
fn of_a() -> [B256; 2] {
    [leaf(0, OTHER, 400), leaf(1, ACCOUNT, 500)]
}

/// The tree of the second token: 70 of it are the account's, at index 0.
fn of_b() -> [B256; 2] {
    [leaf(0, ACCOUNT, 70), leaf(1, OTHER, 900)]
}

fn entry(token: Address, index: u64, amount: &str, proof: &[B256]) -> String {
    let proof: Vec<_> = proof.iter().map(|member| format!("\"{member}\"")).collect();
    format!("\"{token}\":{{\"index\":{index},\"amount\":\"{amount}\",\"proof\":[{}]}}", proof.join(","))
}

fn own() -> [String; 2] {
    [entry(A, 1, "0x01f4", &[of_a()[0]]), entry(B, 0, "70", &[of_b()[1]])]
}

fn document(entries: &[String]) -> String {
    format!("{{{}}}", entries.join(","))
}

fn contract() -> CannedReplies {
    let states = [(A, of_a(), 1), (B, of_b(), 0)];
    states.into_iter().fold(CannedReplies::default(), |chain, (token, [one, other], index)| {
        chain.reply(NETWORK, STASH, &merkleRootCall { token }, &pair(one, other)).reply(
            NETWORK,
            STASH,
            &isClaimedCall { token, index: n(index) },
            &false,
        )
    })
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("drops", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Drops>(chain)
}

fn served(chain: CannedReplies, body: &str) -> Outcome {
    run(&chain.document(URL, body.as_bytes().to_vec()))
}

#[test]
fn each_token_is_a_claim_of_its_amount_that_merges_with_the_others() {
    let outcome = served(contract(), &document(&own()));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(claimed(&outcome), [(STASH, A, n(500)), (STASH, B, n(70))]);
    let [first, _] = outcome.claimables()[..] else { panic!("two claims") };
    let proof = vec![of_a()[0]];
    let one = (A, n(1), ACCOUNT, n(500), proof.clone()).abi_encode_params();
    let several = (ACCOUNT, vec![(A, n(1), n(500), proof)]).abi_encode_params();
    assert_eq!(first.steps[0].arguments, one);
    assert_eq!(first.steps[0].mergeable.as_ref().unwrap().arguments, several);
    assert_eq!((first.mechanism.as_str(), first.name.clone()), ("drop", format!("{{{A:#x}}} rewards")));
    assert_eq!(outcome.batches, [1, 4], "the document; then the root of each token, and what was claimed");
}

#[test]
fn an_account_without_entries_costs_its_document_alone() {
    for body in ["{}".to_owned(), document(&[entry(A, 1, "0x00", &[])])] {
        let outcome = served(contract(), &body);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
    let outcome = run(&contract());
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn what_was_claimed_or_is_frozen_is_no_row() {
    let chain = contract().reply(NETWORK, STASH, &isClaimedCall { token: A, index: n(1) }, &true).reply(
        NETWORK,
        STASH,
        &merkleRootCall { token: B },
        &B256::ZERO,
    );
    let outcome = served(chain, &document(&own()));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn an_entry_that_lies_is_missing_and_the_others_stay() {
    let (a, b) = (of_a(), of_b());
    let lies = [
        ("a larger amount", entry(A, 1, "501", &[a[0]])),
        ("another index", entry(A, 0, "500", &[a[0]])),
        ("the amount of another", entry(A, 0, "400", &[a[1]])),
        ("the proof of another token", entry(A, 0, "70", &[b[1]])),
        ("a proof of another leaf", entry(A, 1, "500", &[a[1]])),
        ("no proof", entry(A, 1, "500", &[])),
    ];
    for (what, lie) in lies {
        let chain = contract().reply(NETWORK, STASH, &isClaimedCall { token: A, index: U256::ZERO }, &false);
        let outcome = served(chain, &document(&[lie, own()[1].clone()]));
        assert_eq!(outcome.end, End::Partial, "{what}: {}", outcome.message);
        assert_eq!(claimed(&outcome), [(STASH, B, n(70))], "{what}");
        assert!(outcome.message.contains("the proofs of 1 tokens"), "{what}: {}", outcome.message);
    }
    // The document is older than the root.
    let newer = [A, B]
        .into_iter()
        .fold(contract(), |chain, token| chain.reply(NETWORK, STASH, &merkleRootCall { token }, &B256::repeat_byte(7)));
    let outcome = served(newer, &document(&own()));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
    assert!(outcome.message.contains("the proofs of 2 tokens"), "{}", outcome.message);
}

#[test]
fn a_token_that_the_row_does_not_list_is_told_and_not_read() {
    let outcome = served(contract(), &document(&[own()[0].clone(), entry(UNLISTED, 1, "9", &[])]));
    assert_eq!(claimed(&outcome), [(STASH, A, n(500))], "{}", outcome.message);
    assert!(outcome.not_covered[0].contains(&UNLISTED.to_string()), "{:?}", outcome.not_covered);
    assert_eq!(outcome.batches, [1, 2]);
}

#[test]
fn a_document_that_is_none_is_reported_without_its_text() {
    let many = vec![B256::repeat_byte(7); 65];
    let bodies = [
        (String::new(), "the document is not a list of proofs by token (line 1, column 0)"),
        ("<html>not found</html>".to_owned(), "the document is not a list of proofs by token (line 1, column 1)"),
        ("{\"0x12\":{\"index\":1,\"amount\":5,\"proof\":[]}}".to_owned(), "the document is not a list of proofs"),
        (document(&[entry(A, 1, "0x", &[])]), "the document's amount is not a number"),
        (document(&[entry(A, 1, "5", &many)]), "the document's proof has 65 members"),
    ];
    for (body, message) in &bodies {
        let outcome = served(contract(), body);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{body}");
        assert!(outcome.message.contains(message), "{}", outcome.message);
    }
}

#[test]
fn a_server_or_a_contract_that_does_not_answer_is_missing() {
    let outcome = run(&contract().document_result(URL, ReadResult::Unavailable));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{}", outcome.message);
    let silent = [
        contract().revert(NETWORK, STASH, &merkleRootCall { token: A }),
        contract().revert(NETWORK, STASH, &isClaimedCall { token: A, index: n(1) }),
    ];
    for chain in silent {
        let outcome = served(chain, &document(&own()));
        assert_eq!(outcome.end, End::Partial, "{}", outcome.message);
        assert_eq!(claimed(&outcome), [(STASH, B, n(70))], "{}", outcome.message);
    }
}

#[test]
fn claims_may_name_the_tokens_of_the_row_alone() {
    let catalogue = testing::catalogue::<Drops>(&Settings::default());
    let [row] = &catalogue.deployments[..] else { panic!("one row") };
    assert_eq!((row.contracts.clone(), row.tokens.clone()), (vec![STASH], Some(vec![A, B])));
}

#[test]
fn a_row_of_settings_names_the_stash_its_tokens_and_an_https_url() {
    let url = |url| text("entries", url);
    let both = || vec![text("merkle_stash", STASH), list("stash_tokens", [A])];
    let cases = [
        (
            vec![text("merkle_stash", STASH), url("https://merkle.example.org/{account}")],
            "missing beside `merkle_stash`",
        ),
        (vec![list("stash_tokens", [A]), url("https://merkle.example.org/{account}")], "merkle_stash"),
        (both(), "is not like https://"),
        ([both(), vec![url("http://merkle.example.org/{account}")]].concat(), "is not like https://"),
        ([both(), vec![url("https://127.0.0.1/{account}")]].concat(), "is not like https://"),
        ([both(), vec![url("https://merkle.example.org/all.json")]].concat(), "is not like https://"),
    ];
    for (keys, message) in cases {
        let refused = testing::settings_error::<Drops>(&added_row("drops", NETWORK, keys));
        let refused = refused.expect("the settings are wrong").to_string();
        assert!(refused.contains(message), "{refused}");
    }
}
