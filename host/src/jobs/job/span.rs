//! The span of a job. Invariant: it says what was put to which plugin and how it ended, and nothing of the account.

use tracing::field::Empty;
use tracing::{Span, debug_span};

use super::JobOutcome;
use crate::jobs::failure::Reason;
use crate::jobs::plan::JobPlan;
use crate::spans::ERROR;

/// The span of a job, below the one of its answer.
pub(super) fn begin(plan: &JobPlan) -> Span {
    debug_span!(
        "job",
        protocol = plan.subject(),
        network = plan.network.slug,
        plugin = &*plan.instance.label,
        question = i64::from(plan.question.number().0),
        outcome = Empty,
        waves = Empty,
        reads = Empty,
        otel.status_code = Empty,
    )
}

/// Says how a job ended.
pub(super) fn end(span: &Span, outcome: &JobOutcome) {
    if span.is_disabled() {
        return;
    }
    let reason = outcome.failure.as_ref().map(|failure| failure.reason);
    span.record("outcome", reason.map_or("ok", Reason::as_str));
    span.record("waves", i64::from(outcome.figures.batches)).record("reads", i64::from(outcome.figures.reads));
    if reason.is_some_and(|reason| reason != Reason::NotConfigured) && !outcome.ended {
        span.record("otel.status_code", ERROR);
    }
}
