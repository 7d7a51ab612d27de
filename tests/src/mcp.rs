//! The programs of `tests/mcp`: clients of the Model Context Protocol before a gateway, over HTTP and over stdio.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::build;
use crate::chain::{self, Sources};
use crate::node;

/// For all that one program does.
const ENDED_WITHIN: Duration = Duration::from_secs(120);

/// The installed package.
#[derive(Debug)]
pub struct Assistants {
    folder: PathBuf,
}

impl Assistants {
    /// Installs the package, or finds what was installed of this content.
    ///
    /// # Errors
    /// If npm is missing or fails, with what it printed.
    pub fn installed() -> Result<Self> {
        let keep =
            |began: &Path, folder: &Path| fs::rename(began, folder).context("cannot keep the package of clients");
        Ok(Self { folder: chain::prepared_once(&Sources::of("mcp"), "testmcp", keep)? })
    }

    /// Runs a program on a stage, to which the host's binary is added, and returns what it printed.
    ///
    /// # Errors
    /// If it fails or does not end in time, with all that was printed.
    pub fn run(&self, file: &str, mut stage: Value) -> Result<String> {
        // The grader's results, too.
        let scratch = tempfile::tempdir()?;
        stage["host"] = json!(build::built()?.host());
        stage["scratch"] = json!(scratch.path());
        let staged = scratch.path().join("stage.json");
        fs::write(&staged, stage.to_string())?;
        let mut node = Command::new("node");
        node.arg(file).current_dir(&self.folder).env("STAGE", &staged).env("TMPDIR", scratch.path());
        node::run(&mut node, ENDED_WITHIN)?.success().with_context(|| format!("{file} fails"))
    }
}
