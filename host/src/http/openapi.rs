//! The description of the API by itself: an OpenAPI 3.1 document.
//!
//! Invariant: nothing is written here that stands elsewhere. Paths and parameters come from `paths`, headers from
//! `headers`, problems from `problem_types`, and bodies from the types that write them.

mod examples;
mod messages;
mod operation;

use portolan_base::sanitize::output;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use self::examples::WithExamples;
#[cfg(test)]
use crate::paths::Endpoint;
use crate::paths::{PATHS, TAGS};

/// Where schemas are in the document.
const SCHEMAS: &str = "/components/schemas";

/// Returns the document as it is sent.
pub(crate) fn body() -> Result<Vec<u8>, serde_json::Error> {
    output::json(&WithExamples(&document()))
}

/// Returns the document, with markers in the place of examples.
pub(crate) fn document() -> Value {
    let mut generator = generator();
    let mut described = Map::new();
    for (place, (path, endpoint)) in PATHS.iter().enumerate() {
        let before = PATHS.iter().take(place).filter(|(_, other)| other == endpoint).count();
        described.insert(template(path), json!({"get": operation::of(*endpoint, path, before, &mut generator)}));
    }
    let (parameters, headers) = (messages::request_headers(), messages::answer_headers());
    let responses = messages::problems(&mut generator);
    let mut schemas = generator.take_definitions(true);
    schemas.values_mut().for_each(clean);
    let tags: Vec<Value> = TAGS.iter().map(|(name, about)| json!({"name": name, "description": about})).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Portolan",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": env!("CARGO_PKG_DESCRIPTION"),
            "description": "Clients ignore members that they do not know: further ones may follow.",
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
        },
        "servers": [{"url": "/"}],
        "tags": tags,
        "paths": described,
        "components": {
            "schemas": schemas, "responses": responses, "headers": headers, "parameters": parameters,
        },
    })
}

/// Makes what collects the schemas of bodies.
fn generator() -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = SCHEMAS.into();
    settings.meta_schema = None;
    settings.into_generator()
}

/// Returns true if an answer of the endpoint is recorded.
#[cfg(test)]
pub(crate) fn has_example(endpoint: Endpoint) -> bool {
    examples::of(endpoint).is_some()
}

/// Returns the path as the document and the reference have it.
pub(crate) fn template(path: &[&str]) -> String {
    path.iter().map(|part| format!("/{part}")).collect()
}

/// Removes what only the code has: line ends of comments, other than those of lists, and a format that OpenAPI's
/// registry does not know, of integers whose size depends on the machine.
fn clean(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("format").is_some_and(|format| format == "uint") {
                members.remove("format");
            }
            if let Some(Value::String(about)) = members.get_mut("description") {
                let items = about.split("\n- ").map(|item| item.trim_end().replace('\n', " "));
                *about = items.collect::<Vec<_>>().join("\n- ");
            }
            members.values_mut().for_each(clean);
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
