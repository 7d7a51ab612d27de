//! What is known of one file in the plugins folder.
//!
//! Invariant: a file is examined again only when it looks otherwise, or when its trouble was the host's own.

use std::sync::Arc;

use tokio::time::Instant;

use super::examine::Refusal;
use super::library::Library;
use super::scan::Stamp;

/// A dylib in the plugins folder.
#[derive(Debug)]
pub(crate) struct FileEntry {
    /// `None`: to be examined as soon as it has settled.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) found: Found,
    pub(crate) is_told_as_second: bool,
}

/// What it was found to be.
#[derive(Debug)]
pub(crate) enum Found {
    /// Until then the refusal before it stands.
    Examining {
        before: Option<Arc<Refusal>>,
    },
    Taken(Arc<Library>),
    Refused {
        refusal: Arc<Refusal>,
        retry_at: Option<Instant>,
    },
}

impl FileEntry {
    /// Whether it must be examined, now that it has settled with this stamp.
    pub(crate) fn is_due(&self, stamp: Stamp, now: Instant) -> bool {
        match (&self.found, self.stamp) {
            (_, None) => true,
            (Found::Examining { .. }, Some(_)) => false,
            (Found::Taken(_), Some(examined)) => examined != stamp,
            (Found::Refused { retry_at, .. }, Some(examined)) => {
                examined != stamp || retry_at.is_some_and(|at| at <= now)
            }
        }
    }

    pub(crate) fn into_refusal(self) -> Option<Arc<Refusal>> {
        match self.found {
            Found::Refused { refusal, .. } => Some(refusal),
            Found::Examining { before } => before,
            Found::Taken(_) => None,
        }
    }

    pub(crate) fn library(&self) -> Option<&Arc<Library>> {
        match &self.found {
            Found::Taken(library) => Some(library),
            Found::Examining { .. } | Found::Refused { .. } => None,
        }
    }

    pub(crate) fn library_of(&self, plugin: &str) -> Option<Arc<Library>> {
        self.library().filter(|library| library.manifest.plugin == plugin).cloned()
    }
}
