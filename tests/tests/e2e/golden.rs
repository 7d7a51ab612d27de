//! Plugins that were built once are served by the gateway, and their answers are what they were.
//!
//! `plugin-api/tests/golden` has the dylibs and, beside them, the answers about the plugin that finds everything.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::fs;
use std::path::PathBuf;

use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::Setup;
use portolan_tests::json::Json;
use portolan_tests::truth::without_gas;

const ACCOUNT: &str = "0xacacacacacacacacacacacacacacacacacacacac";
/// Each answer by the file that has it.
const ANSWERS: [(&str, &str); 6] = [
    ("claimables", "{}/claimables"),
    ("farming", "farming/{}/positions"),
    ("lending", "lending/{}/positions"),
    ("borrowing", "borrowing/{}/positions"),
    ("pooling", "pooling/{}/positions"),
    ("locked", "locked/{}/positions"),
];

fn folder() -> PathBuf {
    build::workspace().join("plugin-api/tests/golden/x86_64-unknown-linux-gnu")
}

#[test]
fn plugins_that_were_built_once_answer_what_they_did_in_workers() {
    answer_as_they_did(Setup::default());
}

#[test]
fn plugins_that_were_built_once_answer_what_they_did_in_the_gateways_process() {
    answer_as_they_did(Setup::default().in_process());
}

fn answer_as_they_did(setup: Setup) {
    let chain = Chain::start("polygon").unwrap();
    let mut setup = setup.rpc("polygon", &chain.url);
    for (name, slugs) in
        [("aelin", &["aelin"][..]), ("staked", &["staked"]), ("gmx", &["gmx"]), ("every", &["every", "every_read"])]
    {
        setup = setup.plugin(&folder().join(format!("lib{name}.so")), slugs);
    }
    let gateway = setup.start().unwrap();
    for row in gateway.plugins().unwrap() {
        assert_eq!(row.text_at("state").unwrap(), "active", "{row}");
    }
    for (name, path) in ANSWERS {
        let response = gateway.get(&format!("/every/{}", path.replace("{}", ACCOUNT))).unwrap();
        let missing = response.header("portolan-partial").map(str::to_owned);
        assert_eq!((response.status.as_u16(), missing), (200, None), "{name}: {}", response.body);
        let file = folder().join(format!("every.{name}.json"));
        if std::env::var_os("PORTOLAN_WRITE_GOLDEN").is_some() {
            fs::write(&file, &response.body).unwrap();
        }
        // The gas limit is the node's and the gateway's word.
        let rows = |body: &str| -> Vec<Json> {
            let rows = Json::parse(body).unwrap();
            rows.items().unwrap().iter().map(|row| without_gas(row).0).collect()
        };
        assert_eq!(rows(&response.body), rows(&fs::read_to_string(&file).unwrap()), "{name}");
    }
    // An end of each other kind is that job's alone.
    let failed = gateway.get(&format!("/every_read/lending/{ACCOUNT}/positions?detail=full")).unwrap();
    assert_eq!(failed.status, 502, "{}", failed.body);
    assert!(failed.body.contains("a plugin that fails"), "{}", failed.body);
    let panicked = gateway.get(&format!("/every_read/farming/{ACCOUNT}/positions")).unwrap();
    assert_eq!(panicked.status, 200, "{}", panicked.body);
    assert!(panicked.header("portolan-partial").is_some(), "what was found before the panic is there");
}
