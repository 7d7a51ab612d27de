//! `portolan plugin ask`: asks one plugin a question as a client of the gateway would, and prints its answers, its jobs
//! and what became of its claims.

use std::fmt::Write as _;
use std::sync::Arc;

use hyper::{StatusCode, Uri};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use portolan_abi::Question;
use portolan_plugins::Served;
use serde_json::{Value, json};

use crate::cli::{QuestionFlags, QuestionName};
use crate::config::Environment;
use crate::gateway::{Gateway, TRIES};
use crate::http;
use crate::lone_plugin::{ANSWER_TIME, LonePlugin, LonePluginError};

/// An answer of the plugin.
struct PluginAnswer {
    path: String,
    status: StatusCode,
    body: Value,
    /// The header `portolan-partial`; `None` if nothing is missing.
    partial: Option<String>,
}

/// Asks; returns the text for stdout, and true if every answer is complete and every claim pays what it states.
pub(crate) async fn run(flags: &QuestionFlags, environment: &Environment) -> Result<(String, bool), LonePluginError> {
    let plugin = LonePlugin::start(&flags.of, environment).await?;
    let mut answers = Vec::new();
    for path in paths(flags, &plugin.gateway)? {
        answers.push(request(&plugin.gateway, path).await?);
    }
    let is_sound = answers.iter().all(PluginAnswer::is_sound);
    let text = if flags.of.json {
        format!("{}\n", document(&answers))
    } else {
        table(&answers) + &claim_failures(&plugin.gateway)
    };
    Ok((text, is_sound))
}

/// The paths to ask at: one for each protocol, unless the question is about a transaction.
fn paths(flags: &QuestionFlags, gateway: &Gateway) -> Result<Vec<String>, LonePluginError> {
    let about = utf8_percent_encode(&flags.about, NON_ALPHANUMERIC);
    let block = flags.block.as_deref().map(|block| format!("&block={}", utf8_percent_encode(block, NON_ALPHANUMERIC)));
    let block = block.unwrap_or_default();
    let question = match flags.question {
        QuestionName::Events => return Ok(vec![format!("/events/decode/{about}?detail=full")]),
        QuestionName::Claimables => Question::CLAIMABLES,
        QuestionName::Farming => Question::FARMING,
        QuestionName::Lending => Question::LENDING,
        QuestionName::Pooling => Question::POOLING,
        QuestionName::Locked => Question::LOCKED,
    };
    let name = question.name();
    let snapshot = gateway.admin().registry.snapshot();
    let declares = |served: &&Served| served.deployments().any(|row| row.questions.contains(&question));
    let is_chosen = |slug: &str| flags.protocol.as_deref().is_none_or(|chosen| chosen == slug);
    let slugs: Vec<&str> = snapshot.iter().filter(declares).map(|served| served.protocol.slug.as_str()).collect();
    let paths = slugs.iter().filter(|slug| is_chosen(slug)).map(|slug| match question {
        Question::CLAIMABLES => format!("/{slug}/{about}/claimables?detail=full&simulate=true{block}"),
        _ => format!("/{slug}/{name}/{about}/positions?detail=full{block}"),
    });
    let paths: Vec<String> = paths.collect();
    if paths.is_empty() {
        let of = flags.protocol.as_deref().map_or_else(String::new, |slug| format!(" of `{slug}`"));
        let known = if slugs.is_empty() { "none".to_owned() } else { slugs.join(", ") };
        let unknown = unknown_networks(gateway);
        let reason = format!("no deployment{of} declares the question `{name}`; protocols with it: {known}{unknown}");
        return Err(LonePluginError::Argument(reason));
    }
    Ok(paths)
}

async fn request(gateway: &Arc<Gateway>, path: String) -> Result<PluginAnswer, LonePluginError> {
    let uri: Uri = path.parse().map_err(|error| LonePluginError::Argument(format!("{path}: {error}")))?;
    let mut tries = 0;
    loop {
        let response = http::answer(gateway, ANSWER_TIME, uri.clone()).await;
        tries += 1;
        let partial =
            response.headers().get("portolan-partial").and_then(|value| value.to_str().ok()).map(str::to_owned);
        if partial.is_some() && tries < TRIES {
            continue;
        }
        let body = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
        return Ok(PluginAnswer { path, status: response.status(), body, partial });
    }
}

impl PluginAnswer {
    fn is_sound(&self) -> bool {
        let pays = |item: &Value| item.get("simulated").is_none_or(|verdict| verdict == "paid");
        self.status == StatusCode::OK && self.partial.is_none() && self.items().iter().all(pays)
    }

    /// The rows of the answer; none if it is a problem.
    fn items(&self) -> &[Value] {
        self.body.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The jobs of the answer, or those that a problem lists.
    fn jobs(&self) -> &[Value] {
        let jobs = self.body.pointer("/report/jobs").or_else(|| self.body.get("jobs"));
        jobs.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Formats each answer: a line for each job, the rows as clients get them, and the problem if there is one.
fn table(answers: &[PluginAnswer]) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        // Writing into a String does not fail.
        let _ = writeln!(text, "{words}");
    };
    for answer in answers {
        line(format_args!("GET {} → {}", answer.path, answer.status));
        for job in answer.jobs() {
            line(format_args!("  {}", job_line(job)));
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

/// Formats a job; those of a problem have no more than the reason of their failure.
fn job_line(job: &Value) -> String {
    let word = |member: &str| job.get(member).and_then(Value::as_str).unwrap_or_default();
    let number = |member: &str| job.get(member).and_then(Value::as_u64);
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

/// Formats a line for each kind of claims that did not pay what they state, with the words for their author.
fn claim_failures(gateway: &Gateway) -> String {
    let rows = status(gateway);
    let failures = rows.iter().flat_map(|row| row["failures"].as_array().into_iter().flatten());
    let of_claims =
        failures.filter(|failure| matches!(failure["reason"].as_str(), Some("differs" | "reverted" | "refused")));
    let word = |failure: &Value, member: &str| failure[member].as_str().unwrap_or_default().to_owned();
    of_claims.map(|failure| format!("{}: {}\n", word(failure, "reason"), word(failure, "message"))).collect()
}

/// Says which deployments are left out for their chain ids; empty if none is.
fn unknown_networks(gateway: &Gateway) -> String {
    let rows = status(gateway);
    let chains = rows.iter().flat_map(|row| row["unknownNetworks"].as_array().into_iter().flatten());
    let chains: Vec<String> = chains.map(Value::to_string).collect();
    if chains.is_empty() {
        return String::new();
    }
    format!(
        "; deployments on the chain {} are left out, as no network has this id: correct their rows, or add a \
         [networks.SLUG] table",
        chains.join(", ")
    )
}

/// The rows of `/plugins`.
fn status(gateway: &Gateway) -> Vec<Value> {
    let rows = gateway.admin().registry.status();
    rows.iter().filter_map(|row| serde_json::to_value(row).ok()).collect()
}

fn document(answers: &[PluginAnswer]) -> Value {
    let answer = |answer: &PluginAnswer| {
        json!({
            "path": answer.path,
            "status": answer.status.as_u16(),
            "partial": answer.partial,
            "sound": answer.is_sound(),
            "body": answer.body,
        })
    };
    json!({ "sound": answers.iter().all(PluginAnswer::is_sound), "answers": answers.iter().map(answer).collect::<Vec<_>>() })
}
