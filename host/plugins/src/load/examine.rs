//! Turns a dropped file into a loaded library: stages it, reads it without running it, probes it, then loads it.
//!
//! Invariant: each step runs only if the ones before it passed. A failure refuses this file and affects nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::files::elf::{self, ElfError};
use crate::files::manifest::{Manifest, ManifestError};
use crate::files::scan::FileFingerprint;
use crate::files::staging::{Digest, Stage, StageError};
use crate::limits::Isolation;
use crate::load::library::{Libraries, Library, LoadError};
use crate::load::probe::{ProbeError, Prober};
use crate::load::runner::call::{CallFailure, Calls};
use crate::load::runner::workers::StartError;
use crate::trust::policy::{Policy, PolicyRejection};
use crate::trust::signature::{BuildSignature, Downgrade, SignatureError, SignatureFiles, Signatures};

/// Files that are copied and probed concurrently; one of them may hang until the probe's deadline.
const AT_ONCE: usize = 4;
/// Time to copy or read a dylib of the largest size; only a file system that hangs takes longer.
const COPY_LIMIT: Duration = Duration::from_secs(30);
/// Delay before a failure of the host itself, such as a full disk, is retried.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Examines files.
#[derive(Debug)]
pub(crate) struct Examiner {
    stage: Stage,
    prober: Prober,
    libraries: Libraries,
    policy: Policy,
    signatures: Arc<Signatures>,
    turns: Semaphore,
    reads: Calls,
}

/// The outcome of an examination.
#[derive(Clone, Debug)]
pub(crate) enum Examined {
    Loaded(Arc<Library>),
    Refused(Arc<Refusal>),
    /// The file changed meanwhile; a later scan finds it again.
    Changed,
}

/// Reason why a file is not loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal {
    pub(crate) digest: Option<Digest>,
    pub(crate) manifest: Option<Manifest>,
    pub(crate) reason: String,
    pub(crate) kind: RefusalKind,
    /// Delay before a retry, for failures of the host itself; `None` if only a change of the file helps.
    pub(crate) retry_after: Option<Duration>,
}

/// Kind of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// The file cannot be loaded.
    #[default]
    Rejected,
    /// The build ended earlier processes, or is in quarantine.
    Quarantined,
    /// The operator disabled the plugin.
    Disabled,
    /// The operator pinned another build.
    Unpinned,
    /// No trusted key vouches for the build.
    Unsigned,
}

impl RefusalKind {
    /// Value of the `step` label in metrics.
    pub(crate) fn step(self) -> &'static str {
        match self {
            Self::Rejected => "load",
            Self::Quarantined => "quarantine",
            Self::Disabled => "disabled",
            Self::Unpinned => "pin",
            Self::Unsigned => "signature",
        }
    }

    /// Returns true if a decision can lift the refusal while the file stays the same.
    pub(crate) fn is_decided(self) -> bool {
        self != Self::Rejected
    }
}

#[derive(Debug, thiserror::Error)]
enum ExamineError {
    #[error(transparent)]
    Stage(#[from] StageError),
    #[error("cannot read the staged copy: {0}")]
    Reread(std::io::Error),
    #[error(transparent)]
    Elf(#[from] ElfError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("{0}")]
    Crashed(String),
    #[error(transparent)]
    Policy(#[from] PolicyRejection),
    #[error(transparent)]
    Signature(#[from] SignatureError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("reading it: {0}")]
    Reading(#[from] CallFailure),
}

impl From<&PolicyRejection> for RefusalKind {
    fn from(rejection: &PolicyRejection) -> Self {
        match rejection {
            PolicyRejection::Quarantined(_) | PolicyRejection::Revoked => Self::Quarantined,
            PolicyRejection::Disabled(_) => Self::Disabled,
            PolicyRejection::Pinned(_) => Self::Unpinned,
        }
    }
}

impl ExamineError {
    fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Stage(StageError::Write(_))
                | Self::Reread(_)
                | Self::Reading(_)
                | Self::Probe(ProbeError::Spawn(_))
                | Self::Load(LoadError::Worker(StartError::Spawn(_)))
        ) || matches!(self, Self::Stage(StageError::File(error)) if error.is_passing())
            || matches!(self, Self::Signature(error) if error.is_passing())
    }
}

impl Examiner {
    /// An examiner that makes its reads of the folder through `reads`.
    pub(crate) fn new(
        stage: Stage,
        libraries: Libraries,
        policy: Policy,
        signatures: Signatures,
        reads: Calls,
    ) -> Self {
        let signatures = Arc::new(signatures);
        Self { stage, prober: Prober::new(), libraries, policy, signatures, turns: Semaphore::new(AT_ONCE), reads }
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Examines a file that has settled.
    pub(crate) async fn examine(&self, file: PathBuf, fingerprint: FileFingerprint) -> Examined {
        // The semaphore is never closed; without a permit the file would be examined all the same.
        let _turn = self.turns.acquire().await;
        let mut seen = Refusal::default();
        match self.steps(file, fingerprint, &mut seen).await {
            Ok(library) => Examined::Loaded(library),
            Err(ExamineError::Stage(StageError::Changed)) => Examined::Changed,
            Err(error) => Examined::Refused(Arc::new(refusal(&error, seen))),
        }
    }

    /// Loads the staged copy of a known good build.
    ///
    /// # Errors
    /// The refusal, with its reason.
    pub(crate) async fn load_staged(&self, digest: Digest) -> Result<Arc<Library>, Refusal> {
        let _turn = self.turns.acquire().await;
        let mut seen = Refusal::default();
        let stage = self.stage.clone();
        let load = async {
            let is_off = self.signatures.are_off();
            let check = move || {
                stage.check(digest)?;
                Ok::<_, StageError>((!is_off).then(|| SignatureFiles::stored(&stage, digest)))
            };
            let kept = self.reads.call(COPY_LIMIT, check).await??;
            self.load(digest, kept, Downgrade::Allowed, &mut seen).await
        };
        load.await.map_err(|error: ExamineError| refusal(&error, seen))
    }

    /// Runs all steps; `seen` collects what is known of the file when a step fails.
    async fn steps(
        &self,
        file: PathBuf,
        fingerprint: FileFingerprint,
        seen: &mut Refusal,
    ) -> Result<Arc<Library>, ExamineError> {
        let stage = self.stage.clone();
        let is_off = self.signatures.are_off();
        let take = move || {
            let digest = stage.take(&file, &fingerprint)?;
            Ok::<_, StageError>((digest, (!is_off).then(|| SignatureFiles::read(&file, stage.writers()))))
        };
        let (digest, files) = self.reads.call(COPY_LIMIT, take).await??;
        self.load(digest, files, Downgrade::Refused, seen).await
    }

    /// Loads a staged copy. `files` vouch for it; they are `None` if signatures are off.
    async fn load(
        &self,
        digest: Digest,
        files: Option<Result<SignatureFiles, SignatureError>>,
        downgrade: Downgrade,
        seen: &mut Refusal,
    ) -> Result<Arc<Library>, ExamineError> {
        seen.digest = Some(digest);
        let staged = self.stage.path(digest);
        let loaded = self.libraries.find(digest).await;
        let manifest = match &loaded {
            Some(library) => library.manifest.clone(),
            None => {
                let read = staged.clone();
                self.reads.call(COPY_LIMIT, move || manifest(&read)).await??
            }
        };
        seen.manifest = Some(manifest.clone());
        manifest.check()?;
        if let Some(rejection) = self.policy.rejection(digest, &manifest.plugin) {
            return Err(rejection.into());
        }
        let signature = self.signature(digest, &manifest, files, downgrade).await?;
        if let Some(library) = loaded {
            return Ok(library.signed(signature));
        }
        if let Some(reason) = self.libraries.refusal(digest) {
            return Err(ExamineError::Crashed(reason));
        }
        if self.libraries.isolation() == Isolation::InProcess {
            self.prober.probe(&staged).await?;
        }
        Ok(self.libraries.load(digest, staged, manifest).await?.signed(signature))
    }

    /// Judges the signature of a build, and stores its files beside the staged copy.
    async fn signature(
        &self,
        digest: Digest,
        manifest: &Manifest,
        files: Option<Result<SignatureFiles, SignatureError>>,
        downgrade: Downgrade,
    ) -> Result<BuildSignature, ExamineError> {
        let Some(files) = files else { return Ok(BuildSignature::default()) };
        let downgrade = if self.policy.pins(&manifest.plugin) { Downgrade::Allowed } else { downgrade };
        let signature = self.signatures.judge(digest, manifest, files.as_ref().map_err(Clone::clone), downgrade)?;
        if let Ok(files) = files {
            let stage = self.stage.clone();
            self.reads.call(COPY_LIMIT, move || files.store(&stage, digest)).await??;
        }
        Ok(signature)
    }

    /// Records that a build came into force.
    pub(crate) async fn note(&self, library: Arc<Library>) {
        if self.signatures.are_off() {
            return;
        }
        let signatures = Arc::clone(&self.signatures);
        let noted = move || signatures.note(&library.signature, &library.manifest);
        if let Err(error) = self.reads.call(COPY_LIMIT, noted).await {
            tracing::error!(%error, "a restart may forget which version was served");
        }
    }
}

/// Builds the refusal of a file from what was seen of it.
fn refusal(error: &ExamineError, seen: Refusal) -> Refusal {
    if let ExamineError::Load(error) = error {
        let details = error.details().unwrap_or_default();
        tracing::debug!(details, "details of a failed load");
    }
    let kind = match error {
        ExamineError::Crashed(_) => RefusalKind::Quarantined,
        ExamineError::Policy(rejection) => rejection.into(),
        ExamineError::Signature(_) => RefusalKind::Unsigned,
        _ => RefusalKind::Rejected,
    };
    Refusal { reason: error.to_string(), kind, retry_after: error.is_retryable().then_some(RETRY_AFTER), ..seen }
}

/// The manifest of a staged copy. The file has passed the lint; the manifest is not checked yet.
fn manifest(staged: &Path) -> Result<Manifest, ExamineError> {
    let bytes = std::fs::read(staged).map_err(ExamineError::Reread)?;
    let json = elf::lint(&bytes)?;
    Ok(Manifest::parse(json)?)
}
