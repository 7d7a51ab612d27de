//! Streams of Sablier, plans of Hedgey, escrows of LlamaPay and rewards of Merkl: what is released, what still vests, and what a proof of a
//! served document pays. What they have to be is said here by arithmetic; `tests/chain/profiles/vesting.mjs` has the
//! history.

use std::collections::BTreeMap;

use portolan_tests::build;
use portolan_tests::document_server::DocumentServer;
use portolan_tests::fork::{self, Fork, SharedFork, pays};
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;
/// The host of the row of Merkl, which the test's server stands for.
const HOST: &str = "merkl.example.org";

static FORK: SharedFork = SharedFork::new("vesting");

/// Contract, amount, and the cliff and the end in seconds from the snapshot, of what still vests; sorted.
fn vests(fork: &Fork, who: &str) -> Vec<(String, u128, Option<i128>, i128)> {
    let snapshot = i128::from(fork.chain.block_timestamp);
    let row = |row: &Json| {
        assert_eq!(row.text_at("kind").unwrap(), "vesting");
        let seconds = |member: &str| row.at(&format!("vesting/{member}")).unwrap().to_string().parse::<i128>().ok();
        let [leg] = row.at("legs").unwrap().items().unwrap() else { panic!("not one leg: {row}") };
        let amount = leg.text_at("amountRaw").unwrap().parse().unwrap();
        let contract = row.text_at("contractAddress").unwrap().to_owned();
        (contract, amount, seconds("cliff").map(|cliff| cliff - snapshot), seconds("end").unwrap() - snapshot)
    };
    let mut rows: Vec<_> = fork.items("locked/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn claims_of_streams_and_plans_pay_what_they_say() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    // A quarter of 400 of the old version, and of 1,000 of the later one, of which 100 were withdrawn.
    assert_eq!(fork.payments("farmer").unwrap(), [pays([("usdc", 100 * USDC)]), pays([("usdc", 150 * USDC)])]);
    assert_eq!(fork.payments("whale").unwrap(), []);
    assert_eq!(fork.payments("exited").unwrap(), [pays([("usdc", 8 * USDC)])]);
    // 10,000 of 20,000 seconds were over when it was cancelled.
    assert_eq!(fork.payments("odd").unwrap(), [pays([("usdc", 200 * USDC)])]);
    let fee = |who| {
        let of = |row: &Json| row.at("claimTransaction").unwrap().get("value").map(ToString::to_string);
        let mut fees: Vec<_> = fork.items("{}/claimables", who).unwrap().iter().map(of).collect();
        fees.sort();
        fees
    };
    let due = format!("\"{}\"", fork.expected("fee").unwrap().as_str().unwrap());
    assert_eq!(fee("farmer"), [None, Some(due.clone())]);
    assert_eq!(fee("odd"), [Some(due)]);

    let plans = fork.of("hedgey");
    // One for each 2,000 of 1,000,000 seconds; of the last, all.
    assert_eq!(plans.payments("farmer").unwrap(), [pays([("grant", 500 * ONE)])]);
    assert_eq!(plans.payments("exited").unwrap(), [pays([("grant", 5 * ONE)])]);
    for who in ["whale", "nothing"] {
        assert_eq!(plans.payments(who).unwrap(), [], "{who}");
    }

    let escrows = fork.of("llamapay");
    // A quarter of 80, and half of 4.
    assert_eq!(escrows.payments("farmer").unwrap(), [pays([("grant", 20 * ONE)])]);
    assert_eq!(escrows.payments("odd").unwrap(), [pays([("grant", 2 * ONE)])]);
    for who in ["whale", "nothing"] {
        assert_eq!(escrows.payments(who).unwrap(), [], "{who}");
    }
}

#[test]
fn what_is_not_released_vests_until_its_end() {
    let fork = FORK.get().unwrap();
    let [old, lockup, plans] = ["streams/old", "streams/lockup", "plans"].map(|of| fork.address(of).unwrap());
    let row = |of: &str, amount, cliff, end| (of.to_owned(), amount, cliff, end);
    let mut streams = [row(old, 300 * USDC, None, 3_000_000), row(lockup, 750 * USDC, None, 7_500_000)];
    streams.sort();
    assert_eq!(vests(&fork, "farmer"), streams);
    assert_eq!(vests(&fork, "whale"), [row(lockup, 3 * USDC, Some(1_000_000), 2_000_000)]);
    for who in ["odd", "exited", "nothing"] {
        assert_eq!(vests(&fork, who), [], "{who}");
    }
    let of_plans = fork.of("hedgey");
    assert_eq!(vests(&of_plans, "farmer"), [row(plans, 500 * ONE, Some(-1_000_000), 1_000_000)]);
    assert_eq!(vests(&of_plans, "whale"), [row(plans, 10 * ONE, Some(100_000), 500_000)]);
    assert_eq!(vests(&of_plans, "exited"), []);
    let [first, second] = ["escrows/farmer", "escrows/whale"].map(|of| fork.address(of).unwrap());
    let escrows = fork.of("llamapay");
    assert_eq!(vests(&escrows, "farmer"), [row(first, 60 * ONE, None, 3_000_000)]);
    assert_eq!(vests(&escrows, "whale"), [row(second, 6 * ONE, Some(500_000), 2_000_000)]);
    assert_eq!(vests(&escrows, "odd"), []);
}

/// The fork of Merkl, whose documents a server has; `change` may alter one.
fn merkl(fork: &Fork, change: impl Fn(&str, String) -> String) -> (Fork, DocumentServer) {
    let accounts = fork.expected("accounts").unwrap().as_object().unwrap();
    let document = |(who, account): (&String, &serde_json::Value)| {
        let body = change(who, fork.expected(&format!("documents/{who}")).unwrap().to_string());
        (format!("/{}?chain=1", account["address"].as_str().unwrap()), body)
    };
    let documents: BTreeMap<_, _> =
        accounts.iter().filter(|(who, _)| fork.expected(&format!("documents/{who}")).is_ok()).map(document).collect();
    let server = DocumentServer::start(documents).unwrap();
    let setup = Setup::default()
        .config(&server.grant("distributors", HOST))
        .rpc("ethereum", &fork.chain.url)
        .settings("distributors", &fork::settings(&fork.chain, "distributors").unwrap());
    let plugin = build::built().unwrap().plugin("libdistributors.so");
    let mut of_merkl = fork.of("merkl");
    of_merkl.gateway =
        setup.plugin(&plugin, &["hedgey", "llamapay", "merkl", "sablier", "votium"]).start().unwrap().into();
    (of_merkl, server)
}

/// The number of rows, the header of what is missing, and the whole body.
fn answered(gateway: &Gateway, account: &str) -> (usize, Option<String>, String) {
    let response = gateway.get(&format!("/merkl/{account}/claimables?detail=full")).unwrap();
    let partial = response.header("portolan-partial").map(str::to_owned);
    let rows = response.json().unwrap().at("items").and_then(Json::items).map_or(0, <[Json]>::len);
    (rows, partial, response.body)
}

#[test]
fn rewards_are_what_the_root_has_less_what_was_claimed() {
    let (fork, server) = merkl(&FORK.start().unwrap(), |_, body| body);
    // 500 less the 200 of an earlier root; nothing was claimed of the other token.
    assert_eq!(fork.payments("farmer").unwrap(), [pays([("grant", 70 * ONE)]), pays([("usdc", 300 * USDC)])]);
    assert_eq!(fork.payments("whale").unwrap(), [pays([("grant", 3)])]);
    for who in ["exited", "nothing"] {
        assert_eq!(fork.payments(who).unwrap(), [], "{who}");
    }
    // A token that is on no list, and rewards that are paid to another address.
    for (who, why) in [("odd", "is not on the list of reward tokens"), ("dust", "paid to another address")] {
        let (rows, partial, body) = answered(&fork.gateway, fork.account(who).unwrap());
        assert_eq!((rows, partial.as_deref()), (0, Some("merkl/ethereum;reason=not-covered")), "{who}: {body}");
        assert!(body.contains(why), "{who}: {body}");
    }
    assert!(server.requested().iter().all(|path| path.ends_with("?chain=1")));
}

#[test]
fn a_document_of_another_root_has_no_row_and_is_told() {
    let of_whale = |who: &str, body: String| if who == "whale" { body.replace("\"3\"", "\"4\"") } else { body };
    let (fork, _server) = merkl(&FORK.get().unwrap(), of_whale);
    let (rows, partial, body) = answered(&fork.gateway, fork.account("whale").unwrap());
    assert_eq!((rows, partial.is_some()), (0, true), "{body}");
    assert!(body.contains("do not lead to the contract's Merkle root"), "{body}");
    let shipped = FORK.get().unwrap();
    let (rows, partial, body) = answered(&shipped.gateway, shipped.account("farmer").unwrap());
    assert_eq!((rows, partial.as_deref()), (0, Some("merkl/ethereum;reason=not-allowed")), "{body}");
}
