//! Problem documents (RFC 9457): whether a response is one, whole and of the kind that is expected.

use anyhow::{Context as _, Result, ensure};

use crate::http::Response;
use crate::json::Json;

/// The `detail` of a problem, once all else about the document is as it must be.
///
/// # Errors
/// Says what is not.
pub fn detail(response: &Response, status: u16, name: &str) -> Result<String> {
    check(response, status, name, &[])
}

/// The jobs that failed, of a problem with `detail=full`, once all else about the document is as it must be.
///
/// # Errors
/// Says what is not.
pub fn jobs(response: &Response, status: u16, name: &str) -> Result<Vec<Json>> {
    let jobs = response.json()?.at("jobs")?.clone();
    check(response, status, name, &[("jobs", jobs.clone())])?;
    Ok(jobs.items()?.to_vec())
}

fn check(response: &Response, status: u16, name: &str, further: &[(&str, Json)]) -> Result<String> {
    let what = || format!("{} {}", response.status, response.body);
    ensure!(response.status == status, "{}, expected {status} {name}", what());
    ensure!(response.header("content-type") == Some("application/problem+json"), "{:?}", response.headers);
    let json = response.json()?;
    let detail = json.text_at("detail").with_context(what)?;
    let title = json.text_at("title").with_context(what)?;
    ensure!(!detail.is_empty() && !title.is_empty(), what());
    let members = [
        ("type", Json::text(format!("urn:portolan:problem:{name}"))),
        ("title", Json::text(title)),
        ("status", Json::number(status)),
        ("detail", Json::text(detail)),
        ("message", Json::text(detail)),
    ];
    let request_id = response.header("x-request-id").map(|id| ("requestId", Json::text(id)));
    let expected = Json::object(members.into_iter().chain(request_id).chain(further.iter().cloned()));
    let differences = json.differences(&expected);
    ensure!(differences.is_empty(), "{}: {}", what(), differences.join("; "));
    Ok(detail.to_owned())
}
