//! The body of a problem document.

use serde::Serialize;

use crate::sanitize::door;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    /// The same text; clients of the original read it.
    message: &'a str,
}

/// A problem document; `name` is the last part of its type.
pub(in crate::http) fn problem(name: &str, title: &str, status: u16, detail: &str) -> Vec<u8> {
    let kind = format!("urn:portolan:problem:{name}");
    let document = Document { kind, title, status, detail, message: detail };
    // Texts and a number always serialise; were it otherwise, the status alone would still be right.
    door::json(&document).unwrap_or_default()
}
