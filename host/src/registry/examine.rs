//! From a dropped file to a loaded library: staged, read without running, probed, then loaded.
//!
//! Invariant: each step runs only if the ones before it passed; whatever fails is a refusal of this file and touches
//! nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::elf::{self, ElfError};
use super::library::{Libraries, Library, LoadError};
use super::manifest::{Manifest, ManifestError};
use super::probe::{ProbeError, Prober};
use super::scan::FileFingerprint;
use super::staging::{Digest, Stage, StageError};
use crate::registry::runner::call::{CallFailure, Calls};

/// Files that are copied and probed at the same time: one of them may hang until the probe's deadline.
const AT_ONCE: usize = 4;
/// For copying or reading a dylib of the largest size; only a file system that hangs takes longer.
const COPY_LIMIT: Duration = Duration::from_secs(30);
/// Until trouble of the host's own (a full disk) is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Examines files.
#[derive(Debug)]
pub(crate) struct Examiner {
    stage: Stage,
    prober: Prober,
    libraries: Libraries,
    turns: Semaphore,
    reads: Calls,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub(crate) enum Examined {
    Loaded(Arc<Library>),
    Refused(Arc<Refusal>),
    /// It changed meanwhile; the next scans find it again.
    Changed,
}

/// Why a file is not loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal {
    pub(crate) digest: Option<Digest>,
    pub(crate) manifest: Option<Manifest>,
    pub(crate) reason: String,
    /// It ended earlier processes.
    pub(crate) is_convicted: bool,
    /// Trouble of the host's own goes away without the file changing.
    pub(crate) retry_after: Option<Duration>,
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
    Convicted(String),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("reading it: {0}")]
    Reading(#[from] CallFailure),
}

impl ExamineError {
    fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Stage(StageError::Write(_)) | Self::Reread(_) | Self::Reading(_) | Self::Probe(ProbeError::Spawn(_))
        ) || matches!(self, Self::Stage(StageError::File(error)) if error.is_passing())
    }
}

impl Examiner {
    /// Examines files of a folder whose reads are `reads`.
    pub(crate) fn new(stage: Stage, libraries: Libraries, reads: Calls) -> Self {
        Self { stage, prober: Prober::new(), libraries, turns: Semaphore::new(AT_ONCE), reads }
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Examines a file that has settled.
    pub(crate) async fn examine(&self, file: PathBuf, fingerprint: FileFingerprint) -> Examined {
        // The semaphore is never closed; without a turn the file is examined all the same.
        let _turn = self.turns.acquire().await;
        let mut seen = Refusal::default();
        match self.steps(file, fingerprint, &mut seen).await {
            Ok(library) => Examined::Loaded(library),
            Err(ExamineError::Stage(StageError::Changed)) => Examined::Changed,
            Err(error) => {
                if let ExamineError::Load(error) = &error {
                    let details = error.details().unwrap_or_default();
                    tracing::debug!(details, "details of a failed load");
                }
                let retry_after = error.is_retryable().then_some(RETRY_AFTER);
                Examined::Refused(Arc::new(Refusal { reason: error.to_string(), retry_after, ..seen }))
            }
        }
    }

    /// `seen` keeps what is known of the file by the time that a step fails.
    async fn steps(
        &self,
        file: PathBuf,
        fingerprint: FileFingerprint,
        seen: &mut Refusal,
    ) -> Result<Arc<Library>, ExamineError> {
        let stage = self.stage.clone();
        let digest = self.reads.call(COPY_LIMIT, move || stage.take(&file, &fingerprint)).await??;
        seen.digest = Some(digest);
        if let Some(library) = self.libraries.find(digest).await {
            return Ok(library);
        }
        let staged = self.stage.path(digest);
        let read = staged.clone();
        let manifest = self.reads.call(COPY_LIMIT, move || manifest(&read)).await??;
        seen.manifest = Some(manifest.clone());
        manifest.check()?;
        if let Some(reason) = self.libraries.refusal(digest) {
            seen.is_convicted = true;
            return Err(ExamineError::Convicted(reason));
        }
        self.prober.probe(&staged).await?;
        Ok(self.libraries.load(digest, staged, manifest).await?)
    }
}

/// The manifest of a staged copy that passed the lint, not checked yet.
fn manifest(staged: &Path) -> Result<Manifest, ExamineError> {
    let bytes = std::fs::read(staged).map_err(ExamineError::Reread)?;
    let json = elf::lint(&bytes)?;
    Ok(Manifest::parse(json)?)
}
