//! Compositions from plugins: one job for each protocol that answers them on a network, about all tokens at once.
//!
//! Invariant: a plugin that fails, hangs or returns wrong findings loses only its own compositions. It is reported,
//! and gets no further question in the same answer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use alloy::primitives::Address;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portolan_abi::map;
use portolan_assets::resolve::CompositionSource;
use portolan_assets::token::Composition;
use portolan_base::network::Network;
use portolan_plugins::{Served, Snapshot};
use portolan_reader::Session;
use portolan_validation::validate_compositions;
use tokio::time::Instant;

use crate::gateway::plan;
use crate::jobs::job::{self, JobOutcome, JobSources, Sessions};
use crate::jobs::plan::JobPlan;
use crate::jobs::report::{JobReport, JobStatus};

/// Divisor: the jobs get this part of the time left, so that a hanging plugin leaves time for other prices.
const TIME_PART: u32 = 4;

/// Jobs about the tokens of one network, at its pinned block.
pub(super) struct CompositionJobs<'a> {
    snapshot: &'a Snapshot,
    session: &'a Session,
    network: &'a Arc<Network>,
    sources: JobSources<'a>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Slugs of protocols that get no further question.
    given_up: BTreeSet<String>,
    /// Reports of jobs that left something missing.
    reports: Vec<JobReport>,
}

impl<'a> CompositionJobs<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        session: &'a Session,
        network: &'a Arc<Network>,
        sources: JobSources<'a>,
    ) -> Self {
        Self { snapshot, session, network, sources, state: Mutex::default() }
    }

    /// Returns the reports of jobs that left something missing; each has found some of it at least.
    pub(super) fn into_reports(self) -> Vec<JobReport> {
        self.state.into_inner().reports
    }

    async fn find(&self, tokens: &[Address]) -> HashMap<Address, Composition> {
        let mut plans = plan::for_tokens(self.snapshot, self.network, tokens);
        plans.retain(|plan| !self.state.lock().given_up.contains(&plan.protocol.slug));
        if tokens.is_empty() || plans.is_empty() {
            return HashMap::new();
        }
        let (mut all, mut failed) = (HashMap::new(), Vec::new());
        for (plan, outcome) in self.run(plans).await {
            let ValidatedCompositions { found, report, is_broken } = validated(&plan, &outcome, tokens);
            let is_own = |token| self.is_own(&plan, token) || outcome.addresses.is_given_contract(token);
            let found = found.into_iter().map(|one| (one.token, Composition::of(&one, is_own(one.token))));
            self.merge(&mut all, &plan, found.collect());
            if report.status != JobStatus::Ok {
                failed.push(Failed { report, is_broken, has_ended: outcome.ended });
            }
        }
        let is_complete = tokens.iter().all(|token| all.contains_key(token));
        failed.into_iter().for_each(|failed| self.note(failed, is_complete));
        all
    }

    /// Returns true if the catalogue lists the token as a contract of the job's protocol.
    fn is_own(&self, plan: &JobPlan, token: Address) -> bool {
        let served = self.snapshot.served(&plan.protocol.slug);
        let mut rows = served.into_iter().flat_map(Served::deployments);
        rows.any(|row| row.chain_id == self.network.chain_id && row.contracts.contains(&token))
    }

    /// Merges the compositions of one job; a token that another protocol's job found first is not changed.
    fn merge(&self, all: &mut HashMap<Address, Composition>, plan: &JobPlan, found: HashMap<Address, Composition>) {
        let (late, first): (Vec<_>, Vec<_>) = found.into_iter().partition(|(token, _)| all.contains_key(token));
        all.extend(first);
        if let Some(token) = late.iter().map(|(token, _)| *token).min() {
            let (network, protocol, count) = (&self.network.slug, &plan.protocol.slug, late.len());
            tracing::debug!(%network, %protocol, %token, count, "another protocol reported the composition first");
        }
    }

    /// Reports findings that break a rule always, and a failure only if other jobs did not find everything. What a
    /// contract replied costs its own token, and no later question to the plugin.
    fn note(&self, Failed { report, is_broken, has_ended }: Failed, is_complete: bool) {
        let mut state = self.state.lock();
        if is_broken || !has_ended {
            state.given_up.insert(report.subject.clone());
        }
        if is_broken || !is_complete {
            let about = |words: &String| format!("what tokens are made of: {words}");
            let detail = report.reason.map_or_else(String::new, |_| about(&report.detail));
            let not_covered = report.not_covered.iter().map(about).collect();
            // Whatever the job came to, the answer has its rows.
            JobReport { status: JobStatus::Partial, detail, not_covered, ..report }.add_to(&mut state.reports);
        }
    }

    /// Runs the jobs in the order of their slugs.
    async fn run(&self, plans: Vec<JobPlan>) -> Vec<(JobPlan, JobOutcome)> {
        let (now, session) = (Instant::now(), self.session);
        let by = now + session.deadline().saturating_duration_since(now) / TIME_PART;
        let sessions: Sessions = BTreeMap::from([(session.chain_id(), Ok(session.until(by)))]);
        job::run_all(plans, &sessions, self.sources, by).await
    }
}

impl CompositionSource for CompositionJobs<'_> {
    fn compositions<'b>(&'b self, tokens: &'b [Address]) -> BoxFuture<'b, HashMap<Address, Composition>> {
        self.find(tokens).boxed()
    }
}

/// Validated findings of a job about tokens.
pub(super) struct ValidatedCompositions {
    pub(super) found: Vec<map::Composition>,
    pub(super) report: JobReport,
    /// True if a finding breaks a rule.
    is_broken: bool,
}

/// Validates the findings of a job about these tokens, and records its outcome.
pub(super) fn validated(plan: &JobPlan, outcome: &JobOutcome, tokens: &[Address]) -> ValidatedCompositions {
    let (found, rejections) = validate_compositions(&outcome.findings, tokens);
    let mut report = JobReport::of(plan, outcome, !found.is_empty());
    report.mark_rejected(plan, &rejections);
    report.record(plan);
    ValidatedCompositions { found, report, is_broken: rejections.broken().is_some() }
}

/// A job that found less than expected, or something that breaks a rule.
struct Failed {
    report: JobReport,
    is_broken: bool,
    has_ended: bool,
}
