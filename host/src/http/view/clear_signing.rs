//! Descriptors of `/{protocol}/clear-signing.json`.
//!
//! Invariant: each conforms to the JSON schema of ERC-7730 that it names, and stands alone as a file of a registry.

use std::collections::BTreeMap;

use alloy::dyn_abi::DynSolValue;
use alloy::hex;
use alloy::primitives::{Address, I256, U256};
use portolan_base::sanitize::text::Text;
use portolan_base::sanitize::web_url::WebUrl;
use schemars::JsonSchema;
use serde::Serialize;

use super::schema::ChecksummedAddress;
use crate::clear_signing::{ArgumentUse, CallField, CallFormat, ClaimDescriptor, SCHEMA};

/// Whole numbers up to this are exact in every JSON parser; larger ones are written as strings.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// What wallets show of a protocol's claims: a descriptor of ERC-7730.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigning")]
pub(super) struct ClearSigningView<'a> {
    /// URL of the JSON schema.
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// The calls that it is about.
    context: ContextView,
    /// Who is called.
    metadata: MetadataView<'a>,
    /// What is shown.
    display: DisplayView,
}

/// The calls that a descriptor is about.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningContext")]
struct ContextView {
    /// Name of the descriptor.
    #[serde(rename = "$id")]
    id: String,
    /// The called contracts.
    contract: BoundContracts,
}

/// The contracts that a descriptor is about.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningContracts")]
struct BoundContracts {
    /// The contracts that the protocol's deployments list.
    deployments: Vec<BoundContract>,
}

/// A contract on a network.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ClearSigningContract")]
struct BoundContract {
    /// Chain id of the network.
    chain_id: u64,
    /// The contract.
    #[schemars(with = "ChecksummedAddress")]
    address: String,
}

/// Who is called.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningMetadata")]
struct MetadataView<'a> {
    /// Who runs the protocol.
    owner: &'a Text,
    /// More about the owner; absent if the protocol has no site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OwnerSite<'a>")]
    info: Option<OwnerSite<'a>>,
}

/// More about who is called.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningInfo")]
struct OwnerSite<'a> {
    /// URL of the protocol's site.
    url: &'a WebUrl,
}

/// What wallets show.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningDisplay")]
struct DisplayView {
    /// What is shown of each function, by its signature with names of its arguments.
    formats: BTreeMap<String, FormatView>,
}

/// What wallets show of a function's calls.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningFormat")]
struct FormatView {
    /// What the call does.
    intent: String,
    /// What is shown of its arguments, in order.
    fields: Vec<FieldView>,
}

/// What wallets show of an argument.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningField")]
struct FieldView {
    /// Path of the argument, or of a value of the transaction.
    path: String,
    /// Its name for people.
    label: String,
    /// How it is shown: `addressName`, `amount` or `raw`.
    format: &'static str,
    /// Types of address that it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AddressTypes")]
    params: Option<AddressTypes>,
    /// When it is shown, if not always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Visibility")]
    visible: Option<Visibility>,
}

/// Types of address.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClearSigningParams")]
struct AddressTypes {
    /// Words of ERC-7730, such as `wallet` and `token`.
    types: &'static [&'static str],
}

/// When an argument is shown.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ClearSigningVisibility")]
enum Visibility {
    /// The word `never`.
    Word(&'static str),
    /// Never, and wallets refuse other values.
    Required(RequiredValues),
}

/// Values that wallets require.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ClearSigningValues")]
struct RequiredValues {
    /// The argument is one of these.
    must_match: Vec<RequiredValue>,
}

/// A value that wallets require.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ClearSigningValue")]
enum RequiredValue {
    /// A flag.
    Flag(bool),
    /// A whole number that every JSON parser reads.
    Number(i64),
    /// Another number in decimal, a text, or bytes in hex.
    Text(String),
}

impl<'a> ClearSigningView<'a> {
    pub(super) fn of(descriptor: &'a ClaimDescriptor) -> Self {
        let ClaimDescriptor { protocol, contracts, formats } = descriptor;
        let contract = |(chain_id, address): &(u64, Address)| BoundContract {
            chain_id: *chain_id,
            address: address.to_checksum(None),
        };
        let site = (protocol.website != WebUrl::default()).then_some(OwnerSite { url: &protocol.website });
        let formats = formats.iter().map(|format| (format.signature.key(), FormatView::of(format)));
        Self {
            schema: SCHEMA,
            context: ContextView {
                id: format!("Claims of {}", protocol.slug),
                contract: BoundContracts { deployments: contracts.iter().map(contract).collect() },
            },
            metadata: MetadataView { owner: &protocol.company_name, info: site },
            display: DisplayView { formats: formats.collect() },
        }
    }
}

impl FormatView {
    fn of(format: &CallFormat) -> Self {
        let fee = FieldView {
            path: "@.value".to_owned(),
            label: "Claim fee".to_owned(),
            format: "amount",
            params: None,
            visible: None,
        };
        let arguments = format.fields.iter().map(|field| FieldView::of(format, field));
        Self { intent: format.intent(), fields: arguments.chain(format.has_fee.then_some(fee)).collect() }
    }
}

impl FieldView {
    fn of(format: &CallFormat, field: &CallField) -> Self {
        let named = |types: &'static [&'static str]| ("addressName", types, None);
        let (shown, types, visible): (_, &'static [&'static str], _) = match &field.used {
            ArgumentUse::Sender => named(&["wallet"]),
            ArgumentUse::Account => named(&["wallet", "eoa", "contract"]),
            ArgumentUse::Token => named(&["token"]),
            ArgumentUse::Contract => named(&["contract"]),
            ArgumentUse::Delegate | ArgumentUse::Address => named(&[]),
            ArgumentUse::Value => ("raw", &[], None),
            ArgumentUse::Opaque => ("raw", &[], Some(Visibility::Word("never"))),
            ArgumentUse::Constant(values) => {
                let must_match = values.iter().map(RequiredValue::of).collect();
                ("raw", &[], Some(Visibility::Required(RequiredValues { must_match })))
            }
        };
        Self {
            path: format.path(field),
            label: format.label(field),
            format: shown,
            params: (!types.is_empty()).then_some(AddressTypes { types }),
            visible,
        }
    }
}

impl RequiredValue {
    /// Values of lists and tuples have been taken apart before.
    fn of(value: &DynSolValue) -> Self {
        match value {
            DynSolValue::Bool(flag) => Self::Flag(*flag),
            DynSolValue::Uint(number, _) => Self::unsigned(*number),
            DynSolValue::Int(number, _) => Self::signed(*number),
            DynSolValue::Address(address) => Self::Text(address.to_checksum(None)),
            DynSolValue::FixedBytes(word, size) => {
                Self::Text(hex::encode_prefixed(word.get(..*size).unwrap_or_default()))
            }
            DynSolValue::String(text) => Self::Text(text.clone()),
            value => Self::Text(hex::encode_prefixed(value.as_bytes().unwrap_or_default())),
        }
    }

    fn unsigned(number: U256) -> Self {
        let exact = u64::try_from(number).ok().filter(|number| *number <= EXACT_MAX);
        exact.and_then(|number| number.try_into().ok()).map_or_else(|| Self::Text(number.to_string()), Self::Number)
    }

    fn signed(number: I256) -> Self {
        let exact = i64::try_from(number).ok().filter(|number| number.unsigned_abs() <= EXACT_MAX);
        exact.map_or_else(|| Self::Text(number.to_string()), Self::Number)
    }
}
