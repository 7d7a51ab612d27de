//! The packages that are compiled into what is shipped, and their licences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::{FILE_MODE, output, put, put_all};
use crate::{build, explorer, licences};

/// The members of the output of `cargo metadata` that are needed.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<ResolvedPackage>,
}

#[derive(Debug, Deserialize)]
struct ResolvedPackage {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
struct DependencyKind {
    /// `None` where it is compiled in.
    kind: Option<String>,
}

impl Metadata {
    fn read(target: Option<&str>) -> Result<Self> {
        let mut metadata = build::cargo();
        metadata.args(["metadata", "--format-version", "1", "--locked"]);
        if let Some(target) = target {
            metadata.args(["--filter-platform", target]);
        }
        serde_json::from_str(&output(&mut metadata)?).context("cargo metadata")
    }

    /// The ids of all packages that are compiled into the shipped ones.
    fn compiled_in(&self) -> Result<BTreeSet<&str>> {
        let mut shipped: BTreeSet<String> = build::plugins()?.into_iter().map(|(name, _)| name).collect();
        shipped.insert("portolan".to_owned());
        let members = self.packages.iter().filter(|package| self.workspace_members.contains(&package.id));
        let mut next: Vec<&str> =
            members.filter(|package| shipped.contains(&package.name)).map(|package| package.id.as_str()).collect();
        ensure!(
            next.len() == shipped.len(),
            "{} of {} shipped packages are in the workspace",
            next.len(),
            shipped.len()
        );
        let nodes: BTreeMap<&str, &ResolvedPackage> =
            self.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let mut found = BTreeSet::new();
        while let Some(id) = next.pop() {
            if found.insert(id) {
                let node = nodes.get(id).with_context(|| format!("{id} is not resolved"))?;
                let is_compiled_in = |dependency: &&Dependency| dependency.dep_kinds.iter().any(|it| it.kind.is_none());
                next.extend(node.deps.iter().filter(is_compiled_in).map(|dependency| dependency.pkg.as_str()));
            }
        }
        Ok(found)
    }
}

/// The folders of all packages of the workspace.
pub(super) fn workspace_folders() -> Result<Vec<PathBuf>> {
    let Metadata { packages, workspace_members, .. } = Metadata::read(None)?;
    let members = packages.into_iter().filter(|package| workspace_members.contains(&package.id));
    members.map(|package| Ok(folder(&package)?.to_owned())).collect()
}

fn folder(package: &Package) -> Result<&Path> {
    package.manifest_path.parent().with_context(|| format!("{} is in no folder", package.name))
}

/// The package whose styles, scripts and fonts are in the built book.
const OF_BOOK: &str = "mdbook-html";

/// The parts of Rust's standard library and their licences, below the folder of the compiler.
const STANDARD_LIBRARY: &str = "share/doc/rust/COPYRIGHT-library.html";

/// Copies the licences of all packages of others that are compiled in or in the book, of those of the explorer, and of
/// Rust's standard library, and writes a table of the packages.
pub(super) fn copy_licences(to: &Path, target: &str) -> Result<()> {
    let metadata = Metadata::read(Some(target))?;
    let compiled_in = metadata.compiled_in()?;
    let mut table = String::new();
    for package in &metadata.packages {
        let is_shipped = compiled_in.contains(package.id.as_str()) || package.name == OF_BOOK;
        if !is_shipped || metadata.workspace_members.contains(&package.id) {
            continue;
        }
        let label = format!("{}-{}", package.name, package.version);
        writeln!(table, "{}", licences::copied(&label, package.license.as_deref(), folder(package)?, to)?)?;
    }
    let of_explorer = explorer::licences()?;
    put_all(&of_explorer, to)?;
    table.push_str(&fs::read_to_string(of_explorer.join(licences::TABLE))?);
    let compiler = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    put(&Path::new(compiler.trim()).join(STANDARD_LIBRARY), &to.join("rust-standard-library.html"), FILE_MODE)?;
    Ok(fs::write(to.join(licences::TABLE), table)?)
}
