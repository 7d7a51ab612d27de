//! Loads a staged dylib, into workers or into this process, and returns its runner.
//!
//! Invariant: what this process loads is never unloaded; the number of such libraries is bounded instead.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use portolan_base::net::off_chain::HostGrants;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc};

use crate::files::manifest::Manifest;
use crate::files::staging::Digest;
use crate::limits::{Isolation, Limits, PluginLimits};
use crate::load::dylib::{self, OpenError};
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

/// Reason why a library was not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LoadError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot watch its load: {0}")]
    Watchdog(String),
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
            Self::Open(error) => error.details(),
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
            let _watchdog = started.map_err(|error| LoadError::Watchdog(error.to_string()))?;
            let _running = marked.enter();
            dylib::open(&path, &expected).map_err(LoadError::Open)
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
            limits,
        };
        let workers = Arc::new(Workers::new(build, spawner));
        let sandbox = workers.probe().await?;
        Ok((workers, sandbox))
    }
}
