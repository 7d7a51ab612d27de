//! The page of endpoints: paths, parameters and headers.

use super::{assert_generated, table};
use crate::http::headers::{ANSWER_HEADERS, Header, REQUEST_HEADERS};
use crate::http::openapi::{self, has_example};
use crate::paths::{Endpoint, PAGES, PARAMETERS, PATH_VALUES, PATHS, Parameter};

const PAGE: &str = "docs/reference/endpoints.md";

fn code(name: &str) -> String {
    format!("`{name}`")
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}

/// Returns the paths of an endpoint.
fn paths(endpoint: Endpoint) -> String {
    let own = PATHS.iter().chain(&PAGES).filter(|(_, other)| *other == endpoint);
    own.map(|(path, _)| code(&openapi::template(path))).collect::<Vec<_>>().join(", ")
}

/// Returns the endpoints in the order of their first path.
fn endpoints() -> Vec<Endpoint> {
    let mut endpoints: Vec<Endpoint> = Vec::new();
    for (_, endpoint) in PATHS.iter().chain(&PAGES) {
        if !endpoints.contains(endpoint) {
            endpoints.push(*endpoint);
        }
    }
    endpoints
}

#[test]
fn the_page_has_each_path_parameter_and_header() {
    let example = |endpoint: &Endpoint| {
        let name = endpoint.as_str();
        if has_example(*endpoint) { format!("[example](examples/{name}.json)") } else { String::new() }
    };
    let path = |endpoint: &Endpoint| {
        [paths(*endpoint), endpoint.operation().answer.to_owned(), example(endpoint), code(endpoint.as_str())]
    };
    let all = endpoints();
    assert_generated(PAGE, "paths", &table(["path", "answer", "", "label"], all.iter().map(path)));

    let value = |Parameter { name, values, effect, .. }: &Parameter| {
        [code(&format!("{{{name}}}")), (*values).to_owned(), (*effect).to_owned()]
    };
    let head = ["part", "values", "meaning"];
    assert_generated(PAGE, "values", &table(head, PATH_VALUES.iter().map(value)));

    let taken = |endpoint: &Endpoint| {
        let required = endpoint.required();
        let optional: Vec<&str> = endpoint.taken().filter(|name| !required.contains(name)).collect();
        [paths(*endpoint), listed(required), listed(&optional)]
    };
    let rows = all.iter().map(taken);
    assert_generated(PAGE, "taken", &table(["path", "required", "optional"], rows));

    let parameter =
        |Parameter { name, values, effect, .. }: &Parameter| [code(name), (*values).to_owned(), (*effect).to_owned()];
    let head = ["parameter", "values", "effect"];
    assert_generated(PAGE, "parameters", &table(head, PARAMETERS.iter().map(parameter)));

    let header = |Header { name, about, .. }: &Header| [code(name), (*about).to_owned()];
    let rows = REQUEST_HEADERS.iter().map(header);
    assert_generated(PAGE, "requests", &table(["header", "effect"], rows));

    let header = |Header { name, about, on, is_exposed }: &Header| {
        let exposed = if *is_exposed { "yes" } else { "" };
        [code(name), (*about).to_owned(), on.words().to_owned(), exposed.to_owned()]
    };
    let head = ["header", "value", "on", "other origins may read it"];
    assert_generated(PAGE, "answers", &table(head, ANSWER_HEADERS.iter().map(header)));
}
