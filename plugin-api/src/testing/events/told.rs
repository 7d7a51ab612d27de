//! Events as lines, so that what is told and what must be told compare as texts.

use alloy::primitives::{Address, U256, hex};
use portolan_abi::map;
use serde_json::Value;

use super::case::Expected;

/// Everything in which what was told is another thing; the order is that of the table.
pub(super) fn differences(expected: &[Expected], told: Vec<String>) -> Vec<String> {
    let mut open: Vec<String> = expected.iter().map(expectation).collect();
    let mut wrong = Vec::new();
    for line in told {
        match open.iter().position(|expected| *expected == line) {
            Some(place) => drop(open.remove(place)),
            None => wrong.push(format!("told     {line}")),
        }
    }
    wrong.extend(open.into_iter().map(|line| format!("expected {line}")));
    wrong
}

fn expectation(expected: &Expected) -> String {
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
pub(in crate::testing) fn told(event: &map::Event) -> String {
    let members = event.members.iter().map(|member| (member.name.clone(), value(&member.value))).collect();
    line(&event.kind, event.protocol.as_deref(), members)
}

fn value(told: &map::Value) -> String {
    let asset = |asset: &map::Asset| {
        format!("[{} {}]", asset.token.map_or_else(|| "null".to_owned(), address), number(asset.raw))
    };
    let list = |assets: &Vec<map::Asset>| format!("[{}]", assets.iter().map(asset).collect::<Vec<_>>().join(" "));
    let forms = [
        told.address.or(told.token).map(address),
        told.amount.map(|amount| number(amount.raw)),
        told.assets.as_ref().map(list),
        told.number.or(told.seconds).map(number),
        told.word.map(|word| hex::encode_prefixed(word.0)),
        told.flag.map(|flag| flag.to_string()),
        told.text.clone(),
        told.network.map(|chain_id| chain_id.to_string()),
    ];
    forms.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

fn line(kind: &str, protocol: Option<&str>, mut members: Vec<(String, String)>) -> String {
    members.sort();
    let members: Vec<String> = members.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{kind} of {}: {}", protocol.unwrap_or("nobody"), members.join(" "))
}

fn address(address: map::Address) -> String {
    format!("{:#x}", Address::from(address.0))
}

fn number(word: map::Word) -> String {
    U256::from_be_bytes(word.0).to_string()
}
