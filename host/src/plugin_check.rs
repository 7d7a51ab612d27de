//! `portolan plugin check`: loads one plugin as the gateway would, and checks its deployments against the chains.

use std::fmt::Write as _;

use alloy::primitives::{Address, address};
use portolan_plugins::Capabilities;
use serde_json::{Value, json};

use crate::address;
use crate::cli::CheckFlags;
use crate::config::Environment;
use crate::gateway::{CheckedAddress, DeploymentCheck};
use crate::jobs::failure::Reason;
use crate::lone_plugin::{LonePlugin, LonePluginError};

/// Account to read if none is named: many tokens are burnt by sending them there.
const ACCOUNT: Address = address!("000000000000000000000000000000000000dead");

/// Runs the check; returns the text for stdout, and true if all is sound.
pub(crate) async fn run(flags: &CheckFlags, environment: &Environment) -> Result<(String, bool), LonePluginError> {
    let account = flags.account.as_deref().map_or(Ok(ACCOUNT), |text| {
        address::parse(text).map_err(|error| LonePluginError::Argument(format!("--account: {text} {error}")))
    })?;
    let plugin = LonePlugin::start(&flags.of, environment).await?;
    let rows = plugin.gateway.admin().registry.status();
    let capabilities: Vec<Capabilities> = rows.into_iter().map(|row| row.capabilities).collect();
    let check = plugin.gateway.check_deployments(account).await;
    let shown = if flags.of.json {
        format!("{}\n", document(&check, &capabilities))
    } else {
        listed(&capabilities) + &table(&check)
    };
    Ok((shown, check.is_sound()))
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
