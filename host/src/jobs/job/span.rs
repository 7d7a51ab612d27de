//! The span of a job. Invariant: it shows the question, the plugin and the outcome, but nothing about the account.

use tracing::field::Empty;
use tracing::{Span, debug_span};

use super::JobOutcome;
use crate::jobs::failure::Reason;
use crate::jobs::plan::JobPlan;
use crate::spans::ERROR;

/// Creates the span of a job, a child of its answer's span.
pub(super) fn begin(plan: &JobPlan) -> Span {
    debug_span!(
        "job",
        protocol = plan.subject(),
        network = plan.network.slug,
        plugin = &*plan.instance.label,
        question = i64::from(plan.question.number().0),
        outcome = Empty,
        batches = Empty,
        reads = Empty,
        otel.status_code = Empty,
    )
}

/// Records how a job ended.
pub(super) fn end(span: &Span, outcome: &JobOutcome) {
    if span.is_disabled() {
        return;
    }
    let reason = outcome.failure.as_ref().map(|failure| failure.reason);
    span.record("outcome", reason.map_or("ok", Reason::as_str));
    span.record("batches", i64::from(outcome.stats.batches)).record("reads", i64::from(outcome.stats.reads));
    if reason.is_some_and(|reason| reason != Reason::NotConfigured) && !outcome.ended {
        span.record("otel.status_code", ERROR);
    }
}
