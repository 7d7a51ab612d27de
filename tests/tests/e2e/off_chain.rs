//! A document of a server that is no chain: read where the operator grants the host, and told where it is not.

use std::collections::BTreeMap;

use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::document_server::DocumentServer;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const NOBODY: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const HOST: &str = "merkle.example.org";
/// The claimable is as large as the document.
const DOCUMENT: &str = "{\"proof\":[\"0x11\"]}";

fn start(chain: &Chain, config: &str) -> Gateway {
    let plugin = build::built().unwrap().plugin("libportolan_hostile.so");
    Setup::default().config(config).rpc("polygon", &chain.url).plugin(&plugin, &["reads_documents"]).start().unwrap()
}

/// Names of the claimables with their raw amounts, the header of what is missing, and the job's report.
fn answered(gateway: &Gateway, account: &str) -> (Vec<String>, Option<String>, Json) {
    let response = gateway.get(&format!("/reads_documents/{account}/claimables?detail=full")).unwrap();
    let json = response.json().unwrap();
    let text = |row: &Json| format!("{} {}", row.text_at("name").unwrap(), row.text_at("amountRaw").unwrap());
    let items = json.at("items").unwrap_or_else(|error| panic!("{error}: {}", response.body)).items().unwrap();
    let mut rows: Vec<String> = items.iter().map(text).collect();
    rows.sort();
    let partial = response.header("portolan-partial").map(str::to_owned);
    (rows, partial, json.at("report/jobs").unwrap().items().unwrap()[0].clone())
}

/// The declared host in the plugin's row.
fn shown(gateway: &Gateway) -> String {
    let rows = gateway.plugins().unwrap();
    let row = rows.iter().find(|row| row.text_at("state").unwrap() == "active").unwrap();
    row.at("hosts").unwrap().to_string()
}

#[test]
fn a_document_is_read_of_a_granted_host_and_missing_without_the_grant() {
    let chain = Chain::start("polygon").unwrap();
    let copy = DocumentServer::start(BTreeMap::from([(format!("/{ACCOUNT}"), DOCUMENT.to_owned())])).unwrap();

    let denied = start(&chain, "[plugins.portolan-hostile]\nhosts = [\"other.example.org\"]");
    let (rows, partial, job) = answered(&denied, ACCOUNT);
    assert_eq!(rows, ["good 11"], "the rest stays");
    assert_eq!(partial.as_deref(), Some("reads_documents/polygon;reason=not-allowed"));
    let refusal = "merkle.example.org is not among the hosts that [plugins.portolan-hostile] grants";
    assert_eq!(job.text_at("detail").unwrap(), refusal);
    assert!(job.at("offChain").is_err(), "{job}");
    assert_eq!(shown(&denied), r#"[{"host":"merkle.example.org","granted":false,"mirrored":false}]"#);
    let log = denied.log();
    assert!(log.contains(refusal), "{log}");
    assert!(log.contains("other.example.org is granted, but the plugin does not declare it"), "{log}");
    drop(denied);

    let grant = copy.grant("portolan-hostile", HOST);
    let granted = start(&chain, &grant);
    for _ in 0..2 {
        let (rows, partial, job) = answered(&granted, ACCOUNT);
        assert_eq!((rows, partial), (vec![format!("documented {}", DOCUMENT.len()), "good 11".to_owned()], None));
        let off_chain = job.at("offChain").unwrap().items().unwrap();
        assert_eq!((off_chain.len(), off_chain[0].text_at("host").unwrap()), (1, HOST));
        let age: u64 = off_chain[0].at("ageSeconds").unwrap().to_string().parse().unwrap();
        assert!(age >= 61, "{job}");
    }
    let (rows, partial, _) = answered(&granted, NOBODY);
    assert_eq!((rows, partial), (vec!["good 11".to_owned()], None), "no document is an answer");
    assert_eq!(copy.requested(), [format!("/{ACCOUNT}"), format!("/{NOBODY}")], "the second time it is cached");
    assert_eq!(shown(&granted), r#"[{"host":"merkle.example.org","granted":true,"mirrored":true}]"#);
}
