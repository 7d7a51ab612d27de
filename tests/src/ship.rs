//! The distribution: the gateway and all plugins of this repository, laid out ready to run.
//!
//! Invariant: a file of an operator in the same folder is left alone, and one of ours is replaced at once, so that a
//! gateway that runs there goes on and takes the new plugins. It holds its pages in memory.

pub mod archive;
mod third_parties;

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::build::{self, Built};
use crate::explorer;

/// The folder below cargo's target folder.
const FOLDER: &str = "portolan";
/// The gateway takes nothing that others may write, whatever the umask is.
const FOLDER_MODE: u32 = 0o755;
const PROGRAM_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// The program, in the built folder and in what is laid out.
const PROGRAM: &str = "portolan";
/// As `examples/portolan.toml` names it.
const PLUGINS: &str = "portolan-plugins";

/// Files of the tree, and where they are laid out.
const FILES: [(&str, &str); 8] = [
    ("examples/portolan.toml", "portolan.example.toml"),
    ("examples/deploy/portolan.service", "portolan.service"),
    ("examples/deploy/portolan.socket", "portolan.socket"),
    ("examples/monitoring/alerts.yml", "monitoring/alerts.yml"),
    ("examples/monitoring/grafana.json", "monitoring/grafana.json"),
    ("README.md", "README.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
];

/// Where man pages and completions of shells are laid out, as packages of systems have them.
const MAN_PAGES: &str = "share/man/man1";
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/completions/portolan.bash"),
    ("zsh", "share/completions/_portolan"),
    ("fish", "share/completions/portolan.fish"),
];

/// The pages, which stand where the links of the README lead.
const PAGES: &str = "host/docs";
/// The built book and the built explorer, where a gateway that is configured beside them finds them.
const BOOK: &str = "portolan-docs";
const EXPLORER: &str = "portolan-explorer";

/// Builds all in release, lays it out and says where.
///
/// # Errors
/// If cargo fails, with what it printed, or an error of the file system.
pub fn run() -> Result<String> {
    let folder = build::target_dir()?.join(FOLDER);
    lay_out(&build::shipped()?, &build::book()?, &explorer::built()?, &folder)?;
    let folder = folder.display();
    Ok(format!(
        "{folder} is ready to run: copy portolan.example.toml to portolan.toml, name your endpoints in it, and then\n  \
         {folder}/{PROGRAM} serve --config {folder}/portolan.toml"
    ))
}

/// Lays out what was built, with the built book and the built explorer.
///
/// # Errors
/// An error of the file system.
pub fn lay_out(built: &Built, book: &Path, explorer: &Path, folder: &Path) -> Result<()> {
    [folder.to_owned(), folder.join(PLUGINS), folder.join("monitoring")].iter().try_for_each(|one| make(one))?;
    put(&built.host(), &folder.join(PROGRAM), PROGRAM_MODE)?;
    for (_, file) in build::plugins()? {
        put(&built.plugin(&file), &folder.join(PLUGINS).join(&file), FILE_MODE)?;
    }
    let tree = build::workspace();
    FILES.iter().try_for_each(|(from, to)| put(&tree.join(from), &folder.join(to), FILE_MODE))?;
    put_all(&tree.join(PAGES), &folder.join(PAGES))?;
    for (pages, name) in [(book, BOOK), (explorer, EXPLORER)] {
        // Names of their files change with what is in them, so none of an older one may stay.
        let laid_out = folder.join(name);
        if laid_out.exists() {
            fs::remove_dir_all(&laid_out)?;
        }
        put_all(pages, &laid_out)?;
    }
    put_program_pages(&built.host(), folder)
}

/// Has the program write its man pages and completions, and lays them out.
fn put_program_pages(program: &Path, folder: &Path) -> Result<()> {
    let written = tempfile::tempdir()?;
    let pages = written.path().join("man");
    fs::create_dir(&pages)?;
    output(Command::new(program).arg("man-pages").arg(&pages))?;
    put_all(&pages, &folder.join(MAN_PAGES))?;
    make(&folder.join("share/completions"))?;
    for (shell, to) in COMPLETIONS {
        let script = written.path().join(shell);
        fs::write(&script, output(Command::new(program).args(["completions", shell]))?)?;
        put(&script, &folder.join(to), FILE_MODE)?;
    }
    Ok(())
}

fn make(folder: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
    Ok(fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))?)
}

/// Copies a folder with all that is in it.
fn put_all(from: &Path, to: &Path) -> Result<()> {
    make(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() { put_all(&from, &to)? } else { put(&from, &to, FILE_MODE)? }
    }
    Ok(())
}

/// Copies a file as a whole; hidden until then, so that no gateway takes a part of it.
fn put(from: &Path, to: &Path, mode: u32) -> Result<()> {
    let name = to.file_name().context("no file name")?.to_string_lossy();
    let incoming = to.with_file_name(format!(".{name}.incoming"));
    let copied = fs::copy(from, &incoming)
        .and_then(|_| fs::set_permissions(&incoming, Permissions::from_mode(mode)))
        .and_then(|()| fs::rename(&incoming, to));
    copied.with_context(|| format!("{} to {}", from.display(), to.display()))
}

/// Runs a tool, and returns what it printed.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{} does not run", command.get_program().display()))?;
    if !output.status.success() {
        bail!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
