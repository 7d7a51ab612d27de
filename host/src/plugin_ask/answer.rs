//! One answer of a plugin that is tried, and the records of its jobs.

use std::sync::Arc;

use alloy::primitives::Address;
use hyper::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};

use crate::gateway::{CompositionAnswer, Gateway, TRIES};
use crate::http;
use crate::jobs::failure::Reason;
use crate::jobs::record::{JobRecord, JobRecords};
use crate::lone_gateway::ANSWER_TIME;
use crate::lone_plugin::LonePluginError;

/// An answer of the plugin.
pub(crate) struct PluginAnswer {
    /// The request.
    pub(super) path: String,
    pub(super) status: StatusCode,
    pub(crate) body: Value,
    /// The header `portolan-partial`; `None` if nothing is missing.
    pub(super) partial: Option<String>,
    /// One for each job of the answer.
    pub(super) jobs: Vec<JobRecord>,
    /// The file of each job, if they were written.
    pub(super) files: Vec<String>,
}

impl PluginAnswer {
    /// Requests a path; again while something is missing, because the next answer has what this one learned.
    pub(super) async fn request(
        gateway: &Arc<Gateway>,
        records: &JobRecords,
        path: String,
    ) -> Result<Self, LonePluginError> {
        let uri: Uri = path.parse().map_err(|error| LonePluginError::Argument(format!("{path}: {error}")))?;
        let mut tries = 0;
        loop {
            let response = http::answer(gateway, ANSWER_TIME, uri.clone(), HeaderMap::new()).await;
            let jobs = last_of_each(records.take());
            tries += 1;
            let partial =
                response.headers().get("portolan-partial").and_then(|value| value.to_str().ok()).map(str::to_owned);
            if partial.is_some() && tries < TRIES {
                continue;
            }
            let body = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
            return Ok(Self { path, status: response.status(), body, partial, jobs, files: Vec::new() });
        }
    }

    /// Puts the question what these tokens redeem to.
    pub(super) async fn compositions(
        gateway: &Gateway,
        records: &JobRecords,
        tokens: &[Address],
        protocol: Option<&str>,
    ) -> Self {
        let answers = gateway.compositions(tokens, protocol).await;
        let missing = answers.iter().flat_map(|answer| {
            let report = &answer.report;
            report
                .reasons()
                .map(|reason| format!("{}/{};reason={}", report.subject, report.network.slug, reason.as_str()))
        });
        let missing: Vec<String> = missing.collect();
        let items: Vec<Value> = answers.iter().flat_map(rows).collect();
        let jobs: Vec<Value> = answers.iter().map(job).collect();
        let named: Vec<String> = tokens.iter().map(|token| format!("{token:#x}")).collect();
        Self {
            path: format!("compositions of {}", named.join(",")),
            status: StatusCode::OK,
            body: json!({ "items": items, "report": { "jobs": jobs } }),
            partial: (!missing.is_empty()).then(|| missing.join(", ")),
            jobs: last_of_each(records.take()),
            files: Vec::new(),
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        let pays = |item: &Value| item.get("simulated").is_none_or(|verdict| verdict == "paid");
        self.status == StatusCode::OK && self.partial.is_none() && self.items().iter().all(pays)
    }

    /// Returns true unless what was requested is not there.
    pub(super) fn has_found(&self) -> bool {
        self.status != StatusCode::NOT_FOUND
    }

    /// The rows of the answer; none if it is a problem.
    pub(super) fn items(&self) -> &[Value] {
        self.body.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The reports of jobs in the answer, or those that a problem lists.
    pub(crate) fn reports(&self) -> &[Value] {
        let jobs = self.body.pointer("/report/jobs").or_else(|| self.body.get("jobs"));
        jobs.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The last record of each question: a job may have run again at another block.
fn last_of_each(records: Vec<JobRecord>) -> Vec<JobRecord> {
    let mut last: Vec<JobRecord> = Vec::new();
    for record in records {
        let is_same = |known: &JobRecord| known.subject == record.subject && known.job.is_same_question(&record.job);
        last.retain(|known| !is_same(known));
        last.push(record);
    }
    last.sort_by_cached_key(|record| (record.subject.clone(), record.network.slug.clone(), record.question));
    last
}

fn rows(answer: &CompositionAnswer) -> Vec<Value> {
    let (protocol, network) = (&answer.report.subject, &answer.report.network.slug);
    let rows = answer.found.iter().map(|found| {
        let part = |(token, amount)| json!({ "token": format!("{token:#x}"), "amount": format!("{amount}") });
        json!({
            "protocol": protocol,
            "network": network,
            "token": format!("{:#x}", found.token),
            "type": found.kind,
            "supply": found.supply.to_string(),
            "parts": found.parts.iter().map(|parts| part((parts.token, parts.amount))).collect::<Vec<_>>(),
        })
    });
    rows.collect()
}

fn job(answer: &CompositionAnswer) -> Value {
    let report = &answer.report;
    let mut job = json!(report.stats);
    job["protocol"] = json!(report.subject);
    job["network"] = json!(report.network.slug);
    job["status"] = json!(report.status);
    job["reason"] = json!(report.reasons().next().map(Reason::as_str));
    job["detail"] = json!(report.words());
    job
}
