//! The last failures of a plugin's jobs, for its author and for operators: counted, and logged at a bounded rate.
//!
//! Invariant: only what is the plugin's fault, or may be, is noted here; what nodes do stands in their own status.

use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use serde::Serialize;

use crate::jobs::failure::Reason;
use crate::jobs::report::JobReport;
use crate::sanitize;

/// So many kinds of failures are kept; the one that came longest ago goes.
const KINDS_MAX: usize = 32;
/// Between two lines of the log about one kind.
const LOG_INTERVAL: Duration = Duration::from_secs(60);
/// Characters of a message.
const MESSAGE_CHARS_MAX: usize = 500;

/// Those of one instance.
#[derive(Debug, Default)]
pub(crate) struct JobFailures(Mutex<Vec<Kind>>);

/// Failures of one protocol on one network for one reason.
#[derive(Debug)]
struct Kind {
    status: JobFailureStatus,
    logged: Instant,
}

/// A row of a plugin's `failures` in `/plugins`. The names that it serializes to stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobFailureStatus {
    /// A slug, or the plugin's name where the job is about a transaction.
    protocol: String,
    network: String,
    #[serde(serialize_with = "word")]
    reason: Reason,
    /// The newest.
    message: String,
    count: u64,
    #[serde(serialize_with = "crate::rfc3339::serialize")]
    last_at: Option<SystemTime>,
}

fn word<S: serde::Serializer>(reason: &Reason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.as_str())
}

impl JobFailures {
    /// Notes what is missing by the fault of a plugin, where anything is.
    pub(crate) fn note(&self, plugin: &str, report: &JobReport) {
        let Some(reason) = report.reason.filter(|reason| reason.is_of_plugin()) else { return };
        let (protocol, network) = (report.subject.as_str(), report.network.slug.as_str());
        let message = sanitize::shorten(&report.detail, MESSAGE_CHARS_MAX);
        let now = Instant::now();
        let mut kinds = self.0.lock();
        let is_same = |kind: &Kind| {
            kind.status.protocol == protocol && kind.status.network == network && kind.status.reason == reason
        };
        // The newest stand last.
        let before = kinds.iter().position(is_same).map(|at| kinds.remove(at));
        let count = before.as_ref().map_or(0, |kind| kind.status.count) + 1;
        let logged = before.map(|kind| kind.logged).filter(|logged| now.duration_since(*logged) < LOG_INTERVAL);
        if logged.is_none() {
            tracing::warn!(plugin, protocol, network, reason = reason.as_str(), message, count, "a job failed");
        }
        if kinds.len() >= KINDS_MAX {
            kinds.remove(0);
        }
        let last_at = Some(SystemTime::now());
        let status =
            JobFailureStatus { protocol: protocol.into(), network: network.into(), reason, message, count, last_at };
        kinds.push(Kind { status, logged: logged.unwrap_or(now) });
    }

    /// The newest first.
    pub(crate) fn status(&self) -> Vec<JobFailureStatus> {
        self.0.lock().iter().rev().map(|kind| kind.status.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::jobs::failure::Failure;
    use crate::network::Networks;

    fn report(subject: &str, failure: Option<(Reason, &str)>) -> JobReport {
        let network = Arc::clone(Networks::new([]).with_chain_id(1).unwrap());
        let report = JobReport::blank(subject, &network);
        match failure {
            Some((reason, detail)) => report.failed(Failure::new(reason, detail)),
            None => report,
        }
    }

    #[test]
    fn failures_of_a_kind_are_counted_and_the_newest_message_is_kept() {
        let failures = JobFailures::default();
        let of = |reason, detail| report("acme", Some((reason, detail)));
        for report in [
            of(Reason::PluginError, "first"),
            of(Reason::Crashed, "panicked"),
            of(Reason::PluginError, "second"),
            of(Reason::Upstream, "a node's fault"),
            report("acme", None),
        ] {
            failures.note("acme", &report);
        }
        let shown: Vec<_> = failures.status().into_iter().map(|row| (row.reason, row.message, row.count)).collect();
        let expected = [(Reason::PluginError, "second".to_owned(), 2), (Reason::Crashed, "panicked".to_owned(), 1)];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let failures = JobFailures::default();
        for number in 0..100 {
            let long = "x".repeat(100_000);
            failures.note("acme", &report(&format!("acme-{number}"), Some((Reason::Crashed, &long))));
        }
        let shown = failures.status();
        assert_eq!((shown.len(), shown[0].protocol.as_str()), (32, "acme-99"));
        assert!(shown.iter().all(|row| row.message.chars().count() == 501));
    }
}
