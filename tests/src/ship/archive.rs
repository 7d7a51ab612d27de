//! The release archive: what is laid out, with checksums, the licences of everything within, and the list of
//! dependencies in CycloneDX, as `cargo cyclonedx` makes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::{lay_out, output, third_parties};
use crate::{build, explorer};

/// The folder below cargo's target folder.
const FOLDER: &str = "ship";
const SUMS: &str = "SHA256SUMS";
/// Where lists of dependencies are in the archive, one for the host and one for each plugin.
const LISTS: &str = "dependencies";
/// The name that `cargo cyclonedx` gives a list, beside the manifest of each package of the workspace.
const LIST: &str = "portolan-ship";
const INSTALL: &str = "cargo install --locked cargo-cyclonedx@0.5.9";

/// Builds all in release, archives it and says where.
///
/// # Errors
/// If a tool fails, with what it printed, or an error of the file system.
pub fn run() -> Result<String> {
    // Before the build, which takes minutes.
    needs_cyclonedx()?;
    let folder = build::target_dir()?.join(FOLDER);
    let name = format!("portolan-{}-{}", env!("CARGO_PKG_VERSION"), target()?);
    let content = folder.join(&name);
    if content.exists() {
        fs::remove_dir_all(&content)?;
    }
    lay_out(&build::shipped()?, &build::book()?, &explorer::built()?, &content)?;
    third_parties::copy_licences(&content.join("licences"), &target()?)?;
    list_dependencies(&content.join(LISTS))?;
    write_sums(&content, &files_below(&content)?)?;
    let archive = PathBuf::from(format!("{name}.tar.gz"));
    pack(&folder, &name, &archive)?;
    write_sums(&folder, std::slice::from_ref(&archive))?;
    Ok(format!("{}\n{}", folder.join(archive).display(), folder.join(SUMS).display()))
}

fn needs_cyclonedx() -> Result<()> {
    let found = build::cargo().args(["cyclonedx", "--version"]).output().context("cargo does not run")?;
    ensure!(found.status.success(), "cargo cyclonedx, which lists the dependencies, is not installed: {INSTALL}");
    Ok(())
}

/// The triple that this machine builds for.
fn target() -> Result<String> {
    let text = output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).with_context(|| format!("rustc names no host: {text}"))
}

/// Puts the list of each shipped package below `folder`. The tool writes one beside the manifest of every package of the
/// workspace, and all of them are taken away again.
fn list_dependencies(folder: &Path) -> Result<()> {
    let mut listing = build::cargo();
    listing.args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--override-filename", LIST]);
    let listed = output(listing.args(["--target", &target()?, "--no-build-deps"]));
    let written = third_parties::workspace_folders()?.into_iter().map(|package| package.join(format!("{LIST}.json")));
    let written: Vec<PathBuf> = written.filter(|list| list.exists()).collect();
    let copied = listed.and_then(|_| copy_lists(folder));
    written.iter().try_for_each(fs::remove_file)?;
    copied
}

fn copy_lists(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let tree = build::workspace();
    let plugins = build::plugins()?.into_iter().map(|(name, _)| (tree.join("plugins").join(&name), name));
    for (package, name) in plugins.chain([(tree.join("host"), "portolan".to_owned())]) {
        let list = package.join(format!("{LIST}.json"));
        let text = fs::read_to_string(&list).with_context(|| list.display().to_string())?;
        // Where the tree lies on the machine that built it is nobody's concern.
        let text = text.replace(&tree.display().to_string(), "");
        fs::write(folder.join(format!("{name}.cdx.json")), text)?;
    }
    Ok(())
}

/// Writes the checksums of files of a folder, as `sha256sum -c` reads them.
fn write_sums(folder: &Path, files: &[PathBuf]) -> Result<()> {
    let sums = output(Command::new("sha256sum").arg("--").args(files).current_dir(folder))?;
    Ok(fs::write(folder.join(SUMS), sums)?)
}

/// All files below a folder, relative to it and in order.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(folder)?.to_owned());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Packs the folder of this name, owned by root.
fn pack(folder: &Path, name: &str, archive: &Path) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--create", "--gzip", "--sort=name", "--owner=root:0", "--group=root:0", "--mode=go=rX,u+rw", "--file"]);
    output(tar.arg(archive).arg(name).current_dir(folder)).map(drop)
}
