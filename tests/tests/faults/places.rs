//! The places where an author sees a fault: the test of a plugin, `portolan plugin ask`, and a gateway.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use portolan_faults::{BATCHES, FARM, Faults, NOWHERE, SOUND, TOKEN, earnedCall};
use portolan_plugin_api::networks::POLYGON;
use portolan_plugin_api::testing::map::SettingsRow;
use portolan_plugin_api::testing::{CannedReplies, JobTest, ReadRequest, Replies as _};
use portolan_plugin_api::{Address, Protocol, Question, Settings, U256, address};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::wait;

use crate::table::{AuthorFault, FAULTS, FaultKind};

/// It earned one smallest unit of the token.
const ACCOUNT: Address = address!("0x15d34aaf54267db7d7c367839aaf71a00a2c6a65");
const PLUGIN: &str = "portolan-faults";
/// A plugin, and a protocol that it serves.
const OTHER: (&str, &str) = ("libquickswap.so", "quickswap");
/// For a gateway to judge the files of its folder.
const JUDGED_WITHIN: Duration = Duration::from_secs(30);

/// Returns what a test of the plugin fails with, or the message of the job; empty if it is complete.
pub(crate) fn job_test(fault: &str) -> String {
    let row = |protocol: &str| SettingsRow {
        protocol: protocol.to_owned(),
        chain_id: POLYGON,
        market: "main".to_owned(),
        keys: Vec::new(),
    };
    let protocol = Protocol::new(fault, "FAULTY", "https://faulty.example", &["FARMING"]);
    let settings = Settings::from_rows(true, vec![protocol], vec![row(fault)]);
    let replies = CannedReplies::default().reply(POLYGON, FARM, &earnedCall { account: ACCOUNT }, &U256::ONE);
    let others = (1..=BATCHES).map(|number| Address::left_padding_from(&number.to_be_bytes()));
    let replies = others.fold(replies, |replies, other| replies.balance(POLYGON, other, U256::ZERO));
    let network = if fault == "unknown_network" { NOWHERE } else { POLYGON };
    let test = JobTest::new(fault, network, Question::CLAIMABLES, ACCOUNT).settings(settings).token(TOKEN, 18);
    // Once: the faults are there whatever contracts reply.
    let run = || test.run::<Faults>(|request: &ReadRequest| (&mut &replies).reply(request)).message;
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let text = payload.downcast::<String>().map(|text| *text);
        text.unwrap_or_else(|payload| payload.downcast_ref::<&str>().map_or_else(String::new, ToString::to_string))
    })
}

/// The sentence of a line, without what stands before it in the lines of a command.
pub(crate) fn sentence(line: &str) -> &str {
    let ends = [".toml: ", " is refused: ", " ms: ", " failed: ", "portolan: "];
    let line = ends.iter().find_map(|end| line.split_once(end)).map_or(line, |(_, rest)| rest).trim();
    // A reason, as `portolan-partial` has it.
    let is_reason = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    line.split_once(": ").filter(|(word, _)| is_reason(word)).map_or(line, |(_, rest)| rest)
}

/// A settings file with these protocols.
fn settings<'a>(protocols: impl IntoIterator<Item = &'a str>) -> String {
    let rows = protocols.into_iter().map(|slug| {
        format!(
            "[[protocol]]\nslug = \"{slug}\"\nname = \"FAULTY\"\nwebsite = \"https://faulty.example\"\n\
             primitives = [\"FARMING\"]\ncompany = {{ name = \"Faulty\", slug = \"faulty\" }}\n\n[[deployment]]\nprotocol = \"{slug}\"\nnetwork = \"polygon\"\n\n"
        )
    });
    rows.collect()
}

/// Protocols whose faults are their own.
fn protocols() -> impl Iterator<Item = &'static str> {
    FAULTS.iter().filter(|fault| fault.kind == FaultKind::Protocol).map(|fault| fault.name).chain([SOUND])
}

/// The dylib with the fault of a file, and otherwise as it was built.
fn dylib(fault: &str) -> Result<Vec<u8>> {
    let mut bytes = fs::read(build::built()?.plugin("libportolan_faults.so"))?;
    match fault {
        // The machine of the ELF header: one that this host is not.
        "wrong_architecture" => bytes[18] = if bytes[18] == 0xb7 { 0x3e } else { 0xb7 },
        "musl" => replace(&mut bytes, b"libc.so.6", b"libc.so\0\0")?,
        "newer_glibc" => {
            let mut versions = bytes.windows(10).filter(|text| text.starts_with(b"GLIBC_2.") && text[8..].is_ascii());
            let is_number = |text: &&[u8]| text[8..].iter().all(u8::is_ascii_digit);
            let version = versions.find(is_number).context("it needs no version of glibc")?.to_vec();
            replace(&mut bytes, &version, b"GLIBC_2.99")?;
        }
        _ => {}
    }
    Ok(bytes)
}

/// Replaces a text by one of its length, wherever it stands.
fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) -> Result<()> {
    let places: Vec<usize> = (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    ensure!(!places.is_empty() && from.len() == to.len(), "{} cannot be replaced", from.escape_ascii());
    places.into_iter().for_each(|at| bytes[at..][..to.len()].copy_from_slice(to));
    Ok(())
}

/// The chain of the plugin's contracts, and another.
struct Chains(Chain, Chain);

impl Chains {
    fn start() -> Result<Self> {
        Ok(Self(Chain::start("polygon")?, Chain::start("optimism")?))
    }

    fn endpoints(&self) -> [(&'static str, &str); 2] {
        [("polygon", &self.0.url), ("optimism", &self.1.url)]
    }
}

/// `portolan plugin ask`.
pub(crate) struct DryRun(Chains);

impl DryRun {
    pub(crate) fn start() -> Result<Self> {
        Chains::start().map(Self)
    }

    /// What it prints of a fault.
    pub(crate) fn run(&self, fault: &AuthorFault) -> Result<String> {
        match fault.kind {
            FaultKind::Protocol => self.protocol(fault.name),
            FaultKind::Plugin => self.printed(&dylib(fault.name)?, &settings([fault.name]), &[]),
            FaultKind::File | FaultKind::Neighbour => self.printed(&dylib(fault.name)?, &settings([SOUND]), &[]),
        }
    }

    /// What it prints of a protocol.
    pub(crate) fn protocol(&self, slug: &str) -> Result<String> {
        self.printed(&dylib(slug)?, &settings(protocols()), &["--protocol", slug])
    }

    fn printed(&self, dylib: &[u8], settings: &str, arguments: &[&str]) -> Result<String> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("libportolan_faults.so");
        fs::write(&file, dylib)?;
        fs::write(folder.path().join(format!("{PLUGIN}.toml")), settings)?;
        let mut command = Command::new(build::built()?.host());
        command.args(["plugin", "ask"]).arg(&file).args(["claimables", &format!("{ACCOUNT:#x}")]).args(arguments);
        for (network, url) in self.0.endpoints() {
            command.arg("--rpc").arg(format!("{network}={url}"));
        }
        let output = command.env_clear().output()?;
        Ok(String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?)
    }
}

/// One gateway with the faults of protocols, and one with the plugins and files that are refused.
pub(crate) struct FaultyGateways {
    of_protocols: Gateway,
    of_files: Gateway,
    _chains: Chains,
}

impl FaultyGateways {
    pub(crate) fn start() -> Result<Self> {
        let chains = Chains::start()?;
        let setup = || {
            let [polygon, optimism] = chains.endpoints();
            Setup::default().rpc(polygon.0, polygon.1).rpc(optimism.0, optimism.1)
        };
        let built = build::built()?;
        let of_protocols = setup()
            .plugin(&built.plugin("libportolan_faults.so"), &[SOUND])
            .settings(PLUGIN, &settings(protocols()))
            .start()?;
        let of_files = setup().plugin(&built.plugin(OTHER.0), &[OTHER.1]).start()?;
        for fault in FAULTS.iter().filter(|fault| fault.kind != FaultKind::Protocol) {
            let mut bytes = dylib(fault.name)?;
            let (name, slug) = match fault.kind {
                FaultKind::Neighbour => (own_name(fault), OTHER.1),
                _ => (own_name(fault), fault.name),
            };
            replace(&mut bytes, PLUGIN.as_bytes(), name.as_bytes())?;
            of_files.drop_in(&format!("{name}.toml"), settings([slug]).as_bytes())?;
            of_files.drop_in(&file(fault), &bytes)?;
        }
        Ok(Self { of_protocols, of_files, _chains: chains })
    }

    /// What operators read of a fault: in the plugin's row of `/plugins`, and in the log.
    pub(crate) fn said(&self, fault: &AuthorFault) -> Result<String> {
        match fault.kind {
            FaultKind::Protocol if fault.name == "unknown_network" => Ok(message(&self.of_protocols.log(), "left out")),
            FaultKind::Protocol => self.failures(fault.name),
            FaultKind::Plugin | FaultKind::File | FaultKind::Neighbour => self.refusal(Path::new(&file(fault))),
        }
    }

    /// The failures of a protocol, after a question.
    pub(crate) fn failures(&self, slug: &str) -> Result<String> {
        self.of_protocols.get(&format!("/{slug}/{ACCOUNT:#x}/claimables?simulate=true"))?;
        let mut said = String::new();
        for row in self.of_protocols.plugins()? {
            for failure in row.at("failures")?.items()? {
                if failure.text_at("protocol")? == slug {
                    said.push_str(failure.text_at("message")?);
                    said.push('\n');
                }
            }
        }
        Ok(said)
    }

    /// Why a file is refused.
    fn refusal(&self, file: &Path) -> Result<String> {
        let (reason, _) = wait::until("the refusal", JUDGED_WITHIN, || {
            let rows = self.of_files.plugins()?;
            let row = rows.iter().find(|row| row.text_at("file").is_ok_and(|name| Path::new(name).ends_with(file)));
            let reason = row.and_then(|row| row.text_at("reason").ok()).map(str::to_owned);
            reason.ok_or_else(|| anyhow!("{} is not refused: {rows:?}", file.display()))
        })?;
        Ok(reason)
    }
}

/// The name of a copy of the plugin, as long as its own.
fn own_name(fault: &AuthorFault) -> String {
    let name: String = fault.name.replace('_', "-").chars().take(PLUGIN.len()).collect();
    format!("{name:x<0$}", PLUGIN.len())
}

fn file(fault: &AuthorFault) -> String {
    PathBuf::from(format!("lib{}.so", fault.name)).display().to_string()
}

/// The message of the last line of a log that has these words, with its fields but the plugin.
fn message(log: &str, words: &str) -> String {
    let line = log.lines().rfind(|line| line.contains(words)).unwrap_or_default();
    let message = line.split_once(": ").map_or(line, |(_, message)| message);
    message.replace(&format!(" plugin={PLUGIN:?}"), "").replace(&format!(" plugin={PLUGIN}"), "")
}
