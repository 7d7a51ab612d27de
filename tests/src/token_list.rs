//! Token lists, as operators have them in files.

use serde_json::{Value, json};

/// A list of these tokens.
pub fn token_list(name: &str, tokens: &[Value]) -> Value {
    let version = json!({"major": 1, "minor": 0, "patch": 0});
    json!({"name": name, "timestamp": "2026-01-31T12:00:00Z", "version": version, "tokens": tokens})
}
