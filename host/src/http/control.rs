//! Commands of the operator to a running gateway, over a Unix socket in the state folder.
//!
//! Invariant: a request is one line of JSON and so is its reply, and what a command does is the same whether the
//! gateway that runs does it or the command itself, where none runs.

pub(crate) mod client;
pub(crate) mod serve;

use std::path::{Path, PathBuf};

use portolan_reader::{FactFilter, Facts, StoredFact};
use serde::{Deserialize, Serialize};

const SOCKET: &str = "control.sock";

/// What an operator requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ControlRequest {
    ShowFacts(FactFilter),
    PurgeFacts(FactFilter),
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ControlReply {
    Facts {
        facts: Vec<StoredFact>,
        /// How many were left out.
        more: usize,
    },
    Purged {
        memory: usize,
        disk: usize,
    },
    Failed(String),
}

impl ControlRequest {
    /// Does what is requested, which blocks.
    fn answer(&self, facts: &Facts) -> ControlReply {
        let done = match self {
            Self::ShowFacts(filter) => facts.list(filter).map(|(facts, more)| ControlReply::Facts { facts, more }),
            Self::PurgeFacts(filter) => facts.purge(filter).map(|(memory, disk)| ControlReply::Purged { memory, disk }),
        };
        done.unwrap_or_else(|error| ControlReply::Failed(error.to_string()))
    }
}

fn socket(state_dir: &Path) -> PathBuf {
    state_dir.join(SOCKET)
}
