//! Loads a staged dylib, into workers or into this process, and returns its runner.
//!
//! Invariant: a library is never closed, because its code or data may still be in use; the number of loaded libraries
//! is bounded instead. The layout check takes the plugin's layout as the interface, so that a host with more
//! functions accepts a plugin with fewer.
#![expect(unsafe_code, reason = "dlopen, and the root module behind a symbol")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io;
use std::iter::successors;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use abi_stable::library::{AbiHeaderRef, ROOT_MODULE_LOADER_NAME_WITH_NUL};
use libloading::os::unix::{Library as Dylib, RTLD_LOCAL, RTLD_NOW};
use portolan_abi::root::PluginRef;
use portolan_base::net::off_chain::HostGrants;
use portolan_base::sanitize;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc};

use crate::files::manifest::{Manifest, ManifestError};
use crate::files::staging::Digest;
use crate::limits::{Isolation, Limits, PluginLimits};
use crate::load::runner::Runner;
use crate::load::runner::call::Calls;
use crate::load::runner::in_process::InProcess;
use crate::load::runner::workers::{StartError, WorkerBuild, Workers};
use crate::load::watchdog::Watchdog;
use crate::load::worker::sandbox::SandboxStatus;
use crate::load::worker::spawner::Spawner;
use crate::trust::breaker::{Breakers, FailingBuild};
use crate::trust::crashes::Crashes;
use crate::trust::signature::BuildSignature;

/// Maximum number of loads. Each generation keeps about 430 KB mapped forever.
const LIBRARIES_MAX: usize = 1_000;
/// Maximum length of a reason: one or two lines of a terminal.
pub(crate) const REASON_CHARS_MAX: usize = 300;

/// Reason why a library was not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("cannot load it: {0}")]
    Open(String),
    #[error("not a Portolan plugin: it exports no root module")]
    NoRootModule,
    #[error("its root module is made by another version of abi_stable, or another C ABI")]
    Header(String),
    #[error("its root module has another layout than interface revision {}", portolan_abi::API_REV)]
    Layout(String),
    #[error("its root module does not start: {0}")]
    Init(String),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("its functions return another manifest than the one in its note")]
    OtherManifest,
    #[error(transparent)]
    Worker(#[from] StartError),
    #[error("the kernel has no {0} for its worker: allow that with plugins.sandbox_may_lack, or update the kernel")]
    Sandbox(String),
    #[error("loading it panicked")]
    Panicked,
    #[error("{LIBRARIES_MAX} libraries were loaded since the start, and none is ever unloaded: restart the host")]
    Cap,
}

impl LoadError {
    /// The long text behind the message: kilobytes, for the debug level.
    pub(crate) fn details(&self) -> Option<&str> {
        match self {
            Self::Header(text) | Self::Layout(text) => Some(text),
            _ => None,
        }
    }
}

/// A loaded plugin.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    pub(crate) digest: Digest,
    pub(crate) manifest: Manifest,
    pub(crate) limits: Limits,
    /// Hosts that the operator grants the plugin.
    pub(crate) grants: HostGrants,
    /// Slugs that the operator excludes.
    pub(crate) leave_out: Arc<BTreeSet<String>>,
    /// Shared by all instances of the digest, so that it counts all their stuck calls.
    pub(crate) runner: Arc<dyn Runner>,
    /// What is in force of the sandbox; `None` in the host's process.
    pub(crate) sandbox: Option<SandboxStatus>,
    /// Shared by all instances of the digest.
    pub(crate) breakers: Arc<Breakers>,
    /// Outcome of the latest signature check.
    pub(crate) signature: Arc<BuildSignature>,
}

impl Library {
    /// Returns the same library with this outcome of the signature check.
    pub(crate) fn signed(self: Arc<Self>, signature: BuildSignature) -> Arc<Self> {
        if *self.signature == signature {
            return self;
        }
        Arc::new(Self { signature: Arc::new(signature), ..(*self).clone() })
    }
}

/// Loads a dylib and checks that its manifest is `manifest`. Runs its constructors.
pub(crate) fn open(path: &Path, manifest: &Manifest) -> Result<PluginRef, LoadError> {
    // SAFETY: the file is a staged copy that nobody writes to, and its segments lie inside it (`elf::lint`). Before the
    // host opens it, its constructors have run in a probe process. Symbols resolve now and stay local.
    let dylib = unsafe { Dylib::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let dylib = ManuallyDrop::new(dylib.map_err(|error| LoadError::Open(of_file(&error, path)))?);
    // SAFETY: a library of this name exports its header there, whose first bytes `upgrade` checks before it trusts
    // the rest; the library is never closed.
    let header = unsafe { dylib.get::<AbiHeaderRef>(ROOT_MODULE_LOADER_NAME_WITH_NUL) };
    let header: AbiHeaderRef = *header.map_err(|_| LoadError::NoRootModule)?;
    let header = header.upgrade().map_err(|error| LoadError::Header(error.to_string()))?;
    let layout = header.layout().ok_or_else(|| LoadError::Layout("it has none to check".into()))?;
    check_layout_compatibility(layout, PluginRef::LAYOUT).map_err(|error| LoadError::Layout(error.to_string()))?;
    // SAFETY: the layout has just been checked: each function that the plugin has is of the host's type.
    let plugin = unsafe { header.init_root_module_with_unchecked_layout::<PluginRef>() };
    let plugin = plugin.map_err(|error| LoadError::Init(of_file(&error, path)))?;
    let returned = Manifest::parse(plugin.manifest()().as_str())?;
    if returned != *manifest || plugin.api_rev() != manifest.api_rev {
        return Err(LoadError::OtherManifest);
    }
    Ok(plugin)
}

/// Joins an error and its sources, the dynamic loader's message among them, to one line. Replaces the long path of
/// the staged copy with `it`.
fn of_file(error: &(dyn Error + 'static), path: &Path) -> String {
    let line = |error: &dyn Error| error.to_string().lines().next().unwrap_or_default().trim().to_owned();
    let chain = successors(Some(error), |error| Error::source(*error)).map(line).filter(|line| !line.is_empty());
    let (text, path) = (chain.collect::<Vec<_>>().join(": "), path.display().to_string());
    sanitize::plain(&text.replace(&format!("{path}: "), "").replace(&path, "it"), REASON_CHARS_MAX)
}

/// All libraries of this process.
#[derive(Debug)]
pub(crate) struct Libraries {
    limits: PluginLimits,
    crashes: Crashes,
    /// Receives builds that keep failing.
    reports: mpsc::Sender<FailingBuild>,
    loaded: Mutex<BTreeMap<Digest, Arc<Library>>>,
    opened: AtomicUsize,
    /// Starts workers; unset until the first.
    spawner: OnceLock<Spawner>,
}

impl Libraries {
    pub(crate) fn new(limits: PluginLimits, crashes: Crashes, reports: mpsc::Sender<FailingBuild>) -> Self {
        Self {
            limits,
            crashes,
            reports,
            loaded: Mutex::default(),
            opened: AtomicUsize::new(0),
            spawner: OnceLock::new(),
        }
    }

    /// Reason why this digest must not be loaded: it ended earlier processes.
    pub(crate) fn refusal(&self, digest: Digest) -> Option<String> {
        self.crashes.refusal(digest)
    }

    /// Returns the library of this digest if it is loaded.
    pub(crate) async fn find(&self, digest: Digest) -> Option<Arc<Library>> {
        self.loaded.lock().await.get(&digest).cloned()
    }

    /// Number of libraries opened since the start, including those that failed later.
    pub(crate) fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    /// Where the code of plugins runs.
    pub(crate) fn isolation(&self) -> Isolation {
        self.limits.isolation
    }

    /// Loads a staged copy, or returns the library that has this digest. One at a time, as the linker works.
    pub(crate) async fn load(
        &self,
        digest: Digest,
        path: PathBuf,
        manifest: Manifest,
    ) -> Result<Arc<Library>, LoadError> {
        let mut loaded = self.loaded.lock().await;
        if let Some(library) = loaded.get(&digest) {
            return Ok(Arc::clone(library));
        }
        let limits = self.limits.of(&manifest.plugin);
        let (runner, sandbox): (Arc<dyn Runner>, _) = match self.limits.isolation {
            Isolation::InProcess => (self.open_here(digest, path, &manifest, limits).await?, None),
            Isolation::Worker => {
                // Nobody uses these any more; their workers have ended.
                loaded.retain(|_, library| Arc::strong_count(library) > 1);
                let (workers, sandbox) = self.open_workers(digest, path, &manifest, limits).await?;
                let missing: Vec<_> = {
                    let allowed = &self.limits.sandbox_may_lack;
                    sandbox.missing().filter(|part| !allowed.contains(*part)).collect()
                };
                if !missing.is_empty() {
                    return Err(LoadError::Sandbox(missing.join(" and no ")));
                }
                (workers, Some(sandbox))
            }
        };
        let breakers = Breakers::new(digest, &manifest.plugin, &manifest.version, self.reports.clone());
        let grants = self.limits.grants(&manifest.plugin);
        let leave_out = self.limits.left_out(&manifest.plugin);
        let (breakers, signature) = (Arc::new(breakers), Arc::default());
        let library = Library { digest, manifest, limits, grants, leave_out, runner, sandbox, breakers, signature };
        let library = Arc::new(library);
        loaded.insert(digest, Arc::clone(&library));
        Ok(library)
    }

    /// Loads a library into this process.
    async fn open_here(
        &self,
        digest: Digest,
        path: PathBuf,
        manifest: &Manifest,
        limits: Limits,
    ) -> Result<Arc<InProcess>, LoadError> {
        if self.opened() >= LIBRARIES_MAX {
            return Err(LoadError::Cap);
        }
        self.opened.fetch_add(1, Ordering::SeqCst);
        let mark = self.crashes.mark(digest, manifest);
        let (expected, marked) = (manifest.clone(), Arc::clone(&mark));
        let opening = Handle::current().spawn_blocking(move || {
            let started = Watchdog::start(Arc::clone(&marked));
            let _watchdog = started.map_err(|error| LoadError::Open(error.to_string()))?;
            let _running = marked.enter();
            open(&path, &expected)
        });
        let plugin = opening.await.map_err(|_| LoadError::Panicked)??;
        let calls = Calls::new(Handle::current()).marked(mark);
        Ok(Arc::new(InProcess::new(plugin, Duration::from_millis(limits.resume_ms), calls)))
    }

    /// Loads a library into a worker, and tries it there.
    async fn open_workers(
        &self,
        digest: Digest,
        file: PathBuf,
        manifest: &Manifest,
        limits: Limits,
    ) -> Result<(Arc<Workers>, SandboxStatus), LoadError> {
        let failed = |error: io::Error| StartError::Spawn(error.to_string());
        let spawner = match self.spawner.get() {
            Some(spawner) => spawner.clone(),
            None => {
                let started = Spawner::start().map_err(failed)?;
                self.spawner.get_or_init(|| started).clone()
            }
        };
        let build = WorkerBuild {
            file,
            manifest: serde_json::to_string(manifest).map_err(|error| failed(error.into()))?,
            label: manifest.label(),
            digest,
            resume_limit: Duration::from_millis(limits.resume_ms),
            memory_bytes: limits.memory_mib << 20,
        };
        let workers = Arc::new(Workers::new(build, spawner));
        let sandbox = workers.probe().await?;
        Ok((workers, sandbox))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_own_words_are_told_without_the_name_of_the_staged_copy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.so");
        std::fs::write(&file, [0; 4_096]).unwrap();
        let json = r#"{"plugin":"a","version":"1","abi":"1.0.0","apiRev":5,"frames":[1],"panic":"unwind"}"#;
        let refused = open(&file, &Manifest::parse(json).unwrap()).map(drop).unwrap_err().to_string();
        assert_eq!(refused, "cannot load it: dlopen failed: invalid ELF header");
    }

    #[test]
    fn foreign_words_are_cleaned_and_cut() {
        #[derive(Debug, thiserror::Error)]
        #[error("failed")]
        struct Outer(#[source] io::Error);

        let told = |words: &str| of_file(&Outer(io::Error::other(words.to_owned())), Path::new("/state/1.so"));
        assert_eq!(
            told("libc.so.6: needs\u{202e} 2.9 (required by /state/1.so)\nmore"),
            "failed: libc.so.6: needs 2.9 (required by it)"
        );
        assert_eq!(told(&"x".repeat(1_000)).chars().count(), REASON_CHARS_MAX);
    }
}
