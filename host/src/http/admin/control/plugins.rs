//! `portolan plugin`: shows what the running gateway knows about its plugins, and sends decisions about them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_base::rfc3339;
use portolan_base::sanitize::output;
use portolan_plugins::commands::PluginDecision;
use portolan_plugins::{Decisions, Registry};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::client::{ControlError, send, unexpected};
use super::{ControlReply, ControlRequest, socket};
use crate::cli::{ColorWhen, GatewayFlags, GatewayPluginCommand, NamedPlugin};
use crate::config::Config;
use crate::text_table::{self, TableStyle, TextColumn};

/// Digits of a build's SHA-256 shown in tables.
const DIGITS: usize = 12;

/// The plugins' status, fallback builds and the decisions about them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PluginsReport {
    /// The rows of `/plugins`.
    plugins: Vec<Value>,
    /// Builds kept as fallbacks, by plugin, newest first.
    known_good: BTreeMap<String, Vec<StagedBuild>>,
    decisions: Decisions,
}

/// A fallback build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StagedBuild {
    version: String,
    digest: String,
}

impl PluginsReport {
    pub(super) fn of(registry: &Registry) -> serde_json::Result<Self> {
        let plugins = serde_json::from_slice(&output::json(&registry.status())?)?;
        let (known_good, decisions) = (registry.known_good(), registry.decisions());
        let known_good = known_good.iter().map(|(name, good)| {
            let build = |build: &portolan_plugins::GoodBuild| StagedBuild {
                version: build.version.clone(),
                digest: build.digest.to_string(),
            };
            (name.clone(), good.builds().map(build).collect())
        });
        Ok(Self { plugins, known_good: known_good.collect(), decisions })
    }

    /// Returns the part about one plugin; `None` if it is unknown.
    fn of_plugin(mut self, plugin: &str) -> Option<Self> {
        self.plugins.retain(|row| text(row, "plugin") == plugin);
        self.known_good.retain(|name, _| name == plugin);
        self.decisions.quarantined.retain(|_, quarantine| quarantine.plugin == plugin);
        self.decisions.disabled.retain(|name, _| name == plugin);
        self.decisions.pinned.retain(|name, _| name == plugin);
        self.decisions.accepted.retain(|name, _| name == plugin);
        (self != Self::default()).then_some(self)
    }

    fn json(&self) -> serde_json::Result<String> {
        Ok(String::from_utf8_lossy(&output::json(self)?).into_owned() + "\n")
    }

    /// Formats one line per plugin, then one per pin.
    fn table(&self, style: TableStyle) -> String {
        if self.plugins.is_empty() {
            return "no plugins\n".to_owned();
        }
        let row = |row: &Value| {
            let protocols = row["protocols"].as_array().map_or(0, Vec::len).to_string();
            let [plugin, version, state, build, file, reason] =
                ["plugin", "version", "state", "digest", "file", "reason"].map(|member| text(row, member).to_owned());
            let signer = text(&row["signature"], "signedBy").to_owned();
            vec![plugin, version, state, build.chars().take(DIGITS).collect(), signer, protocols, file, reason]
        };
        let head = ["plugin", "version", "state", "build", "signer", "protocols", "file", "reason"];
        let mut table = text_table::table(&head.map(TextColumn::text), self.plugins.iter().map(row), style);
        for (plugin, digest) in &self.decisions.pinned {
            let _ = writeln!(table, "{plugin} is pinned to the build {digest}");
        }
        table
    }

    /// Formats the table and all else that is known, in sentences.
    fn sentences(&self, style: TableStyle) -> String {
        let mut shown = self.table(style);
        for row in &self.plugins {
            let protocols: Vec<&str> =
                row["protocols"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if !protocols.is_empty() {
                let _ = writeln!(shown, "it serves {}", protocols.join(", "));
            }
            let objection = text(&row["signature"], "wouldBeRefused");
            if !objection.is_empty() {
                let _ = writeln!(shown, "it would be refused if signatures were required: {objection}");
            }
            for breaker in row["breakers"].as_array().into_iter().flatten() {
                let (chain, state) = (&breaker["chainId"], text(breaker, "state"));
                let _ = writeln!(shown, "its breaker on the chain {chain} is {state}");
            }
            for chain in row["unknownNetworks"].as_array().into_iter().flatten() {
                let _ = writeln!(
                    shown,
                    "its deployments on the chain {chain} are left out, as no network of this gateway has this id: correct \
                     their rows, or add a [networks.SLUG] table"
                );
            }
            for gone in row["withoutCode"].as_array().into_iter().flatten() {
                let [address, protocol, network] = ["address", "protocol", "network"].map(|member| text(gone, member));
                let _ = writeln!(shown, "{address} of {protocol} on {network} has no code (block {})", gone["block"]);
            }
            for failure in row["failures"].as_array().into_iter().flatten() {
                let [protocol, network, reason, message, last] =
                    ["protocol", "network", "reason", "message", "lastAt"].map(|member| text(failure, member));
                let count = &failure["count"];
                let _ = writeln!(
                    shown,
                    "{count} jobs of {protocol} failed on {network} ({reason}), the last at {last}: {message}"
                );
            }
        }
        for build in self.known_good.values().flatten() {
            let _ = writeln!(shown, "the build {} of version {} is kept", build.digest, build.version);
        }
        for (digest, quarantine) in &self.decisions.quarantined {
            let (since, reason) = (rfc3339::of_unix_s(quarantine.since), &quarantine.reason);
            let _ = writeln!(shown, "the build {digest} is in quarantine since {since}: {reason}");
        }
        for (plugin, reason) in &self.decisions.disabled {
            let _ = writeln!(shown, "{plugin} is disabled: {reason}");
        }
        shown
    }
}

fn text<'a>(row: &'a Value, member: &str) -> &'a str {
    row[member].as_str().unwrap_or_default()
}

/// A `portolan plugin` command for the running gateway.
#[derive(Debug)]
pub(crate) enum PluginRequest {
    List { json: bool, color: ColorWhen },
    Show { plugin: String, json: bool, color: ColorWhen },
    Decide { plugin: String, decision: PluginDecision },
}

/// Splits a command line into the flags that select the gateway and the request to it.
pub(crate) fn requested(command: GatewayPluginCommand) -> (GatewayFlags, PluginRequest) {
    let decide = |NamedPlugin { plugin, gateway }, decision| (gateway, PluginRequest::Decide { plugin, decision });
    match command {
        GatewayPluginCommand::List { gateway, json, color } => {
            (gateway, PluginRequest::List { json, color: color.color })
        }
        GatewayPluginCommand::Show { plugin, gateway, json, color } => {
            (gateway, PluginRequest::Show { plugin, json, color: color.color })
        }
        GatewayPluginCommand::Quarantine { named, build, reason } => {
            decide(named, PluginDecision::Quarantine { build, reason })
        }
        GatewayPluginCommand::Release { named, build } => decide(named, PluginDecision::Release { build }),
        GatewayPluginCommand::Rollback { named, reason } => decide(named, PluginDecision::Rollback { reason }),
        GatewayPluginCommand::Enable { named } => decide(named, PluginDecision::Enable),
        GatewayPluginCommand::Disable { named, reason } => decide(named, PluginDecision::Disable { reason }),
        GatewayPluginCommand::Pin { named, off: true, .. } => decide(named, PluginDecision::Unpin),
        GatewayPluginCommand::Pin { named, build, off: false } => decide(named, PluginDecision::Pin { build }),
        GatewayPluginCommand::Accept { named, build } => decide(named, PluginDecision::Accept { build }),
    }
}

/// Sends the request to the running gateway; returns the text for stdout.
pub(crate) fn run(request: &PluginRequest, config: &Config) -> Result<String, ControlError> {
    let failed = |error: &dyn std::fmt::Display| ControlError::Failed(error.to_string());
    let report = |reply| match reply {
        ControlReply::Plugins(report) => Ok(*report),
        other => Err(unexpected(&other)),
    };
    match request {
        PluginRequest::List { json, color } => {
            let report = report(reply(&ControlRequest::Plugins, config)?)?;
            if *json {
                report.json().map_err(|error| failed(&error))
            } else {
                Ok(report.table(TableStyle::of_stdout(*color)))
            }
        }
        PluginRequest::Show { plugin, json, color } => {
            let report = report(reply(&ControlRequest::Plugins, config)?)?.of_plugin(plugin);
            let report = report.ok_or_else(|| ControlError::Failed(format!("no plugin is called {plugin:?}")))?;
            if *json {
                report.json().map_err(|error| failed(&error))
            } else {
                Ok(report.sentences(TableStyle::of_stdout(*color)))
            }
        }
        PluginRequest::Decide { plugin, decision } => {
            let request = ControlRequest::Decide { plugin: plugin.clone(), decision: decision.clone() };
            match reply(&request, config)? {
                ControlReply::Decided(decided) => Ok(format!("{decided}\n")),
                other => Err(unexpected(&other)),
            }
        }
    }
}

fn reply(request: &ControlRequest, config: &Config) -> Result<ControlReply, ControlError> {
    let sent = send(&socket(&config.gateway.state_dir), request);
    match sent.map_err(|error| ControlError::Failed(format!("the running gateway: {error}")))? {
        None => Err(ControlError::NotRunning(config.gateway.state_dir.display().to_string())),
        Some(ControlReply::Failed(reason)) => Err(ControlError::Failed(reason)),
        Some(reply) => Ok(reply),
    }
}
