//! Compares what a registry's descriptor says of a function's arguments with what claims use them for.
//!
//! Invariant: other words are no contradiction. A contradiction is a field that fits no call which the gateway makes, or
//! calls an address what it is not.

use alloy::dyn_abi::{DynSolType, DynSolValue};
use alloy::hex;
use alloy::primitives::{Address, I256, U256};
use portolan_base::sanitize;
use serde_json::Value;

use super::argument_use::{ArgumentUse, PathStep};
use super::call_format::{CallField, CallFormat};
use super::registry_descriptor::RegistryFormat;
use super::registry_field::{RegistryField, RegistryPath};

/// Characters of a registry's text within a sentence.
const CHARS_MAX: usize = 100;

/// What is different about a function; each a clause whose subject is the descriptor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FormatComparison {
    pub(super) contradictions: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// A registry's field that is about an argument.
struct PlacedField<'a> {
    field: &'a RegistryField,
    place: Vec<PathStep>,
    is_part: bool,
}

impl FormatComparison {
    /// Compares the formats of one function.
    pub(super) fn of(own: &CallFormat, registry: &RegistryFormat) -> Self {
        let mut found = Self::default();
        let names = registry
            .signature
            .as_ref()
            .filter(|signature| signature.parameters.iter().all(|parameter| !parameter.name.is_empty()));
        let Some(signature) = names else {
            found.notes.push("does not name the arguments, so they are not compared".to_owned());
            return found;
        };
        let mut placed = Vec::new();
        for field in &registry.fields {
            match field.place(signature) {
                RegistryPath::Elsewhere => {}
                RegistryPath::Argument { place, is_part } => placed.push(PlacedField { field, place, is_part }),
                RegistryPath::Nowhere => {
                    let path = sanitize::cut(&field.path, CHARS_MAX);
                    found.contradictions.push(format!("has a field at {path:?}, which is not an argument"));
                }
            }
        }
        for field in &own.fields {
            let about: Vec<&PlacedField<'_>> =
                placed.iter().filter(|placed| field.place.starts_with(&placed.place)).collect();
            found.compare(field, &own.path(field), &about);
        }
        if own.has_fee && !registry.fields.iter().any(|field| field.path == "@.value" && !field.is_hidden) {
            found.notes.push("does not show the fee, @.value".to_owned());
        }
        found
    }

    /// Compares an argument with the fields that are about it.
    fn compare(&mut self, own: &CallField, name: &str, about: &[&PlacedField<'_>]) {
        let is_hidden = about.iter().all(|placed| placed.field.is_hidden);
        let says_something = !matches!(own.used, ArgumentUse::Opaque | ArgumentUse::Constant(_));
        if is_hidden && says_something {
            let how = if about.is_empty() { "does not show" } else { "hides" };
            self.notes.push(format!("{how} {name}, which is {}", words(&own.used)));
        }
        for PlacedField { field, is_part, .. } in about {
            if let Some(reason) = requirement(own, name, field) {
                self.contradictions.push(reason);
            }
            let is_shown = !field.is_hidden && !*is_part;
            if is_shown && !(suits(&field.format, &own.kind) && agrees(&own.used, field)) {
                let reason = format!("shows {name}, which is {}, as {}", words(&own.used), shown_as(field));
                self.contradictions.push(reason);
            }
        }
    }
}

/// Returns the contradiction of required values that claims do not have.
fn requirement(own: &CallField, name: &str, field: &RegistryField) -> Option<String> {
    if field.must_match.is_empty() {
        return None;
    }
    match &own.used {
        ArgumentUse::Constant(values) => {
            let is_allowed = |value: &DynSolValue| field.must_match.iter().any(|given| is_value(value, given));
            let is_refused = values.iter().any(|value| !is_allowed(value));
            is_refused.then(|| format!("requires a value of {name} that claims do not have"))
        }
        used => Some(format!("requires a value of {name}, which is {} and differs between claims", words(used))),
    }
}

/// Returns true if a JSON value stands for this value. Numbers are in decimal or hex.
fn is_value(value: &DynSolValue, given: &Value) -> bool {
    let text = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
    match value {
        DynSolValue::Bool(flag) => text == flag.to_string(),
        DynSolValue::Uint(number, _) => text.parse::<U256>().is_ok_and(|given| given == *number),
        DynSolValue::Int(number, _) => text.parse::<I256>().is_ok_and(|given| given == *number),
        DynSolValue::Address(address) => text.parse::<Address>().is_ok_and(|given| given == *address),
        DynSolValue::FixedBytes(word, size) => hex::decode(&text).is_ok_and(|given| given == word[..*size]),
        DynSolValue::Bytes(bytes) => hex::decode(&text).is_ok_and(|given| given == *bytes),
        DynSolValue::String(own) => text == *own,
        _ => false,
    }
}

/// Returns true if a field of this type may have the format. Formats that are not known suit all types.
fn suits(format: &str, kind: &DynSolType) -> bool {
    let is_address = *kind == DynSolType::Address;
    match format {
        "addressName" | "tokenTicker" => is_address,
        "amount" | "tokenAmount" | "nftName" | "date" | "duration" | "unit" | "chainId" => {
            matches!(kind, DynSolType::Uint(_) | DynSolType::Int(_))
        }
        "enum" => !is_address && !matches!(kind, DynSolType::Bytes),
        "calldata" | "interoperableAddressName" => *kind == DynSolType::Bytes,
        _ => true,
    }
}

/// Returns true if an address may be what the field calls it.
fn agrees(used: &ArgumentUse, field: &RegistryField) -> bool {
    let allows = |types: &[&str]| field.types.is_empty() || field.types.iter().any(|one| types.contains(&one.as_str()));
    let is_ticker = field.format == "tokenTicker";
    match used {
        ArgumentUse::Sender | ArgumentUse::Account => !is_ticker && allows(&["wallet", "eoa"]),
        ArgumentUse::Token | ArgumentUse::Contract => allows(&["contract", "token", "collection"]),
        ArgumentUse::Delegate => !is_ticker && allows(&["wallet", "eoa", "contract"]),
        _ => true,
    }
}

fn words(used: &ArgumentUse) -> &'static str {
    match used {
        ArgumentUse::Sender | ArgumentUse::Account => "the account",
        ArgumentUse::Token => "a token",
        ArgumentUse::Contract => "a contract of the protocol",
        ArgumentUse::Delegate => "an address that a contract holds for the account",
        ArgumentUse::Address => "an address",
        ArgumentUse::Value => "a value",
        ArgumentUse::Opaque => "bytes",
        ArgumentUse::Constant(_) => "always the same",
    }
}

fn shown_as(field: &RegistryField) -> String {
    let format = sanitize::cut(&field.format, CHARS_MAX);
    if field.types.is_empty() {
        return format;
    }
    format!("{format} of {}", sanitize::cut(&field.types.join(", "), CHARS_MAX))
}
