//! `portolan plugin check`: loads one plugin as the gateway would, and checks its deployments against the chains.
//!
//! Invariant: it serves nothing and leaves nothing behind; the folders of plugins and state are temporary.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use alloy::primitives::{Address, address};
use portolan_plugins::{Capabilities, PluginStatus, Registry, signature_files};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::address;
use crate::cli::{CheckFlags, Flags};
use crate::config::{Config, ConfigError, Environment};
use crate::gateway::{CheckedAddress, DeploymentCheck, Gateway, StartError};
use crate::jobs::failure::Reason;

/// Account to read if none is named: many tokens are burnt by sending them there.
const ACCOUNT: Address = address!("000000000000000000000000000000000000dead");
/// Time to read, probe and load the files of a folder; only a very busy machine takes longer.
pub(crate) const LOAD_TIME: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

/// Reason why a check has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    #[error("{0}: {1}")]
    File(String, io::Error),
    #[error("--account: {0}")]
    Account(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot start: {0}")]
    Start(#[from] StartError),
    #[error("no temporary folder: {0}")]
    Folder(io::Error),
    #[error("{file} is refused: {reason}")]
    Refused { file: String, reason: String },
}

impl CheckError {
    /// Returns true if the command line or a file that it names is wrong.
    pub(crate) fn is_misuse(&self) -> bool {
        matches!(self, Self::File(..) | Self::Account(_) | Self::Config(_))
    }
}

/// Runs the check; returns the text for stdout, and true if all is sound.
pub(crate) async fn run(flags: &CheckFlags, environment: &Environment) -> Result<(String, bool), CheckError> {
    let account = flags.account.as_deref().map_or(Ok(ACCOUNT), |text| {
        address::parse(text).map_err(|error| CheckError::Account(format!("{text} {error}")))
    })?;
    let folder = tempfile::tempdir().map_err(CheckError::Folder)?;
    let [plugins, state] = ["plugins", "state"].map(|name| folder.path().join(name));
    fs::create_dir(&plugins).map_err(CheckError::Folder)?;
    let signature = signature_files(&flags.file).into_iter().filter(|file| file.exists()).collect::<Vec<_>>();
    for file in [Some(&flags.file), flags.settings.as_ref()].into_iter().flatten().chain(&signature) {
        let copied = file
            .file_name()
            .map_or_else(|| Err(io::ErrorKind::InvalidInput.into()), |name| copy(file, &plugins.join(name)));
        copied.map_err(|error| CheckError::File(file.display().to_string(), error))?;
    }
    let text = |path: &Path| Some(path.display().to_string());
    let serve = Flags {
        config: flags.config.clone(),
        plugins: text(&plugins),
        state: text(&state),
        rpc: flags.rpc.clone(),
        ..Flags::default()
    };
    let mut config = Config::load(&serve, environment)?;
    config.gateway.token_lists.locations.clear();
    let gateway = Gateway::start(&config.gateway).await?;
    let registry = &gateway.admin().registry;
    loaded(registry).await?;
    let capabilities: Vec<Capabilities> = registry.status().into_iter().map(|row| row.capabilities).collect();
    let check = gateway.check_deployments(account).await;
    let shown = if flags.json {
        format!("{}\n", document(&check, &capabilities))
    } else {
        listed(&capabilities) + &table(&check)
    };
    Ok((shown, check.is_sound()))
}

/// Copies a file, so that the copy belongs to this user alone, whoever may write the original.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::write(to, fs::read(from)?)
}

/// Waits until all files of the folder are loaded.
async fn loaded(registry: &Registry) -> Result<(), CheckError> {
    let is_loaded = holds_within(LOAD_TIME, || registry.first_scan_done()).await;
    let refusal = |row: PluginStatus| {
        let reason = row.reason?;
        Some(CheckError::Refused { file: row.file, reason })
    };
    let refused = registry.status().into_iter().find_map(refusal);
    let late = || CheckError::Refused { file: "it".into(), reason: format!("it was not loaded in {LOAD_TIME:?}") };
    refused.or_else(|| (!is_loaded).then(late)).map_or(Ok(()), Err)
}

/// Waits until a condition holds; returns false if it does not within `time`.
pub(crate) async fn holds_within(time: Duration, is_so: impl Fn() -> bool) -> bool {
    let until = Instant::now() + time;
    while !is_so() {
        if Instant::now() >= until {
            return false;
        }
        tokio::time::sleep(POLL).await;
    }
    true
}

/// Formats a line for each kind of capability: all that the plugin may do once it is served.
fn listed(capabilities: &[Capabilities]) -> String {
    let lines = capabilities.iter().flat_map(Capabilities::lines);
    lines.map(|(kind, names)| format!("it {kind}: {}\n", names.join(", "))).collect()
}

/// Formats a line per address, one per question, and the sums.
fn table(check: &DeploymentCheck) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        // Writing into a String does not fail.
        let _ = writeln!(text, "{words}");
    };
    for row in &check.addresses {
        let CheckedAddress { protocol, network, market, address, .. } = row;
        line(format_args!("{:<12} {protocol} {market} {address:#x} {}", network.slug, words(row)));
    }
    for job in &check.jobs {
        let (network, protocol) = (&job.report.network.slug, &job.report.subject);
        let words = job.report.words();
        let why = if words.is_empty() { String::new() } else { format!(": {words}") };
        let (status, reads) = (job.report.status.as_str(), job.report.stats.reads);
        line(format_args!("{network:<12} {protocol} {} {status}, {reads} reads{why}", job.question));
    }
    let sound = check.addresses.iter().filter(|row| row.is_sound()).count();
    let answering = check.addresses.iter().filter(|row| row.answered.is_some()).count();
    line(format_args!(
        "{} addresses: {sound} have code, {answering} answered; {} questions: {} complete",
        check.addresses.len(),
        check.jobs.len(),
        check.jobs.iter().filter(|job| job.is_complete()).count()
    ));
    if !check.not_checked.is_empty() {
        line(format_args!("not checked, as --rpc names no endpoint: {}", check.not_checked.join(", ")));
    }
    text
}

fn words(row: &CheckedAddress) -> String {
    let code = match &row.code {
        Ok(bytes) if bytes.is_zero() => return "NO CODE".to_owned(),
        Ok(bytes) => format!("{bytes} bytes of code"),
        Err(failure) => return format!("not read: {failure}"),
    };
    match &row.answered {
        Some(Some(function)) => format!("{code}, answered {function}"),
        Some(None) => format!("{code}, answered"),
        None => format!("{code}, was not asked"),
    }
}

fn document(check: &DeploymentCheck, capabilities: &[Capabilities]) -> Value {
    let address = |row: &CheckedAddress| {
        json!({
            "protocol": row.protocol,
            "network": row.network.slug,
            "market": row.market,
            "address": format!("{:#x}", row.address),
            "codeBytes": row.code.as_ref().ok().map(|bytes| bytes.saturating_to::<u64>()),
            "failure": row.code.as_ref().err(),
            "answered": row.answered.is_some(),
            "function": row.answered.as_ref().and_then(Option::as_deref),
        })
    };
    let jobs = check.jobs.iter().map(|job| {
        json!({
            "protocol": job.report.subject,
            "network": job.report.network.slug,
            "question": job.question,
            "status": job.report.status,
            "reason": job.report.reasons().next().map(Reason::as_str),
            "detail": job.report.words(),
            "reads": job.report.stats.reads,
        })
    });
    json!({
        "sound": check.is_sound(),
        "capabilities": capabilities.first(),
        "addresses": check.addresses.iter().map(address).collect::<Vec<_>>(),
        "jobs": jobs.collect::<Vec<_>>(),
        "notChecked": check.not_checked,
    })
}
