//! Examples of answers. The demo recorded each, and answers the same again.
//!
//! Invariant: an example is written as it was answered. As a value it would lose digits of its numbers, so the document
//! has a marker in its place until it is written.

use hyper::StatusCode;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::paths::Endpoint;

/// The only member of a marker; its value is the example's name.
const MARKER: &str = "$example";

/// Returns the name of an example and its file.
macro_rules! recorded {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/examples/", $name, ".json")))),*]
    };
}

/// The examples: answers by the endpoint's label, problems by status.
static RECORDED: [(&str, &str); 22] = recorded![
    "address-of-name" "all-claimables" "all-positions" "approvals" "borrowing" "claim-plan" "claimables" "clear-signing"
    "coverage" "events" "farming" "lending" "name-of-account" "native-balance" "networks" "problem-400" "problem-404"
    "problem-413" "problem-503" "protocols" "revoke-plan" "token-balances"
];

/// Returns a marker for an answer of an endpoint.
pub(super) fn of(endpoint: Endpoint) -> Option<Value> {
    marker(endpoint.as_str())
}

/// Returns a marker for a problem of a status.
pub(super) fn of_problem(status: StatusCode) -> Option<Value> {
    marker(&format!("problem-{}", status.as_u16()))
}

fn marker(name: &str) -> Option<Value> {
    find(name).map(|_| json!({ MARKER: name }))
}

fn find(name: &str) -> Option<&'static str> {
    RECORDED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the example that a marker stands for.
fn marked(value: &Value) -> Option<&'static RawValue> {
    let text = find(value.as_object()?.get(MARKER)?.as_str()?)?;
    serde_json::from_str(text.trim()).ok()
}

/// A value with its examples.
pub(super) struct WithExamples<'a>(pub(super) &'a Value);

impl Serialize for WithExamples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(example) = marked(self.0) {
            return example.serialize(serializer);
        }
        match self.0 {
            Value::Object(members) => {
                let mut object = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    object.serialize_entry(name, &Self(value))?;
                }
                object.end()
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(Self)),
            value => value.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_base::sanitize::output;

    use super::*;
    use crate::paths::PATHS;

    #[test]
    fn examples_are_written_with_all_their_digits() {
        let document = json!({"a": [{MARKER: "native-balance"}], "b": 1.5, "c": {MARKER: "none"}});
        let text = String::from_utf8(output::json(&WithExamples(&document)).unwrap()).unwrap();
        let example = find("native-balance").unwrap().trim();
        assert_eq!(text, format!(r#"{{"a":[{example}],"b":1.5,"c":{{"$example":"none"}}}}"#));
    }

    #[test]
    fn endpoints_with_rows_have_an_example_and_every_example_is_of_one() {
        let has_body = |endpoint: &Endpoint| endpoint.has_rows() && !endpoint.is_stream();
        let wanted = PATHS.iter().filter(|(_, endpoint)| has_body(endpoint));
        let wanted: Vec<&str> = wanted.map(|(_, endpoint)| endpoint.as_str()).collect();
        // Of no chain of the demo, or of the same form as others.
        let absent: Vec<&&str> = wanted.iter().filter(|name| find(name).is_none()).collect();
        let expected = ["claimables-of-accounts", "positions-of-accounts", "pooling", "locked"];
        assert_eq!(absent, expected.each_ref());
        for (name, text) in RECORDED {
            assert!(wanted.contains(&name) || name.starts_with("problem-"), "{name}");
            assert!(serde_json::from_str::<&RawValue>(text.trim()).is_ok(), "{name}");
        }
    }
}
