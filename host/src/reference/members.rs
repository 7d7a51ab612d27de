//! The page of members of answers.

use std::fmt::Write as _;

use serde_json::Value;

use super::{assert_generated, table};
use crate::http::openapi;

const PAGE: &str = "docs/reference/members.md";
const REPORT: &str = "Report";
const SCHEMAS: &str = "#/components/schemas/";

#[test]
fn the_page_has_each_member_of_each_body() {
    let document = openapi::document();
    let mut text = String::new();
    for name in in_order(&document) {
        let schema = &document["components"]["schemas"][&name];
        writeln!(text, "## {name}\n\n{}\n", schema["description"].as_str().unwrap()).unwrap();
        let is_said = |words: &&Vec<Value>| text.contains(&format!("\n- `{}`:", words[0].as_str().unwrap()));
        if let Some(words) = schema["enum"].as_array().filter(|words| !is_said(words)) {
            let words: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_str().unwrap())).collect();
            writeln!(text, "{}\n", words.join(", ")).unwrap();
        }
        // All types of events have the same members; those of `metadata` are on the page of events.
        let case = reference(&schema["oneOf"][0]).map(|name| &document["components"]["schemas"][name]);
        let shown = case.unwrap_or(schema);
        if shown["properties"].is_object() {
            writeln!(text, "{}", table(["member", "form", "meaning"], members(shown))).unwrap();
        }
    }
    assert_generated(PAGE, "members", text.trim_end());
}

/// Returns the rows of a table: members that are always there, in the order of the body, then the others.
fn members(schema: &Value) -> Vec<[String; 3]> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().unwrap();
    let optional = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    let row = |name: &str, mark: &str| {
        let member = &properties[name];
        let about = member["description"].as_str().unwrap_or_default().to_owned();
        [format!("`{name}`{mark}"), form(member), about]
    };
    let always = required.iter().map(|name| row(name, ""));
    always.chain(optional.map(|name| row(name, "?"))).collect()
}

/// Returns the form of a value in words.
fn form(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(cases) = schema["anyOf"].as_array() {
        return cases.iter().map(form).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" && schema["maxItems"] == 0 => "empty list".to_owned(),
        Value::String(kind) if kind == "array" => format!("list of {}", form(&schema["items"])),
        Value::String(kind) if kind == "object" && schema["properties"].is_null() => {
            format!("object of {}", form(&schema["additionalProperties"]))
        }
        Value::String(kind) => {
            if kind == "null" {
                "`null`".to_owned()
            } else {
                kind.clone()
            }
        }
        Value::Array(kinds) => {
            let kinds = kinds.iter().map(|kind| kind.as_str().unwrap());
            kinds.map(|kind| if kind == "null" { "`null`" } else { kind }).collect::<Vec<_>>().join(" or ")
        }
        other => panic!("{schema} has the type {other}"),
    }
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(SCHEMAS)
}

/// Returns the schemas in the order in which the answers need them. Types of events have a page of their own.
fn in_order(document: &Value) -> Vec<String> {
    // Every answer may have a report: it is shown last.
    let mut names = vec![REPORT.to_owned()];
    for (path, _) in &crate::paths::PATHS {
        let responses = &document["paths"][openapi::template(path)]["get"]["responses"];
        collect(&responses["200"], document, &mut names);
    }
    collect(&document["components"]["responses"], document, &mut names);
    names.rotate_left(1);
    collect(&document["components"]["schemas"][REPORT], document, &mut names);
    names
}

fn collect(value: &Value, document: &Value, names: &mut Vec<String>) {
    if let Some(name) = reference(value) {
        let is_of_events = name.len() > "Event".len() && (name.ends_with("Event") || name == "EventMember");
        if !names.iter().any(|known| known == name) {
            if !is_of_events {
                names.push(name.to_owned());
            }
            // A type of events is walked once, though it has no section.
            if !is_of_events || name == "TransferEvent" || name == "CollectFeesEvent" || name == "BridgeOutEvent" {
                collect(&document["components"]["schemas"][name], document, names);
            }
        }
        return;
    }
    match value {
        Value::Object(members) => members.values().for_each(|member| collect(member, document, names)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, document, names)),
        _ => {}
    }
}
