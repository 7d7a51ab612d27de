//! The host's binary and the plugins, built by a nested cargo before their first use.
//!
//! `cargo test` and `cargo run` build neither cdylibs nor another package's binary. Invariant: what is handed out
//! was built from the tree as it is now, never an older file that happens to lie there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail, ensure};

/// The host, the plugin that does everything wrong, and the one with the faults of authors.
const OWN: [(&str, &str); 3] = [
    ("portolan", "portolan"),
    ("portolan-hostile", "libportolan_hostile.so"),
    ("portolan-faults", "libportolan_faults.so"),
];
/// Built with them for the tests: cargo unites the features of all packages that it builds, and only if this one is among
/// them are the dependencies those that `cargo test` has built already.
const TESTS: &str = "portolan-tests";

/// The arguments of cargo's build, and the folder below its target that it builds into.
/// Tests have the export of spans built in, which is shipped by nobody but those who build it so.
const DEBUG: (&[&str], &str) = (&["--package", TESTS, "--features", "portolan/otlp"], "debug");
const RELEASE: (&[&str], &str) = (&["--release"], "release");

/// The folder of the built book below cargo's target folder.
const BOOK: &str = "book";

/// The name of a plugin in a template.
pub const TEMPLATE_NAME: &str = "acme";

/// Where the build's files lie.
#[derive(Debug)]
pub struct Built {
    dir: PathBuf,
}

impl Built {
    /// The host's binary.
    pub fn host(&self) -> PathBuf {
        self.dir.join("portolan")
    }

    /// A plugin's dylib, by the name of its file.
    pub fn plugin(&self, file: &str) -> PathBuf {
        self.dir.join(file)
    }
}

/// Every plugin of `plugins/`, by its name: package and dylib. A folder whose crate makes no dylib is none.
///
/// # Errors
/// A manifest that cannot be read.
pub fn plugins() -> Result<Vec<(String, String)>> {
    let folder = workspace().join("plugins");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let manifest = entry.path().join("Cargo.toml");
        if manifest.is_file() && is_dylib(&manifest)? {
            let name = entry.file_name().to_string_lossy().into_owned();
            let file = format!("lib{}.so", name.replace('-', "_"));
            found.push((name, file));
        }
    }
    found.sort();
    Ok(found)
}

fn is_dylib(manifest: &Path) -> Result<bool> {
    let table: toml::Table = fs::read_to_string(manifest)?.parse().with_context(|| manifest.display().to_string())?;
    let kinds = table.get("lib").and_then(|lib| lib.get("crate-type")).and_then(toml::Value::as_array);
    Ok(kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("cdylib"))))
}

/// Builds everything once for this process.
///
/// # Errors
/// If cargo fails, with what it printed.
pub fn built() -> Result<&'static Built> {
    static BUILT: OnceLock<Result<Built, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}")));
    built.as_ref().map_err(|text| anyhow!("{text}"))
}

/// The folder that cargo builds into, found from the running executable: tests lie in `<target>/<profile>/deps`,
/// the demo in `<target>/<profile>`.
///
/// # Errors
/// Where the executable was moved.
pub fn target_dir() -> Result<PathBuf> {
    let exe = std::env::current_exe()?;
    let is_target = |dir: &&Path| dir.join("CACHEDIR.TAG").is_file() || dir.join(".rustc_info.json").is_file();
    let target = exe.ancestors().skip(2).find(is_target);
    target.map(Path::to_owned).with_context(|| format!("{} lies in no target folder of cargo", exe.display()))
}

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

fn build() -> Result<Built> {
    build_as(DEBUG, &everything()?)
}

/// Builds an example of `examples/` outside of the workspace, as its author would, once for this process: its dylib. A
/// template is given the name of its folder in the place of `acme`, and its package begins with `example-`: so all of them
/// can share a target folder with the plugins of the workspace.
///
/// # Errors
/// If cargo fails, with what it printed.
pub fn example(folder: &str) -> Result<PathBuf> {
    static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = built.get(folder) {
        return Ok(file.clone());
    }
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let target = target_dir()?;
    let copy = target.join("examples-of-tests").join(name);
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    copy_example(&workspace().join("examples").join(folder), &copy, name)?;
    // Not `--locked`: the lock file of a renamed package is sorted anew.
    cargo_run(&target, &["build", "--manifest-path", &copy.join("Cargo.toml").to_string_lossy()])?;
    let file = target.join(DEBUG.1).join(format!("libexample_{}.so", name.replace('-', "_")));
    ensure!(file.is_file(), "cargo built {folder} without {}", file.display());
    built.insert(folder.to_owned(), file.clone());
    Ok(file)
}

fn copy_example(from: &Path, to: &Path, name: &str) -> Result<()> {
    let sdk = format!("path = \"{}\"", workspace().join("plugin-api").display());
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (path, file) = (entry.path(), entry.file_name().to_string_lossy().replace(TEMPLATE_NAME, name));
        if path.is_dir() {
            if file != "target" {
                copy_example(&path, &to.join(file), name)?;
            }
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let mut text = text.replace(TEMPLATE_NAME, name);
        if file == "Cargo.toml" {
            text = text.replacen(&format!("name = \"{name}\""), &format!("name = \"example-{name}\""), 1);
        }
        for depth in ["../../../", "../../"] {
            text = text.replace(&format!("path = \"{depth}plugin-api\""), &sdk);
        }
        fs::write(to.join(file), text)?;
    }
    Ok(())
}

/// The host and all plugins in the profile that this program was built in itself.
///
/// # Errors
/// If cargo fails, with what it printed.
pub fn built_alike() -> Result<Built> {
    build_as(if cfg!(debug_assertions) { DEBUG } else { RELEASE }, &everything()?)
}

/// The host and all plugins as they are shipped.
///
/// # Errors
/// If cargo fails, with what it printed.
pub fn shipped() -> Result<Built> {
    build_as(RELEASE, &[owned(&OWN[..1]), plugins()?].concat())
}

/// Builds the book, and returns its folder.
///
/// # Errors
/// If cargo or mdBook fails, with what it printed.
pub fn book() -> Result<PathBuf> {
    let target = target_dir()?;
    let folder = target.join(BOOK);
    cargo_run(&target, &["run", "--locked", "--package", "portolan-book", "--bin", "book", &folder.to_string_lossy()])?;
    Ok(folder)
}

/// Returns the folder of the book if somebody built it before.
///
/// # Errors
/// Where the executable was moved.
pub fn built_book() -> Result<Option<PathBuf>> {
    Ok(Some(target_dir()?.join(BOOK)).filter(|folder| folder.is_dir()))
}

/// Builds some packages as they are shipped: each with the file that it makes.
///
/// # Errors
/// If cargo fails, with what it printed.
pub fn release(packages: &[(&str, &str)]) -> Result<Built> {
    build_as(RELEASE, &owned(packages))
}

/// Builds a binary of a package with a feature as it is shipped, and returns its path.
///
/// # Errors
/// If cargo fails, with what it printed.
pub fn release_bin(package: &str, name: &str, feature: &str) -> Result<PathBuf> {
    let target = target_dir()?;
    cargo_build(&target, &["--release", "--package", package, "--features", feature, "--bin", name])?;
    Ok(target.join(RELEASE.1).join(name))
}

/// Package and file of everything that tests and demo run.
fn everything() -> Result<Vec<(String, String)>> {
    Ok([owned(&OWN), plugins()?].concat())
}

fn owned(packages: &[(&str, &str)]) -> Vec<(String, String)> {
    packages.iter().map(|(package, file)| ((*package).to_owned(), (*file).to_owned())).collect()
}

fn build_as((flags, folder): (&[&str], &str), packages: &[(String, String)]) -> Result<Built> {
    let target = target_dir()?;
    let named = packages.iter().flat_map(|(package, _)| ["--package", package]);
    cargo_build(&target, &flags.iter().copied().chain(named).collect::<Vec<_>>())?;
    let dir = target.join(folder);
    for (package, file) in packages {
        ensure!(dir.join(file).is_file(), "cargo built {package} without {}", dir.join(file).display());
    }
    Ok(Built { dir })
}

/// Cargo, in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace());
    // Variables that cargo sets for the package under test would make build scripts that follow them run again.
    let of_package = |name: &str| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.starts_with(start));
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names.filter(|name| of_package(name)).for_each(|name| {
        cargo.env_remove(name);
    });
    cargo
}

fn cargo_build(target: &Path, args: &[&str]) -> Result<()> {
    cargo_run(target, &[&["build", "--locked"], args].concat())
}

fn cargo_run(target: &Path, args: &[&str]) -> Result<()> {
    run(cargo().args(args).env("CARGO_TARGET_DIR", target)).map(|_| ())
}

/// Runs cargo in the folder of a project outside of the workspace, with the target folder and the profiles of the workspace,
/// so that projects share what they depend on. Returns stdout and stderr.
///
/// # Errors
/// If cargo fails, with what it printed.
pub fn cargo_of_project(folder: &Path, args: &[&str]) -> Result<String> {
    let config = workspace().join(".cargo/config.toml");
    let printed =
        run(cargo().arg("--config").arg(config).args(args).current_dir(folder).env("CARGO_TARGET_DIR", target_dir()?))?;
    Ok([printed.stdout, printed.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat())
}

/// Cargo's own lock makes test processes wait for each other; the second one finds all done.
fn run(cargo: &mut Command) -> Result<Output> {
    let output = cargo.output().context("cargo does not run")?;
    if !output.status.success() {
        let args = cargo.get_args().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        bail!("cargo {args}: {}\n{stdout}{stderr}", output.status);
    }
    Ok(output)
}
