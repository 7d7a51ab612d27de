//! The gateway's description of its API, and answers checked against it.
//!
//! Invariant: a description takes further members, but here none is taken, so that it has to name all that there are.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, ensure};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::gateway::Gateway;
use crate::http::Response;

/// Faults of one answer that are shown.
const FAULTS_SHOWN: usize = 5;

/// Headers of the connection, which no description has.
const OF_CONNECTION: [&str; 3] = ["connection", "keep-alive", "transfer-encoding"];

/// The document, and what checks bodies by it.
#[derive(Debug)]
pub struct Description {
    document: Value,
    /// By the schema's place in the document.
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

impl Description {
    /// Reads the description of a gateway.
    ///
    /// # Errors
    /// If it is not there, or is not JSON.
    pub fn of(gateway: &Gateway) -> Result<Self> {
        let response = gateway.get("/openapi.json")?;
        ensure!(response.status == 200, "/openapi.json is {}: {}", response.status, response.body);
        let mut document: Value = serde_json::from_str(&response.body)?;
        forbid_unknown_members(&mut document);
        Ok(Self { document, validators: Mutex::default() })
    }

    /// The names of all problems that are described.
    ///
    /// # Errors
    /// If the document has no list of them.
    pub fn problems(&self) -> Result<Vec<&str>> {
        let types = self.document.pointer("/components/schemas/ProblemType/enum").and_then(Value::as_array);
        Ok(types.context("no types of problems")?.iter().filter_map(Value::as_str).collect())
    }

    /// Checks that the answer to a GET of a path has the status, headers and body that are described for it.
    ///
    /// # Errors
    /// Says what is not described so.
    pub fn check(&self, path: &str, response: &Response) -> Result<()> {
        let template = self.template(path).with_context(|| format!("{path} is not described"))?;
        let status = response.status.as_u16();
        let responses = &self.document["paths"][template.as_str()]["get"]["responses"];
        let described =
            responses.get(status.to_string()).with_context(|| format!("{path}: {status} is not described"))?;
        let (described, place) = match described["$ref"].as_str() {
            Some(reference) => (self.resolved(reference)?, reference.trim_start_matches('#').to_owned()),
            None => (described, format!("/paths/{}/get/responses/{status}", pointer_part(&template))),
        };
        for name in response.headers.keys().map(|name| name.as_str()) {
            let is_known =
                described["headers"].get(name).is_some() || name == "content-type" || OF_CONNECTION.contains(&name);
            ensure!(is_known, "{path}: {status} has the header {name}, which is not described");
        }
        let media_type = response.header("content-type").with_context(|| format!("{path}: no content-type"))?;
        let content = described["content"].get(media_type);
        content.with_context(|| format!("{path}: {status} as {media_type} is not described"))?;
        let place = format!("{place}/content/{}/schema", pointer_part(media_type));
        let body: Value = serde_json::from_str(&response.body).with_context(|| path.to_owned())?;
        let validator = self.validator(&place)?;
        let faults = validator.iter_errors(&body).map(|error| format!("{}: {error:.600}", error.instance_path()));
        let faults: Vec<String> = faults.take(FAULTS_SHOWN).collect();
        ensure!(faults.is_empty(), "{path}: {status} is not as described:\n{}", faults.join("\n"));
        Ok(())
    }

    fn resolved(&self, reference: &str) -> Result<&Value> {
        self.document.pointer(reference.trim_start_matches('#')).with_context(|| format!("nothing at {reference}"))
    }

    /// The described path that matches, with as few values as possible.
    fn template(&self, path: &str) -> Option<String> {
        let path = path.split('?').next()?;
        let segments: Vec<&str> = path.split('/').collect();
        let values = |template: &&String| template.matches('{').count();
        let is_match = |template: &&String| {
            let parts: Vec<&str> = template.split('/').collect();
            let fits = |(part, segment): (&&str, &&str)| part.starts_with('{') || part == segment;
            parts.len() == segments.len() && parts.iter().zip(&segments).all(fits)
        };
        self.document["paths"].as_object()?.keys().filter(is_match).min_by_key(values).cloned()
    }

    fn validator(&self, place: &str) -> Result<Arc<Validator>> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = validators.get(place) {
            return Ok(Arc::clone(known));
        }
        let schema = json!({"components": self.document["components"], "allOf": [self.resolved(place)?]});
        let validator = jsonschema::validator_for(&schema).with_context(|| place.to_owned())?;
        let validator = Arc::new(validator);
        validators.insert(place.to_owned(), Arc::clone(&validator));
        Ok(validator)
    }
}

/// A part of a JSON pointer (RFC 6901).
fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Forbids members that are not described, in all objects that do not say themselves what further ones are.
fn forbid_unknown_members(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object) && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            members.values_mut().for_each(forbid_unknown_members);
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_unknown_members),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, StatusCode};

    use super::*;

    fn description() -> Description {
        let number = json!({"type": "object", "properties": {"amount": {"type": ["number", "string"]}}});
        let content =
            json!({"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/N"}}}});
        let get = |name: &str| json!({"get": {"responses": {"200": {"description": name, "headers": {}, "content": content}}}});
        let mut document = json!({
            "paths": {"/{a}/b": get("value"), "/a/b": get("word")},
            "components": {"schemas": {"N": number}},
        });
        forbid_unknown_members(&mut document);
        Description { document, validators: Mutex::default() }
    }

    fn answer(status: StatusCode, body: &str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "application/json".parse().unwrap());
        Response { status, headers, body: body.to_owned(), sent_bytes: body.len() }
    }

    #[test]
    fn numbers_of_any_length_are_numbers_and_unknown_members_are_faults() {
        let of = |body: &str| description().check("/x/b?y=1", &answer(StatusCode::OK, body));
        let long = "1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+59";
        for amount in ["0", "-1.5", "296514877005303546555804032", "1E-254", long, "\"1.5\""] {
            of(&format!(r#"[{{"amount":{amount}}}]"#)).unwrap();
        }
        for body in [r#"[{"amount":null}]"#, r#"[{"amount":1,"other":1}]"#, "{}", "["] {
            of(body).unwrap_err();
        }
    }

    #[test]
    fn an_answer_whose_path_status_or_header_is_not_described_is_a_fault() {
        let description = description();
        assert_eq!(description.template("/a/b").as_deref(), Some("/a/b"));
        assert_eq!(description.template("/x/b").as_deref(), Some("/{a}/b"));
        description.check("/x/c", &answer(StatusCode::OK, "[]")).unwrap_err();
        description.check("/x/b", &answer(StatusCode::NOT_FOUND, "[]")).unwrap_err();
        let mut headed = answer(StatusCode::OK, "[]");
        headed.headers.insert("portolan-new", "1".parse().unwrap());
        description.check("/x/b", &headed).unwrap_err();
    }
}
