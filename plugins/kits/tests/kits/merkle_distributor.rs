//! The mechanism through the real binary interface, with an arbitrary server and a contract with a Merkle root.
//!
//! The tree is built by hand here, so that a wrong hash in the kit fails a test.

use portolan_kits::merkle_distributor::MerkleDistributorKit;
use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, added_row, plugin, text};
use crate::merkle_tree::{leaf, pair};

sol! {
    function token() external view returns (address);
    function merkleRoot() external view returns (bytes32);
    function isClaimed(uint256) external view returns (bool);
    function claim(uint256, address, uint256, bytes32[]) external;
}

const NETWORK: u64 = 10;
const DISTRIBUTOR: Address = address!("0xf000000000000000000000000000000000000001");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const OTHER: Address = address!("0xacc0000000000000000000000000000000000002");
const URL: &str = "https://merkle.example.org/proofs/0xacacacacacacacacacacacacacacacacacacacac.json";
const AIRDROPS: MerkleDistributorKit = MerkleDistributorKit { reward_type: "airdrop" };

plugin! {
    Drop: &AIRDROPS,
    ["drop" = "DROP"],
    r#"
    [[deployment]]
    protocol = "drop"
    network = "optimism"
    merkle_distributor = "0xf000000000000000000000000000000000000001"
    proofs = "https://merkle.example.org/proofs/{account}.json"
    "#
}

/// A tree of three leaves: the account's is the second, with 500.
fn leaves() -> [B256; 3] {
    [leaf(0, OTHER, 400), leaf(1, ACCOUNT, 500), leaf(2, OTHER, 600)]
}

fn root() -> B256 {
    let [first, second, third] = leaves();
    pair(pair(first, second), third)
}

fn document(index: &str, amount: &str, proof: &[B256]) -> String {
    let proof: Vec<_> = proof.iter().map(|member| format!("\"{member}\"")).collect();
    format!("{{\"index\":{index},\"amount\":{amount},\"proof\":[{}]}}", proof.join(","))
}

fn proven() -> [B256; 2] {
    let [first, _, third] = leaves();
    [first, third]
}

fn contract() -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, DISTRIBUTOR, &tokenCall {}, &TOKEN)
        .reply(NETWORK, DISTRIBUTOR, &merkleRootCall {}, &root())
        .reply(NETWORK, DISTRIBUTOR, &isClaimedCall(U256::from(1)), &false)
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("drop", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Drop>(chain)
}

fn served(body: &str) -> Outcome {
    run(&contract().document(URL, body.as_bytes().to_vec()))
}

#[test]
fn a_proof_that_leads_to_the_root_is_a_claim_of_its_amount() {
    for (index, amount) in [("1", "\"0x1f4\""), ("1", "500"), ("\"1\"", "\"500\""), ("\"0x01\"", "\"0x01f4\"")] {
        let outcome = served(&document(index, amount, &proven()));
        assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
        let row = outcome.payments()[0];
        assert_eq!((row.contract, row.claim.to, row.token), (DISTRIBUTOR, DISTRIBUTOR, TOKEN));
        assert_eq!((row.amount, row.name.as_str()), (U256::from(500), format!("{{{TOKEN:#x}}} airdrop").as_str()));
        let arguments = (U256::from(1), ACCOUNT, U256::from(500), proven().to_vec()).abi_encode_params();
        assert_eq!(row.claim.arguments, arguments);
        assert_eq!(outcome.batches, [3, 1], "the document, the root and the token; then whether it was claimed");
    }
}

#[test]
fn copies_of_the_contract_may_hash_words_or_hash_twice() {
    let words = |index: u64, account: Address, amount: u64| {
        let word = |number| U256::from(number).to_be_bytes::<32>();
        keccak256([&word(index)[..], &[0; 12], account.as_slice(), &word(amount)[..]].concat())
    };
    let twice = |index, account, amount| keccak256(words(index, account, amount));
    let trees: [&dyn Fn(u64, Address, u64) -> B256; 2] = [&words, &twice];
    for hashed in trees {
        let (own, other) = (hashed(1, ACCOUNT, 500), hashed(0, OTHER, 400));
        let chain = contract().reply(NETWORK, DISTRIBUTOR, &merkleRootCall {}, &pair(own, other));
        let outcome = run(&chain.clone().document(URL, document("1", "500", &[other]).into_bytes()));
        assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
        let outcome = run(&chain.document(URL, document("1", "501", &[other]).into_bytes()));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "an amount that the proof is not of");
    }
}

#[test]
fn what_was_claimed_is_no_row() {
    let chain = contract().reply(NETWORK, DISTRIBUTOR, &isClaimedCall(U256::from(1)), &true);
    let outcome = run(&chain.document(URL, document("1", "500", &proven()).into_bytes()));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn an_account_without_a_document_has_nothing() {
    let outcome = run(&contract());
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn a_document_that_lies_is_no_row_and_reported() {
    let [first, second, third] = leaves();
    let lies = [
        ("a larger amount", document("1", "501", &proven())),
        ("another index", document("2", "500", &proven())),
        ("the amount of another", document("2", "600", &[pair(first, second)])),
        ("a proof in another order", document("1", "500", &[third, first])),
        ("a proof of another leaf", document("1", "500", &[second, third])),
        ("half a proof", document("1", "500", &[first])),
        ("no proof", document("1", "500", &[])),
    ];
    for (what, body) in lies {
        let outcome = served(&body);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{what}: {}", outcome.message);
        let lie = "0xF000000000000000000000000000000000000001: the document of the account does not lead to the \
                   contract's Merkle root";
        assert_eq!(outcome.message, lie, "{what}");
        assert_eq!(outcome.batches, [3], "{what}");
    }
}

#[test]
fn a_document_that_is_no_proof_is_reported_without_its_text() {
    let hash = format!("\"{}\"", B256::repeat_byte(7));
    let bodies = [
        (String::new(), "the document is not a proof (line 1, column 0)"),
        ("<html>not found</html>".to_owned(), "the document is not a proof (line 1, column 1)"),
        (document("-1", "5", &[]), "the document is not a proof"),
        (document("1.5", "5", &[]), "the document is not a proof"),
        (document("1", "\"0x\"", &[]), "the document's amount is not a number"),
        (document("\"\"", "5", &[]), "the document's index is not a number"),
        (document("1", &format!("\"1{}\"", "0".repeat(80)), &[]), "the document's amount is not a number"),
        ("{\"index\":1,\"amount\":5,\"proof\":[\"0x12\"]}".to_owned(), "members that are not hashes"),
        (
            format!("{{\"index\":1,\"amount\":5,\"proof\":[{}]}}", vec![hash.as_str(); 65].join(",")),
            "the document's proof has 65 members",
        ),
    ];
    for (body, message) in bodies {
        let outcome = served(&body);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{body}");
        assert!(outcome.message.contains(message), "{}", outcome.message);
    }
}

#[test]
fn a_server_or_a_contract_that_does_not_answer_is_an_error_and_no_empty_answer() {
    let body = document("1", "500", &proven());
    let chain = || contract().document(URL, body.clone().into_bytes());
    let broken = [
        contract().document_result(URL, ReadResult::Unavailable),
        chain().revert(NETWORK, DISTRIBUTOR, &merkleRootCall {}),
        chain().revert(NETWORK, DISTRIBUTOR, &tokenCall {}),
        chain().revert(NETWORK, DISTRIBUTOR, &isClaimedCall(U256::from(1))),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{}", outcome.message);
    }
}

#[test]
fn a_row_of_settings_names_the_contract_and_an_https_url() {
    let distributor = || text("merkle_distributor", DISTRIBUTOR);
    let cases = [
        (vec![distributor()], "missing beside `merkle_distributor`"),
        (vec![text("proofs", "https://merkle.example.org/{account}")], "missing beside `proofs`"),
        (vec![distributor(), text("proofs", "http://merkle.example.org/{account}")], "is not like https://"),
        (vec![distributor(), text("proofs", "https://127.0.0.1/{account}")], "is not like https://"),
        (vec![distributor(), text("proofs", "https://{account}.example.org/")], "is not like https://"),
        (vec![distributor(), text("proofs", "https://merkle.example.org/all.json")], "is not like https://"),
    ];
    for (keys, message) in cases {
        let refused = testing::settings_error::<Drop>(&added_row("drop", NETWORK, keys));
        let refused = refused.expect("the settings are wrong").to_string();
        assert!(refused.contains(message), "{refused}");
    }
}
