//! `portolan plugin check`: which addresses of a plugin's deployments have code and answer on a chain, and which
//! questions. `portolan plugin ask`: what a plugin answers, before it is served.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_tests::chain::Chain;
use portolan_tests::json::Json;
use portolan_tests::truth::{Event, Truth};
use portolan_tests::{build, deeds};

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
        "3 addresses: 3 have code, 3 answered; 4 questions: 4 complete",
        "velodrome_v2 claimables ok, ",
        ", claims when tried: ",
        " paid",
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
    assert_eq!(
        answer.text_at("path").unwrap(),
        format!("/velodrome_v2/{farmer}/claimables?detail=full&simulate=true&network=optimism")
    );
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
        shown.starts_with(&format!(
            "GET /velodrome_v2/farming/{farmer}/positions?detail=full&network=optimism → 200 OK\n"
        )),
        "{shown}"
    );
    assert!(shown.contains("velodrome_v2 ok, ") && shown.contains(" batches, at most "), "{shown}");
    // An account that has nothing is answered in full, with nothing.
    let nobody = "0x00000000000000000000000000000000000bad00";
    let output = tried("ask", &plugin, &["claimables", nobody, "--rpc", &rpc]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).ends_with("\n0 rows\n"), "{}", text(&output.stdout));
}

/// The operator's table of claim functions counts as in a gateway's folder of plugins.
#[test]
fn a_table_of_claim_functions_beside_the_dylib_counts() {
    let chain = Chain::start("polygon").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join(deeds::DYLIB);
    std::fs::copy(build::built().unwrap().plugin(deeds::DYLIB), &plugin).unwrap();
    let rpc = format!("polygon={}", chain.url);
    let asked = || {
        let arguments = ["claimables", deeds::ACCOUNT, "--rpc", &rpc, "--protocol", "claims_unlisted", "--json"];
        let output = tried("ask", &plugin, &arguments);
        let document = Json::parse(&text(&output.stdout)).unwrap();
        let [answer] = document.at("answers").unwrap().items().unwrap() else { panic!("{document}") };
        let items = answer.at("body/items").unwrap().items().unwrap();
        items.iter().map(|item| item.text_at("name").unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(asked(), ["good"]);
    let functions = folder.path().join("claim-functions.toml");
    std::fs::write(&functions, "\"claimFor(address account)\" = \"https://code.example\"").unwrap();
    assert_eq!(asked(), ["good", "unlisted"]);
    std::fs::write(&functions, "no table").unwrap();
    let output = tried("ask", &plugin, &["claimables", deeds::ACCOUNT, "--rpc", &rpc]);
    let line = text(&output.stderr);
    assert!(output.status.code() == Some(1) && line.contains("claim-functions.toml"), "{line}");
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
    let cases: [(&[&str], &str); 5] = [
        (
            &["lending", farmer, "--rpc", nobody],
            "no deployment declares the question `lending`; protocols with it: none",
        ),
        (
            &["claimables", farmer, "--rpc", nobody, "--protocol", "aave_v3"],
            "no deployment of `aave_v3` declares the question `claimables`; protocols with it: ",
        ),
        (
            &["claimables", farmer, "--rpc", "gnosis=http://127.0.0.1:9", "--protocol", "velodrome_v2"],
            "no deployment of `velodrome_v2` on the networks of --rpc declares `claimables`; networks with it: optimism",
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
fn the_question_about_events_needs_a_transaction_and_is_left_out_without() {
    let chain = Chain::start("polygon").unwrap();
    let truth = Truth::new("polygon", &chain.expected.to_string()).unwrap();
    let of_plugin = |event: &Event| event.document(&truth).unwrap().to_string().contains("\"quickswap\"");
    let event = truth.events().unwrap().into_iter().find(of_plugin).unwrap();
    let (plugin, rpc) = (build::built().unwrap().plugin("libquickswap.so"), format!("polygon={}", chain.url));
    let checked = |arguments: &[&str]| {
        let output = check(&plugin, &[&["--rpc", &rpc, "--json"], arguments].concat());
        let document = Json::parse(&text(&output.stdout)).unwrap();
        let jobs = document.at("jobs").unwrap().items().unwrap().to_vec();
        let jobs = jobs.into_iter().filter(|job| job.text_at("question").unwrap() == "events");
        (document.at("notAsked").unwrap().to_string(), jobs.collect::<Vec<_>>())
    };
    assert_eq!(checked(&[]), (r#"["events"]"#.to_owned(), Vec::new()));
    let hash = event.transaction(&chain).unwrap();
    let (left_out, jobs) = checked(&["--transaction", &hash]);
    let [job] = &jobs[..] else { panic!("{jobs:?}") };
    assert_eq!((left_out.as_str(), job.text_at("status").unwrap()), ("[]", "ok"), "{job}");
    assert_eq!((job.text_at("protocol").unwrap(), job.text_at("network").unwrap()), ("quickswap", "polygon"));
    // A transaction that no network has.
    let (_, jobs) = checked(&["--transaction", &format!("0x{}", "0".repeat(64))]);
    assert_eq!(jobs[0].text_at("status").unwrap(), "failed", "{jobs:?}");
}

#[test]
fn each_question_that_fails_is_a_line_of_its_own() {
    let chain = Chain::start("polygon").unwrap();
    let rpc = format!("polygon={}", chain.url);
    let output =
        check(&build::built().unwrap().plugin(deeds::DYLIB), &["--rpc", &rpc, "--account", deeds::ACCOUNT, "--json"]);
    let document = Json::parse(&text(&output.stdout)).unwrap();
    assert_eq!(output.status.code(), Some(1), "{document}");
    let jobs = document.at("jobs").unwrap().items().unwrap();
    let job = |protocol: &str, question: &str| {
        let is_of =
            |job: &&Json| job.text_at("protocol").unwrap() == protocol && job.text_at("question").unwrap() == question;
        let found: Vec<&Json> = jobs.iter().filter(is_of).collect();
        let [found] = found[..] else { panic!("{protocol} {question}: {found:?}") };
        let text = |member: &str| found.text_at(member).unwrap_or_default().to_owned();
        (text("status"), text("reason"), text("detail"), found.at("claims").unwrap().to_string())
    };
    // What ends a worker, a loop and a panic.
    let panics = ("panics_at_once", "crashed", "panics at once");
    let loops = ("never_returns", "timeout", "did not return in time");
    for (protocol, reason, part) in deeds::FATAL.into_iter().chain([panics, loops]) {
        let (status, own, detail, _) = job(protocol, "claimables");
        assert!(status != "ok" && own == reason && detail.contains(part), "{protocol}: {status} {own} {detail}");
        if protocol != "panics_at_once" {
            assert_eq!(job(protocol, "farming").0, "ok", "{protocol}");
        }
    }
    // The others are answered, and their claims are tried: whoever the account is, `steady` pays nobody.
    assert_eq!(job("steady", "farming").0, "ok");
    let (status, _, detail, claims) = job("steady", "claimables");
    assert_eq!((status.as_str(), claims.as_str()), ("ok", r#"{"reverted":3}"#), "{detail}");
    let (status, reason, detail, _) = job("shares_that_panic", "composition");
    assert!((status.as_str(), reason.as_str()) == ("failed", "crashed"), "{status} {reason} {detail}");
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
