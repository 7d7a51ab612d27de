//! Claim transactions, and merged calls that claim for several at once.
//!
//! Invariant: each member of a merged list was in a call that was validated by itself, and the calls differ in nothing
//! else.

use std::sync::Arc;

use alloy::dyn_abi::DynSolValue;
use alloy::primitives::{Address, Bytes, Selector, U256, hex};

use crate::addresses::TargetSource;
use crate::template::{ARGUMENTS_BYTES_MAX, Template, encode};

/// A transaction built from a declared template.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimTransaction {
    /// Target.
    pub to: Address,
    /// Origin of the target.
    pub target_source: TargetSource,
    /// Account that sends it.
    pub from: Address,
    /// True if anyone may send it.
    pub is_by_anyone: bool,
    /// Fee due, in wei.
    pub value: U256,
    /// Calldata.
    pub data: Bytes,
    /// Function name.
    pub function: String,
    /// Solidity type and value of each argument, as text, in order.
    pub inputs: Vec<(String, String)>,
    /// An equivalent call that can be merged with others, if there is one.
    pub mergeable: Option<Arc<MergedCall>>,
}

/// A call of a function that can claim for several, in the arguments named by its template.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedCall {
    transaction: ClaimTransaction,
    selector: Selector,
    values: Vec<DynSolValue>,
    /// Indices of the list arguments that grow.
    lists: Vec<usize>,
}

impl MergedCall {
    pub(crate) fn new(template: &Template, transaction: ClaimTransaction, values: Vec<DynSolValue>) -> Self {
        Self { transaction, selector: template.selector(), values, lists: template.merges().to_vec() }
    }

    /// Returns the transaction to send.
    pub fn transaction(&self) -> &ClaimTransaction {
        &self.transaction
    }

    /// Merges two calls. `None` if they have different contracts or functions, differ in more than their lists, or are
    /// too long together.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Option<Self> {
        let place = |call: &Self| (call.transaction.to, call.transaction.from, call.selector);
        if place(self) != place(other) || self.lists != other.lists {
            return None;
        }
        let arguments = self.values.iter().zip(&other.values).enumerate();
        let merged = arguments.map(|(place, (own, more))| match self.lists.contains(&place) {
            true => appended(own, more),
            false => (own == more).then(|| own.clone()),
        });
        let values = merged.collect::<Option<Vec<_>>>()?;
        let data = encode(self.selector, &values);
        if data.len() > ARGUMENTS_BYTES_MAX {
            return None;
        }
        let kinds = self.transaction.inputs.iter().map(|(kind, _)| kind.clone());
        let inputs = kinds.zip(values.iter().map(text)).collect();
        let transaction = ClaimTransaction { data: data.into(), inputs, ..self.transaction.clone() };
        Some(Self { transaction, values, ..self.clone() })
    }
}

/// Appends the members of another list; `None` if a list of fixed length has no room.
fn appended(list: &DynSolValue, more: &DynSolValue) -> Option<DynSolValue> {
    match (list, more) {
        (DynSolValue::Array(own), DynSolValue::Array(others)) => {
            Some(DynSolValue::Array(own.iter().chain(others).cloned().collect()))
        }
        (DynSolValue::FixedArray(own), DynSolValue::FixedArray(others)) => {
            let members = filled(list, own).iter().chain(filled(more, others)).cloned();
            let mut members: Vec<DynSolValue> = members.collect();
            let is_room = members.len() <= own.len() && !own.is_empty();
            members.resize(own.len(), DynSolValue::Address(Address::ZERO));
            is_room.then_some(DynSolValue::FixedArray(members))
        }
        _ => None,
    }
}

/// Returns the members of a list. In a fixed-length list, trailing zero addresses are padding; the first member always
/// counts.
pub(crate) fn filled<'a>(list: &DynSolValue, members: &'a [DynSolValue]) -> &'a [DynSolValue] {
    let is_nobody = |member: &&DynSolValue| **member == DynSolValue::Address(Address::ZERO);
    let is_fixed = matches!(list, DynSolValue::FixedArray(_));
    let empty = members.iter().skip(1).rev().take_while(|member| is_fixed && is_nobody(member)).count();
    &members[..members.len() - empty]
}

/// Formats an argument: addresses in lower case, numbers in decimal, bytes in hex.
pub(crate) fn text(value: &DynSolValue) -> String {
    let list = |values: &[DynSolValue]| values.iter().map(text).collect::<Vec<_>>().join(",");
    match value {
        DynSolValue::Address(address) => format!("{address:#x}"),
        DynSolValue::Bool(flag) => flag.to_string(),
        DynSolValue::Int(number, _) => number.to_string(),
        DynSolValue::Uint(number, _) => number.to_string(),
        DynSolValue::FixedBytes(word, size) => hex::encode_prefixed(&word[..*size]),
        DynSolValue::Bytes(bytes) => hex::encode_prefixed(bytes),
        DynSolValue::String(text) => text.clone(),
        DynSolValue::Array(values) | DynSolValue::FixedArray(values) => format!("[{}]", list(values)),
        DynSolValue::Tuple(values) => format!("({})", list(values)),
        DynSolValue::Function(function) => hex::encode_prefixed(function),
    }
}
