//! The transactions of claims, and calls that claim for several at once, which are merged from validated ones.
//!
//! Invariant: each member of a merged list stood in a call that was validated by itself, and nothing else differs between
//! the calls.

use std::sync::Arc;

use alloy::dyn_abi::DynSolValue;
use alloy::primitives::{Address, Bytes, Selector, U256, hex};

use crate::addresses::TargetSource;
use crate::template::{ARGUMENTS_BYTES_MAX, Template, encode};

/// Built from a declared template.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimTransaction {
    /// The target.
    pub to: Address,
    /// Where the target comes from.
    pub target_source: TargetSource,
    /// The account.
    pub from: Address,
    /// Whether another one may send it as well.
    pub is_by_anyone: bool,
    /// The fee that is due, in wei.
    pub value: U256,
    /// Calldata.
    pub data: Bytes,
    /// Function name.
    pub function: String,
    /// Solidity type and value as text, in order.
    pub inputs: Vec<(String, String)>,
    /// A call that claims the same, and other claims with it; `None` where there is none.
    pub mergeable: Option<Arc<MergedCall>>,
}

/// A call of a function that claims for several, in the arguments that its template names.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedCall {
    transaction: ClaimTransaction,
    selector: Selector,
    values: Vec<DynSolValue>,
    /// The places of the arguments whose lists grow.
    lists: Vec<usize>,
}

impl MergedCall {
    pub(crate) fn new(template: &Template, transaction: ClaimTransaction, values: Vec<DynSolValue>) -> Self {
        Self { transaction, selector: template.selector(), values, lists: template.merges().to_vec() }
    }

    /// As it is sent.
    pub fn transaction(&self) -> &ClaimTransaction {
        &self.transaction
    }

    /// One call in the place of both; `None` where they go to different contracts or functions, differ in more than their
    /// lists, or are too long together.
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

/// A list with the members of another behind its own; `None` where a list of a fixed length has no room for them.
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

/// The members of a list without the zero addresses that fill one of a fixed length up, of which the first stays.
pub(crate) fn filled<'a>(list: &DynSolValue, members: &'a [DynSolValue]) -> &'a [DynSolValue] {
    let is_nobody = |member: &&DynSolValue| **member == DynSolValue::Address(Address::ZERO);
    let is_fixed = matches!(list, DynSolValue::FixedArray(_));
    let empty = members.iter().skip(1).rev().take_while(|member| is_fixed && is_nobody(member)).count();
    &members[..members.len() - empty]
}

/// An argument as people read it: addresses in lower case, numbers in decimal, bytes in hex.
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
