//! Statistics of a job. Invariant: serialized names are stable, and no number reveals what is cached about accounts; so
//! times are rounded up.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use tokio::time::Instant;

/// Time and reads that a job took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobStats {
    /// Milliseconds that it took, rounded up to 250, 500, 1,000, 2,000 and so on.
    #[serde(serialize_with = "roughly")]
    #[schemars(with = "u64")]
    pub(crate) duration_ms: u64,
    /// Number of steps with reads other than cached facts of the protocol. Other cached replies count, because the
    /// number would otherwise reveal what clients requested about an account.
    #[serde(rename = "waves")]
    pub(crate) batches: u32,
    /// Number of reads, as if nothing about accounts were cached.
    pub(crate) reads: u32,
}

/// The smallest rounded time: a quarter of a second. Larger ones are its doubles, so that a reply cached for another
/// client makes no visible difference.
const ROUGHLY_MS: u64 = 250;

/// Rounds a time in milliseconds up to 250, 500, 1,000, 2,000 and so on; 0 for a job that did not run.
pub(crate) fn roughly_ms(ms: u64) -> u64 {
    if ms == 0 {
        return 0;
    }
    std::iter::successors(Some(ROUGHLY_MS), |bound| bound.checked_mul(2)).find(|bound| ms <= *bound).unwrap_or(ms)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde takes")]
fn roughly<S: Serializer>(ms: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(roughly_ms(*ms))
}

impl JobStats {
    /// Sets the duration of a job that began then and ends now.
    pub(crate) fn since(self, began: Instant) -> Self {
        Self { duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_as_the_next_of_few() {
        assert_eq!([0, 2, 250, 251, 900, 8000].map(roughly_ms), [0, 250, 250, 500, 1000, 8000]);
        assert_eq!(roughly_ms(u64::MAX), u64::MAX);
    }
}
