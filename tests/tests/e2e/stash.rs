//! Rewards of Votium: each account's document, made of the documents of all accounts as Votium publishes them, counts
//! only where its proofs lead to the roots of the chain. `tests/chain/profiles/vesting.mjs` has the history.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use portolan_tests::build;
use portolan_tests::document_server::DocumentServer;
use portolan_tests::fork::{self, Fork, SharedFork, pays};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use serde_json::{Value, json};

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;
/// The host of the row, which the test's server stands for.
const HOST: &str = "merkle.example.org";

static FORK: SharedFork = SharedFork::new("vesting");

/// A token that is active, and has no document.
const WITHOUT_DOCUMENT: &str = "0x0c10bf8fcb7bf5412187a595ab97a3609160b5c6";

/// What Votium publishes, in a folder as in its repository.
fn publish(fork: &Fork, folder: &Path) {
    let write = |name: &str, value: &Value| {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, value.to_string()).unwrap();
    };
    let mut active = fork.expected("stash/activeTokens").unwrap().clone();
    active.as_array_mut().unwrap().push(json!({"value": WITHOUT_DOCUMENT, "symbol": "USDD"}));
    write("activeTokens.json", &active);
    for (symbol, document) in fork.expected("stash/published").unwrap().as_object().unwrap() {
        write(&format!("{symbol}/{symbol}.json"), document);
    }
}

/// The documents that the example makes of what is published, by path, and the row that it prints.
fn documents(fork: &Fork) -> (BTreeMap<String, String>, String) {
    let scratch = tempfile::tempdir().unwrap();
    let (published, accounts) = (scratch.path().join("merkle"), scratch.path().join("accounts"));
    publish(fork, &published);
    let script = build::workspace().join("examples/merkle-stash/accounts.mjs");
    let made = Command::new("node").arg(script).args([&published, &accounts]).arg(HOST).output().unwrap();
    let left_out = format!("{WITHOUT_DOCUMENT} is left out: there is no USDD/USDD.json\n");
    assert_eq!((made.status.success(), String::from_utf8(made.stderr).unwrap()), (true, left_out));
    let document = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (format!("/{}", path.file_name().unwrap().to_string_lossy()), fs::read_to_string(path).unwrap())
    };
    (fs::read_dir(&accounts).unwrap().map(document).collect(), String::from_utf8(made.stdout).unwrap())
}

fn start(fork: &Fork, config: &str) -> Gateway {
    let plugin = build::built().unwrap().plugin("libdistributors.so");
    let setup = Setup::default()
        .config(config)
        .rpc("ethereum", &fork.chain.url)
        .settings("distributors", &fork::settings(&fork.chain, "distributors").unwrap());
    setup.plugin(&plugin, &["votium"]).start().unwrap()
}

/// The fork of Votium, with these documents.
fn served(fork: &Fork, documents: BTreeMap<String, String>) -> (Fork, DocumentServer) {
    let server = DocumentServer::start(documents).unwrap();
    let mut votium = fork.of("votium");
    votium.gateway = start(fork, &server.grant("distributors", HOST)).into();
    (votium, server)
}

/// The number of rows, the header of what is missing, and the whole body.
fn answered(gateway: &Gateway, account: &str) -> (usize, Option<String>, String) {
    let response = gateway.get(&format!("/votium/{account}/claimables?detail=full")).unwrap();
    let partial = response.header("portolan-partial").map(str::to_owned);
    let rows = response.json().unwrap().at("items").and_then(Json::items).map_or(0, <[Json]>::len);
    (rows, partial, response.body)
}

/// Checks that the account has no answer, with this status and for this reason, and that the body has the detail.
fn assert_failed(gateway: &Gateway, account: &str, (status, reason): (u16, &str), detail: &str) {
    let response = gateway.get(&format!("/votium/{account}/claimables?detail=full")).unwrap();
    let said = format!("votium/ethereum: {reason}");
    assert_eq!(response.status.as_u16(), status, "{}", response.body);
    assert!(response.body.contains(&said) && response.body.contains(detail), "{}", response.body);
}

#[test]
fn rewards_of_each_token_are_claimed_by_their_proofs() {
    let fork = FORK.start().unwrap();
    let (documents, row) = documents(&fork);
    let addresses =
        ["usdc", "grant", "hidden", "paused"].map(|token| fork.address(&format!("assets/{token}")).unwrap());
    assert!(row.contains(&format!("stash_tokens = {}\n", json!(addresses))), "{row}");
    assert!(row.ends_with("entries = \"https://merkle.example.org/{account}.json\"\n"), "{row}");
    let (votium, server) = served(&fork, documents);
    // The second root of the grant; what an earlier one had was claimed.
    assert_eq!(votium.payments("farmer").unwrap(), [pays([("grant", 7 * ONE)]), pays([("usdc", 40 * USDC)])]);
    // The exited one has claimed, the dust one's token is frozen.
    for who in ["exited", "dust", "nothing"] {
        assert_eq!(votium.payments(who).unwrap(), [], "{who}");
    }
    // A token that the row does not list.
    for (who, rows) in [("odd", 0), ("whale", 2)] {
        let (found, partial, body) = answered(&votium.gateway, fork.account(who).unwrap());
        assert_eq!((found, partial.as_deref()), (rows, Some("votium/ethereum;reason=not-covered")), "{who}: {body}");
        assert!(body.contains("that the row does not list"), "{who}: {body}");
    }
    let requested = server.requested();
    let of_farmer = requested.iter().filter(|path| path.contains(fork.account("farmer").unwrap())).count();
    assert_eq!((requested.len(), of_farmer), (6, 1), "one document for each account: {requested:?}");
}

#[test]
fn claims_of_several_tokens_are_one_call_that_pays_both() {
    let fork = FORK.start().unwrap();
    let (votium, _server) = served(&fork, documents(&fork).0);
    let farmer = fork.account("farmer").unwrap();
    let stash = fork.address("stash/address").unwrap();
    let plan = votium.gateway.get(&format!("/{farmer}/claim-plan?network=ethereum&detail=full")).unwrap();
    let plan = plan.json().unwrap().at("items").unwrap().items().unwrap()[0].clone();
    assert_eq!(plan.text_at("simulated").unwrap(), "paid", "{plan}");
    let calls = plan.at("transactions").unwrap().items().unwrap();
    let of_stash: Vec<&Json> = calls.iter().filter(|call| call.text_at("to").unwrap() == stash).collect();
    let [call] = of_stash[..] else { panic!("not one call: {plan}") };
    assert_eq!(call.at("claimIds").unwrap().items().unwrap().len(), 2, "{call}");
    let data = call.text_at("data").unwrap().to_owned();
    let tokens = ["assets/usdc", "assets/grant"].map(|token| fork.address(token).unwrap());
    assert_eq!(fork.paid("farmer", tokens, stash, &[data]).unwrap(), [40 * USDC, 7 * ONE]);
}

#[test]
fn a_document_that_lies_or_is_none_is_a_gap() {
    let fork = FORK.get().unwrap();
    let (mut documents, _) = documents(&fork);
    let path = |who: &str| format!("/{}.json", fork.account(who).unwrap());
    let of_farmer = documents[&path("farmer")].clone();
    // 40 USDC in smallest units, and one more.
    documents.insert(path("farmer"), of_farmer.replace("0x2625a00", "0x2625a01"));
    documents.insert(path("exited"), of_farmer);
    documents.insert(path("odd"), "<html>come back later</html>".to_owned());
    let (votium, _server) = served(&fork, documents);
    for (who, rows, why) in [("farmer", 1, "the proofs of 1 tokens"), ("exited", 0, "the proofs of 2 tokens")] {
        let (found, partial, body) = answered(&votium.gateway, fork.account(who).unwrap());
        assert_eq!((found, partial.is_some()), (rows, true), "{who}: {body}");
        assert!(body.contains(why), "{who}: {body}");
    }
    let odd = fork.account("odd").unwrap();
    assert_failed(&votium.gateway, odd, (502, "plugin-error"), "is not a list of proofs by token");
}

#[test]
fn a_server_that_hangs_or_is_not_granted_is_a_gap_with_its_reason() {
    let fork = FORK.get().unwrap();
    let farmer = fork.account("farmer").unwrap();
    // It takes connections, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mirror = format!("mirrors = {{ \"{HOST}\" = \"http://{}\" }}", silent.local_addr().unwrap());
    let hung = start(&fork, &format!("[plugins.distributors]\nhosts = [\"{HOST}\"]\n{mirror}"));
    assert_failed(&hung, farmer, (504, "timeout"), "the server did not answer in time");
    let (rows, partial, body) = answered(&fork.of("votium").gateway, farmer);
    assert_eq!((rows, partial.as_deref()), (0, Some("votium/ethereum;reason=not-allowed")), "{body}");
}
