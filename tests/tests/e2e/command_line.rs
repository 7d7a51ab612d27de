//! The commands that request an answer: their output against the gateway's bodies and the arithmetic of the chains'
//! build, with a server and without one, in pipes and on a terminal.

mod terminal;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use bigdecimal::BigDecimal;
use portolan_tests::build;
use portolan_tests::gateway::Gateway;
use portolan_tests::json::Json;
use portolan_tests::protocol::Question;
use portolan_tests::truth::{ACCOUNTS, Call};
use portolan_tests::wait;
use portolan_tests::world::{Shared, World};

use self::terminal::on_terminal;

const NETWORK: &str = "polygon";
/// For what a command does, on a busy machine too.
const SOON: Duration = Duration::from_secs(60);

struct Fixture {
    gateway: Gateway,
    world: World,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    let start = || -> Result<Fixture> {
        let world = World::of(&[NETWORK])?;
        Ok(Fixture { gateway: world.setup()?.start()?, world })
    };
    FIXTURE.get(start).unwrap()
}

impl Fixture {
    fn account(&self, who: &str) -> &str {
        self.world.address(who).unwrap()
    }

    /// A command that the gateway answers.
    fn command(&self, line: &str) -> Command {
        let mut command = portolan(line);
        command.arg("--url").arg(format!("http://{}", self.gateway.base));
        command
    }

    /// A command that answers without a server, with the gateway's configuration, plugins and chain.
    fn alone(&self, line: &str) -> Command {
        let (plugins, (chain, _)) = (self.gateway.plugins_dir(), self.world.chain(NETWORK).unwrap());
        let mut command = portolan(line);
        command.arg("--config").arg(plugins.with_file_name("portolan.toml")).arg("--plugins").arg(plugins);
        command.arg("--rpc").arg(format!("{NETWORK}={}", chain.url));
        command
    }

    /// Accounts of whose claimables something is missing, or nothing is.
    fn accounts(&self, is_partial: bool) -> Vec<&'static str> {
        let has_missing = |who: &&&str| self.world.partial(who, Question::Claimables, None).unwrap().is_some();
        ACCOUNTS.iter().filter(|who| has_missing(who) == is_partial).copied().collect()
    }

    /// The amounts and the tokens' symbols of an account's claimables.
    fn claimables(&self, who: &str) -> BTreeMap<(String, BigDecimal), usize> {
        let rows = self.world.claimables(who, None, Call::Aggregate).unwrap();
        counted(
            rows.iter().map(|row| (row.text_at("token/symbol").unwrap().to_owned(), row.number_at("amount").unwrap())),
        )
    }
}

fn counted(rows: impl Iterator<Item = (String, BigDecimal)>) -> BTreeMap<(String, BigDecimal), usize> {
    let mut counts = BTreeMap::new();
    rows.for_each(|(token, amount)| *counts.entry((token, amount.normalized())).or_insert(0) += 1);
    counts
}

/// The program with the words of a line, and an empty environment.
fn portolan(line: &str) -> Command {
    let mut command = Command::new(build::built().unwrap().host());
    command.args(line.split_whitespace()).env_clear().stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The output of a command that ends with this code.
#[track_caller]
fn ended(command: &mut Command, code: i32) -> (String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let (stdout, stderr) = (text(&stdout), text(&stderr));
    assert_eq!(status.code(), Some(code), "{command:?}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

/// The rows of CSV by their heads.
fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let row = |record: csv::StringRecord| {
        heads.iter().map(str::to_owned).zip(record.iter().map(str::to_owned)).collect::<BTreeMap<_, _>>()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

#[test]
fn json_in_a_pipe_is_the_body_of_the_gateway() {
    let fixture = fixture();
    let who = fixture.accounts(false)[0];
    let account = fixture.account(who);
    let balances = |kind: &str| {
        let path = format!("/balance/{account}/{kind}?network={NETWORK}");
        fixture.gateway.get(&path).unwrap().body
    };
    let cases = [
        (format!("claimables {account}"), format!("/claimables/{account}")),
        (
            format!("claimables {account} --protocol quickswap --simulate=false"),
            format!("/claimables/{account}?include=quickswap&simulate=false"),
        ),
        (format!("claimables {account} --amounts=string"), format!("/claimables/{account}?amounts=string")),
        (
            format!("positions {account} --kind staked --network {NETWORK}"),
            format!("/positions/{account}?kind=staked&network={NETWORK}"),
        ),
        (format!("plan {account} --network {NETWORK}"), format!("/{account}/claim-plan?network={NETWORK}")),
        ("networks".into(), "/networks".into()),
        ("protocols".into(), "/protocols".into()),
        ("coverage".into(), "/protocols/coverage".into()),
    ];
    for (line, path) in cases {
        let body = fixture.gateway.get(&path).unwrap().body;
        assert!(body.len() > 2, "{path} has nothing: {body}");
        let (stdout, stderr) = ended(&mut fixture.command(&line), 0);
        assert_eq!((stdout, stderr), (format!("{body}\n"), String::new()), "{line}");
    }
    let (stdout, _) = ended(&mut fixture.command(&format!("balances {account} --network {NETWORK}")), 0);
    let [native, tokens] = ["native-balance", "token-balances"].map(balances);
    assert_eq!(stdout, format!("{{\"native\":{native},\"tokens\":{tokens}}}\n"));
}

#[test]
fn csv_has_the_amounts_of_the_arithmetic() {
    let fixture = fixture();
    let mut found = 0;
    for who in fixture.accounts(false) {
        let line = format!("claimables {} --csv", fixture.account(who));
        let (stdout, _) = ended(&mut fixture.command(&line), 0);
        let exported = rows(&stdout);
        found += exported.len();
        let amount = |row: BTreeMap<String, String>| (row["token"].clone(), row["amount"].parse().unwrap());
        assert_eq!(counted(exported.into_iter().map(amount)), fixture.claimables(who), "{who}");
    }
    assert!(found > 0, "nobody has a claimable");
}

#[test]
fn several_accounts_are_answered_together_with_a_column_for_them() {
    let fixture = fixture();
    let accounts: Vec<&str> = fixture.accounts(false).iter().map(|who| fixture.account(who)).collect();
    let body = fixture.gateway.get(&format!("/claimables?accounts={}", accounts.join(","))).unwrap().body;
    let line = format!("claimables {}", accounts.join(" "));
    assert_eq!(ended(&mut fixture.command(&line), 0).0, format!("{body}\n"));
    let exported = rows(&ended(fixture.command(&line).arg("--csv"), 0).0);
    for who in fixture.accounts(false) {
        let own = exported.iter().filter(|row| row["account"] == fixture.account(who));
        let amounts = own.map(|row| (row["token"].clone(), row["amount"].parse().unwrap()));
        assert_eq!(counted(amounts), fixture.claimables(who), "{who}");
    }
}

#[test]
fn a_partial_answer_names_what_is_missing_and_ends_with_3() {
    let fixture = fixture();
    let who = fixture.accounts(true)[0];
    let partial = fixture.world.partial(who, Question::Claimables, None).unwrap().unwrap();
    let (stdout, stderr) = ended(&mut fixture.command(&format!("claimables {}", fixture.account(who))), 3);
    Json::parse(&stdout).unwrap().items().unwrap();
    let expected: Vec<String> = partial
        .split(", ")
        .map(|member| {
            let (place, reason) = member.split_once(";reason=").unwrap();
            let (protocol, network) = place.split_once('/').unwrap();
            format!("portolan: missing: {protocol} on {network}: {reason}")
        })
        .collect();
    assert_eq!(stderr.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn exit_codes_say_why_there_is_no_answer() {
    let fixture = fixture();
    let account = fixture.account("farmer");
    let hash = format!("0x{}", "ab".repeat(32));
    let cases = [
        (2, "claimables 0x12".to_owned(), "Invalid address"),
        (2, format!("claimables {account} --network atlantis"), "Invalid network"),
        (2, format!("claimables {account} --include nowhere"), "nowhere is not a protocol"),
        (2, format!("plan {account}"), "Invalid network"),
        (2, format!("claimables {account} --frob"), "--frob"),
        (2, "claimables".to_owned(), "ACCOUNT"),
        (1, format!("events {hash} --network {NETWORK}"), "Transaction not found"),
        (4, format!("balances {account} --network ethereum"), "Network not configured"),
    ];
    for (code, line, reason) in cases {
        let (stdout, stderr) = ended(&mut fixture.command(&line), code);
        assert!(stdout.is_empty() && stderr.lines().count() == 1 && stderr.contains(reason), "{line}: {stderr}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{nobody}");
    let (_, stderr) = ended(portolan("networks").env("PORTOLAN_URL", &url), 4);
    assert!(stderr.starts_with(&format!("portolan: no gateway at {url}: ")) && stderr.contains("--rpc"), "{stderr}");
    let (_, stderr) = ended(portolan("networks").args(["--url", "ftp://x"]), 2);
    assert!(stderr.contains("--url"), "{stderr}");
    let (_, stderr) = ended(fixture.command("networks").args(["--plugins", "x"]), 2);
    assert!(stderr.contains("--plugins"), "{stderr}");
}

#[test]
fn without_a_server_the_documents_are_the_same() {
    let fixture = fixture();
    let account = fixture.account("farmer");
    let number = fixture.world.chain(NETWORK).unwrap().1.block("number").unwrap().to_string();
    let cases = [
        ("claimables", format!("/claimables/{account}?block={number}")),
        ("positions", format!("/positions/{account}?block={number}")),
    ];
    for (name, path) in cases {
        let server = fixture.gateway.get(&path).unwrap();
        let code = if server.header("portolan-partial").is_some() { 3 } else { 0 };
        let (stdout, stderr) = ended(&mut fixture.alone(&format!("{name} {account} --block {number}")), code);
        assert_eq!(stdout, format!("{}\n", server.body), "{name}");
        assert!(stderr.contains("without a server: 3 plugins, endpoints of polygon"), "{stderr}");
    }
}

#[test]
fn without_plugins_nobody_is_said_to_have_nothing() {
    let fixture = fixture();
    let (chain, _) = fixture.world.chain(NETWORK).unwrap();
    let home = tempfile::tempdir().unwrap();
    let account = fixture.account("farmer");
    let alone = |line: String| {
        let mut command = portolan(&line);
        command.env("HOME", home.path()).arg("--rpc").arg(format!("{NETWORK}={}", chain.url));
        command
    };
    let (stdout, stderr) = ended(&mut alone(format!("claimables {account}")), 2);
    assert!(stdout.is_empty() && stderr.contains("--plugins"), "{stderr}");
    let (stdout, _) = ended(&mut alone(format!("balances {account} --network {NETWORK}")), 0);
    let server = fixture.gateway.get(&format!("/balance/{account}/native-balance?network={NETWORK}")).unwrap();
    let amount = |document: &Json, path: &str| document.number_at(path).unwrap();
    assert_eq!(amount(&Json::parse(&stdout).unwrap(), "native/amount"), amount(&server.json().unwrap(), "amount"));
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "it leaves something behind");
}

#[test]
fn a_terminal_gets_a_table_in_its_width_and_stderr_the_blocks() {
    let fixture = fixture();
    let who = fixture.accounts(false).into_iter().find(|who| !fixture.claimables(who).is_empty()).unwrap();
    let line = format!("claimables {}", fixture.account(who));
    let (wide, stderr) = on_terminal(&mut fixture.command(&line), 200).unwrap();
    let lines: Vec<&str> = wide.lines().collect();
    assert!(lines[0].starts_with("\u{1b}[1mprotocol  ") && lines[0].contains("  amount  "), "{wide:?}");
    let expected = fixture.claimables(who);
    assert_eq!(lines.len() - 1, expected.values().sum::<usize>(), "{wide}");
    for (token, amount) in expected.keys() {
        let cells = |line: &&&str| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            cells
                .windows(2)
                .any(|pair| pair[1] == token && pair[0].parse::<BigDecimal>().is_ok_and(|own| own == *amount))
        };
        assert!(lines.iter().any(|line| cells(&line)), "{amount} {token} is not in {wide}");
    }
    let pin = fixture.world.chain(NETWORK).unwrap().1.pin().unwrap();
    assert!(stderr.contains(&format!("portolan: blocks {pin}")), "{stderr:?}");
    let (narrow, _) = on_terminal(fixture.command(&line).args(["--color", "never"]), 90).unwrap();
    assert!(!narrow.contains('\u{1b}') && narrow.lines().count() > lines.len(), "{narrow}");
    assert!(narrow.lines().all(|line| line.chars().count() <= 90), "{narrow}");
    let (json, _) = on_terminal(fixture.command(&line).arg("--json"), 200).unwrap();
    assert!(json.starts_with("[{"), "{json}");
}

#[test]
fn a_reader_that_closes_the_pipe_ends_the_command_without_a_word() {
    let fixture = fixture();
    for flags in ["", "--watch"] {
        let mut command = fixture.command(&format!("coverage {flags}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let (status, _) = wait::until("the end", SOON, || child.try_wait().ok().flatten().context("it runs")).unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{flags}");
    }
}

#[test]
fn a_watch_prints_again_when_the_answer_changes_and_ends_at_sigint() {
    let world = World::of(&[NETWORK]).unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let (chain, _) = world.chain(NETWORK).unwrap();
    let account = world.address("farmer").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answers");
    let mut command = portolan(&format!("balances {account} --network {NETWORK} --watch"));
    command.arg("--url").arg(format!("http://{}", gateway.base)).stderr(Stdio::null());
    let mut child = command.stdout(std::fs::File::create(&file).unwrap()).spawn().unwrap();
    let printed = |count: usize| -> Result<Vec<BigDecimal>> {
        let text = std::fs::read_to_string(&file)?;
        ensure!(text.lines().count() >= count && text.ends_with('\n'), "{text}");
        text.lines().map(|line| Json::parse(line)?.number_at("native/amount")).collect()
    };
    let (first, _) = wait::until("the first answer", SOON, || printed(1)).unwrap();
    let wei = BigDecimal::new(1.into(), 18);
    let doubled = (&first[0] + &wei) * BigDecimal::new(10_u64.pow(18).into(), 0);
    let (raw, _) = doubled.with_scale(0).as_bigint_and_exponent();
    chain.rpc("anvil_setBalance", serde_json::json!([account, format!("{raw:#x}")])).unwrap();
    chain.rpc("evm_mine", serde_json::json!([])).unwrap();
    let (both, _) = wait::until("the second answer", SOON, || printed(2)).unwrap();
    assert_eq!(both, [first[0].clone(), &first[0] + &wei]);
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let (status, _) = wait::until("the end", SOON, || child.try_wait().ok().flatten().context("it runs")).unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_watch_of_claimables_waits_for_what_the_gateway_says_with_a_server_and_without_one() {
    for is_alone in [false, true] {
        let world = World::of(&[NETWORK]).unwrap();
        let fixture = Fixture { gateway: world.setup().unwrap().start().unwrap(), world };
        let (chain, _) = fixture.world.chain(NETWORK).unwrap();
        let line = format!("claimables {} --network {NETWORK} --watch", fixture.account("exited"));
        let mut command = if is_alone { fixture.alone(&line) } else { fixture.command(&line) };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answers");
        let mut child = command.stderr(Stdio::null()).stdout(std::fs::File::create(&file).unwrap()).spawn().unwrap();
        let printed = |count: usize| -> Result<Vec<Json>> {
            let text = std::fs::read_to_string(&file)?;
            ensure!(text.lines().count() >= count && text.ends_with('\n'), "{text}");
            text.lines().map(Json::parse).collect()
        };
        let (first, _) = wait::until("the first answer", SOON, || printed(1)).unwrap();
        let claim = &first[0].items().unwrap()[0];
        let text = |member: &str| claim.text_at(&format!("claimTransaction/{member}")).unwrap();
        let transaction = serde_json::json!({"from": text("from"), "to": text("to"), "data": text("data")});
        assert_eq!(chain.send(&transaction).unwrap()["status"], "0x1");
        let id = claim.text_at("id").unwrap();
        let is_paid = || {
            let answers = printed(2)?;
            let last = answers.last().context("no answer")?.items()?;
            ensure!(last.iter().all(|row| row.text_at("id").is_ok_and(|own| own != id)), "{id} is still there");
            Ok(())
        };
        wait::until("an answer without the claim", SOON, is_paid).unwrap();
        if !is_alone {
            let figures = fixture.gateway.operate("/metrics").unwrap().body;
            let watch = r#"portolan_http_requests_total{listener="base",route="watch",status="200"} 1"#;
            assert!(figures.contains(watch), "{figures}");
        }
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        let (status, _) = wait::until("the end", SOON, || child.try_wait().ok().flatten().context("it runs")).unwrap();
        assert_eq!(status.code(), Some(0), "alone: {is_alone}");
    }
}
