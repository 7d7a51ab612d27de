//! One endpoint at one path.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::{examples, messages};
use crate::http::event_stream::MEDIA_TYPE;
use crate::http::view;
use crate::markdown::{plain, sentence};
use crate::paths::{Endpoint, PARAMETERS, PATH_VALUES, Parameter, ParameterKind, is_value};

/// Returns the operation of an endpoint at a path. `before` is the number of paths before this one that it has too.
pub(super) fn of(endpoint: Endpoint, path: &[&str], before: usize, generator: &mut SchemaGenerator) -> Value {
    let operation = endpoint.operation();
    let id = if before == 0 { operation.id.to_owned() } else { format!("{}{}", operation.id, before + 1) };
    let values = path.iter().filter(|part| is_value(part)).filter_map(|part| {
        let name = part.trim_matches(['{', '}']);
        PATH_VALUES.iter().find(|value| value.name == name)
    });
    let values = values.map(|value| parameter(value, "path", true));
    let taken = endpoint.taken().filter_map(|name| PARAMETERS.iter().find(|parameter| parameter.name == name));
    let taken = taken.map(|each| parameter(each, "query", endpoint.required().contains(&each.name)));
    let parameters: Vec<Value> = values.chain(taken).chain(messages::request_header_references()).collect();
    json!({
        "operationId": id,
        "tags": [operation.tag],
        "summary": sentence(operation.answer),
        "parameters": parameters,
        "responses": responses(endpoint, generator),
    })
}

fn parameter(parameter: &Parameter, place: &str, is_required: bool) -> Value {
    let Parameter { name, form, values, effect, example } = parameter;
    let is_list = form.is_list();
    let mut object = json!({
        "name": name,
        "in": place,
        "required": is_required,
        "description": format!("{}. Values: {}.", sentence(effect), plain(values)),
        "schema": schema(*form),
        "example": if is_list { json!([example]) } else { value(*form, example) },
    });
    if is_list {
        object["style"] = json!("form");
        object["explode"] = json!(false);
    }
    object
}

fn schema(form: ParameterKind) -> Value {
    match form {
        ParameterKind::Text(pattern) => json!({"type": "string", "pattern": pattern}),
        ParameterKind::Word(words) => json!({"type": "string", "enum": words}),
        ParameterKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        ParameterKind::PositionKinds | ParameterKind::EventTypes => {
            json!({"type": "array", "items": {"type": "string", "enum": form.words()}})
        }
        ParameterKind::Currency => json!({"type": "string", "enum": form.words()}),
        ParameterKind::Flag => json!({"type": "boolean"}),
        ParameterKind::Count => json!({"type": "integer", "minimum": 1}),
    }
}

/// Returns an example of a parameter in the type of its schema.
fn value(form: ParameterKind, example: &str) -> Value {
    match form {
        ParameterKind::Flag | ParameterKind::Count => example.parse().unwrap_or(Value::Null),
        _ => json!(example),
    }
}

fn responses(endpoint: Endpoint, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut whole = json!({
        "description": sentence(endpoint.operation().answer),
        "headers": messages::headers_of_answers(endpoint),
        "content": content(endpoint, generator),
    });
    if endpoint.may_be_stream() {
        whole["content"][MEDIA_TYPE] =
            stream("The answer as it comes: an event for each job that ends, then the whole.");
    }
    if let Some(example) = examples::of(endpoint) {
        whole["content"]["application/json"]["example"] = example;
    }
    let mut responses = Map::new();
    responses.insert("200".to_owned(), whole);
    let known = "The client has this body already, by `if-none-match`.";
    responses
        .insert("304".to_owned(), json!({"description": known, "headers": messages::headers_of_answers(endpoint)}));
    responses.extend(messages::problem_references());
    responses
}

fn stream(about: &str) -> Value {
    json!({"schema": {"type": "string", "description": about}})
}

fn content(endpoint: Endpoint, generator: &mut SchemaGenerator) -> Value {
    if endpoint.is_stream() {
        return json!({MEDIA_TYPE: stream("The whole at first, then an event for each change.")});
    }
    match view::schema(endpoint, generator) {
        Some(schema) => json!({"application/json": {"schema": schema}}),
        None if endpoint == Endpoint::ProtocolLogo => json!({"image/svg+xml": {"schema": {"type": "string"}}}),
        None => json!({"application/json": {"schema": {"type": "object", "additionalProperties": true}}}),
    }
}
