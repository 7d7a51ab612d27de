//! The result of a tool: notes before data, and where the rest is.

use portolan_base::sanitize::output;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use super::arguments::ToolRequest;
use super::claim_rules::{check_claimables, checked_plan};
use super::cursor::Cursor;
use super::notes::Notes;
use super::rows::{self, LOGO, Slice};
use super::source::AnswerReply;
use super::tools::{DataShape, ToolRow};

/// Bytes of a whole result: 25,000 tokens of four bytes.
const RESULT_BYTES_MAX: usize = 100_000;

/// What a tool returns.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    notes: Notes,
    data: Value,
    /// Continues a long answer.
    next_cursor: Option<String>,
}

/// Wraps the reply to a tool's request.
///
/// # Errors
/// There is no answer, or it does not fit; in a sentence for the caller.
pub(super) fn result(tool: &ToolRow, request: &ToolRequest, reply: AnswerReply) -> Result<CallToolResult, String> {
    let (body, partial, blocks, account) = match reply {
        AnswerReply::Answer { body, partial, blocks, account } => (body, partial, blocks, account),
        AnswerReply::Refused(reason) => return Err(reason),
    };
    let mut body: Value = serde_json::from_slice(&body).map_err(|error| format!("the answer is not JSON: {error}"))?;
    let mut notes = Notes::new(blocks, account, partial.as_deref());
    rows::remove(&mut body, &[LOGO]);
    let body = if tool.shape == DataShape::ClaimPlan { checked_plan(body, &mut notes) } else { body };
    let slice = rows::slice(body, tool.shape, request.cursor.as_ref());
    let Slice { mut data, first, count, total, last, too_long, has_moved } = slice.ok_or_else(|| too_large(tool))?;
    if tool.shape == DataShape::Claimables {
        check_claimables(&mut data, &mut notes);
    }
    notes.left_out.extend(too_long.into_iter().map(|row| {
        format!("Row {} is too long for a tool: the gateway's HTTP interface has it at {}.", row + 1, request.call)
    }));
    if has_moved {
        notes
            .left_out
            .push("The answer changed since the slice before this one: rows may be missing or here twice.".into());
    }
    let before = request.cursor.as_ref().and_then(|cursor| cursor.blocks.as_deref());
    if let Some(before) = before.filter(|before| Some(*before) != notes.blocks.as_deref()) {
        notes.left_out.push(format!("The slice before this one was at other blocks: {before}."));
    }
    let end = first + count;
    let next_cursor = if end < total {
        notes
            .left_out
            .push(format!("Rows {} to {end} of {total} are here; call again with nextCursor for the rest.", first + 1));
        let cursor = Cursor::new(&request.call, end, last, notes.blocks.clone());
        Some(cursor.write().map_err(|error| format!("no cursor: {error}"))?)
    } else {
        None
    };
    notes.shorten();
    let envelope = Envelope { notes, data, next_cursor };
    let unwritable = |error: serde_json::Error| format!("the result cannot be written: {error}");
    let text = output::json(&envelope).map_err(unwritable)?;
    let structured = serde_json::from_slice(&text).map_err(unwritable)?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(String::from_utf8_lossy(&text))]);
    result.structured_content = Some(structured);
    let bytes = output::json(&result).map_err(unwritable)?.len();
    if bytes > RESULT_BYTES_MAX { Err(too_large(tool)) } else { Ok(result) }
}

fn too_large(tool: &ToolRow) -> String {
    let (_, parameters) = tool.parameters();
    let narrowing = ["include", "network", "type"].into_iter().filter(|name| parameters.contains(name));
    format!("the answer does not fit into a result; choose less with {}", narrowing.collect::<Vec<_>>().join(" or "))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use rmcp::model::JsonObject;

    use serde_json::json;

    use super::*;

    fn answer(body: &Value, partial: Option<&str>) -> AnswerReply {
        let text = |text: &str| text.to_owned();
        AnswerReply::Answer {
            body: Bytes::from(body.to_string()),
            partial: partial.map(text),
            blocks: Some(text("polygon=7")),
            account: None,
        }
    }

    fn called(tool: &str, arguments: &Value, reply: AnswerReply) -> Result<Value, String> {
        let tool = ToolRow::named(tool).unwrap();
        let arguments: JsonObject = serde_json::from_value(arguments.clone()).unwrap();
        let request = ToolRequest::new(tool, &arguments)?;
        let result = result(tool, &request, reply)?;
        let structured = result.structured_content.clone().unwrap();
        let text = result.content[0].as_text().unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text.text).unwrap(), structured, "both are the same");
        assert!(json!(result).to_string().len() <= RESULT_BYTES_MAX);
        Ok(structured)
    }

    #[test]
    fn two_thousand_rows_of_quotes_come_in_slices_that_fit() {
        let rows: Vec<Value> =
            (0..2_000).map(|place| json!({"id": place.to_string(), "name": "\"\\".repeat(150)})).collect();
        let (mut seen, mut arguments) = (0, json!({"account": "a.eth"}));
        loop {
            let slice = called("token_balances", &arguments, answer(&json!(rows), None)).unwrap();
            seen += slice["data"].as_array().unwrap().len();
            match slice["nextCursor"].as_str() {
                Some(cursor) => arguments["cursor"] = json!(cursor),
                None => break,
            }
        }
        assert_eq!(seen, 2_000);
    }

    #[test]
    fn what_is_missing_stands_beside_an_empty_list() {
        let reply = answer(&json!([]), Some("*/polygon;reason=upstream"));
        let result = called("token_balances", &json!({"account": "a.eth"}), reply).unwrap();
        assert_eq!(result["data"], json!([]));
        let missing = result["notes"]["missing"][0].as_str().unwrap();
        assert!(missing.starts_with("Missing: Everything on polygon: the nodes failed"), "{missing}");
    }

    #[test]
    fn an_object_that_does_not_fit_is_refused_with_advice() {
        let plan = json!({"items": [{"simulated": "paid", "transactions": ["x".repeat(90_000)]}]});
        let refusal = called("claim_plan", &json!({"account": "a.eth", "network": "polygon"}), answer(&plan, None));
        assert_eq!(refusal, Err("the answer does not fit into a result; choose less with include or network".into()));
        let reply = AnswerReply::Refused("Unknown protocol: x".into());
        assert_eq!(called("networks", &json!({}), reply), Err("Unknown protocol: x".into()));
    }
}
