//! The description against the router and the tables.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::*;
use crate::paths::{self, PARAMETERS, PATH_VALUES, is_value};

/// Returns the operations of the document by path.
fn operations(document: &Value) -> BTreeMap<String, Value> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().map(|(path, item)| (path.clone(), item["get"].clone())).collect()
}

/// Returns the names of an operation's parameters in one place.
fn names<'a>(operation: &'a Value, place: &str) -> Vec<&'a str> {
    let parameters = operation["parameters"].as_array().unwrap().iter();
    parameters.filter(|each| each["in"] == place).map(|each| each["name"].as_str().unwrap()).collect()
}

#[test]
fn the_document_has_exactly_the_paths_of_the_router_with_their_parameters() {
    let document = document();
    let operations = operations(&document);
    assert_eq!(operations.len(), PATHS.len());
    for (path, endpoint) in &PATHS {
        let operation = &operations[&template(path)];
        let values: Vec<&str> =
            path.iter().filter(|part| is_value(part)).map(|part| part.trim_matches(['{', '}'])).collect();
        assert_eq!(names(operation, "path"), values, "{path:?}");
        assert_eq!(names(operation, "query"), endpoint.taken().collect::<Vec<_>>(), "{path:?}");
    }
}

#[test]
fn a_request_by_the_document_is_routed_to_its_endpoint() {
    let document = document();
    for (path, operation) in operations(&document) {
        let example = |name: &str| {
            let parameters = operation["parameters"].as_array().unwrap();
            let parameter = parameters.iter().find(|each| each["in"] == "path" && each["name"] == name).unwrap();
            parameter["example"].as_str().unwrap().to_owned()
        };
        let parts = path.trim_start_matches('/').split('/');
        let filled: Vec<String> = parts
            .map(|part| if is_value(part) { example(part.trim_matches(['{', '}'])) } else { part.into() })
            .collect();
        let segments: Vec<&str> = filled.iter().map(String::as_str).collect();
        let (endpoint, _) = paths::find(&segments).unwrap_or_else(|| panic!("{path} as {segments:?}"));
        let id = operation["operationId"].as_str().unwrap();
        assert_eq!(id.trim_end_matches(|last: char| last.is_ascii_digit()), endpoint.operation().id, "{path}");
    }
}

#[test]
fn each_operation_and_each_parameter_has_one_row_and_one_name() {
    let document = document();
    let ids: BTreeSet<String> = operations(&document).values().map(|each| each["operationId"].to_string()).collect();
    assert_eq!(ids.len(), PATHS.len());
    let taken: BTreeSet<&str> = PATHS.iter().flat_map(|(_, endpoint)| endpoint.taken()).collect();
    assert_eq!(PARAMETERS.each_ref().map(|parameter| parameter.name), taken.into_iter().collect::<Vec<_>>()[..]);
    let values: BTreeSet<&str> =
        PATHS.iter().flat_map(|(path, _)| *path).copied().filter(|part| is_value(part)).collect();
    let rows: BTreeSet<String> = PATH_VALUES.iter().map(|value| format!("{{{}}}", value.name)).collect();
    assert_eq!(rows.iter().map(String::as_str).collect::<BTreeSet<_>>(), values);
    let tags: BTreeSet<&str> = PATHS.iter().map(|(_, endpoint)| endpoint.operation().tag).collect();
    assert_eq!(TAGS.map(|(name, _)| name).into_iter().collect::<BTreeSet<_>>(), tags);
}

#[test]
fn every_reference_has_a_target_and_every_schema_a_description() {
    let document = document();
    let mut references = BTreeSet::new();
    walk(&document, &mut |object| {
        let reference = object.get("$ref").and_then(Value::as_str);
        references.extend(reference.map(|reference| reference.trim_start_matches('#').to_owned()));
    });
    for reference in &references {
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
    assert!(references.len() > 100, "{}", references.len());
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        assert!(references.contains(&format!("{SCHEMAS}/{name}")), "{name} is not referred to");
        assert!(schema.get("description").is_some(), "{name} has no description");
        for (member, schema) in schema["properties"].as_object().into_iter().flatten() {
            assert!(schema.get("description").is_some(), "{name}.{member} has no description");
        }
    }
}

/// Returns a member's name as bodies have it.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| match word.split_at_checked(1) {
        Some((initial, rest)) => text + &initial.to_uppercase() + rest,
        None => text,
    })
}

#[test]
fn no_description_has_the_names_of_code() {
    let document = document();
    let mut members = BTreeSet::new();
    walk(&document, &mut |object| {
        members.extend(object.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).cloned());
    });
    let is_snake = |word: &str| word.contains('_') && !word.contains(char::is_uppercase);
    let is_of_code = |word: &str| is_snake(word) && members.contains(&camel(word));
    let mut found = Vec::new();
    walk(&document, &mut |object| {
        for text in ["description", "summary"].into_iter().filter_map(|name| object.get(name)?.as_str()) {
            let has_code = text.contains("[`") || text.split('`').skip(1).step_by(2).any(is_of_code);
            found.extend(has_code.then(|| text.to_owned()));
        }
    });
    assert!(is_of_code("dollar_value") && found.is_empty(), "{found:#?}");
}

fn walk(value: &Value, visit: &mut impl FnMut(&Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            visit(members);
            members.values().for_each(|member| walk(member, visit));
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        _ => {}
    }
}
