//! The mechanism through the real binary interface, with an arbitrary server and a contract with a Merkle root.
//!
//! The tree is built by hand here, so that a wrong hash in the kit fails a test.

use portolan_kits::merkl::MerklKit;
use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, added_row, claimed, n, plugin, text};
use crate::merkle_tree::pair;

sol! {
    function getMerkleRoot() external view returns (bytes32);
    function claimed(address user, address token) external view returns (uint208, uint48, bytes32);
    function claimRecipient(address user, address token) external view returns (address);
    function claim(address[], address[], uint256[], bytes32[][]) external;
    function getValidRewardTokens() external view returns ((address, uint256)[]);
}

const NETWORK: u64 = 10;
const DISTRIBUTOR: Address = address!("0xf000000000000000000000000000000000000001");
const CREATOR: Address = address!("0xf000000000000000000000000000000000000002");
const A: Address = address!("0xa000000000000000000000000000000000000001");
const B: Address = address!("0xa000000000000000000000000000000000000002");
const OTHER: Address = address!("0xacc0000000000000000000000000000000000002");
const URL: &str = "https://merkl.example.org/0xacacacacacacacacacacacacacacacacacacacac?chain=10";

const REWARDS: MerklKit = MerklKit { reward_type: "rewards" };

plugin! {
    Merkl: &REWARDS,
    ["merkl" = "MERKL"],
    r#"
    [[deployment]]
    protocol = "merkl"
    network = "optimism"
    merkl_distributor = "0xf000000000000000000000000000000000000001"
    merkl_creator = "0xf000000000000000000000000000000000000002"
    rewards = "https://merkl.example.org/{account}?chain={network}"
    "#
}

/// `abi.encode(address, address, uint256)`, hashed.
fn leaf(account: Address, token: Address, amount: u64) -> B256 {
    keccak256((account, token, n(amount)).abi_encode())
}

/// A tree of three leaves, of which two are the account's: 500 of the first token, 70 of the second.
fn leaves() -> [B256; 3] {
    [leaf(ACCOUNT, A, 500), leaf(ACCOUNT, B, 70), leaf(OTHER, A, 900)]
}

fn root() -> B256 {
    let [first, second, third] = leaves();
    pair(pair(first, second), third)
}

fn entry(recipient: Address, token: Address, amount: &str, proof: &[B256]) -> String {
    let proof: Vec<_> = proof.iter().map(|member| format!("\"{member}\"")).collect();
    let token = format!("{{\"address\":\"{token}\",\"symbol\":\"X\",\"decimals\":18}}");
    let amounts = format!("\"amount\":\"{amount}\",\"claimed\":\"0\",\"pending\":\"5\"");
    format!("{{\"recipient\":\"{recipient}\",{amounts},\"proofs\":[{}],\"token\":{token}}}", proof.join(","))
}

fn of_network(id: u64, entries: &[String]) -> String {
    format!("{{\"chain\":{{\"id\":{id},\"name\":\"X\"}},\"rewards\":[{}]}}", entries.join(","))
}

fn own() -> [String; 2] {
    let [first, second, third] = leaves();
    [entry(ACCOUNT, A, "500", &[second, third]), entry(ACCOUNT, B, "70", &[first, third])]
}

fn document(entries: &[String]) -> String {
    format!("[{}]", of_network(NETWORK, entries))
}

/// Nothing was claimed of the first token, 30 of the second.
fn contract() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, DISTRIBUTOR, &getMerkleRootCall {}, &root())
        .reply(NETWORK, CREATOR, &getValidRewardTokensCall {}, &vec![(A, n(1)), (B, n(2))])
        .reply(NETWORK, DISTRIBUTOR, &claimRecipientCall { user: ACCOUNT, token: Address::ZERO }, &Address::ZERO);
    [(A, 0), (B, 30)].into_iter().fold(chain, |chain, (token, amount)| {
        chain.reply(NETWORK, DISTRIBUTOR, &claimedCall { user: ACCOUNT, token }, &(n(amount), n(0), B256::ZERO)).reply(
            NETWORK,
            DISTRIBUTOR,
            &claimRecipientCall { user: ACCOUNT, token },
            &Address::ZERO,
        )
    })
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("merkl", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Merkl>(chain)
}

fn served(chain: CannedReplies, body: &str) -> Outcome {
    run(&chain.document(URL, body.as_bytes().to_vec()))
}

#[test]
fn what_was_not_claimed_yet_is_a_claim_of_all_that_was_earned() {
    let outcome = served(contract(), &document(&own()));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(claimed(&outcome), [(DISTRIBUTOR, A, n(500)), (DISTRIBUTOR, B, n(40))]);
    let [_, second] = outcome.claimables()[..] else { panic!("two claims") };
    let [first, _, third] = leaves();
    let arguments = (vec![ACCOUNT], vec![B], vec![n(70)], vec![vec![first, third]]).abi_encode_params();
    assert_eq!(second.steps[0].arguments, arguments);
    assert!(second.steps[0].mergeable.is_some());
    assert_eq!(second.name, format!("{{{B:#x}}} rewards"));
    // The document; the root and the tokens; what was claimed and who is paid.
    assert_eq!((outcome.batches.len(), &outcome.batches[..2]), (3, &[1, 2][..]));
}

#[test]
fn an_account_without_rewards_costs_its_document_alone() {
    let bodies = ["[]".to_owned(), document(&[]), document(&[entry(ACCOUNT, A, "0", &[])])];
    for body in bodies {
        let outcome = served(contract(), &body);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
    let outcome = run(&contract());
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn what_was_claimed_in_full_is_no_row() {
    let all = contract()
        .reply(NETWORK, DISTRIBUTOR, &claimedCall { user: ACCOUNT, token: A }, &(n(500), n(1), root()))
        .reply(NETWORK, DISTRIBUTOR, &claimedCall { user: ACCOUNT, token: B }, &(n(70), n(1), root()));
    let outcome = served(all, &document(&own()));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn rewards_of_other_accounts_and_networks_are_left_out() {
    let [first, second, _] = leaves();
    let other = entry(OTHER, A, "900", &[pair(first, second)]);
    let body = format!("[{},{}]", of_network(1, &own()), of_network(NETWORK, &[other]));
    let outcome = served(contract(), &body);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn a_document_that_lies_or_is_of_another_root_is_told_and_costs_its_own_rows() {
    let [first, second, third] = leaves();
    let lies = [
        entry(ACCOUNT, A, "501", &[second, third]),
        entry(ACCOUNT, B, "500", &[second, third]),
        entry(ACCOUNT, A, "500", &[third, second]),
        entry(ACCOUNT, A, "900", &[pair(first, second)]),
        entry(ACCOUNT, A, "500", &[]),
    ];
    for lie in lies {
        let outcome = served(contract(), &document(&[own()[1].clone(), lie]));
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 1), "{}", outcome.message);
        assert!(outcome.message.contains("the proofs of 1 tokens do not lead"), "{}", outcome.message);
    }
    let newer = contract().reply(NETWORK, DISTRIBUTOR, &getMerkleRootCall {}, &B256::repeat_byte(7));
    let outcome = served(newer, &document(&own()));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn a_claim_that_pays_another_address_or_an_unlisted_token_is_told() {
    let chains = [
        contract().reply(NETWORK, DISTRIBUTOR, &claimRecipientCall { user: ACCOUNT, token: A }, &OTHER),
        contract().reply(NETWORK, CREATOR, &getValidRewardTokensCall {}, &vec![(B, n(2))]),
    ];
    for chain in chains {
        let outcome = served(chain, &document(&own()));
        assert_eq!(claimed(&outcome), [(DISTRIBUTOR, B, n(40))], "{}", outcome.message);
        assert!(outcome.not_covered[0].contains(&A.to_string()), "{:?}", outcome.not_covered);
    }
    let general =
        contract().reply(NETWORK, DISTRIBUTOR, &claimRecipientCall { user: ACCOUNT, token: Address::ZERO }, &OTHER);
    assert_eq!(served(general, &document(&own())).claimables().len(), 0);
    // Its own address for one token goes before another one for all.
    let own_first = contract()
        .reply(NETWORK, DISTRIBUTOR, &claimRecipientCall { user: ACCOUNT, token: Address::ZERO }, &OTHER)
        .reply(NETWORK, DISTRIBUTOR, &claimRecipientCall { user: ACCOUNT, token: A }, &ACCOUNT);
    assert_eq!(claimed(&served(own_first, &document(&own()))), [(DISTRIBUTOR, A, n(500))]);
    // Older contracts know no recipients.
    let older = [Address::ZERO, A, B].into_iter().fold(contract(), |chain, token| {
        chain.revert(NETWORK, DISTRIBUTOR, &claimRecipientCall { user: ACCOUNT, token })
    });
    assert_eq!(served(older, &document(&own())).claimables().len(), 2);
}

#[test]
fn a_document_that_is_none_is_reported_without_its_text() {
    let many = vec![B256::repeat_byte(7); 65];
    let bodies = [
        (String::new(), "the document is not a list of rewards (line 1, column 0)"),
        ("<html>not found</html>".to_owned(), "the document is not a list of rewards (line 1, column 1)"),
        (document(&[entry(ACCOUNT, A, "-1", &[])]), "an amount that is not a number"),
        (document(&[entry(ACCOUNT, A, "0x10", &[])]), "an amount that is not a number"),
        (document(&[entry(ACCOUNT, A, &format!("1{}", "0".repeat(80)), &[])]), "an amount that is not a number"),
        (document(&[entry(ACCOUNT, A, "5", &many)]), "a proof with 65 members"),
    ];
    for (body, message) in &bodies {
        let outcome = served(contract(), body);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{body}");
        assert!(outcome.message.contains(message), "{}", outcome.message);
    }
}

#[test]
fn a_server_or_a_contract_that_does_not_answer_is_an_error_and_no_empty_answer() {
    let chain = || contract().document(URL, document(&own()).into_bytes());
    let broken = [
        contract().document_result(URL, ReadResult::Unavailable),
        chain().revert(NETWORK, DISTRIBUTOR, &getMerkleRootCall {}),
        chain().revert(NETWORK, CREATOR, &getValidRewardTokensCall {}),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{}", outcome.message);
    }
    let too_much = [
        chain().revert(NETWORK, DISTRIBUTOR, &claimedCall { user: ACCOUNT, token: A }),
        chain().reply(NETWORK, DISTRIBUTOR, &claimedCall { user: ACCOUNT, token: A }, &(n(501), n(1), root())),
    ];
    for chain in too_much {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 1), "{}", outcome.message);
    }
}

#[test]
fn more_tokens_than_are_answered_are_told() {
    let entries = vec![entry(ACCOUNT, A, "7", &[]); 65];
    let outcome = served(contract(), &document(&entries));
    assert!(outcome.not_covered[0].contains("rewards in 65 tokens, of which 64"), "{:?}", outcome.not_covered);
}

#[test]
fn a_row_of_settings_names_the_contracts_and_an_https_url() {
    let contracts = || vec![text("merkl_distributor", DISTRIBUTOR), text("merkl_creator", CREATOR)];
    let urls = [
        "http://merkl.example.org/{account}?chain={network}",
        "https://127.0.0.1/{account}/{network}",
        "https://merkl.example.org/{account}",
        "https://merkl.example.org/{network}",
    ];
    for url in urls {
        let keys = [contracts(), vec![text("rewards", url)]].concat();
        let refused = testing::settings_error::<Merkl>(&added_row("merkl", NETWORK, keys));
        let refused = refused.expect("the settings are wrong").to_string();
        assert!(refused.contains("is not like https://"), "{refused}");
    }
}
