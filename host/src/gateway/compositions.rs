//! Compositions from plugins: one job for each protocol that tells them on a network, about all tokens at once.
//!
//! Invariant: a plugin that fails, hangs or lies costs what only it could have told, is reported, and is not asked
//! again in the same answer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::Address;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use parking_lot::Mutex;
use portolan_reader::Reader;
use tokio::time::Instant;

use crate::assets::resolve::CompositionSource;
use crate::assets::token::{At, Composition};
use crate::gateway::answer::{JobReport, JobStatus};
use crate::gateway::{plan, report};
use crate::jobs::failure::Reason;
use crate::jobs::job::{self, JobOutcome};
use crate::jobs::plan::JobPlan;
use crate::jobs::validate;
use crate::registry::Snapshot;

/// The jobs may use that part of the time that is left, so that a hanging plugin leaves time for prices of the rest.
const TIME_PART: u32 = 4;

/// The plugins that an answer sees, and what their jobs read with.
#[derive(Clone)]
pub(crate) struct Plugins<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) reader: Arc<dyn Reader>,
}

/// Asks them at one network's pinned block.
pub(crate) struct Jobs<'a> {
    plugins: &'a Plugins<'a>,
    at: At<'a>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Slugs that are not asked again.
    given_up: BTreeSet<String>,
    /// What is missing, and by whose fault.
    lost: Vec<JobReport>,
}

impl Plugins<'_> {
    pub(crate) fn at<'b>(&'b self, at: At<'b>) -> Jobs<'b> {
        Jobs { plugins: self, at, state: Mutex::default() }
    }
}

impl Jobs<'_> {
    /// Reports of the jobs by whose fault something is missing; each is at least partly there.
    pub(crate) fn lost(self) -> Vec<JobReport> {
        self.state.into_inner().lost
    }

    async fn ask(&self, tokens: &[Address]) -> HashMap<Address, Composition> {
        let mut plans = plan::for_tokens(self.plugins.snapshot, self.at.network, tokens);
        plans.retain(|plan| !self.state.lock().given_up.contains(&plan.protocol.slug));
        if tokens.is_empty() || plans.is_empty() {
            return HashMap::new();
        }
        let (mut told, mut failed) = (HashMap::new(), Vec::new());
        for (plan, outcome) in self.run(plans).await {
            let (found, rejections) = validate::compositions(&outcome.findings, tokens);
            self.take(&mut told, &plan, found);
            let mut report = report::of(&plan, &outcome, true);
            let has_lied = rejections.is_some();
            if let Some(rejections) = rejections {
                report::lose(&mut report, Reason::InvalidOutput, &rejections);
            }
            if report.status != JobStatus::Ok {
                failed.push(Failed { report, has_lied, has_ended: outcome.ended });
            }
        }
        let all_told = tokens.iter().all(|token| told.contains_key(token));
        failed.into_iter().for_each(|failed| self.note(failed, all_told));
        told
    }

    /// A token that was told before stays as it is.
    fn take(&self, told: &mut HashMap<Address, Composition>, plan: &JobPlan, found: HashMap<Address, Composition>) {
        let (late, first): (Vec<_>, Vec<_>) = found.into_iter().partition(|(token, _)| told.contains_key(token));
        told.extend(first);
        if let Some(token) = late.iter().map(|(token, _)| *token).min() {
            let (network, protocol, count) = (&self.at.network.slug, &plan.protocol.slug, late.len());
            tracing::debug!(%network, %protocol, %token, count, "another protocol told before what tokens are made of");
        }
    }

    /// A lie is told in any case, and a failure unless others told all: then nothing is missing.
    fn note(&self, Failed { report, has_lied, has_ended }: Failed, all_told: bool) {
        let mut state = self.state.lock();
        if has_lied || !has_ended {
            state.given_up.insert(report.protocol.clone());
        }
        if has_lied || !all_told {
            let detail = format!("what tokens are made of: {}", report.detail);
            report::add(&mut state.lost, JobReport { detail, ..report });
        }
    }

    /// Runs the jobs in the order of their slugs; their reads share batches.
    async fn run(&self, plans: Vec<JobPlan>) -> Vec<(JobPlan, JobOutcome)> {
        let now = Instant::now();
        let session = self.at.session;
        let by = now + session.deadline().saturating_duration_since(now) / TIME_PART;
        let sessions = BTreeMap::from([(session.chain_id(), session.until(by))]);
        let jobs = plans.into_iter().map(async |plan| {
            let by = by.min(now + Duration::from_millis(plan.instance.limits.job_ms));
            let outcome = job::run(&plan, &sessions, by).await;
            (plan, outcome)
        });
        join_all(jobs).await
    }
}

impl CompositionSource for Jobs<'_> {
    fn compositions<'b>(&'b self, tokens: &'b [Address]) -> BoxFuture<'b, HashMap<Address, Composition>> {
        self.ask(tokens).boxed()
    }
}

/// A job that told less than asked, or another thing.
struct Failed {
    report: JobReport,
    has_lied: bool,
    has_ended: bool,
}
