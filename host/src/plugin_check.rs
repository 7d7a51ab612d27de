//! `portolan plugin check`: loads one plugin as the gateway would, checks its deployments against the chains, and puts
//! each question that they declare. Claims are compared with descriptors of a registry, if some are given.

use std::fmt::Write as _;
use std::path::Path;

use alloy::primitives::{Address, address};
use portolan_abi::Question;
use portolan_base::sanitize;
use portolan_plugins::{Capabilities, Served};
use serde_json::{Map, Value, json};

use crate::address;
use crate::clear_signing::{ClearSigningCheck, RegistryDescriptor};
use crate::cli::CheckFlags;
use crate::config::Environment;
use crate::gateway::{CheckedAddress, CheckedJob, DeploymentCheck};
use crate::jobs::failure::Reason;
use crate::jobs::record::JobRecords;
use crate::jobs::report::JobStatus;
use crate::lone_plugin::{LonePlugin, LonePluginError};
use crate::plugin_ask::{self, PluginAnswer};

/// Account to read if none is named: many tokens are burnt by sending them there.
const ACCOUNT: Address = address!("000000000000000000000000000000000000dead");

/// Runs the check; returns the text for stdout, and true if all is sound.
pub(crate) async fn run(flags: &CheckFlags, environment: &Environment) -> Result<(String, bool), LonePluginError> {
    let account = flags.account.as_deref().map_or(Ok(ACCOUNT), |text| {
        address::parse(text).map_err(|error| LonePluginError::Argument(format!("--account: {text} {error}")))
    })?;
    let descriptors = flags.clear_signing.iter().map(|file| descriptor(file)).collect::<Result<Vec<_>, _>>()?;
    let plugin = LonePlugin::start(&flags.of, environment, None).await?;
    let rows = plugin.gateway.admin().registry.status();
    let capabilities: Vec<Capabilities> = rows.into_iter().map(|row| row.capabilities).collect();
    let snapshot = plugin.gateway.admin().registry.snapshot();
    let decodes = |served: &&Served| served.instance.decodes_events();
    let decoder = snapshot.event_sources().find(decodes).map(|served| served.instance.name());
    let events = match &flags.transaction {
        Some(hash) => plugin_ask::transaction(&plugin.gateway, &JobRecords::default(), hash).await?,
        None => Vec::new(),
    };
    let event_jobs: Vec<Value> = events.iter().flat_map(|answer| event_jobs(answer, decoder)).collect();
    let check = plugin.gateway.check_deployments(account).await;
    let (protocols, networks): (Vec<&Served>, _) = (snapshot.iter().collect(), plugin.gateway.networks());
    let signing = descriptors.iter().map(|descriptor| ClearSigningCheck::of(&protocols, networks, descriptor));
    let signing: Vec<ClearSigningCheck> = signing.collect();
    let is_sound = check.is_sound()
        && events.iter().all(PluginAnswer::is_sound)
        && signing.iter().all(ClearSigningCheck::is_sound);
    let not_asked = if decoder.is_some() && event_jobs.is_empty() { vec![Question::EVENTS.name()] } else { Vec::new() };
    let jobs = check.jobs.iter().map(job).chain(event_jobs).collect();
    let found = Found { check, jobs, not_asked, signing };
    let shown = if flags.of.json {
        format!("{}\n", document(&found, is_sound, &capabilities))
    } else {
        listed(&capabilities) + &table(&found)
    };
    Ok((shown, is_sound))
}

/// What the check found.
struct Found {
    check: DeploymentCheck,
    /// A row for each job.
    jobs: Vec<Value>,
    /// Questions that the plugin answers and that were not put.
    not_asked: Vec<&'static str>,
    /// One for each descriptor of a registry.
    signing: Vec<ClearSigningCheck>,
}

fn descriptor(file: &Path) -> Result<RegistryDescriptor, LonePluginError> {
    let wrong =
        |error| LonePluginError::Argument(format!("{}: {error}", sanitize::single_line(&file.to_string_lossy())));
    RegistryDescriptor::read(file).map_err(wrong)
}

fn job(job: &CheckedJob) -> Value {
    let mut claims: Map<String, Value> =
        job.claims.verdicts.iter().map(|(verdict, count)| (verdict.as_str().to_owned(), json!(count))).collect();
    if job.claims.untried > 0 {
        claims.insert("untried".to_owned(), json!(job.claims.untried));
    }
    json!({
        "protocol": job.report.subject,
        "network": job.report.network.slug,
        "question": job.question.name(),
        "status": job.report.status,
        "reason": job.report.reasons().next().map(Reason::as_str),
        "detail": job.report.words(),
        "reads": job.report.stats.reads,
        "claims": claims,
    })
}

/// The jobs of the plugin about a transaction, or the problem in the place of one; none if no log has a topic of it.
fn event_jobs(answer: &PluginAnswer, plugin: Option<&str>) -> Vec<Value> {
    let row = |of: &Value| {
        json!({
            "protocol": plugin,
            "network": of["network"],
            "question": Question::EVENTS.name(),
            "status": of.get("status").filter(|status| status.is_string()).unwrap_or(&json!(JobStatus::Failed)),
            "reason": of["reason"],
            "detail": of["detail"],
            "reads": of.get("reads").unwrap_or(&json!(0)),
            "claims": {},
        })
    };
    match answer.reports() {
        [] => vec![row(&answer.body)],
        reports => reports.iter().filter(|report| report["protocol"].as_str() == plugin).map(row).collect(),
    }
}

/// Formats a line for each kind of capability: all that the plugin may do once it is served.
fn listed(capabilities: &[Capabilities]) -> String {
    let lines = capabilities.iter().flat_map(Capabilities::lines);
    lines.map(|(kind, names)| format!("it {kind}: {}\n", names.join(", "))).collect()
}

/// Formats a line per address, one per question, and the sums.
fn table(Found { check, jobs, not_asked, signing }: &Found) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        // Writing into a String does not fail.
        let _ = writeln!(text, "{words}");
    };
    for row in &check.addresses {
        let CheckedAddress { protocol, network, market, address, .. } = row;
        line(format_args!("{:<12} {protocol} {market} {address:#x} {}", network.slug, words(row)));
    }
    for job in jobs {
        line(format_args!("{}", job_line(job)));
    }
    let sound = check.addresses.iter().filter(|row| row.is_sound()).count();
    let answering = check.addresses.iter().filter(|row| row.answered.is_some()).count();
    line(format_args!(
        "{} addresses: {sound} have code, {answering} answered; {} questions: {} complete",
        check.addresses.len(),
        jobs.len(),
        jobs.iter().filter(|job| is_complete(job)).count()
    ));
    if !not_asked.is_empty() {
        line(format_args!("not asked: {}; --transaction names one with such events", not_asked.join(", ")));
    }
    if !check.not_checked.is_empty() {
        line(format_args!("not checked, as --rpc names no endpoint: {}", check.not_checked.join(", ")));
    }
    for words in signing.iter().flat_map(ClearSigningCheck::lines) {
        line(format_args!("{words}"));
    }
    text
}

/// Returns true if nothing failed. Something that the plugin does not cover is not a fault of a deployment.
fn is_complete(job: &Value) -> bool {
    job["reason"].as_str().is_none_or(|reason| reason == Reason::NotCovered.as_str()) && job["status"] != "failed"
}

/// Formats a job: what it came to, and what its claims did when they were tried.
fn job_line(job: &Value) -> String {
    let word = |member: &str| job[member].as_str().unwrap_or_default();
    let claims = job["claims"].as_object().into_iter().flatten();
    let claims: Vec<String> = claims.map(|(verdict, count)| format!("{count} {verdict}")).collect();
    let claims = if claims.is_empty() { String::new() } else { format!(", claims when tried: {}", claims.join(", ")) };
    let why = if word("detail").is_empty() { String::new() } else { format!(": {}", word("detail")) };
    let (network, protocol, question, status) = (word("network"), word("protocol"), word("question"), word("status"));
    format!("{network:<12} {protocol} {question} {status}, {} reads{claims}{why}", job["reads"])
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

fn document(Found { check, jobs, not_asked, signing }: &Found, is_sound: bool, capabilities: &[Capabilities]) -> Value {
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
    json!({
        "sound": is_sound,
        "capabilities": capabilities.first(),
        "addresses": check.addresses.iter().map(address).collect::<Vec<_>>(),
        "jobs": jobs,
        "notChecked": check.not_checked,
        "notAsked": not_asked,
        "clearSigning": signing.iter().map(ClearSigningCheck::document).collect::<Vec<_>>(),
    })
}
