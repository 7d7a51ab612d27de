//! Events as lines, so that what is decoded and what is expected compare as texts.

use alloy::primitives::{Address, hex};
use portolan_abi::map;
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
    line(&expected.kind, expected.protocol.as_deref(), members)
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

/// An event as a line: its type, its protocol and its members in the order of their names.
pub(in crate::testing) fn text(event: &map::Event) -> String {
    let members = event.members.iter().map(|member| (member.name.clone(), value(&member.value))).collect();
    line(&event.kind, event.protocol.as_deref(), members)
}

fn value(value: &map::Value) -> String {
    let asset =
        |asset: &map::Asset| format!("[{} {}]", asset.token.map_or_else(|| "null".to_owned(), address), asset.raw);
    let list = |assets: &Vec<map::Asset>| format!("[{}]", assets.iter().map(asset).collect::<Vec<_>>().join(" "));
    let forms = [
        value.address.or(value.token).map(address),
        value.amount.map(|amount| amount.raw.to_string()),
        value.assets.as_ref().map(list),
        value.number.or(value.seconds).map(|number| number.to_string()),
        value.word.map(hex::encode_prefixed),
        value.flag.map(|flag| flag.to_string()),
        value.text.clone(),
        value.network.map(|chain_id| chain_id.to_string()),
    ];
    forms.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

fn line(kind: &str, protocol: Option<&str>, mut members: Vec<(String, String)>) -> String {
    members.sort();
    let members: Vec<String> = members.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{kind} of {}: {}", protocol.unwrap_or("nobody"), members.join(" "))
}

fn address(address: Address) -> String {
    format!("{address:#x}")
}
