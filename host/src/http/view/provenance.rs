//! Provenance of amounts, for rows with `detail=full`.

use alloy::primitives::Bytes;
use portolan_base::sanitize::text::Text;
use portolan_reader::Kind;
use portolan_validation::decode_arguments;
use schemars::JsonSchema;
use serde::Serialize;

use super::parts::lower;
use super::schema::{AddressText, Digits, Hash32, HexData};
use crate::gateway::provenance::Provenance;
use crate::jobs::job::{AmountSource, TracedRead};

/// Maximum characters of an argument.
const ARGUMENT_CHARS_MAX: usize = 200;

/// The member `provenance` of a row.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Provenance")]
pub(super) struct ProvenanceView<'a> {
    /// SHA-256 of the plugin's file, in hex.
    digest: Option<&'a str>,
    /// Number of the block that was read.
    block: u64,
    /// Hash of the block.
    #[schemars(with = "Hash32")]
    block_hash: String,
    /// Sources of each non-zero amount of the claim or position.
    amounts: Vec<AmountView<'a>>,
}

/// The source of an amount.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AmountProvenance")]
struct AmountView<'a> {
    /// The token of the amount.
    #[schemars(with = "AddressText")]
    token_address: String,
    /// In smallest units.
    #[schemars(with = "Digits")]
    amount_raw: String,
    /// True if no read returned the amount, so that it was computed, possibly from these reads.
    computed: bool,
    /// Reads that returned it, or that it was computed from.
    reads: Vec<ReadView<'a>>,
}

/// A read of a contract.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProvenanceRead")]
struct ReadView<'a> {
    /// The contract.
    #[schemars(with = "AddressText")]
    contract: String,
    /// Signature of the function, or `eth_getBalance`. Null if the plugin does not name it.
    function: Option<&'a str>,
    /// Null if the function is unknown.
    arguments: Option<Vec<Argument>>,
    /// Call data.
    #[schemars(with = "HexData")]
    data: &'a Bytes,
    /// True if the reply came from the cache.
    cached: bool,
    /// Age of the reply in seconds at the answer's block.
    age_seconds: u32,
}

/// An argument of a call.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Argument {
    /// As text.
    value: Text,
    /// Solidity type.
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
