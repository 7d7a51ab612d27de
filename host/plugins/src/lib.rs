//! Plugins: finds them in a folder, checks, loads, configures and reloads them, and publishes them as a snapshot.
//!
//! Invariant: a snapshot never changes, and its holder keeps its instances alive until the last of their jobs has
//! ended. A failed load or refused settings only cause a log line and a status row. This module does not interpret
//! what an instance answers.

mod files;

mod trust;

mod load;

mod serve;

mod reconcile;

pub mod limits;
mod state_lock;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use portolan_base::files::{FolderError, TrustedOwners, absolute, make_folder};
use portolan_base::network::Networks;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

pub use self::files::manifest::is_kebab_case;
pub use self::files::scan::signature_files;
pub use self::files::staging::Digest;
use self::files::staging::{Stage, StageFolderError};
pub use self::files::watch::FolderWatch;
pub use self::load::cells::is_last;
pub use self::load::run_failure::RunFailure;
pub use self::load::{probe, worker};
pub use self::reconcile::commands;
use self::reconcile::commands::{DecisionError, PluginDecision, PluginKnowledge};
use self::reconcile::published::Published;
use self::reconcile::reconciler::{Reconciler, RegistryState};
pub use self::reconcile::status::{IsolationStatus, PluginStatus};
pub use self::serve::instance::Instance;
pub use self::serve::snapshot::{Served, Snapshot};
pub use self::serve::{fact_lists, logos, protocol, unavailable, without_code};
use self::state_lock::{StateLock, StateLockError};
pub use self::trust::capabilities::Capabilities;
use self::trust::crashes::Crashes;
pub use self::trust::known_good::{GoodBuild, KnownGood};
pub use self::trust::policy::Decisions;
use self::trust::policy::Policy;
use self::trust::signature::{SignatureSettings, Signatures};
pub use self::trust::{breaker, signature};
use crate::limits::PluginLimits;

/// Why the registry did not start.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("no working directory: {0}")]
    Place(#[from] io::Error),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Lock(#[from] StateLockError),
    #[error(transparent)]
    Stage(#[from] StageFolderError),
    #[error("the state of plugins in {folder}: {error}")]
    State { folder: PathBuf, error: io::Error },
    #[error("the marks of running plugins in {folder}: {error}")]
    Crashes { folder: PathBuf, error: io::Error },
}

/// The plugins of this process.
#[derive(Debug)]
pub struct Registry {
    published: Arc<Published>,
    reconciler: AbortHandle,
    crashes: Crashes,
    policy: Policy,
    decided: Arc<Notify>,
    /// Where the code of plugins runs.
    isolation: &'static str,
    _state_lock: StateLock,
}

impl Registry {
    /// Creates missing folders and starts to follow the plugins folder. The first scan continues in the background.
    ///
    /// # Errors
    /// A folder cannot be created, is a symbolic link, or can be written by others than `writers`; or another gateway
    /// uses the state folder.
    pub fn start(
        plugins_dir: &Path,
        state_dir: &Path,
        writers: TrustedOwners,
        networks: Networks,
        limits: PluginLimits,
        signatures: SignatureSettings,
    ) -> Result<Arc<Self>, RegistryError> {
        let (plugins_dir, state_dir) = (absolute(plugins_dir)?, absolute(state_dir)?);
        make_folder(&plugins_dir, 0o755, writers)?;
        make_folder(&state_dir, 0o700, writers)?;
        let state_lock = StateLock::take(&state_dir)?;
        let unread = |error| RegistryError::State { folder: state_dir.clone(), error };
        let revoked = signatures.revoked_builds.clone();
        let policy = Policy::open(&state_dir, revoked, limits.new_capabilities, writers).map_err(unread)?;
        let signatures = Signatures::open(signatures, &state_dir, writers).map_err(unread)?;
        let known_good = KnownGood::read(&state_dir, writers).map_err(unread)?;
        let stage = Stage::open(&state_dir, writers, &known_good.digests())?;
        let published = Arc::new(Published::default());
        let crashes = Crashes::open(&state_dir, writers);
        let crashes = crashes.map_err(|error| RegistryError::Crashes { folder: state_dir.clone(), error })?;
        let decided = Arc::<Notify>::default();
        let isolation = limits.isolation.as_str();
        let state = RegistryState {
            state_dir,
            stage,
            crashes: crashes.clone(),
            policy: policy.clone(),
            signatures,
            known_good,
            decided: Arc::clone(&decided),
        };
        let reconciler = Reconciler::new(plugins_dir, writers, state, networks, limits, Arc::clone(&published));
        let reconciler = tokio::spawn(reconciler.run()).abort_handle();
        Ok(Arc::new(Self { published, reconciler, crashes, policy, decided, isolation, _state_lock: state_lock }))
    }

    /// Returns the current plugins. The snapshot never changes.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.published.current.load().snapshot)
    }

    /// Returns true once every file that was in the folder at the start has been loaded or refused.
    pub fn first_scan_done(&self) -> bool {
        self.published.first_scan_done.load(Ordering::Acquire)
    }

    /// Applies an operator's decision about a plugin, and returns a sentence about the result. Blocks while it writes
    /// a file.
    ///
    /// # Errors
    /// The decision is not possible, or it applies but cannot be written.
    pub fn decide(&self, plugin: &str, decision: PluginDecision) -> Result<String, DecisionError> {
        let current = self.published.current.load();
        let (rows, known_good) = (current.status.rows(), &current.status.known_good);
        let known = PluginKnowledge { rows: &rows, known_good, policy: &self.policy, crashes: &self.crashes };
        let decided = known.decide(plugin, decision);
        // A decision that could not be written applies all the same.
        if matches!(decided, Ok(_) | Err(DecisionError::Unwritten(_))) {
            self.decided.notify_one();
        }
        decided
    }

    /// The known good builds of all plugins.
    pub fn known_good(&self) -> Arc<KnownGood> {
        Arc::clone(&self.published.current.load().status.known_good)
    }

    /// The decisions about builds and plugins.
    pub fn decisions(&self) -> Decisions {
        self.policy.decisions()
    }

    /// The current problem with the plugins folder; `None` if there is none.
    pub fn folder_trouble(&self) -> Option<Arc<String>> {
        self.published.trouble.load_full()
    }

    /// One row for each active plugin, each refused file, and each old instance that still has jobs.
    pub fn status(&self) -> Vec<PluginStatus> {
        let mut rows = self.published.current.load().status.rows();
        rows.iter_mut().for_each(|row| row.isolation = self.isolation);
        rows
    }

    /// Where the code of plugins runs, and what is in force of its sandbox.
    pub fn isolation(&self) -> IsolationStatus {
        let current = self.published.current.load();
        let sandbox = current.status.rows.iter().find_map(|row| row.sandbox);
        IsolationStatus { isolation: self.isolation, sandbox }
    }

    /// The problems of plugins, each as a clause.
    pub fn troubles(&self) -> Vec<String> {
        self.published.current.load().status.troubles()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.reconciler.abort();
        self.crashes.close();
    }
}
