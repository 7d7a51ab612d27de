//! The figures of a job. Invariant: the report shows each as it is here; the names that they serialize to stay; and
//! but for the time, none depends on what is cached about accounts.

use serde::Serialize;
use tokio::time::Instant;

/// What a job took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobFigures {
    pub(crate) duration_ms: u64,
    /// Steps with reads that are not facts of the protocol which the host has; whether the others were cached is not to be
    /// seen, as it would tell what somebody else asked about an account.
    #[serde(rename = "waves")]
    pub(crate) batches: u32,
    pub(crate) reads: u32,
}

impl JobFigures {
    /// The same, for a job that began then and ends now.
    pub(crate) fn since(self, began: Instant) -> Self {
        Self { duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX), ..self }
    }
}
