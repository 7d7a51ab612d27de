//! The arguments of a tool call, and the request that they make.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::cursor::Cursor;
use super::tools::{CURSOR, ToolRow};
use crate::paths;

const MIN_BLOCK: &str = "min-block";

/// Characters of one argument: a hundred slugs.
const ARGUMENT_CHARS_MAX: usize = 4_096;

/// A request for an endpoint.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ToolRequest {
    pub(super) path: String,
    /// Identifies the call in cursors, whatever blocks it is at.
    pub(super) call: String,
    pub(super) cursor: Option<Cursor>,
}

impl ToolRequest {
    /// Makes the request of a call.
    ///
    /// # Errors
    /// An argument is missing, unknown or of a wrong type, in a sentence for the caller.
    pub(super) fn new(tool: &ToolRow, arguments: &JsonObject) -> Result<Self, String> {
        let (values, parameters) = tool.parameters();
        let mut given: Vec<(&str, String)> = Vec::new();
        for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
            let known = values.iter().chain(&parameters).find(|known| *known == name);
            let is_cursor = name == CURSOR && tool.has_slices();
            let Some(name) = known.copied().or(is_cursor.then_some(CURSOR)) else {
                let mut known: Vec<&str> = values.iter().chain(&parameters).copied().collect();
                known.extend(tool.has_slices().then_some(CURSOR));
                return Err(format!("{} has no argument {name:?}; its arguments are {}", tool.name, known.join(", ")));
            };
            given.push((name, text(name, value)?));
        }
        let find = |name: &str| given.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str());
        let of_path: Result<Vec<&str>, String> =
            values.iter().map(|name| find(name).ok_or_else(|| format!("the argument {name} is missing"))).collect();
        let of_path = of_path?;
        if let Some(missing) = tool.endpoint.required().iter().find(|name| find(name).is_none() && !is_caip(&of_path)) {
            return Err(format!("the argument {missing} is missing"));
        }
        let fixed = tool.fixed.iter().copied();
        let chosen = parameters.iter().filter_map(|name| Some((*name, find(name)?)));
        let mut query: Vec<(&str, &str)> = fixed.chain(chosen).collect();
        let call = paths::request(tool.endpoint, &of_path, &query);
        let cursor = find(CURSOR).map(|text| Cursor::read(text, &call)).transpose()?;
        let blocks = cursor.as_ref().and_then(|cursor| cursor.blocks.clone());
        if let Some(blocks) = blocks.as_deref().filter(|_| parameters.contains(&MIN_BLOCK) && find("block").is_none()) {
            query.retain(|(name, _)| *name != MIN_BLOCK);
            query.push((MIN_BLOCK, blocks));
        }
        Ok(Self { path: paths::request(tool.endpoint, &of_path, &query), call, cursor })
    }
}

/// Returns true if the account names its network.
fn is_caip(values: &[&str]) -> bool {
    values.iter().any(|value| value.starts_with("eip155:"))
}

/// Writes an argument as a parameter has it.
fn text(name: &str, value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => {
            let items: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            items.ok_or_else(|| format!("the argument {name} is a list of texts"))?.join(",")
        }
        Value::Null | Value::Object(_) => return Err(format!("the argument {name} is a text, a number or a list")),
    };
    if text.chars().count() > ARGUMENT_CHARS_MAX {
        return Err(format!("the argument {name} has more than {ARGUMENT_CHARS_MAX} characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ACCOUNT: &str = "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65";

    fn request(tool: &str, arguments: Value) -> Result<String, String> {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        ToolRequest::new(ToolRow::named(tool).unwrap(), &arguments).map(|request| request.path)
    }

    #[test]
    fn arguments_are_parameters_of_the_endpoint() {
        let cases = [
            ("claimables", json!({"account": ACCOUNT}), format!("/claimables/{ACCOUNT}?amounts=string&simulate=true")),
            (
                "claimables",
                json!({"account": "a.eth", "include": ["x", "y"], "worth": true, "network": null}),
                "/claimables/a%2Eeth?amounts=string&simulate=true&include=x%2Cy&worth=true".to_owned(),
            ),
            (
                "claim_plan",
                json!({"account": ACCOUNT, "network": "polygon"}),
                format!("/{ACCOUNT}/claim-plan?amounts=string&detail=full&network=polygon"),
            ),
            (
                "transaction",
                json!({"hash": "0x1", "network": 137, "max-logs": 9}),
                "/events/decode/0x1?amounts=string&network=137&max-logs=9".to_owned(),
            ),
            ("networks", json!({}), "/networks".to_owned()),
        ];
        for (tool, arguments, path) in cases {
            assert_eq!(request(tool, arguments), Ok(path), "{tool}");
        }
    }

    #[test]
    fn wrong_arguments_are_sentences() {
        let cases = [
            ("claimables", json!({}), "the argument account is missing"),
            ("claim_plan", json!({"account": ACCOUNT}), "the argument network is missing"),
            ("networks", json!({"account": ACCOUNT}), "networks has no argument \"account\"; its arguments are cursor"),
            ("claimables", json!({"account": {"x": 1}}), "the argument account is a text, a number or a list"),
            ("claimables", json!({"account": ACCOUNT, "include": [1]}), "the argument include is a list of texts"),
            ("address_of_name", json!({"name": "a".repeat(5_000)}), "the argument name has more than 4096 characters"),
        ];
        for (tool, arguments, expected) in cases {
            assert_eq!(request(tool, arguments), Err(expected.to_owned()), "{tool}");
        }
        for fixed in ["simulate", "amounts", "detail"] {
            let refusal = request("claimables", json!({"account": ACCOUNT, fixed: "true"})).unwrap_err();
            assert!(refusal.contains(&format!("no argument \"{fixed}\"")), "{refusal}");
        }
    }

    #[test]
    fn a_caip_10_id_names_its_network() {
        let account = format!("eip155:137:{ACCOUNT}");
        assert!(request("claim_plan", json!({"account": account})).is_ok());
    }
}
