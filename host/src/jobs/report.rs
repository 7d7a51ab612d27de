//! Reports of jobs, as `detail=full` shows them: what each job did, and why something is missing.
//!
//! Invariant: `reason` is the first reason; `detail` contains every further one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy::primitives::Address;
use metrics::{SharedString, counter, histogram};
use portolan_base::network::Network;
use portolan_plugins::breaker::{BreakerChange, JobVerdict};
use portolan_plugins::without_code::MetContracts;
use portolan_validation::Rejections;
use schemars::JsonSchema;
use serde::Serialize;

use crate::jobs::failure::{Failure, Reason};
use crate::jobs::job::{JobOutcome, MetCode};
use crate::jobs::plan::JobPlan;
use crate::jobs::stats::JobStats;

/// Report of one job, or of the host's own reads on one network.
#[derive(Clone, Debug)]
pub(crate) struct JobReport {
    /// A protocol's slug, a plugin's name for jobs about events, `tokens`, `native` or `events`.
    pub(crate) subject: String,
    pub(crate) network: Arc<Network>,
    /// Set if the answer is about several accounts.
    pub(crate) account: Option<Address>,
    pub(crate) status: JobStatus,
    /// First reason why something is missing.
    pub(crate) reason: Option<Reason>,
    pub(crate) detail: String,
    /// Sentences about what the plugin knows but does not read; they add [`Reason::NotCovered`] to the reasons.
    pub(crate) not_covered: Vec<String>,
    /// True if the plugin broke a rule.
    pub(crate) is_fault: bool,
    pub(crate) stats: JobStats,
    /// Number of missing tokens for each reason; empty if the report is not about a number of tokens.
    pub(crate) missing_tokens: Vec<(Reason, usize)>,
    /// Off-chain hosts that replied, each with the age of its oldest reply in seconds.
    pub(crate) off_chain: BTreeMap<String, u32>,
    /// Listed contracts without code. Nobody can hold anything there, so nothing is missing.
    pub(crate) code: MetCode,
}

/// The outcome of a job of which nothing is missing, as the metric of jobs names it.
const OUTCOME_OK: &str = "ok";

/// Returns true if an outcome of the metric of jobs is a failure. What a plugin says that it does not read is none.
pub(crate) fn is_failure(outcome: &str) -> bool {
    outcome != OUTCOME_OK && outcome != Reason::NotCovered.as_str()
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JobStatus {
    Ok,
    Partial,
    Failed,
}

impl JobReport {
    /// An empty report of a job.
    pub(crate) fn blank(subject: &str, network: &Arc<Network>) -> Self {
        Self {
            subject: subject.to_owned(),
            network: Arc::clone(network),
            account: None,
            status: JobStatus::Ok,
            reason: None,
            detail: String::new(),
            not_covered: Vec::new(),
            is_fault: false,
            stats: JobStats::default(),
            missing_tokens: Vec::new(),
            off_chain: BTreeMap::new(),
            code: MetCode::default(),
        }
    }

    /// Builds the report of a job that ran; `found` is true if any of its findings is in the answer.
    pub(crate) fn of(plan: &JobPlan, outcome: &JobOutcome, found: bool) -> Self {
        let status = match &outcome.failure {
            None if outcome.not_covered.is_empty() => JobStatus::Ok,
            None => JobStatus::Partial,
            Some(_) if outcome.ended || found => JobStatus::Partial,
            Some(_) => JobStatus::Failed,
        };
        let mut report = Self {
            status,
            reason: outcome.failure.as_ref().map(|failure| failure.reason),
            detail: outcome.failure.as_ref().map(|failure| failure.detail.clone()).unwrap_or_default(),
            not_covered: outcome.not_covered.clone(),
            is_fault: outcome.failure.as_ref().is_some_and(|failure| failure.is_fault),
            stats: outcome.stats,
            off_chain: outcome.off_chain.clone(),
            code: outcome.code.clone(),
            ..Self::blank(plan.subject(), &plan.network)
        };
        if !outcome.invalid_replies.is_empty() {
            report.mark_partial(Reason::InvalidReply, &outcome.invalid_replies);
        }
        report
    }

    /// All reasons; first the one for the whole job.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Reason> {
        let not_covered = (!self.not_covered.is_empty()).then_some(Reason::NotCovered);
        self.reason.into_iter().chain(not_covered)
    }

    /// Returns the text of everything that is missing or not covered.
    pub(crate) fn words(&self) -> String {
        let detail = (!self.detail.is_empty()).then_some(self.detail.as_str());
        detail.into_iter().chain(self.not_covered.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
    }

    /// Reports the outcome to the circuit breaker, and records failures that may be the plugin's fault for `/plugins`
    /// and the log.
    pub(crate) fn record(&self, plan: &JobPlan) {
        self.count(plan.instance.name());
        plan.instance.job_figures.note(Duration::from_millis(self.stats.duration_ms), self.is_incomplete());
        plan.instance.without_code.note(MetContracts {
            plugin: plan.instance.name(),
            protocol: &self.subject,
            network: &self.network,
            block: self.code.block,
            without_code: &self.code.without,
            with_code: &self.code.with,
        });
        let verdict = match self.reason {
            // The job did not run.
            Some(Reason::Quarantined) => return,
            _ if self.is_fault => JobVerdict::Fault,
            None => JobVerdict::Fine,
            Some(_) => JobVerdict::Unknown,
        };
        let (chain_id, now) = (self.network.chain_id, Instant::now());
        let change = plan.instance.breakers.take(chain_id, &plan.input(), verdict, &self.detail, now);
        self.log_change(&plan.instance.label, change);
        if let Some(reason) = self.reason.filter(|reason| reason.is_of_plugin()) {
            let (plugin, network) = (plan.instance.name(), self.network.slug.as_str());
            plan.instance.failures.note(plugin, &self.subject, network, reason.as_str(), &self.detail);
        }
    }

    /// Returns true if something is missing that the plugin reads, as [`is_failure`] has it of the metric.
    fn is_incomplete(&self) -> bool {
        self.reasons().next().is_some_and(|reason| is_failure(reason.as_str()))
    }

    fn log_change(&self, plugin: &str, change: Option<BreakerChange>) {
        let (network, reason) = (&self.network.slug, &self.detail);
        match change {
            Some(BreakerChange::Opened { faults }) => {
                tracing::error!(plugin, network, faults, reason, "jobs of a plugin pause on a network");
            }
            Some(BreakerChange::Closed { after }) => {
                let paused_s = after.as_secs();
                tracing::warn!(plugin, network, paused_s, "jobs of a plugin run on a network again");
            }
            None => {}
        }
    }

    fn count(&self, plugin: &str) {
        let (network, outcome) = (self.network.slug.clone(), self.reasons().next().map_or(OUTCOME_OK, Reason::as_str));
        let plugin = SharedString::from(plugin.to_owned());
        counter!("portolan_plugin_jobs_total", "plugin" => plugin.clone(), "network" => network, "outcome" => outcome)
            .increment(1);
        let JobStats { duration_ms, batches, reads } = self.stats;
        histogram!("portolan_plugin_job_seconds", "plugin" => plugin.clone())
            .record(Duration::from_millis(duration_ms).as_secs_f64());
        counter!("portolan_plugin_batches_total", "plugin" => plugin.clone()).increment(batches.into());
        counter!("portolan_plugin_reads_total", "plugin" => plugin).increment(reads.into());
    }

    /// Marks the whole report as failed.
    pub(crate) fn failed(self, failure: Failure) -> Self {
        Self { status: JobStatus::Failed, reason: Some(failure.reason), detail: failure.detail, ..self }
    }

    /// Records that a part of the job's expected findings is missing from the answer.
    pub(crate) fn mark_partial(&mut self, reason: Reason, detail: &str) {
        if self.status == JobStatus::Ok {
            self.status = JobStatus::Partial;
        }
        // A fault of the plugin stands before what a contract spoiled.
        if self.reason.is_none() || (self.reason, reason) == (Some(Reason::InvalidReply), Reason::InvalidOutput) {
            self.reason = Some(reason);
        }
        self.is_fault |= reason.is_fault();
        if self.detail.contains(detail) {
            return;
        }
        if !self.detail.is_empty() {
            self.detail.push_str("; ");
        }
        self.detail.push_str(detail);
    }

    /// Records why findings of this job were rejected.
    pub(crate) fn mark_rejected(&mut self, plan: &JobPlan, rejections: &Rejections) {
        if let Some(records) = &plan.records {
            records.refuse(plan.subject(), plan.network.chain_id, plan.question.number(), rejections);
        }
        let lines = [
            (Reason::InvalidOutput, rejections.broken()),
            (Reason::InvalidReply, rejections.of_replies()),
            (Reason::Rejected, rejections.left_out()),
        ];
        for (reason, line) in lines {
            line.into_iter().for_each(|line| self.mark_partial(reason, &line));
        }
    }

    /// Merges a further job's report into the first report of the same protocol and network, or appends it.
    pub(crate) fn add_to(self, reports: &mut Vec<Self>) {
        let is_same =
            |report: &&mut Self| report.subject == self.subject && report.network.chain_id == self.network.chain_id;
        let Some(report) = reports.iter_mut().find(is_same) else { return reports.push(self) };
        if let Some(reason) = self.reason {
            report.mark_partial(reason, &self.detail);
        }
        for sentence in self.not_covered {
            report.mark_not_covered(sentence);
        }
    }

    fn mark_not_covered(&mut self, sentence: String) {
        if self.status == JobStatus::Ok {
            self.status = JobStatus::Partial;
        }
        if !self.not_covered.contains(&sentence) {
            self.not_covered.push(sentence);
        }
    }
}
