//! The checks of `tests/browser`: a real Chromium that looks at pages which a gateway serves.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::build;
use crate::chain;
use crate::node;

/// Debian's name of the program; `CHROMIUM` names another one.
const PROGRAM: &str = "chromium";
/// For Chromium to start, and for all checks of one file.
const ENDED_WITHIN: Duration = Duration::from_secs(180);
/// Screenshots, below the target folder.
const PICTURES: &str = "explorer-pictures";

/// The installed package of checks, and the program.
#[derive(Debug)]
pub struct Browser {
    folder: PathBuf,
    program: PathBuf,
}

impl Browser {
    /// Installs the package, or finds what was installed of this content; `None` where no Chromium is installed.
    ///
    /// # Errors
    /// If npm fails, with what it printed.
    pub fn installed() -> Result<Option<Self>> {
        let Some(program) = program() else { return Ok(None) };
        let keep = |began: &Path, folder: &Path| fs::rename(began, folder).context("cannot keep the package of checks");
        Ok(Some(Self { folder: chain::prepared_once(&chain::Sources::of("browser"), "testbrowser", keep)?, program }))
    }

    /// Runs the checks of `<name>.test.mjs` on a stage, to which the program and the folder of screenshots are added.
    ///
    /// # Errors
    /// A check that fails, or that does not end in time, with all that was printed.
    pub fn check(&self, name: &str, stage: Value) -> Result<String> {
        self.run(&format!("{name}.test.mjs"), stage)
    }

    /// Runs a program of the package on a stage, likewise, and returns what it printed.
    ///
    /// # Errors
    /// If it fails or does not end in time, with all that was printed.
    pub fn run(&self, file: &str, mut stage: Value) -> Result<String> {
        // Chromium's own files, too.
        let scratch = tempfile::tempdir()?;
        stage["chromium"] = json!(self.program);
        stage["pictures"] = json!(pictures()?);
        let staged = scratch.path().join("stage.json");
        fs::write(&staged, stage.to_string())?;
        let mut node = Command::new("node");
        node.arg(file).current_dir(&self.folder).env("STAGE", &staged).env("TMPDIR", scratch.path());
        node::run(&mut node, ENDED_WITHIN)?.success().with_context(|| format!("{file} fails"))
    }
}

/// The folder that screenshots are written to.
///
/// # Errors
/// Where the executable was moved.
pub fn pictures() -> Result<PathBuf> {
    Ok(build::target_dir()?.join(PICTURES))
}

fn program() -> Option<PathBuf> {
    if let Some(program) = env::var_os("CHROMIUM") {
        return Some(program.into());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(PROGRAM)).find(|program| program.is_file())
}
