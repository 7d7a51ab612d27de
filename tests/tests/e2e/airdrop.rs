//! An airdrop by Merkle proof: the proof stands in a document of a server, and the real contract pays for it.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::ensure;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::document_server::DocumentServer;
use portolan_tests::fork;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;
use serde_json::Value;

const HOST: &str = "merkle.example.org";
const NEXT_BLOCK_WITHIN: Duration = Duration::from_secs(20);

fn start(chain: &Chain, config: &str) -> Gateway {
    let plugin = build::built().unwrap().plugin("libsolidly.so");
    let setup = Setup::default()
        .config(config)
        .rpc("optimism", &chain.url)
        .settings("solidly", &fork::settings(chain, "solidly").unwrap());
    setup.plugin(&plugin, &["velodrome_v2"]).start().unwrap()
}

fn address<'a>(chain: &'a Chain, who: &str) -> &'a str {
    chain.expected["accounts"][who]["address"].as_str().unwrap()
}

/// The account's document, as the build wrote it.
fn document<'a>(chain: &'a Chain, who: &str) -> &'a Value {
    &chain.expected["airdrop"]["documents"][address(chain, who)]
}

/// The rows, the header of what is missing, and the whole body.
fn answered(gateway: &Gateway, account: &str) -> (Vec<Json>, Option<String>, String) {
    let response = gateway.get(&format!("/velodrome_v2/{account}/claimables?detail=full")).unwrap();
    let partial = response.header("portolan-partial").map(str::to_owned);
    let json = response.json().unwrap();
    let rows = json.at("items").and_then(Json::items).map(<[Json]>::to_vec).unwrap_or_default();
    (rows, partial, response.body)
}

#[test]
fn a_claim_by_a_served_proof_pays_exactly_its_amount_once() {
    let chain = Chain::start("optimism-gauges").unwrap();
    let farmer = address(&chain, "farmer");
    let documents = BTreeMap::from([(format!("/{farmer}.json"), document(&chain, "farmer").to_string())]);
    let server = DocumentServer::start(documents).unwrap();
    let gateway = start(&chain, &server.grant("solidly", HOST));

    let (rows, partial, body) = answered(&gateway, farmer);
    assert_eq!((rows.len(), partial), (1, None), "{body}");
    let row = &rows[0];
    assert_eq!(row.text_at("amountRaw").unwrap(), "500000000000000000009");
    assert_eq!(row.text_at("type").unwrap(), "solidly-airdrop");
    let [to, data] = ["to", "data"].map(|member| row.text_at(&format!("claimTransaction/{member}")).unwrap());
    assert_eq!(to, chain.expected["airdrop"]["distributor"].as_str().unwrap());
    let token = chain.expected["airdrop"]["token"].as_str().unwrap();
    let balance = || -> u128 { chain.token_balance(token, farmer).unwrap().parse().unwrap() };
    let before = balance();
    chain.send_as(farmer, to, data, chain.block_timestamp + 1).unwrap();
    assert_eq!(balance() - before, 500_000_000_000_000_000_009);

    let again = chain.send_as(farmer, to, data, chain.block_timestamp + 2);
    assert!(again.is_err(), "the contract pays once");
    let nothing_left = || {
        let (rows, partial, body) = answered(&gateway, farmer);
        ensure!(rows.is_empty() && partial.is_none(), "{body}");
        Ok(())
    };
    wait::until("an answer without the claim", NEXT_BLOCK_WITHIN, nothing_left).unwrap();
    let nobody = address(&chain, "nothing");
    assert_eq!(answered(&gateway, nobody).0.len(), 0, "no document, no claim");
    assert_eq!(server.requested(), [format!("/{farmer}.json"), format!("/{nobody}.json")]);
}

#[test]
fn a_server_that_lies_about_an_amount_or_a_proof_gets_no_row() {
    let chain = Chain::start("optimism-gauges").unwrap();
    let mut more = document(&chain, "whale").clone();
    more["amount"] = "0xffffffffffffffffffff".into();
    let lies = [
        ("whale", more.to_string()),
        ("dust", document(&chain, "farmer").to_string()),
        ("exited", "{\"index\":2,\"amount\":\"1\",\"proof\":[]}".to_owned()),
        ("odd", "<html>come back later</html>".to_owned()),
    ];
    let path = |who: &str| format!("/{}.json", address(&chain, who));
    let documents = lies.iter().map(|(who, body)| (path(who), body.clone())).collect();
    let server = DocumentServer::start(documents).unwrap();
    let gateway = start(&chain, &server.grant("solidly", HOST));
    for (who, _) in &lies {
        let (rows, partial, body) = answered(&gateway, address(&chain, who));
        assert_eq!(rows.len(), 0, "{who}: {body}");
        let why =
            if *who == "odd" { "the document is not a proof" } else { "does not lead to the contract's Merkle root" };
        assert!(body.contains(why), "{who}: {partial:?} {body}");
    }
    assert_eq!(server.requested().len(), 4);
}

#[test]
fn documents_of_a_host_that_is_not_granted_are_missing() {
    let chain = Chain::start("optimism-gauges").unwrap();
    let gateway = start(&chain, "");
    let (rows, partial, body) = answered(&gateway, address(&chain, "farmer"));
    assert_eq!(rows.len(), 0, "{body}");
    assert_eq!(partial.as_deref(), Some("velodrome_v2/optimism;reason=not-allowed"), "{body}");
}
