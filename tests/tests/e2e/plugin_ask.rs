//! `portolan plugin ask`: its batches, its refusals, its records, which the SDK replays, and `--watch`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use abi_stable::library::lib_header_from_path;
use anyhow::{Result, ensure};
use portolan_abi::root::PluginRef;
use portolan_plugin_api::testing::{End, Expected, Fixture, Outcome};
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::fork::{ForkRow, ROWS, settings_of};
use portolan_tests::json::Json;
use portolan_tests::truth::{Event, Truth};
use portolan_tests::{build, deeds, wait};

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// For a build to be tried, on a busy machine too.
const SOON: Duration = Duration::from_secs(60);

fn command(file: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(build::built().unwrap().host());
    command.args(["plugin", "ask"]).arg(file).args(arguments).env_clear();
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Asks; the answer of `--json`, and the exit code.
fn answer(file: &Path, arguments: &[&str]) -> (Json, Option<i32>) {
    let Output { status, stdout, stderr } = command(file, arguments).arg("--json").output().unwrap();
    let document = Json::parse(&text(&stdout)).unwrap_or_else(|error| panic!("{error:#}: {}", text(&stderr)));
    (document, status.code())
}

fn number(json: &Json, path: &str) -> usize {
    json.at(path).unwrap().to_string().parse().unwrap()
}

/// The jobs of all answers of a document.
fn jobs(document: &Json) -> Vec<Json> {
    let answers = document.at("answers").unwrap().items().unwrap();
    answers.iter().flat_map(|answer| answer.at("jobs").unwrap().items().unwrap().to_vec()).collect()
}

/// The job of a protocol's claimables.
fn claimables_of(protocol: &str, document: &Json) -> Json {
    let name = |job: &Json, member: &str| job.text_at(member).unwrap().to_owned();
    let is_of = |job: &Json| (name(job, "protocol"), name(job, "question")) == (protocol.into(), "claimables".into());
    jobs(document).into_iter().find(is_of).unwrap_or_else(|| panic!("{document}"))
}

/// A plugin's functions, out of its dylib; it stays loaded.
fn load(dylib: &Path) -> PluginRef {
    lib_header_from_path(dylib).unwrap().init_root_module::<PluginRef>().unwrap()
}

/// Asks with `--record`, and replays each record in this process: it has to find what the gateway's job found. The
/// outcomes by the names of the files.
fn replayed(file: &Path, arguments: &[&str]) -> (Json, BTreeMap<String, Outcome>) {
    let (document, code, outcomes) = replayed_at_all(file, arguments);
    assert_eq!(code, Some(0), "{document}");
    (document, outcomes)
}

/// The same of answers that lack something, with the exit code.
fn replayed_at_all(file: &Path, arguments: &[&str]) -> (Json, Option<i32>, BTreeMap<String, Outcome>) {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("fixtures");
    let (document, code) = answer(file, &[arguments, &["--record", records.to_str().unwrap()]].concat());
    let plugin = load(file);
    let mut outcomes = BTreeMap::new();
    for job in jobs(&document) {
        let path = PathBuf::from(job.text_at("fixture").unwrap());
        let (fixture, expected) = (Fixture::load(&path).unwrap(), Expected::load(&path).unwrap());
        let outcome = fixture.replay_in(plugin, fixture.settings().unwrap()).unwrap();
        assert_eq!(outcome.differences(&expected), [""; 0], "{}", path.display());
        outcomes.insert(path.file_stem().unwrap().to_str().unwrap().to_owned(), outcome);
    }
    assert_eq!(fs::read_dir(&records).unwrap().count(), outcomes.len() * 2, "a record and an expectation of each job");
    (document, code, outcomes)
}

/// The raw amounts of the rows of all answers.
fn amounts(document: &Json) -> Vec<String> {
    let answers = document.at("answers").unwrap().items().unwrap();
    let items = answers.iter().flat_map(|answer| answer.at("body/items").unwrap().items().unwrap());
    let mut amounts: Vec<String> = items.map(|item| item.text_at("amountRaw").unwrap().to_owned()).collect();
    amounts.sort();
    amounts
}

#[test]
fn recorded_jobs_about_an_account_replay_with_what_the_gateway_answered() {
    let chain = Chain::start("optimism-gauges").unwrap();
    let truth = Truth::new("optimism", &chain.expected.to_string()).unwrap();
    let contract = |name: &str| truth.contract(name).unwrap().to_owned();
    let settings = format!(
        "shipped = false\n[[deployment]]\nprotocol = \"velodrome_v2\"\nnetwork = \"optimism\"\n\
         voter = \"{}\"\nescrow = \"{}\"\ndistributor = \"{}\"\n",
        contract("voter"),
        contract("escrow"),
        contract("distributor")
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("libsolidly.so");
    fs::copy(build::built().unwrap().plugin("libsolidly.so"), &file).unwrap();
    fs::write(folder.path().join("solidly.toml"), settings).unwrap();
    let (rpc, farmer) = (format!("optimism={}", chain.url), truth.address("farmer").unwrap());

    let (document, outcomes) = replayed(&file, &["claimables", farmer, "--rpc", &rpc]);
    let outcome = &outcomes["velodrome_v2-optimism-claimables"];
    let mut paid: Vec<String> = outcome.payments().iter().map(|payment| payment.amount.to_string()).collect();
    paid.sort();
    assert!(!paid.is_empty());
    assert_eq!(paid, amounts(&document), "{document}");
    for question in ["farming", "locked"] {
        let (_, outcomes) = replayed(&file, &[question, farmer, "--rpc", &rpc]);
        let outcome = &outcomes[&format!("velodrome_v2-optimism-{question}")];
        assert_eq!(outcome.end, End::Complete, "{question}: {}", outcome.message);
    }
}

/// A plugin that was built once, with findings of every kind; their tokens are of no chain here.
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
#[test]
fn recorded_jobs_of_each_question_about_an_account_replay() {
    const FINDER: &str = "0xacacacacacacacacacacacacacacacacacacacac";
    let chain = Chain::start("polygon").unwrap();
    let file = build::workspace().join("plugin-api/tests/golden/x86_64-unknown-linux-gnu/libevery.so");
    let rpc = format!("polygon={}", chain.url);
    for question in ["claimables", "farming", "lending", "pooling", "locked"] {
        let arguments = [question, FINDER, "--rpc", &rpc, "--protocol", "every"];
        let (document, _, outcomes) = replayed_at_all(&file, &arguments);
        let outcome = &outcomes[&format!("every-polygon-{question}")];
        assert!(outcome.end == End::Complete && !outcome.findings.is_empty(), "{question}: {document}");
    }
}

#[test]
fn a_recorded_job_about_a_transaction_replays() {
    let chain = Chain::start("polygon").unwrap();
    let truth = Truth::new("polygon", &chain.expected.to_string()).unwrap();
    let of_plugin = |event: &Event| event.document(&truth).unwrap().to_string().contains("\"quickswap\"");
    let event = truth.events().unwrap().into_iter().find(of_plugin).unwrap();
    let (plugin, hash) = (build::built().unwrap().plugin("libquickswap.so"), event.transaction(&chain).unwrap());
    let rpc = format!("polygon={}", chain.url);
    let (document, outcomes) = replayed(&plugin, &["events", &hash, "--rpc", &rpc]);
    let kind = event.document(&truth).unwrap().text_at("type").unwrap().to_owned();
    let outcome = &outcomes["quickswap-polygon-events"];
    assert!(outcome.events().iter().any(|event| event.kind == kind), "{kind}: {outcome:?}");
    let answers = document.at("answers").unwrap().items().unwrap();
    assert!(answers[0].text_at("path").unwrap().ends_with("&network=polygon"), "{document}");
}

#[test]
fn a_recorded_job_about_tokens_replays() {
    let chain = Chain::start("shares").unwrap();
    let rows: Vec<&ForkRow> = ROWS.iter().filter(|row| (row.profile, row.protocol) == ("shares", "balancer")).collect();
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("balancer.toml");
    fs::write(&settings, settings_of(&chain, rows.iter().copied()).unwrap()).unwrap();
    let plugin = build::built().unwrap().plugin(&format!("lib{}.so", rows[0].plugin));
    let network = "ethereum";
    let share = chain.expected["shares"]["weightedPool"].as_str().unwrap().to_owned();
    let arguments =
        ["composition", &share, "--rpc", &format!("{network}={}", chain.url), "--settings", settings.to_str().unwrap()];
    let (document, outcomes) = replayed(&plugin, &arguments);
    let [(_, outcome)] = outcomes.iter().collect::<Vec<_>>()[..] else { panic!("{outcomes:?}") };
    let found = outcome.compositions();
    let [row] = document.at("answers").unwrap().items().unwrap()[0].at("body/items").unwrap().items().unwrap() else {
        panic!("{document}")
    };
    assert_eq!((found.len(), row.text_at("token").unwrap()), (1, share.as_str()));
    assert_eq!(row.text_at("supply").unwrap(), found[0].supply.to_string());
    // What was put into the pool, which nobody has traded with: 800 BAL and 20 WETH.
    let mut parts: Vec<String> = found[0].parts.iter().map(|part| part.amount.to_string()).collect();
    parts.sort();
    assert_eq!(parts, ["20000000000000000000", "800000000000000000000"]);
    let shown = row.at("parts").unwrap().items().unwrap().iter();
    let mut shown: Vec<String> = shown.map(|part| part.text_at("amount").unwrap().to_owned()).collect();
    shown.sort();
    assert_eq!(shown, parts);
}

#[test]
fn each_batch_has_its_reads_and_bytes_and_each_refusal_its_sentence() {
    let chain = Chain::start("polygon").unwrap();
    let (plugin, rpc) = (build::built().unwrap().plugin(deeds::DYLIB), format!("polygon={}", chain.url));
    let arguments = ["claimables", ACCOUNT, "--rpc", &rpc, "--protocol", "steady"];
    let (document, _) = answer(&plugin, &arguments);
    let job = claimables_of("steady", &document);
    let batches = job.at("batches").unwrap().items().unwrap();
    // A balance and then a call, three times; a reply of each is one word.
    let read = |batch: &Json| (number(batch, "reads"), number(batch, "bytes"));
    assert_eq!(batches.iter().map(read).collect::<Vec<_>>(), [(1, 32); 6], "{job}");
    let waves = number(&document.at("answers").unwrap().items().unwrap()[0], "body/report/jobs/0/waves");
    assert_eq!(waves, batches.len());
    let shown = text(&command(&plugin, &arguments).output().unwrap().stdout);
    assert!(shown.contains("    batch 6: 1 reads, 32 bytes, "), "{shown}");

    let arguments = ["claimables", ACCOUNT, "--rpc", &rpc, "--protocol", "bad_claims"];
    let (document, code) = answer(&plugin, &arguments);
    let job = claimables_of("bad_claims", &document);
    let refused = job.at("refused").unwrap().items().unwrap();
    // Eight claims break a rule, and one is good.
    assert_eq!((refused.len(), code), (8, Some(1)), "{job}");
    let shown = text(&command(&plugin, &arguments).output().unwrap().stdout);
    assert_eq!(shown.lines().filter(|line| line.starts_with("    refused: ")).count(), 8, "{shown}");
}

#[test]
fn flags_that_say_nothing_about_a_question_are_refused() {
    let plugin = build::built().unwrap().plugin("libquickswap.so");
    let hash = "0x".to_owned() + &"0".repeat(64);
    let cases: [(&[&str], &str); 3] = [
        (&["events", &hash, "--block", "1"], "--block does not go with the question `events`"),
        (&["events", &hash, "--protocol", "quickswap"], "--protocol does not go with the question `events`"),
        (&["composition", "0x12", "--rpc", "polygon=http://127.0.0.1:9"], "the token 0x12 is not 0x and 40 hex digits"),
    ];
    for (arguments, reason) in cases {
        let output =
            command(&plugin, &[arguments, &["--rpc", "ethereum=http://127.0.0.1:9"]].concat()).output().unwrap();
        let line = text(&output.stderr);
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{arguments:?}: {line}");
        assert!(line.contains(reason), "{arguments:?}: {line}");
    }
}

/// `plugin ask --watch` that runs; it ends with this value.
struct Watching {
    child: Child,
    stdout: Arc<Mutex<String>>,
    stderr: Arc<Mutex<String>>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a stream has had so far.
fn collected(mut stream: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let collected = Arc::<Mutex<String>>::default();
    let shared = Arc::clone(&collected);
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            shared.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    });
    collected
}

impl Watching {
    fn start(mut command: Command) -> Self {
        let mut child = command.arg("--watch").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, stderr) = (collected(child.stdout.take().unwrap()), collected(child.stderr.take().unwrap()));
        Self { child, stdout, stderr }
    }

    fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Waits until an answer names this.
    fn answers(&self, what: &str) -> Result<()> {
        wait::until(what, SOON, || {
            let shown = self.stdout.lock().unwrap().clone();
            ensure!(shown.contains(what), "{shown}\n{}", self.stderr());
            Ok::<_, anyhow::Error>(())
        })?;
        Ok(())
    }

    /// Waits until a line of stderr has this.
    fn says(&self, what: &str) -> Result<()> {
        wait::until(what, SOON, || {
            ensure!(self.stderr().contains(what), "{}", self.stderr());
            Ok::<_, anyhow::Error>(())
        })?;
        Ok(())
    }

    /// Sends SIGINT, as Ctrl-C does; the exit code.
    fn interrupted(mut self) -> Option<i32> {
        let id = rustix::process::Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        let (status, _) =
            wait::until("the end", SOON, || self.child.try_wait()?.ok_or_else(|| anyhow::anyhow!("runs"))).unwrap();
        status.code()
    }
}

#[test]
fn a_watched_plugin_is_asked_at_each_build_and_each_change_of_its_settings() {
    let chain = Chain::start("polygon").unwrap();
    let dylib = Dylib::read(&build::built().unwrap().plugin(deeds::DYLIB)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(deeds::DYLIB);
    let rpc = format!("polygon={}", chain.url);
    let arguments = ["claimables", ACCOUNT, "--rpc", &rpc, "--protocol", "steady"];
    let watching = Watching::start(command(&file, &arguments));
    watching.says(" is not there; waiting for it").unwrap();
    fs::write(&file, dylib.as_build(200).unwrap()).unwrap();
    watching.answers("hello from build 1.0.200").unwrap();
    // A file that grows, as a linker writes it, is tried when it is whole.
    let (first, rest) = dylib.bytes().split_at(dylib.bytes().len() / 2);
    let mut written = fs::File::create(&file).unwrap();
    for part in first.chunks(1 << 18).chain(rest.chunks(1 << 20)) {
        written.write_all(part).unwrap();
        written.sync_data().unwrap();
    }
    drop(written);
    watching.answers("hello from build 1.0.100").unwrap();
    assert!(!watching.stderr().contains("is refused"), "{}", watching.stderr());
    fs::write(folder.path().join("portolan-hostile.toml"), settings("welcome")).unwrap();
    watching.answers("welcome from build 1.0.100").unwrap();
    // A build that is refused is said once, and the next one is tried.
    fs::write(&file, "no dylib").unwrap();
    watching.says("is refused: ").unwrap();
    watching.says("; waiting for the next build").unwrap();
    fs::write(&file, dylib.as_build(300).unwrap()).unwrap();
    watching.answers("welcome from build 1.0.300").unwrap();
    assert_eq!(watching.stderr().matches("is refused: ").count(), 1, "{}", watching.stderr());
    // Nobody is paid by these claims.
    assert_eq!(watching.interrupted(), Some(1));
}

#[test]
fn the_exit_code_of_a_watch_is_that_of_its_last_answer() {
    let chain = Chain::start("polygon").unwrap();
    let (plugin, rpc) = (build::built().unwrap().plugin(deeds::DYLIB), format!("polygon={}", chain.url));
    let watching = Watching::start(command(&plugin, &["farming", ACCOUNT, "--rpc", &rpc, "--protocol", "steady"]));
    watching.answers("\n0 rows\n").unwrap();
    assert_eq!(watching.interrupted(), Some(0));
}

/// A settings file by which `steady` greets otherwise.
fn settings(greeting: &str) -> String {
    format!("[[deployment]]\nprotocol = \"steady\"\nnetwork = \"polygon\"\ngreeting = \"{greeting}\"\n")
}
