//! The latest failures of a plugin's jobs and claims, for its author and for operators: counted, and logged at a bounded rate.
//!
//! Invariant: memory is bounded, however many jobs fail and whatever their messages.

use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use portolan_base::sanitize;
use serde::Serialize;

/// Maximum number of kinds; the one that occurred longest ago is dropped.
const KINDS_MAX: usize = 32;
/// Minimum time between two log lines about one kind.
const LOG_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum characters of a message.
const MESSAGE_CHARS_MAX: usize = 500;

/// The failures of one instance.
#[derive(Debug, Default)]
pub struct JobFailures(Mutex<Vec<Kind>>);

/// Failures of one protocol on one network for one reason.
#[derive(Debug)]
struct Kind {
    status: JobFailureStatus,
    logged: Instant,
}

/// A row of a plugin's `failures` in `/plugins`. The serialized names are stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobFailureStatus {
    /// A slug, or the plugin's name if the job is about a transaction.
    protocol: String,
    network: String,
    reason: &'static str,
    /// The latest message.
    message: String,
    count: u64,
    #[serde(serialize_with = "portolan_base::rfc3339::serialize")]
    last_at: Option<SystemTime>,
}

impl JobFailures {
    /// Records the failure of a job or of a part of it, or a claim that does not do what it states.
    pub fn note(&self, plugin: &str, protocol: &str, network: &str, reason: &'static str, detail: &str) {
        let message = sanitize::shorten(detail, MESSAGE_CHARS_MAX);
        let now = Instant::now();
        let mut kinds = self.0.lock();
        let is_same = |kind: &Kind| {
            kind.status.protocol == protocol && kind.status.network == network && kind.status.reason == reason
        };
        // The newest are last.
        let before = kinds.iter().position(is_same).map(|at| kinds.remove(at));
        let count = before.as_ref().map_or(0, |kind| kind.status.count) + 1;
        let logged = before.map(|kind| kind.logged).filter(|logged| now.duration_since(*logged) < LOG_INTERVAL);
        if logged.is_none() {
            tracing::warn!(plugin, protocol, network, reason, message, count, "a job or a claim failed");
        }
        if kinds.len() >= KINDS_MAX {
            kinds.remove(0);
        }
        let last_at = Some(SystemTime::now());
        let status =
            JobFailureStatus { protocol: protocol.into(), network: network.into(), reason, message, count, last_at };
        kinds.push(Kind { status, logged: logged.unwrap_or(now) });
    }

    /// The kinds of failures, newest first.
    pub(crate) fn status(&self) -> Vec<JobFailureStatus> {
        self.0.lock().iter().rev().map(|kind| kind.status.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_a_kind_are_counted_and_the_newest_message_is_kept() {
        let failures = JobFailures::default();
        for (reason, detail) in [("plugin-error", "first"), ("crashed", "panicked"), ("plugin-error", "second")] {
            failures.note("acme", "acme", "polygon", reason, detail);
        }
        let shown: Vec<_> = failures.status().into_iter().map(|row| (row.reason, row.message, row.count)).collect();
        assert_eq!(shown, [("plugin-error", "second".to_owned(), 2), ("crashed", "panicked".to_owned(), 1)]);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let failures = JobFailures::default();
        for number in 0..100 {
            failures.note("acme", &format!("acme-{number}"), "polygon", "crashed", &"x".repeat(100_000));
        }
        let shown = failures.status();
        assert_eq!((shown.len(), shown[0].protocol.as_str()), (32, "acme-99"));
        assert!(shown.iter().all(|row| row.message.chars().count() == 501));
    }
}
