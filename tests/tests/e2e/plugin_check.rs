//! `portolan plugin check`: which addresses of a plugin's deployments have code and answer on a chain, and which
//! questions. `portolan plugin ask`: what a plugin answers, before it is served.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::json::Json;
use portolan_tests::truth::Truth;

struct Checks {
    chain: Chain,
    truth: Truth,
}

impl Checks {
    fn start() -> Self {
        let chain = Chain::start("optimism-gauges").unwrap();
        let truth = Truth::new("optimism", &chain.expected.to_string()).unwrap();
        Self { chain, truth }
    }

    fn rpc(&self) -> String {
        format!("optimism={}", self.chain.url)
    }

    /// The voter, the escrow and the distributor.
    fn contracts(&self) -> [&str; 3] {
        ["voter", "escrow", "distributor"].map(|name| self.truth.contract(name).unwrap())
    }
}

fn check(file: &Path, arguments: &[&str]) -> Output {
    tried("check", file, arguments)
}

fn tried(how: &str, file: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(build::built().unwrap().host());
    command.args(["plugin", how]).arg(file).args(arguments).env_clear().output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn row<'a>(document: &'a Json, address: &str) -> Option<&'a Json> {
    let rows = document.at("addresses").unwrap().items().unwrap();
    rows.iter().find(|row| row.text_at("address").unwrap() == address)
}

#[test]
fn addresses_have_code_and_answer_or_are_said_not_to() {
    let checks = Checks::start();
    let plugin = build::built().unwrap().plugin("libsolidly.so");
    let farmer = checks.truth.address("farmer").unwrap();
    let output = check(&plugin, &["--rpc", &checks.rpc(), "--account", farmer, "--json"]);
    // The chain has one of the plugin's many deployments.
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let document = Json::parse(&text(&output.stdout)).unwrap();
    assert_eq!(document.at("sound").unwrap().to_string(), "false");
    let protocols = document.at("capabilities/protocols").unwrap().to_string();
    assert!(protocols.contains("velodrome_v2"), "{protocols}");
    for contract in checks.contracts() {
        let row = row(&document, contract).unwrap();
        assert!(row.at("codeBytes").unwrap().to_string().parse::<u64>().unwrap() > 0, "{row}");
        assert_eq!(row.at("answered").unwrap().to_string(), "true", "{row}");
        assert!(row.text_at("function").unwrap().ends_with(')'), "{row}");
    }
    let rows = document.at("addresses").unwrap().items().unwrap();
    let without = rows.iter().filter(|row| row.at("codeBytes").unwrap().to_string() == "0").count();
    assert!(without > 0 && without < rows.len(), "{without} of {} have no code", rows.len());
    assert!(document.at("notChecked").unwrap().items().unwrap().iter().any(|slug| slug.to_string() == "\"fantom\""));
}

#[test]
fn a_plugin_whose_deployments_all_answer_is_sound() {
    let checks = Checks::start();
    let plugin = build::built().unwrap().plugin("libsolidly.so");
    let [voter, escrow, distributor] = checks.contracts();
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("solidly.toml");
    let rows = format!(
        "shipped = false\n[[deployment]]\nprotocol = \"velodrome_v2\"\nnetwork = \"optimism\"\n\
         voter = \"{voter}\"\nescrow = \"{escrow}\"\ndistributor = \"{distributor}\"\n"
    );
    std::fs::write(&settings, rows).unwrap();
    let farmer = checks.truth.address("farmer").unwrap();
    let arguments = ["--rpc", &checks.rpc(), "--settings", settings.to_str().unwrap(), "--account", farmer];
    let output = check(&plugin, &arguments);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}{}", text(&output.stderr));
    for line in [
        "it asks to sign: ",
        "3 addresses: 3 have code, 3 answered; 3 questions: 3 complete",
        "velodrome_v2 claimables ok, ",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

/// A copy of a dylib in a folder of its own, with a settings file beside it.
fn beside(settings: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("libsolidly.so");
    std::fs::copy(build::built().unwrap().plugin("libsolidly.so"), &file).unwrap();
    std::fs::write(folder.path().join("solidly.toml"), settings).unwrap();
    (folder, file)
}

#[test]
fn a_question_is_answered_as_the_gateway_would() {
    let checks = Checks::start();
    let [voter, escrow, distributor] = checks.contracts();
    let (_folder, plugin) = beside(&format!(
        "shipped = false\n[[deployment]]\nprotocol = \"velodrome_v2\"\nnetwork = \"optimism\"\n\
         voter = \"{voter}\"\nescrow = \"{escrow}\"\ndistributor = \"{distributor}\"\n"
    ));
    let (rpc, farmer) = (checks.rpc(), checks.truth.address("farmer").unwrap());
    let output = tried("ask", &plugin, &["claimables", farmer, "--rpc", &rpc, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let document = Json::parse(&text(&output.stdout)).unwrap();
    let [answer] = document.at("answers").unwrap().items().unwrap() else { panic!("{document}") };
    assert_eq!(answer.text_at("path").unwrap(), format!("/velodrome_v2/{farmer}/claimables?detail=full&simulate=true"));
    let items = answer.at("body/items").unwrap().items().unwrap();
    assert!(!items.is_empty(), "{answer}");
    for item in items {
        assert_eq!(item.text_at("simulated").unwrap(), "paid", "{item}");
    }
    // The same for people, and another question.
    let output = tried("ask", &plugin, &["farming", farmer, "--rpc", &rpc, "--protocol", "velodrome_v2"]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}{}", text(&output.stderr));
    assert!(
        shown.starts_with(&format!("GET /velodrome_v2/farming/{farmer}/positions?detail=full → 200 OK\n")),
        "{shown}"
    );
    assert!(shown.contains("velodrome_v2 ok, ") && shown.contains(" batches, at most "), "{shown}");
    // An account that has nothing is answered in full, with nothing.
    let nobody = "0x00000000000000000000000000000000000bad00";
    let output = tried("ask", &plugin, &["claimables", nobody, "--rpc", &rpc]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).ends_with("\n0 rows\n"), "{}", text(&output.stdout));
}

#[test]
fn an_answer_that_lacks_something_says_what_and_why() {
    let farmer = "0x00000000000000000000000000000000000bad00";
    let plugin = build::built().unwrap().plugin("libsolidly.so");
    let nobody = "optimism=http://127.0.0.1:9";
    let output = tried("ask", &plugin, &["claimables", farmer, "--rpc", nobody, "--protocol", "velodrome_v2"]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("optimism     velodrome_v2 failed: upstream: "), "{shown}");
    let cases: [(&[&str], &str); 4] = [
        (
            &["lending", farmer, "--rpc", nobody],
            "no deployment declares the question `lending`; protocols with it: none",
        ),
        (
            &["claimables", farmer, "--rpc", nobody, "--protocol", "aave_v3"],
            "no deployment of `aave_v3` declares the question `claimables`; protocols with it: ",
        ),
        (&["dancing", farmer, "--rpc", nobody], "invalid value 'dancing'"),
        (&["claimables", "--rpc", nobody], "<ACCOUNT>"),
    ];
    for (arguments, reason) in cases {
        let output = tried("ask", &plugin, arguments);
        let line = text(&output.stderr);
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{arguments:?}: {line}");
        assert!(line.contains(reason), "{arguments:?}: {line}");
    }
}

#[test]
fn what_cannot_be_checked_is_one_line_and_no_no() {
    let plugin = build::built().unwrap().plugin("libsolidly.so");
    let folder = tempfile::tempdir().unwrap();
    let nonsense = folder.path().join("libnonsense.so");
    std::fs::write(&nonsense, "no dylib").unwrap();
    let gone = folder.path().join("gone.so");
    let nobody = "optimism=http://127.0.0.1:9";
    let cases: [(&Path, &[&str], i32, &str); 6] = [
        (&gone, &["--rpc", nobody], 2, "gone.so"),
        (&plugin, &[], 2, "--rpc"),
        (&plugin, &["--rpc", "atlantis=http://127.0.0.1:9"], 2, "atlantis"),
        (&plugin, &["--rpc", nobody, "--account", "0x123"], 2, "0x123 is not 0x and 40 hex digits"),
        (&plugin, &["--rpc", nobody, "--settings", gone.to_str().unwrap()], 2, "gone.so"),
        (&nonsense, &["--rpc", nobody], 1, "libnonsense.so is refused: "),
    ];
    for (file, arguments, code, reason) in cases {
        let output = check(file, arguments);
        let line = text(&output.stderr);
        assert_eq!((output.status.code(), line.lines().count()), (Some(code), 1), "{arguments:?}: {line}");
        assert!(line.contains(reason), "{arguments:?}: {line}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
    }
    // An endpoint that does not answer says nothing of the deployments.
    let output = check(&plugin, &["--rpc", nobody, "--json"]);
    let document = Json::parse(&text(&output.stdout)).unwrap();
    let rows = document.at("addresses").unwrap().items().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(rows.iter().all(|row| row.get("codeBytes") == Some(&Json::Null) && row.text_at("failure").is_ok()));
}
