//! The host's binary and the plugins, built by a nested cargo before their first use.
//!
//! `cargo test` and `cargo run` build neither cdylibs nor another package's binary. Invariant: what is handed out
//! was built from the tree as it is now, never an older file that happens to lie there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context as _, Result, anyhow, bail, ensure};

/// Package and file of everything that tests and demo run.
const PACKAGES: [(&str, &str); 7] = [
    ("portolan", "portolan"),
    ("aave-v3", "libaave_v3.so"),
    ("hop", "libhop.so"),
    ("quickswap", "libquickswap.so"),
    ("spookyswap", "libspookyswap.so"),
    ("sushiswap", "libsushiswap.so"),
    ("portolan-hostile", "libportolan_hostile.so"),
];

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

/// Builds everything once for this process.
///
/// # Errors
/// What cargo printed.
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
    build_as("debug", &[], &PACKAGES)
}

/// Builds some packages as they are shipped: each with the file that it makes.
///
/// # Errors
/// What cargo printed.
#[cfg(feature = "bench")]
pub(crate) fn release(packages: &[(&str, &str)]) -> Result<Built> {
    build_as("release", &["--release"], packages)
}

fn build_as(folder: &str, flags: &[&str], packages: &[(&str, &str)]) -> Result<Built> {
    let target = target_dir()?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--locked"]).args(flags).current_dir(workspace()).env("CARGO_TARGET_DIR", &target);
    for (package, _) in packages {
        cargo.args(["--package", package]);
    }
    // Cargo's own lock makes test processes wait for each other; the second one finds all done.
    let output = cargo.output().context("cargo does not run")?;
    if !output.status.success() {
        bail!(
            "cargo build of the host and the plugins: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let dir = target.join(folder);
    for (package, file) in packages {
        ensure!(dir.join(file).is_file(), "cargo built {package} without {}", dir.join(file).display());
    }
    Ok(Built { dir })
}
