//! The TypeScript client of `examples/clients/ts`, installed and compiled once per content.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::chain::{self, Sources};
use crate::gateway::Gateway;
use crate::node::{self, Ended};

/// For node to start, to ask and to send a dozen transactions.
const ENDED_WITHIN: Duration = Duration::from_secs(120);

/// The compiled package.
#[derive(Debug)]
pub struct TypeScript {
    folder: PathBuf,
}

impl TypeScript {
    /// Installs and compiles the package, or finds what was compiled of this content.
    ///
    /// # Errors
    /// If npm or the compiler fails, with what they printed.
    pub fn compiled() -> Result<Self> {
        let compile = |began: &Path, folder: &Path| {
            chain::run(Command::new("node").arg("node_modules/typescript/bin/tsc"), began)?;
            std::fs::rename(began, folder).context("cannot keep the compiled package")
        };
        Ok(Self { folder: chain::prepared_once(&Sources::of("../examples/clients/ts"), "testtypescript", compile)? })
    }

    /// A file of the installed package.
    pub fn file(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Runs node in the package's folder, with the variables that examples read: the gateway's address, and more.
    ///
    /// # Errors
    /// If it does not end in time.
    pub fn node(&self, args: &[&str], gateway: Option<&Gateway>, variables: &[(String, String)]) -> Result<Ended> {
        let mut node = Command::new("node");
        node.args(args).current_dir(&self.folder);
        node.envs(gateway.map(|gateway| ("PORTOLAN_URL", format!("http://{}", gateway.base))));
        node.envs(variables.iter().map(|(name, value)| (name, value)));
        node::run(&mut node, ENDED_WITHIN)
    }
}
