//! Plugins: finds them in a folder, checks, loads, configures and reloads them, and publishes them as a snapshot.
//!
//! Invariant: a snapshot never changes, and its holder keeps its instances alive until the last of their jobs has
//! ended. A failed load or refused settings only cause a log line and a status row. This module does not interpret
//! what an instance answers.

pub(crate) mod breaker;
mod catalogue;
pub(crate) mod commands;
pub(crate) mod crashes;
mod elf;
mod entry;
mod examine;
pub(crate) mod fact_lists;
mod instance;
mod job_failures;
mod known_good;
mod library;
pub(crate) mod limits;
pub(crate) mod logos;
mod manifest;
mod plugin_table;
mod policy;
pub(crate) mod probe;
pub(crate) mod protocol;
mod reconciler;
pub(crate) mod runner;
mod scan;
mod settings;
pub(crate) mod signature;
mod staging;
mod state_lock;
mod status;
mod targets;
pub(crate) mod unserved;
mod watch;
pub(crate) mod without_code;

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use alloy::primitives::Address;
use arc_swap::{ArcSwap, ArcSwapOption};
use portolan_abi::Question;
use portolan_abi::map::{self, Deployment};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use self::commands::{DecisionError, PluginDecision, PluginKnowledge};
use self::crashes::Crashes;
pub(crate) use self::instance::Instance;
pub(crate) use self::known_good::{GoodBuild, KnownGood};
pub(crate) use self::policy::Decisions;
use self::policy::Policy;
use self::reconciler::{Reconciler, RegistryState};
pub(crate) use self::scan::signature_files;
use self::signature::{SignatureSettings, Signatures};
pub(crate) use self::staging::Digest;
use self::staging::StageFolderError;
use self::state_lock::{StateLock, StateLockError};
pub(crate) use self::status::PluginStatus;
use self::unserved::Unserved;
use crate::files::{self, FolderError, Writers};
use crate::network::Networks;
use crate::registry::limits::PluginLimits;
use crate::registry::protocol::Protocol;

/// Why the registry did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryError {
    #[error("no working directory: {0}")]
    Place(#[from] io::Error),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Lock(#[from] StateLockError),
    #[error(transparent)]
    Stage(#[from] StageFolderError),
    #[error("what is kept of plugins in {folder}: {error}")]
    State { folder: PathBuf, error: io::Error },
    #[error("the marks of running plugins in {folder}: {error}")]
    Crashes { folder: PathBuf, error: io::Error },
}

/// The plugins of this process.
#[derive(Debug)]
pub(crate) struct Registry {
    published: Arc<Published>,
    reconciler: AbortHandle,
    crashes: Crashes,
    policy: Policy,
    decided: Arc<Notify>,
    _state_lock: StateLock,
}

impl Registry {
    /// Creates missing folders and starts to follow the plugins folder. The first scan continues in the background.
    ///
    /// # Errors
    /// A folder cannot be created, is a symbolic link, or can be written by others than `writers`; or another gateway
    /// uses the state folder.
    pub(crate) fn start(
        plugins_dir: &Path,
        state_dir: &Path,
        writers: Writers,
        networks: Networks,
        limits: PluginLimits,
        signatures: SignatureSettings,
    ) -> Result<Arc<Self>, RegistryError> {
        let (plugins_dir, state_dir) = (files::absolute(plugins_dir)?, files::absolute(state_dir)?);
        files::make_folder(&plugins_dir, 0o755, writers)?;
        files::make_folder(&state_dir, 0o700, writers)?;
        let state_lock = StateLock::take(&state_dir)?;
        let unread = |error| RegistryError::State { folder: state_dir.clone(), error };
        let policy = Policy::open(&state_dir, signatures.revoked_builds.clone(), writers).map_err(unread)?;
        let signatures = Signatures::open(signatures, &state_dir, writers).map_err(unread)?;
        let known_good = KnownGood::read(&state_dir, writers).map_err(unread)?;
        let stage = staging::Stage::open(&state_dir, writers, &known_good.digests())?;
        let published = Arc::new(Published::default());
        let crashes = Crashes::open(&state_dir, writers);
        let crashes = crashes.map_err(|error| RegistryError::Crashes { folder: state_dir.clone(), error })?;
        let decided = Arc::<Notify>::default();
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
        Ok(Arc::new(Self { published, reconciler, crashes, policy, decided, _state_lock: state_lock }))
    }

    /// Returns the current plugins. The snapshot never changes.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.published.current.load().snapshot)
    }

    /// Returns true once every file that was in the folder at the start has been loaded or refused.
    pub(crate) fn first_scan_done(&self) -> bool {
        self.published.first_scan_done.load(Ordering::Acquire)
    }

    /// Applies an operator's decision about a plugin, and returns a sentence about the result. Blocks while it writes
    /// a file.
    ///
    /// # Errors
    /// The decision is not possible, or it applies but cannot be written.
    pub(crate) fn decide(&self, plugin: &str, decision: PluginDecision) -> Result<String, DecisionError> {
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
    pub(crate) fn known_good(&self) -> Arc<KnownGood> {
        Arc::clone(&self.published.current.load().status.known_good)
    }

    /// The decisions about builds and plugins.
    pub(crate) fn decisions(&self) -> Decisions {
        self.policy.decisions()
    }

    /// The current problem with the plugins folder; `None` if there is none.
    pub(crate) fn folder_trouble(&self) -> Option<Arc<String>> {
        self.published.trouble.load_full()
    }

    /// One row for each active plugin, each refused file, and each old instance that still has jobs.
    pub(crate) fn status(&self) -> Vec<PluginStatus> {
        self.published.current.load().status.rows()
    }

    /// The problems of plugins, each as a clause.
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.published.current.load().status.troubles()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.reconciler.abort();
        self.crashes.close();
    }
}

/// The state that the reconciler publishes.
#[derive(Debug, Default)]
pub(crate) struct Published {
    current: ArcSwap<Current>,
    trouble: ArcSwapOption<String>,
    first_scan_done: AtomicBool,
}

#[derive(Debug, Default)]
pub(crate) struct Current {
    snapshot: Arc<Snapshot>,
    status: status::StatusReport,
}

/// One generation of the registry.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// Number of changes since the start.
    pub(crate) generation: u64,
    served: BTreeMap<String, Served>,
    /// Protocols that another plugin serves without their events, each with the instance that decodes these events.
    events: Vec<Served>,
    /// Protocols and plugins that are in the folder, or were served, and are not served now.
    pub(crate) unserved: Vec<Unserved>,
    /// Contracts by chain id; computed on first use.
    contracts: OnceLock<HashMap<u64, HashSet<Address>>>,
}

impl Snapshot {
    /// Returns the protocol with this slug.
    pub(crate) fn served(&self, slug: &str) -> Option<&Served> {
        self.served.get(slug)
    }

    /// All served protocols, ordered by slug.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Served> {
        self.served.values()
    }

    /// All served protocols, then the protocols of which a plugin decodes only the events.
    pub(crate) fn event_sources(&self) -> impl Iterator<Item = &Served> {
        self.iter().chain(&self.events)
    }

    /// The contracts of the deployments that are served on a network; `None` where there are none.
    pub(crate) fn contracts(&self, chain_id: u64) -> Option<&HashSet<Address>> {
        let contracts = self.contracts.get_or_init(|| {
            let mut contracts: HashMap<u64, HashSet<Address>> = HashMap::new();
            for row in self.event_sources().flat_map(Served::deployments) {
                contracts.entry(row.chain_id).or_default().extend(&row.contracts);
            }
            contracts
        });
        contracts.get(&chain_id)
    }
}

#[cfg(test)]
impl Snapshot {
    /// A snapshot of instances that serve all protocols of their catalogues.
    pub(crate) fn of_test(instances: impl IntoIterator<Item = Arc<Instance>>) -> Self {
        let mut served = BTreeMap::new();
        for instance in instances {
            for protocol in &instance.catalogue.protocols {
                served.insert(protocol.slug.clone(), Served::new(protocol, &instance));
            }
        }
        Self { generation: 1, served, ..Self::default() }
    }

    /// A snapshot whose one protocol is in quarantine and used to answer these questions.
    pub(crate) fn of_quarantined(answers: impl IntoIterator<Item = (Question, u64)>) -> Self {
        let answers = answers.into_iter().map(|(question, chain_id)| (question.0, chain_id)).collect();
        let (plugin, reason) = ("acme".to_owned(), "it ended the process".to_owned());
        let protocol = known_good::GoodProtocol { slug: plugin.clone(), name: "ACME".to_owned(), answers };
        let unserved = Unserved::plugin(plugin, unserved::UnservedWhy::Quarantined, reason);
        Self { unserved: vec![Unserved { protocol: Some(protocol), ..unserved }], ..Self::default() }
    }
}

/// A protocol and the instance that answers for it.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) instance: Arc<Instance>,
    /// The questions that its deployments answer, each with the chain id of a network.
    answered: Arc<BTreeSet<(Question, u64)>>,
}

impl Served {
    /// A protocol of the instance's catalogue.
    fn new(protocol: &map::Protocol, instance: &Arc<Instance>) -> Self {
        let protocol = Arc::new(catalogue::shown(protocol));
        let mut served = Self { protocol, instance: Arc::clone(instance), answered: Arc::default() };
        let rows = served.deployments().flat_map(|row| row.questions.iter().map(|question| (*question, row.chain_id)));
        served.answered = Arc::new(rows.collect());
        served
    }

    /// Returns true if it has a deployment on the network that answers the question.
    pub(crate) fn answers(&self, question: Question, chain_id: u64) -> bool {
        self.answered.contains(&(question, chain_id))
    }

    /// The protocol's own deployments.
    pub(crate) fn deployments(&self) -> impl Iterator<Item = &Deployment> {
        self.instance.catalogue.deployments.iter().filter(|row| row.protocol == self.protocol.slug)
    }
}
