//! What requests and answers of all endpoints share: headers and problems.

use std::collections::BTreeMap;

use hyper::StatusCode;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::examples;
use crate::http::headers::{ANSWER_HEADERS, HeaderUse, REQUEST_HEADERS};
use crate::http::problem_types::{PROBLEM_TYPES, ProblemType};
use crate::http::view;
use crate::markdown::{plain, sentence};
use crate::paths::Endpoint;

/// Statuses that a GET of a public listener never has: they are of the operators' listener and of other methods.
const OF_OTHERS: [StatusCode; 2] = [StatusCode::FORBIDDEN, StatusCode::METHOD_NOT_ALLOWED];

/// OpenAPI takes no parameters of these names.
const NO_PARAMETERS: [&str; 2] = ["accept", "authorization"];

/// Returns the components of headers that requests may have.
pub(super) fn request_headers() -> Map<String, Value> {
    let headers = REQUEST_HEADERS.iter().filter(|header| !NO_PARAMETERS.contains(&header.name));
    let parameter = |about| json!({"type": "string", "description": about});
    headers
        .map(|header| {
            let about = sentence(header.about);
            let schema = parameter(about.clone());
            (
                header.name.to_owned(),
                json!({"name": header.name, "in": "header", "description": about, "schema": schema}),
            )
        })
        .collect()
}

pub(super) fn request_header_references() -> impl Iterator<Item = Value> {
    let headers = REQUEST_HEADERS.iter().filter(|header| !NO_PARAMETERS.contains(&header.name));
    headers.map(|header| json!({"$ref": format!("#/components/parameters/{}", header.name)}))
}

/// Returns the components of headers that answers have. OpenAPI describes the type of content elsewhere.
pub(super) fn answer_headers() -> Map<String, Value> {
    let headers = ANSWER_HEADERS.iter().filter(|header| header.name != "content-type");
    let header = |about: &str, on: HeaderUse| {
        let about = format!("{}. On {}.", sentence(about), plain(on.words()));
        json!({"description": about, "schema": {"type": "string"}})
    };
    headers.map(|each| (each.name.to_owned(), header(each.about, each.on))).collect()
}

/// Returns references to the headers that answers of an endpoint have.
pub(super) fn headers_of_answers(endpoint: Endpoint) -> Map<String, Value> {
    references(|on| match on {
        HeaderUse::Answers | HeaderUse::Bodies | HeaderUse::Rows | HeaderUse::Limited => true,
        HeaderUse::AboutAccounts => endpoint.is_about_accounts(),
        HeaderUse::Named => endpoint.is_about_accounts(),
        HeaderUse::InCurrency => endpoint.parameters().contains(&"currency"),
        HeaderUse::Files => matches!(endpoint, Endpoint::ProtocolLogo | Endpoint::Description),
        HeaderUse::Requests
        | HeaderUse::Problems
        | HeaderUse::Redirects
        | HeaderUse::Overloaded
        | HeaderUse::Methods
        | HeaderUse::Preflights => false,
    })
}

fn references(has: impl Fn(HeaderUse) -> bool) -> Map<String, Value> {
    let headers = ANSWER_HEADERS.iter().filter(|header| header.name != "content-type" && has(header.on));
    headers
        .map(|header| (header.name.to_owned(), json!({"$ref": format!("#/components/headers/{}", header.name)})))
        .collect()
}

/// Returns the components of problems, one for each status.
pub(super) fn problems(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let schema = view::problem_schema(generator);
    let response = |(status, kinds): (StatusCode, Vec<&ProblemType>)| {
        let headers = references(|on| match on {
            HeaderUse::Answers | HeaderUse::Bodies | HeaderUse::Problems | HeaderUse::Limited => true,
            HeaderUse::Overloaded => {
                matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS)
            }
            _ => false,
        });
        let mut content = json!({"schema": schema});
        if let Some(example) = examples::of_problem(status) {
            content["example"] = example;
        }
        let response = json!({
            "description": kinds.iter().map(|kind| about(kind)).collect::<Vec<_>>().join("\n"),
            "headers": headers,
            "content": {"application/problem+json": content},
        });
        (component(status), response)
    };
    by_status().into_iter().map(response).collect()
}

pub(super) fn problem_references() -> impl Iterator<Item = (String, Value)> {
    by_status().into_keys().map(|status| {
        (status.as_u16().to_string(), json!({"$ref": format!("#/components/responses/{}", component(status))}))
    })
}

fn component(status: StatusCode) -> String {
    format!("Problem{}", status.as_u16())
}

/// Returns a line of a list that says what a problem is and what to do.
fn about(kind: &ProblemType) -> String {
    format!("- `{}`: {} {}", kind.name, plain(kind.happened), plain(kind.remedy))
}

/// Returns the problems that a GET can have, by status.
fn by_status() -> BTreeMap<StatusCode, Vec<&'static ProblemType>> {
    let mut kinds = BTreeMap::<StatusCode, Vec<&ProblemType>>::new();
    for kind in PROBLEM_TYPES {
        for status in kind.statuses.iter().filter(|status| !OF_OTHERS.contains(status)) {
            kinds.entry(*status).or_default().push(kind);
        }
    }
    kinds
}
