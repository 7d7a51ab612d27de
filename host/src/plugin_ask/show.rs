//! Answers of a plugin for people and for scripts.

use std::fmt::Write as _;

use hyper::StatusCode;
use serde_json::{Value, json};

use super::answer::PluginAnswer;
use crate::jobs::record::{BatchRecord, JobRecord};

/// Formats each answer: a line for each job and each of its batches, the rows as clients get them, and the problem if
/// there is one.
pub(super) fn table(answers: &[PluginAnswer]) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        // Writing into a String does not fail.
        let _ = writeln!(text, "{words}");
    };
    for answer in answers {
        line(format_args!("GET {} → {}", answer.path, answer.status));
        for report in answer.reports() {
            line(format_args!("  {}", report_line(report)));
        }
        for (place, job) in answer.jobs.iter().enumerate() {
            line(format_args!("  {}", job_line(job)));
            for (number, batch) in (1..).zip(&job.batches) {
                let BatchRecord { reads, bytes, time } = batch;
                line(format_args!("    batch {number}: {reads} reads, {bytes} bytes, {} ms", time.as_millis()));
            }
            for sentence in &job.refused {
                line(format_args!("    refused: {sentence}"));
            }
            if let Some(file) = answer.files.get(place) {
                let note = if job.found.is_some() { "" } else { "; it did not end, so that nothing is expected of it" };
                line(format_args!("    recorded in {file}: {} reads{note}", job.job.reads()));
            }
        }
        if answer.status != StatusCode::OK {
            let word = |member: &str| answer.body.get(member).and_then(Value::as_str).unwrap_or_default();
            line(format_args!("  {}: {}", word("title"), word("detail")));
        }
        for item in answer.items() {
            line(format_args!("{item:#}"));
        }
        let counted = |verdict: &str| answer.items().iter().filter(|item| item["simulated"] == verdict).count();
        let tried: Vec<String> = ["paid", "differs", "reverted", "refused"]
            .into_iter()
            .map(|verdict| (counted(verdict), verdict))
            .filter(|(count, _)| *count > 0)
            .map(|(count, verdict)| format!("{count} {verdict}"))
            .collect();
        let claims =
            if tried.is_empty() { String::new() } else { format!("; claims when tried: {}", tried.join(", ")) };
        line(format_args!("{} rows{claims}", answer.items().len()));
    }
    text
}

/// Formats the report of a job; those of a problem have no more than the reason of their failure.
fn report_line(report: &Value) -> String {
    let word = |member: &str| report.get(member).and_then(Value::as_str).unwrap_or_default();
    let number = |member: &str| report.get(member).and_then(Value::as_u64);
    let status = if word("status").is_empty() { "failed" } else { word("status") };
    let mut line = format!("{:<12} {} {status}", word("network"), word("protocol"));
    if let (Some(reads), Some(batches), Some(ms)) = (number("reads"), number("waves"), number("durationMs")) {
        // Writing into a String does not fail.
        let _ = write!(line, ", {reads} reads in {batches} batches, at most {ms} ms");
    }
    for reason in ["reason", "detail"].map(word).into_iter().filter(|word| !word.is_empty()) {
        let _ = write!(line, ": {reason}");
    }
    line
}

/// Formats the sums of a job's batches.
fn job_line(job: &JobRecord) -> String {
    let (network, subject, question) = (&job.network.slug, &job.subject, job.question.name());
    let reads: usize = job.batches.iter().map(|batch| batch.reads).sum();
    let bytes: usize = job.batches.iter().map(|batch| batch.bytes).sum();
    let ms: u128 = job.batches.iter().map(|batch| batch.time.as_millis()).sum();
    format!("{network:<12} {subject} {question} fetched {reads} reads, {bytes} bytes, in {ms} ms")
}

pub(super) fn document(answers: &[PluginAnswer]) -> Value {
    let answer = |answer: &PluginAnswer| {
        let job = |(place, job): (usize, &JobRecord)| {
            json!({
                "protocol": job.subject,
                "network": job.network.slug,
                "question": job.question.name(),
                "batches": job.batches,
                "refused": job.refused,
                "fixture": answer.files.get(place),
            })
        };
        json!({
            "path": answer.path,
            "status": answer.status.as_u16(),
            "partial": answer.partial,
            "sound": answer.is_sound(),
            "jobs": answer.jobs.iter().enumerate().map(job).collect::<Vec<_>>(),
            "body": answer.body,
        })
    };
    json!({ "sound": answers.iter().all(PluginAnswer::is_sound), "answers": answers.iter().map(answer).collect::<Vec<_>>() })
}
