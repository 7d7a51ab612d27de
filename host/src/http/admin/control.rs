//! Commands of the operator to a running gateway, over a Unix socket in the state folder.
//!
//! Invariant: a request and its reply are one line of JSON each. A command on facts does the same whether the running
//! gateway executes it or, if none runs, the command itself.

pub(crate) mod client;
pub(crate) mod facts;
pub(crate) mod plugins;
pub(crate) mod serve;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_plugins::Registry;
use portolan_plugins::commands::PluginDecision;
use portolan_reader::{StoredReplies, StoredReply, StoredReplyFilter};
use serde::{Deserialize, Serialize};

use self::plugins::PluginsReport;
use crate::gateway::AdminHandles;

const SOCKET: &str = "control.sock";

/// State that the commands act on.
#[derive(Clone, Debug)]
pub(crate) struct ControlState {
    pub(crate) facts: StoredReplies,
    pub(crate) registry: Arc<Registry>,
}

impl ControlState {
    pub(crate) fn of(admin: &AdminHandles) -> Self {
        Self { facts: admin.reader.stored_replies().clone(), registry: Arc::clone(&admin.registry) }
    }
}

/// A command as it is sent over the socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ControlRequest {
    ShowFacts(StoredReplyFilter),
    PurgeFacts(StoredReplyFilter),
    Plugins,
    Decide { plugin: String, decision: PluginDecision },
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ControlReply {
    Facts {
        facts: Vec<StoredReply>,
        /// Number of facts left out.
        more: usize,
    },
    Purged {
        memory: usize,
        disk: usize,
    },
    Plugins(Box<PluginsReport>),
    /// Describes what the decision does.
    Decided(String),
    Failed(String),
}

impl ControlRequest {
    /// Executes the command. Blocks.
    fn answer(self, state: &ControlState) -> ControlReply {
        match self {
            Self::Plugins => PluginsReport::of(&state.registry).map_or_else(
                |error| ControlReply::Failed(error.to_string()),
                |report| ControlReply::Plugins(Box::new(report)),
            ),
            Self::Decide { plugin, decision } => match state.registry.decide(&plugin, decision) {
                Ok(decided) => ControlReply::Decided(decided),
                Err(error) => ControlReply::Failed(error.to_string()),
            },
            Self::ShowFacts(_) | Self::PurgeFacts(_) => self.answer_from(&state.facts),
        }
    }

    /// Executes a command that needs only the facts.
    fn answer_from(&self, facts: &StoredReplies) -> ControlReply {
        let done = match self {
            Self::ShowFacts(filter) => facts.list(filter).map(|(facts, more)| ControlReply::Facts { facts, more }),
            Self::PurgeFacts(filter) => facts.purge(filter).map(|(memory, disk)| ControlReply::Purged { memory, disk }),
            Self::Plugins | Self::Decide { .. } => {
                return ControlReply::Failed("it needs a gateway that runs".to_owned());
            }
        };
        done.unwrap_or_else(|error| ControlReply::Failed(error.to_string()))
    }
}

fn socket(state_dir: &Path) -> PathBuf {
    state_dir.join(SOCKET)
}
