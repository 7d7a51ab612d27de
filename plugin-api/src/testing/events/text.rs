//! Expected events as lines, so that what is decoded and what is expected compare as texts.

use portolan_fixtures::line_of_members;
use serde_json::Value;

use super::case::ExpectedEvent;

/// Every difference between the events that were expected and those that were decoded; the order does not matter.
pub(super) fn differences(expected: &[ExpectedEvent], decoded: Vec<String>) -> Vec<String> {
    let mut open: Vec<String> = expected.iter().map(expectation).collect();
    let mut wrong = Vec::new();
    for line in decoded {
        match open.iter().position(|expected| *expected == line) {
            Some(place) => drop(open.remove(place)),
            None => wrong.push(format!("decoded  {line}")),
        }
    }
    wrong.extend(open.into_iter().map(|line| format!("expected {line}")));
    wrong
}

fn expectation(expected: &ExpectedEvent) -> String {
    let members = expected.members.iter().map(|(name, value)| (name.clone(), normal(value))).collect();
    line_of_members(&expected.kind, expected.protocol.as_deref(), members)
}

/// Addresses in lower case, numbers as their digits.
fn normal(value: &Value) -> String {
    match value {
        Value::String(text) if text.starts_with("0x") => text.to_lowercase(),
        Value::String(text) => text.clone(),
        Value::Array(values) => format!("[{}]", values.iter().map(normal).collect::<Vec<_>>().join(" ")),
        other => other.to_string(),
    }
}
