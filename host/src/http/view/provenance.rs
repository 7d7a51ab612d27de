//! Provenance of amounts, for rows with `detail=full`.

use alloy::primitives::Bytes;
use portolan_base::sanitize::text::Text;
use portolan_reader::Kind;
use portolan_validation::decode_arguments;
use serde::Serialize;

use super::parts::lower;
use crate::gateway::provenance::Provenance;
use crate::jobs::job::{AmountSource, TracedRead};

/// Maximum characters of an argument.
const ARGUMENT_CHARS_MAX: usize = 200;

/// The member `provenance` of a row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProvenanceView<'a> {
    /// SHA-256 of the plugin's file.
    digest: Option<&'a str>,
    block: u64,
    block_hash: String,
    /// Sources of each non-zero amount of the claim or position.
    amounts: Vec<AmountView<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AmountView<'a> {
    token_address: String,
    amount_raw: String,
    /// True if no read returned the amount, so that it was computed, possibly from these reads.
    computed: bool,
    reads: Vec<ReadView<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadView<'a> {
    contract: String,
    /// Null if the plugin does not name it.
    function: Option<&'a str>,
    /// Null if the function is unknown.
    arguments: Option<Vec<Argument>>,
    data: &'a Bytes,
    cached: bool,
    /// Age of the reply in seconds at the answer's block.
    age_seconds: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Argument {
    value: Text,
    type_as_string: String,
}

impl<'a> ProvenanceView<'a> {
    pub(super) fn of(provenance: &'a Provenance) -> Self {
        Self {
            digest: provenance.digest.as_deref(),
            block: provenance.block.number,
            block_hash: format!("{:#x}", provenance.block.hash),
            amounts: provenance.amounts.iter().map(AmountView::of).collect(),
        }
    }
}

impl<'a> AmountView<'a> {
    fn of(source: &'a AmountSource) -> Self {
        Self {
            token_address: lower(source.token),
            amount_raw: source.amount.to_string(),
            computed: source.is_computed,
            reads: source.reads.iter().map(|read| ReadView::of(read)).collect(),
        }
    }
}

impl<'a> ReadView<'a> {
    fn of(read: &'a TracedRead) -> Self {
        let function = match read.kind {
            Kind::NativeBalance => Some("eth_getBalance"),
            _ => read.function.as_deref(),
        };
        let arguments = read.data.get(4..).unwrap_or_default();
        let arguments = read.function.as_deref().and_then(|function| decode_arguments(function, arguments));
        let argument = |(kind, value): (String, String)| Argument {
            value: Text::clean(&value, ARGUMENT_CHARS_MAX),
            type_as_string: kind,
        };
        Self {
            contract: lower(read.contract),
            function,
            arguments: arguments.map(|arguments| arguments.into_iter().map(argument).collect()),
            data: &read.data,
            cached: read.cached,
            age_seconds: read.age_s,
        }
    }
}
