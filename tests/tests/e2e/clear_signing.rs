//! Clear signing: the descriptors of all protocols by the schema of ERC-7730, and each claim by its format; then
//! descriptors of a registry beside a plugin's claims.
//!
//! The schema in `clear_signing/` is version 2.0.0 as it is published with the ERC (`ethereum/ERCs`,
//! `assets/erc-7730/erc7730-v2.schema.json`), under CC0 1.0.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use alloy::primitives::keccak256;
use bytes::Bytes;
use hyper::Method;
use jsonschema::Validator;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::{Response, Version, request};
use portolan_tests::json::Json;
use portolan_tests::protocol::Question;
use portolan_tests::truth::{ACCOUNTS, Truth};
use portolan_tests::world::World;
use serde_json::{Value, json};

/// Protocols with claims that ship with the plugins, at least.
const CLAIMED_MIN: usize = 40;

fn schema() -> Validator {
    let schema: Value = serde_json::from_str(include_str!("clear_signing/erc7730-v2.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn answer(gateway: &Gateway, slug: &str) -> Response {
    let response = gateway.get(&format!("/{slug}/clear-signing.json")).unwrap();
    assert_eq!(response.status, 200, "{slug}: {}", response.body);
    assert_eq!(response.header("content-type"), Some("application/json"), "{slug}");
    response
}

fn descriptors(gateway: &Gateway, slug: &str) -> Vec<Value> {
    serde_json::from_str(&answer(gateway, slug).body).unwrap()
}

fn slugs(gateway: &Gateway) -> Vec<String> {
    let protocols = gateway.get("/protocols").unwrap().json().unwrap();
    protocols.items().unwrap().iter().map(|row| row.text_at("slug").unwrap().to_owned()).collect()
}

/// The names and types of a key's parameters, of which none is a tuple; `None` if one is.
fn parameters(key: &str) -> Option<Vec<(&str, &str)>> {
    let inner = key.split_once('(').unwrap().1.strip_suffix(')').unwrap();
    if inner.contains('(') {
        return None;
    }
    let parts = inner.split(',').filter(|part| !part.is_empty());
    Some(parts.map(|part| part.split_once(' ').unwrap()).map(|(kind, name)| (name, kind)).collect())
}

/// The selector of a key: its names stand after a space, up to a comma or bracket.
fn selector(key: &str) -> String {
    let (mut plain, mut is_name) = (String::new(), false);
    for letter in key.chars() {
        is_name = letter == ' ' || (is_name && !matches!(letter, ',' | ')'));
        plain.extend((!is_name).then_some(letter));
    }
    format!("0x{}", alloy::hex::encode(&keccak256(plain)[..4]))
}

/// The formats of a descriptor by selector, each with its key.
fn formats(descriptor: &Value) -> BTreeMap<String, (&str, &Value)> {
    let formats = descriptor["display"]["formats"].as_object().unwrap();
    let by_selector: BTreeMap<_, _> =
        formats.iter().map(|(key, format)| (selector(key), (key.as_str(), format))).collect();
    assert_eq!(by_selector.len(), formats.len(), "two formats of one function make a descriptor invalid");
    by_selector
}

#[test]
fn the_descriptors_of_all_shipped_protocols_conform_to_the_schema() {
    let (chain, built, schema) = (Chain::start("polygon").unwrap(), build::built().unwrap(), schema());
    let plugins = build::plugins().unwrap();
    let setup = plugins.iter().fold(Setup::default(), |setup, (_, file)| setup.plugin(&built.plugin(file), &[]));
    let gateway = setup.rpc("polygon", &chain.url).start().unwrap();
    let (mut claimed, mut without) = (BTreeSet::new(), 0);
    for slug in slugs(&gateway) {
        let descriptors = descriptors(&gateway, &slug);
        without += usize::from(descriptors.is_empty());
        for descriptor in &descriptors {
            let faults = schema.iter_errors(descriptor).map(|error| format!("{}: {error:.300}", error.instance_path()));
            assert_eq!(faults.collect::<Vec<_>>(), [""; 0], "{slug}");
            assert!(!formats(descriptor).is_empty(), "{slug}");
            let contracts = descriptor["context"]["contract"]["deployments"].as_array().unwrap();
            assert!(!contracts.is_empty(), "{slug} would be bound to nothing");
            claimed.insert(slug.clone());
        }
    }
    assert!(claimed.len() >= CLAIMED_MIN && without > 0, "{} claimed, {without} without claims", claimed.len());
    let coverage = gateway.get("/protocols/coverage").unwrap().json().unwrap();
    let is_claimed = |row: &&Json| row.text_at("question").unwrap() == "claimables";
    let covered =
        coverage.items().unwrap().iter().filter(is_claimed).map(|row| row.text_at("protocol").unwrap().to_owned());
    assert_eq!(claimed, covered.collect(), "a protocol whose claims have no descriptor");
    // What says nothing does not conform, so that the schema is one that refuses.
    assert!(!schema.is_valid(&json!({"context": {"contract": {"abis": []}}})));
}

#[test]
fn each_claim_of_the_world_has_a_format_that_fits_it() {
    let world = World::start().unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let (mut tried, mut found_on_chain, mut required) = (0, 0, 0);
    for slug in world.slugs().unwrap() {
        let descriptors = descriptors(&gateway, &slug);
        let [descriptor] = &descriptors[..] else { panic!("{slug}: {descriptors:?}") };
        let formats = formats(descriptor);
        let contracts: BTreeSet<(String, String)> = descriptor["context"]["contract"]["deployments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["chainId"].to_string(), row["address"].as_str().unwrap().to_lowercase()))
            .collect();
        for who in ACCOUNTS {
            let account = world.address(who).unwrap();
            let path = Question::Claimables.path(&slug, account);
            let answer = gateway.get(&format!("{path}?detail=full")).unwrap().json().unwrap();
            for item in answer.at("items").unwrap().items().unwrap() {
                let call = item.at("claimTransaction").unwrap();
                let (to, data) = (call.text_at("to").unwrap(), call.text_at("data").unwrap());
                let (key, format) =
                    formats.get(&data[..10]).unwrap_or_else(|| panic!("{slug} has no format of {call}"));
                let contract = (item.at("network/chainId").unwrap().to_string(), to.to_owned());
                match call.text_at("targetSource").unwrap() {
                    // A contract that a view returned is in no catalogue, so that no descriptor lists it.
                    "factory" => found_on_chain += 1,
                    _ => assert!(contracts.contains(&contract), "{slug} does not list {to}"),
                }
                required += assert_fits(account, key, format, call.at("function").unwrap());
                tried += 1;
            }
        }
    }
    assert!(
        tried > 20 && found_on_chain > 0 && required > 0,
        "{tried} claims, {found_on_chain} found, {required} required"
    );
}

/// Compares the fields of a format with the arguments of a call; returns how many of them have to be a certain value.
fn assert_fits(account: &str, key: &str, format: &Value, called: &Json) -> usize {
    let name = called.text_at("name").unwrap();
    assert_eq!(format["intent"], format!("Claim: {name}"), "as the explorer names the function");
    let arguments = called.at("inputParameters").unwrap().items().unwrap();
    let Some(parameters) = parameters(key) else { return 0 };
    let types: Vec<&str> = parameters.iter().map(|(_, kind)| *kind).collect();
    let of_call: Vec<&str> = arguments.iter().map(|one| one.text_at("typeAsString").unwrap()).collect();
    assert_eq!(types, of_call, "{key}");
    let mut required = 0;
    for field in format["fields"].as_array().unwrap() {
        let path = field["path"].as_str().unwrap();
        let Some(place) = parameters.iter().position(|(name, _)| *name == path) else { continue };
        let value = arguments[place].text_at("value").unwrap().to_lowercase();
        if field["params"]["types"] == json!(["wallet"]) {
            assert_eq!(value, account.to_lowercase(), "{key}: {path}");
        }
        if let Some(values) = field["visible"]["mustMatch"].as_array() {
            let values = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_lowercase));
            assert!(values.collect::<Vec<_>>().contains(&value), "{key}: {path} is {value}");
            required += 1;
        }
    }
    required
}

/// A gateway with one plugin, and the chain that it reads.
fn quickswap() -> (Gateway, Chain) {
    let chain = Chain::start("polygon").unwrap();
    let plugin = build::built().unwrap().plugin("libquickswap.so");
    let gateway = Setup::default().rpc("polygon", &chain.url).plugin(&plugin, &["quickswap"]).start().unwrap();
    (gateway, chain)
}

#[test]
fn a_descriptor_is_kept_by_caches_as_the_list_of_protocols_is() {
    let (gateway, _chain) = quickswap();
    let of_protocols = gateway.get("/protocols").unwrap();
    let whole = answer(&gateway, "quickswap");
    for header in ["cache-control", "vary", "portolan-blocks", "portolan-partial"] {
        assert_eq!(whole.header(header), of_protocols.header(header), "{header}");
    }
    let fetch = |method: &Method, headers: &[(&str, &str)]| {
        let path = "/quickswap/clear-signing.json";
        request(gateway.base, Version::Http1, method, path, headers, Bytes::new()).unwrap()
    };
    let tag = whole.header("etag").unwrap();
    assert_eq!(fetch(&Method::GET, &[("if-none-match", tag)]).status, 304);
    assert_eq!(fetch(&Method::HEAD, &[]).header("etag"), Some(tag));
    let full = gateway.get("/quickswap/clear-signing.json?detail=full").unwrap().json().unwrap();
    assert_eq!(full.at("items").unwrap(), &whole.json().unwrap());
}

/// The plugin with one deployment of the chain, checked against a descriptor.
struct SigningCheck {
    chain: Chain,
    folder: tempfile::TempDir,
    descriptor: Value,
}

impl SigningCheck {
    fn start() -> Self {
        let chain = Chain::start("optimism-gauges").unwrap();
        let truth = Truth::new("optimism", &chain.expected.to_string()).unwrap();
        let [voter, escrow, distributor] =
            ["voter", "escrow", "distributor"].map(|name| truth.contract(name).unwrap().to_owned());
        let settings = format!(
            "shipped = false\n[[deployment]]\nprotocol = \"velodrome_v2\"\nnetwork = \"optimism\"\n\
             voter = \"{voter}\"\nescrow = \"{escrow}\"\ndistributor = \"{distributor}\"\n"
        );
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("solidly.toml"), &settings).unwrap();
        let plugin = build::built().unwrap().plugin("libsolidly.so");
        let setup = Setup::default().rpc("optimism", &chain.url).plugin(&plugin, &["velodrome_v2"]);
        let gateway = setup.settings("solidly", &settings).start().unwrap();
        let descriptor = descriptors(&gateway, "velodrome_v2").remove(0);
        Self { chain, folder, descriptor }
    }

    /// Checks the plugin against this text as a file.
    fn check(&self, text: &str, arguments: &[&str]) -> Output {
        let file = self.folder.path().join("descriptor.json");
        fs::write(&file, text).unwrap();
        self.check_file(&file, arguments)
    }

    fn check_file(&self, file: &Path, arguments: &[&str]) -> Output {
        let plugin = build::built().unwrap().plugin("libsolidly.so");
        let mut command = Command::new(build::built().unwrap().host());
        command.args(["plugin", "check"]).arg(plugin).args(["--rpc", &format!("optimism={}", self.chain.url)]);
        command.arg("--settings").arg(self.folder.path().join("solidly.toml")).arg("--clear-signing").arg(file);
        command.args(arguments).env_clear().output().unwrap()
    }
}

#[test]
fn plugin_check_agrees_with_its_own_descriptor_and_not_with_one_that_calls_the_account_a_token() {
    let check = SigningCheck::start();
    let output = check.check(&check.descriptor.to_string(), &[]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    let all = check.descriptor["display"]["formats"].as_object().unwrap().len();
    let sum = format!("descriptor.json: {all} of {all} claim functions are described; contradictions: 0\n");
    assert!(shown.ends_with(&sum) && shown.contains(" agrees, as \"Claim: "), "{shown}");
    assert!(!shown.contains(" note: "), "{shown}");

    // The same with the account as a token, under selectors and names of a registry's own.
    let mut changed = check.descriptor.clone();
    let text = changed["display"].to_string().replace(r#"["wallet"]"#, r#"["token"]"#);
    let text = text.replace(r#"["wallet","eoa","contract"]"#, r#"["token"]"#);
    assert_ne!(text, changed["display"].to_string(), "no claim names the account");
    changed["display"] = serde_json::from_str(&text).unwrap();
    let output = check.check(&changed.to_string(), &["--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{document}");
    let [compared] = &document["clearSigning"].as_array().unwrap()[..] else { panic!("{document}") };
    assert_eq!((&document["sound"], &compared["sound"]), (&json!(false), &json!(false)));
    let functions = compared["functions"].as_array().unwrap();
    let reasons = functions.iter().flat_map(|one| one["contradictions"].as_array().unwrap());
    let reasons: Vec<&str> = reasons.map(|reason| reason.as_str().unwrap()).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|reason| reason.contains("which is the account")), "{reasons:?}");
}

#[test]
fn a_file_that_is_no_descriptor_is_one_line_and_exit_code_2() {
    let check = SigningCheck::start();
    let includes = json!({"includes": "./erc20.json", "context": {"contract": {}}, "display": {"formats": {}}});
    let eip712 = json!({"context": {"eip712": {}}, "display": {"formats": {}}});
    for (text, reason) in [
        ("{".to_owned(), "descriptor.json: is not JSON"),
        (includes.to_string(), "includes another file"),
        (eip712.to_string(), "it is not about calls"),
        (format!("\"{}\"", "x".repeat(5 << 20)), "has more than 4 MiB"),
    ] {
        let output = check.check(&text, &[]);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), line.lines().count(), output.stdout), (Some(2), 1, Vec::new()), "{line}");
        assert!(line.contains(reason), "{line}");
    }
    for file in [check.folder.path(), &check.folder.path().join("none.json")] {
        let output = check.check_file(file, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
