//! The state of one file in the plugins folder.
//!
//! Invariant: a file is examined again only if it or its signature changes, its signing key expires, or the failure
//! was the host's own.

use std::sync::Arc;

use tokio::time::Instant;

use crate::files::scan::{FileFingerprint, SignatureFingerprints};
use crate::load::examine::Refusal;
use crate::load::library::Library;

/// A dylib in the plugins folder.
#[derive(Debug)]
pub(crate) struct FileEntry {
    /// `None` if it must be examined as soon as it has settled.
    pub(crate) fingerprint: Option<FileFingerprint>,
    /// Manifest and signature beside it when its examination began.
    pub(crate) beside: SignatureFingerprints,
    pub(crate) state: FileState,
    pub(crate) is_warned_of: bool,
}

/// The state of a file.
#[derive(Debug)]
pub(crate) enum FileState {
    /// Under examination. The refusal before stays visible meanwhile.
    Examining {
        before: Option<Arc<Refusal>>,
    },
    Loaded(Arc<Library>),
    Refused {
        refusal: Arc<Refusal>,
        retry_at: Option<Instant>,
    },
}

impl FileEntry {
    /// Returns true if the file must be examined, given the settled fingerprints of it and its signature files.
    pub(crate) fn is_due(
        &self,
        fingerprint: FileFingerprint,
        beside: SignatureFingerprints,
        now: Instant,
        now_s: u64,
    ) -> bool {
        let is_other = self.beside != beside;
        match (&self.state, self.fingerprint) {
            (_, None) => true,
            (FileState::Examining { .. }, Some(_)) => false,
            (FileState::Loaded(library), Some(examined)) => {
                is_other || examined != fingerprint || library.signature.has_ended(now_s)
            }
            (FileState::Refused { retry_at, .. }, Some(examined)) => {
                is_other || examined != fingerprint || retry_at.is_some_and(|at| at <= now)
            }
        }
    }

    /// Returns true if nothing is known of its content.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.state, FileState::Examining { before: None })
    }

    /// Returns true if the examination found the same as the one before, which has been logged.
    pub(crate) fn was_refused_as(&self, refusal: &Refusal) -> bool {
        let FileState::Examining { before: Some(before) } = &self.state else { return false };
        before.digest.is_some() && (before.digest, &before.reason) == (refusal.digest, &refusal.reason)
    }

    pub(crate) fn into_refusal(self) -> Option<Arc<Refusal>> {
        match self.state {
            FileState::Refused { refusal, .. } => Some(refusal),
            FileState::Examining { before } => before,
            FileState::Loaded(_) => None,
        }
    }

    pub(crate) fn library(&self) -> Option<&Arc<Library>> {
        match &self.state {
            FileState::Loaded(library) => Some(library),
            FileState::Examining { .. } | FileState::Refused { .. } => None,
        }
    }

    pub(crate) fn library_of(&self, plugin: &str) -> Option<Arc<Library>> {
        self.library().filter(|library| library.manifest.plugin == plugin).cloned()
    }
}
