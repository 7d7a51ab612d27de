//! Builds an instance from a library and its settings file: configures it and checks its catalogue.
//!
//! Invariant: an existing [`Instance`] can be served. The reconciler decides whether its slugs are free.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use metrics::histogram;
#[cfg(any(test, feature = "testing"))]
use portolan_abi::capability;
use portolan_abi::codec;
use portolan_abi::map::{Catalogue, Deployment, Start};
use portolan_base::files::TrustedOwners;
#[cfg(any(test, feature = "testing"))]
use portolan_base::net::off_chain::HostGrants;
use portolan_base::net::off_chain::PluginHosts;
use portolan_base::network::Networks;
use portolan_validation::{CatalogueError, ClaimFunctions, ClaimFunctionsError, ClaimTemplates, ClaimTemplatesError};

use crate::files::settings::{self, SettingsFault};
use crate::files::staging::Digest;
use crate::limits::Limits;
use crate::load::library::Library;
use crate::load::runner::call::{CallFailure, Calls};
#[cfg(any(test, feature = "testing"))]
use crate::load::runner::{InstanceId, Runner};
use crate::load::runner::{InstanceLease, JobId, JobLease, RunFailure};
use crate::serve::catalogue::{self, Checked};
use crate::serve::fact_lists::{FactLists, FactStore};
use crate::serve::job_figures::JobFigures;
use crate::serve::without_code::WithoutCode;
use crate::trust::breaker::Breakers;
use crate::trust::capabilities::Capabilities;
use crate::trust::job_failures::JobFailures;
use crate::trust::signature::{BuildSignature, SignatureError, SignatureStatus};

/// Time to read a settings file; only a file system that hangs takes longer.
const READ_LIMIT: Duration = Duration::from_secs(5);

/// A plugin, configured with one set of settings.
#[derive(Debug)]
pub struct Instance {
    /// `name@version`.
    pub label: Arc<str>,
    /// SHA-256 of the dylib, in hex; `None` in tests and fuzz targets.
    pub digest: Option<Arc<str>>,
    /// Capabilities that it announces, bits of [`portolan_abi::capability`].
    pub capabilities: u64,
    pub limits: Limits,
    /// The validated catalogue.
    pub catalogue: Catalogue,
    /// Chain ids of the catalogue's deployments that this host does not know and does not serve.
    pub(crate) unknown_networks: BTreeSet<u64>,
    /// Parsed claim templates of the catalogue.
    pub claim_templates: ClaimTemplates,
    pub failures: Arc<JobFailures>,
    pub job_figures: Arc<JobFigures>,
    /// Listed contracts that jobs found without code.
    pub without_code: Arc<WithoutCode>,
    /// Breakers of the build.
    pub breakers: Arc<Breakers>,
    /// Hosts that the catalogue declares, with the operator's grants.
    pub hosts: PluginHosts,
    pub fact_lists: Arc<FactLists>,
    /// Outcome of the signature check; `None` if signatures are off.
    pub(crate) signature: Option<SignatureStatus>,
    /// Slugs that the operator excludes from the catalogue.
    left_out: BTreeSet<String>,
    /// The encoded settings that it was configured with; empty if it has no settings file.
    pub settings: Vec<u8>,
    /// Protocol, chain id and market of the rows of its settings file.
    of_settings: BTreeSet<(String, u64, String)>,
    lease: InstanceLease,
}

impl Instance {
    /// Returns true if it decodes logs of transactions.
    pub fn decodes_events(&self) -> bool {
        self.catalogue.event_topics.iter().flatten().next().is_some()
    }

    /// The plugin's name.
    pub fn name(&self) -> &str {
        self.label.split('@').next().unwrap_or_default()
    }

    /// All slugs of its protocols, the excluded ones included.
    pub fn slugs(&self) -> impl Iterator<Item = &str> {
        let own = self.catalogue.protocols.iter().map(|protocol| protocol.slug.as_str());
        own.chain(self.left_out.iter().map(String::as_str))
    }

    /// Returns true if the operator's settings contain this deployment.
    pub fn is_of_settings(&self, row: &Deployment) -> bool {
        let named = |(protocol, chain_id, market): &(String, u64, String)| {
            (protocol, *chain_id, market) == (&row.protocol, row.chain_id, &row.market)
        };
        self.of_settings.iter().any(named)
    }

    /// What its catalogue lets it do, deployments of the operator's settings left out.
    pub(crate) fn may_do(&self) -> Capabilities {
        Capabilities::of(&self.catalogue, &self.claim_templates, |row| self.is_of_settings(row))
    }

    /// Starts a job and resumes it once, within the instance's `resume_ms`.
    ///
    /// # Errors
    /// Returns the [`RunFailure`]; no job remains.
    pub async fn begin(self: &Arc<Self>, start: &Start, frame: Vec<u8>) -> Result<(Job, Vec<u8>), RunFailure> {
        let runner = Arc::clone(self.lease.runner());
        let began = Instant::now();
        let begun = runner.begin(self.lease.id(), codec::encode(start), frame).await;
        self.record_call(began);
        let (lease, answer) = begun?;
        Ok((Job { lease, _instance: Arc::clone(self) }, answer))
    }

    /// Resumes a job of this instance, within its `resume_ms`.
    ///
    /// # Errors
    /// Returns the [`RunFailure`]; the job must not be resumed again.
    pub async fn resume(&self, job: &Job, frame: Vec<u8>) -> Result<Vec<u8>, RunFailure> {
        let began = Instant::now();
        let resumed = Arc::clone(self.lease.runner()).resume(job.id(), frame).await;
        self.record_call(began);
        resumed
    }

    fn record_call(&self, began: Instant) {
        histogram!("portolan_plugin_call_seconds", "plugin" => self.name().to_owned())
            .record(began.elapsed().as_secs_f64());
    }
}

/// A job, as its driver holds it. Dropping it ends the job; its instance lives at least as long.
#[derive(Debug)]
pub struct Job {
    lease: JobLease,
    // Dropped after the lease.
    _instance: Arc<Instance>,
}

impl Job {
    fn id(&self) -> JobId {
        self.lease.id()
    }
}

#[cfg(any(test, feature = "testing"))]
impl Instance {
    /// An instance run by `runner`.
    pub(crate) fn run_by(runner: Arc<dyn Runner>, label: &str, limits: Limits, catalogue: Catalogue) -> Self {
        let lease = InstanceLease::new(runner, InstanceId(0));
        let claim_templates = ClaimTemplates::all_allowed(&catalogue);
        Self {
            label: label.into(),
            digest: None,
            // A scripted plugin waits for all of its replies.
            capabilities: capability::ALL & !capability::PENDING_REPLIES,
            limits,
            catalogue,
            unknown_networks: BTreeSet::new(),
            claim_templates,
            failures: Arc::default(),
            job_figures: Arc::default(),
            without_code: Arc::default(),
            breakers: Breakers::of_nobody(),
            hosts: PluginHosts::default(),
            fact_lists: FactStore::new(1 << 20).instance(),
            signature: None,
            left_out: BTreeSet::new(),
            settings: Vec::new(),
            of_settings: BTreeSet::new(),
            lease,
        }
    }
}

#[cfg(any(test, feature = "testing"))]
impl Instance {
    /// Adds the hosts of its catalogue that `grants` cover.
    pub fn granted(self, grants: &HostGrants) -> Self {
        let hosts = PluginHosts::new(self.catalogue.hosts.as_deref().unwrap_or_default(), grants);
        Self { hosts, ..self }
    }
}

#[cfg(test)]
impl Instance {
    /// An instance of `library` that serves `slugs`, with a minimal catalogue.
    pub(crate) fn of_test(library: &Library, slugs: &[&str]) -> Self {
        let protocol = |slug: &&str| portolan_abi::map::Protocol { slug: (*slug).to_owned(), ..Default::default() };
        let catalogue = Catalogue { protocols: slugs.iter().map(protocol).collect(), ..Catalogue::default() };
        Self::run_by(Arc::clone(&library.runner), &library.manifest.label(), library.limits, catalogue)
    }
}

/// The input of a build.
#[derive(Clone, Debug)]
pub(crate) struct BuildInput {
    pub(crate) library: Arc<Library>,
    pub(crate) texts: SettingsTexts,
    pub(crate) networks: Networks,
    pub(crate) facts: FactStore,
    /// Key of the instance in force; the same key makes no new instance.
    pub(crate) in_force: Option<InstanceKey>,
}

/// The source of the operator's settings.
#[derive(Clone, Debug)]
pub(crate) enum SettingsTexts {
    Folder {
        settings_file: PathBuf,
        /// The operator's table of claim functions.
        functions_file: PathBuf,
        writers: TrustedOwners,
        /// Calls that read the folder's files.
        reads: Calls,
    },
    /// Settings that were in force before, and the name of their file.
    Kept { file: String, settings: Option<String>, functions: Option<String> },
}

impl SettingsTexts {
    /// Returns the name of the settings file, the settings and the table of claim functions.
    async fn read(self) -> Result<(String, Option<String>, Option<String>), BuildError> {
        let (settings_file, functions_file, writers, reads) = match self {
            Self::Folder { settings_file, functions_file, writers, reads } => {
                (settings_file, functions_file, writers, reads)
            }
            Self::Kept { file, settings, functions } => return Ok((file, settings, functions)),
        };
        let read = async |path: &PathBuf| {
            let (file, path) = (file_name(path), path.clone());
            let read = reads.call(READ_LIMIT, move || settings::read(&path, writers)).await;
            let unread = |failure| BuildError::Reading { file: file.clone(), failure };
            read.map_err(unread)?.map_err(|fault| BuildError::Settings { file, fault })
        };
        Ok((file_name(&settings_file), read(&settings_file).await?, read(&functions_file).await?))
    }
}

/// Identifies an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstanceKey {
    pub(crate) digest: Digest,
    pub(crate) signature: Arc<BuildSignature>,
    pub(crate) settings: Option<String>,
    pub(crate) functions: Option<String>,
}

/// The outcome of a build.
#[derive(Debug)]
pub(crate) enum Built {
    /// The instance in force has the same key.
    Same,
    New {
        instance: Arc<Instance>,
        key: InstanceKey,
    },
}

/// Reason why a build failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BuildError {
    #[error("{file}: {fault}")]
    Settings { file: String, fault: SettingsFault },
    #[error("{file}: {error}")]
    Functions { file: String, error: ClaimFunctionsError },
    #[error(transparent)]
    Claims(#[from] ClaimTemplatesError),
    #[error("it refuses its shipped settings: {0}")]
    Shipped(String),
    #[error("configuring it: {0}")]
    Run(#[from] RunFailure),
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Signature(#[from] SignatureError),
    #[error("reading {file}: {failure}")]
    Reading { file: String, failure: CallFailure },
}

impl BuildError {
    /// Returns true if a retry may succeed although neither the file nor the settings changed.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, Self::Reading { .. } | Self::Run(RunFailure::Timeout | RunFailure::Stuck | RunFailure::Lost(_)))
    }
}

/// Builds an instance.
pub(crate) async fn build(input: BuildInput) -> Result<Built, BuildError> {
    let BuildInput { library, texts, networks, facts, in_force } = input;
    let (settings_file, settings, functions) = texts.read().await?;
    let key = InstanceKey { digest: library.digest, signature: Arc::clone(&library.signature), settings, functions };
    if in_force.as_ref() == Some(&key) {
        return Ok(Built::Same);
    }
    let refused = |fault| BuildError::Settings { file: settings_file.clone(), fault };
    let functions = match &key.functions {
        Some(text) => Cow::Owned(
            ClaimFunctions::with(text)
                .map_err(|error| BuildError::Functions { file: portolan_validation::FILE_NAME.to_owned(), error })?,
        ),
        None => Cow::Borrowed(ClaimFunctions::shipped()),
    };
    let parsed = match &key.settings {
        Some(text) => settings::parse(text, &networks).map_err(refused)?,
        None => settings::shipped(),
    };
    let encoded = codec::encode(&parsed);
    let configured = Arc::clone(&library.runner).configure(encoded.clone()).await;
    let configured = configured.map_err(|failure| match failure {
        RunFailure::Settings(error) if key.settings.is_some() => {
            refused(settings::refused_by_plugin(&error, &parsed, &networks))
        }
        RunFailure::Settings(error) => BuildError::Shipped(settings::printable(&error.message)),
        failure => BuildError::Run(failure),
    })?;
    let manifest = &library.manifest;
    let checked = catalogue::check(&configured.catalogue, &networks, manifest);
    let Checked { mut catalogue, unknown_networks } =
        checked.map_err(|error| match settings::blame(&error, &parsed, &networks) {
            Some(fault) => refused(fault),
            None => BuildError::Catalogue(error),
        })?;
    let claim_templates = ClaimTemplates::parse(&catalogue, &functions)?;
    let signature = key.signature.check(&catalogue, &parsed)?;
    if let Some(reason) = signature.as_ref().and_then(|signature| signature.would_be_refused.as_ref()) {
        let (plugin, version, digest) = (&manifest.plugin, &manifest.version, library.digest);
        tracing::warn!(plugin, version, %digest, reason, "a build is taken that nobody trusted vouches for");
    }
    let left_out = catalogue::exclude(&mut catalogue, &library.leave_out);
    for slug in library.leave_out.difference(&left_out) {
        let plugin = manifest.plugin.as_str();
        tracing::warn!(plugin, slug, "leave_out of the configuration names a protocol that the plugin does not have");
    }
    let (label, limits, lease) = (manifest.label().into(), library.limits, configured.instance);
    let rows = parsed.deployments.into_iter().map(|row| (row.protocol, row.chain_id, row.market));
    let of_settings = rows.collect();
    let hosts = PluginHosts::new(catalogue.hosts.as_deref().unwrap_or_default(), &library.grants);
    let (failures, fact_lists, breakers) = (Arc::default(), facts.instance(), Arc::clone(&library.breakers));
    let digest = Some(library.digest.to_string().into());
    let instance = Instance {
        label,
        digest,
        capabilities: library.manifest.capabilities,
        limits,
        catalogue,
        unknown_networks,
        claim_templates,
        failures,
        job_figures: Arc::default(),
        without_code: Arc::default(),
        breakers,
        hosts,
        fact_lists,
        signature,
        left_out,
        settings: if key.settings.is_some() { encoded } else { Vec::new() },
        of_settings,
        lease,
    };
    Ok(Built::New { instance: Arc::new(instance), key })
}

/// The file name, for messages and status rows.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
