//! Schemas of the tools, from the description of the API.
//!
//! Invariant: nothing is written here that stands elsewhere: parameters and bodies are those of the endpoint.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::notes::Notes;
use super::rows::{CALLDATA, LOGO};
use super::tools::{CURSOR, DataShape, TOOLS, ToolRow};
use crate::http::openapi;

/// Where the description has its schemas, and where a tool has them.
const SCHEMAS: &str = "#/components/schemas/";
const DEFINITIONS: &str = "#/$defs/";

/// All tools, as clients get them.
static LISTED: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let document = openapi::document();
    TOOLS.iter().map(|tool| listed(tool, &document)).collect()
});

pub(super) fn tools() -> &'static [Tool] {
    &LISTED
}

fn listed(tool: &ToolRow, document: &Value) -> Tool {
    let operation = &document["paths"][openapi::template(tool.path())]["get"];
    let annotations = ToolAnnotations::with_title(tool.title).read_only(true).idempotent(true).open_world(true);
    Tool::new(tool.name, tool.about, Arc::new(input(tool, operation)))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(output(tool, operation, document)))
        .annotate(annotations)
}

fn input(tool: &ToolRow, operation: &Value) -> JsonObject {
    let (values, names) = tool.parameters();
    let described = operation["parameters"].as_array().into_iter().flatten();
    let mut properties = Map::new();
    for parameter in described {
        let Some(name) = parameter["name"].as_str().filter(|name| values.contains(name) || names.contains(name)) else {
            continue;
        };
        let mut schema = parameter["schema"].clone();
        schema["description"] = parameter["description"].clone();
        properties.insert(name.to_owned(), schema);
    }
    if tool.has_slices() {
        let about = "`nextCursor` of the slice before this one. The other arguments stay the same.";
        properties.insert(CURSOR.to_owned(), json!({"type": "string", "description": about}));
    }
    // A CAIP-10 id names the network, so that only the gateway knows if one is missing.
    let required: Vec<&str> = if values.is_empty() { tool.endpoint.required().to_vec() } else { values };
    object(json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false}))
}

/// The envelope with the endpoint's body, and the schemas that these need.
fn output(tool: &ToolRow, operation: &Value, document: &Value) -> JsonObject {
    let mut data = operation["responses"]["200"]["content"]["application/json"]["schema"].clone();
    // An answer in full detail is taken apart.
    if let Some(cases) = data.get_mut("anyOf").and_then(Value::as_array_mut) {
        cases.retain(|case| !has_report(case));
        if let [only] = cases.as_slice() {
            data = only.clone();
        }
    }
    let mut definitions = Map::new();
    let mut wanted = references(&data);
    while let Some(name) = wanted.pop_first() {
        let schemas = &document["components"]["schemas"];
        let definition = in_common(&schemas[&name], schemas).unwrap_or_else(|| schemas[&name].clone());
        wanted.extend(references(&definition).into_iter().filter(|name| !definitions.contains_key(name)));
        definitions.insert(name, definition);
    }
    let calldata: &[&str] = if tool.shape == DataShape::Claimables { &CALLDATA } else { &[] };
    let mut definitions = Value::Object(definitions);
    for schema in [&mut data, &mut definitions] {
        shorten(schema, &[calldata, &[LOGO]].concat());
    }
    let mut schema = envelope();
    schema["properties"]["data"] = data;
    schema["$defs"] = definitions;
    object(schema)
}

/// Returns what all kinds of a union have in common, whose kinds alone would fill a model's memory; `None` for other
/// schemas.
fn in_common(union: &Value, schemas: &Value) -> Option<Value> {
    let member = union["discriminator"]["propertyName"].as_str()?;
    let kinds = union["discriminator"]["mapping"].as_object()?;
    let names: Vec<&String> = kinds.keys().collect();
    let of_kinds: Vec<&Value> = kinds
        .values()
        .map(|reference| &schemas[reference.as_str().and_then(|text| text.strip_prefix(SCHEMAS)).unwrap_or_default()])
        .collect();
    let (first, others) = of_kinds.split_first()?;
    let mut properties = Map::new();
    for (name, schema) in first["properties"].as_object()? {
        let of_others: Vec<&Value> = others.iter().map(|kind| &kind["properties"][name]).collect();
        if of_others.iter().all(|other| *other == schema) {
            properties.insert(name.clone(), schema.clone());
        } else if of_others.iter().all(|other| other["type"] == schema["type"]) {
            properties.insert(name.clone(), json!({"type": schema["type"]}));
        }
    }
    properties.insert(member.to_owned(), json!({"type": "string", "enum": names}));
    let is_required =
        |name: &&Value| others.iter().all(|kind| kind["required"].as_array().is_some_and(|of| of.contains(name)));
    let required: Vec<&Value> = first["required"].as_array()?.iter().filter(is_required).collect();
    Some(json!({"type": "object", "properties": properties, "required": required}))
}

/// Returns the schema of what all tools return. The data is that of each.
fn envelope() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let notes = settings.into_generator().into_root_schema_for::<Notes>();
    let cursor = "Call the tool again with this cursor for the rows after these. `null` if there are none.";
    json!({
        "type": "object",
        "properties": {
            "notes": notes,
            "data": {},
            "nextCursor": {"type": ["string", "null"], "description": cursor},
        },
        "required": ["notes", "data", "nextCursor"],
    })
}

fn has_report(schema: &Value) -> bool {
    schema["required"].as_array().is_some_and(|required| required.iter().any(|name| name == "report"))
}

/// Names of the schemas that a schema refers to.
fn references(schema: &Value) -> BTreeSet<String> {
    match schema {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix(SCHEMAS));
            let own = own.map(str::to_owned).into_iter();
            own.chain(members.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => BTreeSet::new(),
    }
}

/// Points references to the tool's own schemas, and removes members that no data has, all words (a model reads the data,
/// and the guide has the words), and formats that JSON Schema does not define, of which clients warn one by one.
fn shorten(schema: &mut Value, removed: &[&str]) {
    match schema {
        Value::Object(members) => {
            if members.get("description").is_some_and(Value::is_string) {
                members.remove("description");
            }
            if members.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
                members.remove("format");
            }
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                *reference = reference.replace(SCHEMAS, DEFINITIONS);
            }
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                properties.retain(|name, _| !removed.contains(&name.as_str()));
            }
            if let Some(Value::Array(required)) = members.get_mut("required") {
                required.retain(|name| name.as_str().is_none_or(|name| !removed.contains(&name)));
            }
            members.values_mut().for_each(|value| shorten(value, removed));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, removed)),
        _ => {}
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of all tools together: a client shows them to its model before anything else.
    const TOOLS_BYTES_MAX: usize = 80_000;

    #[test]
    fn the_list_of_tools_is_short_and_every_reference_has_a_target() {
        let mut all = 0;
        for tool in tools() {
            let (input, output) = (json!(tool.input_schema).to_string(), json!(tool.output_schema).to_string());
            println!("{}: input {}, output {} bytes", tool.name, input.len(), output.len());
            all += json!(tool).to_string().len();
            let defined: Vec<String> =
                tool.output_schema.as_ref().unwrap()["$defs"].as_object().unwrap().keys().cloned().collect();
            assert!(!output.contains(SCHEMAS) && !output.contains("\"logo\""), "{}", tool.name);
            for reference in output.split("\"$ref\":\"#/$defs/").skip(1) {
                let name = reference.split('"').next().unwrap();
                assert!(defined.iter().any(|defined| defined == name), "{}: {name}", tool.name);
            }
            assert!(!input.contains("$ref"), "{}", tool.name);
        }
        assert!(all <= TOOLS_BYTES_MAX, "{all} bytes");
    }

    #[test]
    fn a_tool_takes_what_its_endpoint_takes_but_for_what_is_fixed() {
        let of = |name: &str| {
            let tool = tools().iter().find(|tool| tool.name == name).unwrap();
            let names: Vec<&str> =
                tool.input_schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            (names.join(" "), tool.input_schema["required"].to_string())
        };
        assert_eq!(
            of("claimables"),
            ("account block currency cursor exclude include min-block network worth".into(), "[\"account\"]".into())
        );
        assert_eq!(
            of("transaction"),
            ("account currency cursor hash max-logs network type".into(), "[\"hash\"]".into())
        );
        assert_eq!(of("networks"), ("cursor".into(), "[]".into()));
    }
}
