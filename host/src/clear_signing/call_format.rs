//! The format of one claim function: its signature with names, and a field for each argument.
//!
//! Invariant: names and labels are Portolan's own words, those of the table of claim functions. No text of a plugin is
//! in them but the function's name.

use std::collections::BTreeMap;

use alloy::dyn_abi::DynSolType;
use portolan_abi::map::ClaimTemplate;

use super::argument_use::{self, ArgumentUse, PathStep};
use super::call_signature::{CallParameter, CallSignature};

/// The suffix of a function in the table to which a fee may be paid.
const PAYABLE: &str = " payable";
/// The name of an argument that templates use in several ways.
const ANY: &str = "value";
/// Labels that are not the word with a capital letter.
const LABELS: [(&str, &str); 1] = [("market", "Contract")];

/// What a wallet shows of a claim function's calls.
#[derive(Clone, Debug)]
pub(crate) struct CallFormat {
    pub(crate) signature: CallSignature,
    /// True if the call pays a fee.
    pub(crate) has_fee: bool,
    pub(crate) fields: Vec<CallField>,
}

/// An argument of a call, or an innermost member of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallField {
    pub(crate) place: Vec<PathStep>,
    pub(crate) kind: DynSolType,
    pub(crate) used: ArgumentUse,
}

impl CallFormat {
    /// Makes the format of a template. `call` is the function with a word per argument, as the table has it.
    pub(super) fn of(template: &ClaimTemplate, call: &str) -> Option<Self> {
        let signature = CallSignature::parse(call.strip_suffix(PAYABLE).unwrap_or(call))?;
        let arguments = signature.parameters.iter().zip(&template.roles).enumerate();
        let uses =
            arguments.flat_map(|(index, (parameter, role))| argument_use::uses(template, index, &parameter.kind, role));
        let fields = uses.map(|(place, kind, used)| CallField { place, kind, used }).collect();
        Some(Self { signature, has_fee: template.fee.is_some(), fields })
    }

    /// Joins this format with that of another template of the same function.
    pub(super) fn merged(&self, other: &Self) -> Self {
        let fields = self.fields.iter().zip(&other.fields);
        let field = |(one, other): (&CallField, &CallField)| CallField {
            used: one.used.merged(&other.used, &one.kind),
            ..one.clone()
        };
        let parameters = merged_names(&self.signature.parameters, &other.signature.parameters);
        Self {
            signature: CallSignature { parameters, ..self.signature.clone() },
            has_fee: self.has_fee || other.has_fee,
            fields: fields.map(field).collect(),
        }
    }

    /// Numbers the parameters whose names are equal, so that each has a name of its own.
    pub(super) fn numbered(mut self) -> Self {
        let mut counts = BTreeMap::new();
        count_names(&self.signature.parameters, &mut counts);
        counts.retain(|_, count| *count > 1);
        counts.values_mut().for_each(|count| *count = 0);
        number_names(&mut self.signature.parameters, &mut counts);
        self
    }

    /// Returns the path of a field in the syntax of ERC-7730, such as `rewards.[].token`.
    pub(crate) fn path(&self, field: &CallField) -> String {
        let (mut parts, mut members) = (Vec::new(), &self.signature.parameters);
        for step in &field.place {
            match step {
                PathStep::Each => parts.push("[]"),
                PathStep::Member(index) => {
                    let Some(parameter) = members.get(*index) else { break };
                    parts.push(parameter.name.as_str());
                    members = &parameter.members;
                }
            }
        }
        parts.join(".")
    }

    /// Returns the name of a field for people.
    pub(crate) fn label(&self, field: &CallField) -> String {
        let path = self.path(field);
        let name = path.rsplit('.').find(|part| *part != "[]").unwrap_or_default();
        let word = name.trim_end_matches(|last: char| last.is_ascii_digit());
        let number = &name[word.len()..];
        let label = LABELS.iter().find(|(known, _)| *known == word).map(|(_, label)| (*label).to_owned());
        let label = label.unwrap_or_else(|| capitalized(word));
        if number.is_empty() { label } else { format!("{label} {number}") }
    }

    /// Returns what a wallet says of the call: that it claims, and by which function.
    pub(crate) fn intent(&self) -> String {
        format!("Claim: {}", self.signature.name)
    }
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    first.to_ascii_uppercase() + rest
}

/// The types of both are equal.
fn merged_names(one: &[CallParameter], other: &[CallParameter]) -> Vec<CallParameter> {
    let merged = |(one, other): (&CallParameter, &CallParameter)| CallParameter {
        name: if one.name == other.name { one.name.clone() } else { ANY.to_owned() },
        kind: one.kind.clone(),
        members: merged_names(&one.members, &other.members),
    };
    one.iter().zip(other).map(merged).collect()
}

fn count_names(parameters: &[CallParameter], counts: &mut BTreeMap<String, usize>) {
    for parameter in parameters {
        *counts.entry(parameter.name.clone()).or_default() += 1;
        count_names(&parameter.members, counts);
    }
}

/// Appends the next number of its name to each parameter whose name is in `counts`.
fn number_names(parameters: &mut [CallParameter], counts: &mut BTreeMap<String, usize>) {
    for parameter in parameters {
        if let Some(count) = counts.get_mut(&parameter.name) {
            *count += 1;
            parameter.name = format!("{}{count}", parameter.name);
        }
        number_names(&mut parameter.members, counts);
    }
}
