//! The explorer of `examples/explorer`, built once per content, and the licences of the packages in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::chain::{self, Sources};
use crate::licences;

const SOURCES: Sources<'_> = Sources {
    folder: "../examples/explorer",
    // The types of answers.
    beside: &["../clients/ts/src"],
};

/// Where packages are installed, also those of other packages.
const PACKAGES: &str = "node_modules/";

/// The members of a lock file that are needed.
#[derive(Debug, Deserialize)]
struct Lock {
    packages: BTreeMap<String, LockedPackage>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LockedPackage {
    version: Option<String>,
    license: Option<String>,
    /// True for what builds it.
    #[serde(default)]
    dev: bool,
    /// True for what builds it, and would be of use to another package.
    #[serde(default)]
    dev_optional: bool,
    #[serde(default)]
    optional: bool,
}

/// Builds the explorer, or finds what was built of this content: the folder that gateways serve.
///
/// # Errors
/// If npm or the build fails, with what it printed.
pub fn built() -> Result<PathBuf> {
    Ok(prepared()?.join("dist"))
}

/// The licences of all packages that the explorer is made of: a folder of each, and the file [`licences::TABLE`].
///
/// # Errors
/// As [`built`], and a package without a licence.
pub(crate) fn licences() -> Result<PathBuf> {
    Ok(prepared()?.join("licences"))
}

fn prepared() -> Result<PathBuf> {
    chain::prepared_once(&SOURCES, "testexplorer", |began, folder| {
        chain::run(Command::new("npm").args(["run", "build"]), began)?;
        let kept = began.join("kept");
        copy_licences(began, &kept.join("licences"))?;
        fs::rename(began.join("dist"), kept.join("dist")).context("cannot keep the built explorer")?;
        fs::rename(&kept, folder).context("cannot keep the built explorer")?;
        fs::remove_dir_all(began).context("cannot remove the build folder")
    })
}

/// Copies the licences of what is bundled, or may be: every installed package but those that only build it.
fn copy_licences(began: &Path, to: &Path) -> Result<()> {
    let lock = fs::read_to_string(began.join("package-lock.json"))?;
    let lock: Lock = serde_json::from_str(&lock).context("package-lock.json")?;
    fs::create_dir_all(to)?;
    let mut table = String::new();
    for (path, package) in lock.packages {
        let installed = began.join(&path);
        let is_bundled = !path.is_empty() && !package.dev && !package.dev_optional;
        if !is_bundled || package.optional && !installed.is_dir() {
            continue;
        }
        let name = path.rsplit(PACKAGES).next().unwrap_or(&path);
        let version = package.version.with_context(|| format!("{name} has no version"))?;
        let label = format!("{}-{version}", name.trim_start_matches('@').replace('/', "-"));
        ensure!(installed.is_dir(), "{label} is locked, and not installed");
        writeln!(table, "{}", licences::copied(&label, package.license.as_deref(), &installed, to)?)?;
    }
    ensure!(!table.is_empty(), "the explorer is made of no package");
    Ok(fs::write(to.join(licences::TABLE), table)?)
}
