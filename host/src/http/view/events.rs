//! Events of a transaction.
//!
//! Invariant: an event's members follow the order of the vocabulary, and unknown ones are null.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use alloy::primitives::{Address, B256, Bytes, U256};
use portolan_assets::token::Token;
use portolan_base::network::CAIP2_PREFIX;
use portolan_base::sanitize::output;
use portolan_base::sanitize::text::Text;
use portolan_events::{Asset, Log, Value};
use schemars::JsonSchema;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::Shape;
use super::parts::{NetworkView, Number, ProtocolView, TokenView, lower};
use super::schema::{AddressText, Caip2, Digits, Hash32, HexData};
use crate::gateway::answer::{Event, TransactionEvents};
use crate::http::view::number;

/// Maximum characters of a name or a reason, which anyone can make long. The log has the whole text.
const TEXT_CHARS_MAX: usize = 256;

/// Largest integer up to which a double (IEEE 754, binary64) represents all integers.
const DOUBLE_INTEGER_MAX: u64 = 1 << 53;

/// Serialized tokens of an answer's events, each made once: hundreds of events name the same few.
pub(super) struct WrittenTokens<'a> {
    events: &'a TransactionEvents,
    /// The shape of the aggregate endpoint.
    shape: Shape<'a>,
    known: RefCell<HashMap<Address, WrittenToken>>,
}

/// A serialized token; null if it could not be read.
#[derive(Clone)]
struct WrittenToken(Option<Rc<RawValue>>);

/// An event of a transaction.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub(super) struct EventView<'a> {
    /// Type of the event.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The protocol whose contract logged it; null if it is not known.
    protocol: Option<ProtocolView<'a>>,
    /// Members by type.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    metadata: Metadata<'a>,
    #[serde(flatten)]
    extra: Option<EventExtra<'a>>,
}

/// Members of events with `detail=full`; all but the plugin are null for the native value.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EventExtra<'a> {
    /// Index of the log in its block; null for the native value (`detail=full`).
    log_index: Option<u64>,
    /// The contract that logged it; null for the native value (`detail=full`).
    #[schemars(with = "Option<AddressText>")]
    contract: Option<String>,
    /// Name and version of the plugin that decoded it; absent for events that the gateway decodes (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'a str")]
    plugin: Option<&'a str>,
    /// Index of the log of the event that this movement is part of; absent for a movement of its own (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    part_of: Option<u64>,
}

/// A log without an event.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UndecodedLog")]
pub(super) struct UndecodedView {
    /// Index of the log in its block.
    log_index: u64,
    /// The contract that logged it.
    #[schemars(with = "AddressText")]
    contract: String,
}

/// A raw log. Each is written once, and others refer to it by index.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Log")]
pub(super) struct LogView<'a> {
    /// Index of the log in its block.
    log_index: u64,
    /// The contract that logged it.
    #[schemars(with = "AddressText")]
    address: String,
    /// Topics.
    #[schemars(with = "Vec<Hash32>")]
    topics: &'a [B256],
    /// Data.
    #[schemars(with = "HexData")]
    data: &'a Bytes,
}

impl<'a> WrittenTokens<'a> {
    pub(super) fn of(events: &'a TransactionEvents, shape: Shape<'a>) -> Self {
        Self { events, shape: Shape { aggregate: true, ..shape }, known: RefCell::default() }
    }

    fn token(&self, address: Address) -> Option<&'a Token> {
        self.events.tokens.named(address).ok().map(AsRef::as_ref)
    }

    fn written(&self, address: Address) -> Result<WrittenToken, serde_json::Error> {
        if let Some(known) = self.known.borrow().get(&address) {
            return Ok(known.clone());
        }
        let has_amounts = self.events.tokens.get(address).is_ok();
        let view = |token| {
            let view = TokenView::with_supply(token, self.shape);
            if has_amounts { view } else { view.without_asset_id() }
        };
        let token = self.token(address).map(|token| output::raw(&view(token), self.shape.numbers));
        let token = WrittenToken(token.transpose()?.map(Rc::from));
        self.known.borrow_mut().insert(address, token.clone());
        Ok(token)
    }
}

impl Serialize for WrittenToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_deref().serialize(serializer)
    }
}

impl<'a> EventView<'a> {
    pub(super) fn of(event: &'a Event, tokens: &'a WrittenTokens<'a>, shape: Shape) -> Self {
        let (merged, events) = (&event.merged, tokens.events);
        let log = merged.log.and_then(|place| events.transaction.logs.get(place));
        let extra = || EventExtra {
            log_index: log.map(|log| log.index),
            contract: log.map(|log| lower(log.address)),
            plugin: merged.plugin.as_deref(),
            part_of: merged.part_of.and_then(|place| events.transaction.logs.get(place)).map(|log| log.index),
        };
        Self {
            kind: merged.event.kind.name(),
            protocol: event.protocol.as_deref().map(ProtocolView::of),
            metadata: Metadata { event: &merged.event, members: Members { tokens, is_full: shape.full } },
            extra: shape.full.then(extra),
        }
    }
}

impl UndecodedView {
    pub(super) fn of(events: &TransactionEvents, place: usize) -> Option<Self> {
        let log = events.transaction.logs.get(place)?;
        Some(Self { log_index: log.index, contract: lower(log.address) })
    }
}

/// Returns the logs that the answer refers to, in their order.
pub(super) fn logs(events: &TransactionEvents) -> Vec<&Log> {
    let decoded = events.events.iter().filter_map(|event| event.merged.log);
    let places: BTreeSet<usize> = decoded.chain(events.undecoded.iter().copied()).collect();
    places.into_iter().filter_map(|place| events.transaction.logs.get(place)).collect()
}

impl<'a> LogView<'a> {
    pub(super) fn of(log: &'a Log) -> Self {
        Self { log_index: log.index, address: lower(log.address), topics: &log.topics, data: &log.data }
    }
}

/// An event's object: first the members of its type, then its other ones.
struct Metadata<'a> {
    event: &'a portolan_events::Event,
    members: Members<'a>,
}

/// Serializes members.
#[derive(Clone, Copy)]
struct Members<'a> {
    tokens: &'a WrittenTokens<'a>,
    is_full: bool,
}

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { event, members } = self;
        let mut object = serializer.serialize_map(None)?;
        let always = event.kind.members();
        for name in always {
            match event.member(name) {
                Some(value) => members.entry(&mut object, name, value)?,
                None => object.serialize_entry(name, &())?,
            }
        }
        for (name, value) in event.members.iter().filter(|(name, _)| !always.contains(name)) {
            members.entry(&mut object, name, value)?;
        }
        object.end()
    }
}

impl<'a> Members<'a> {
    fn entry<M: SerializeMap>(self, object: &mut M, name: &str, value: &Value) -> Result<(), M::Error> {
        match value {
            Value::Address(address) => object.serialize_entry(name, &lower(*address)),
            Value::Token(token) => {
                object.serialize_entry(name, &self.tokens.written(*token).map_err(M::Error::custom)?)
            }
            Value::Amount { raw, of } => {
                object.serialize_entry(name, &self.units(Asset { token: *of, raw: *raw }))?;
                match self.is_full {
                    true => object.serialize_entry(&format!("{name}Raw"), &raw.to_string()),
                    false => Ok(()),
                }
            }
            Value::Assets(assets) => {
                let assets: Result<Vec<AssetView>, _> = assets.iter().map(|asset| self.asset(*asset)).collect();
                object.serialize_entry(name, &assets.map_err(M::Error::custom)?)
            }
            Value::Number(number) => object.serialize_entry(name, &number.to_string()),
            Value::Word(word) => object.serialize_entry(name, &word.to_string()),
            Value::Flag(flag) => object.serialize_entry(name, flag),
            // The text is as the contract wrote it.
            Value::Text(text) => object.serialize_entry(name, &Text::clean(text, TEXT_CHARS_MAX)),
            Value::Seconds(seconds) => object.serialize_entry(name, &whole(*seconds)),
            Value::Network(chain_id) => object.serialize_entry(name, &self.network(*chain_id)),
        }
    }

    fn asset(self, asset: Asset) -> Result<AssetView, serde_json::Error> {
        Ok(AssetView {
            asset: asset.token.map(|token| self.tokens.written(token)).transpose()?,
            amount: self.units(asset),
            amount_raw: self.is_full.then(|| asset.raw.to_string()),
        })
    }

    /// Formats the amount in units of the token; in smallest units if the token is unknown.
    fn units(self, asset: Asset) -> Number {
        let decimals = asset.token.and_then(|token| self.tokens.token(token)).map_or(0, |token| token.decimals);
        Number(number::amount(asset.raw, decimals))
    }

    fn network(self, chain_id: u64) -> RemoteView<'a> {
        match self.tokens.events.networks.with_chain_id(chain_id) {
            Some(network) => RemoteView::Known(NetworkView::of(network, self.tokens.shape)),
            None => {
                let caip2 = self.is_full.then(|| format!("{CAIP2_PREFIX}{chain_id}"));
                RemoteView::Unknown { name: (), logo: (), chain_id, caip2 }
            }
        }
    }
}

/// An amount of a token within an event.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventAsset")]
pub(super) struct AssetView {
    /// The token; null if it could not be read.
    #[schemars(with = "Option<TokenView<'static>>")]
    asset: Option<WrittenToken>,
    /// In whole units; in smallest units if the token could not be read.
    amount: Number,
    /// In smallest units (`detail=full`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Digits")]
    amount_raw: Option<String>,
}

/// Returns a JSON integer, as clients read a time; above what a double holds, in the form of amounts.
fn whole(number: U256) -> Whole {
    match u64::try_from(number) {
        Ok(number) if number <= DOUBLE_INTEGER_MAX => Whole::Integer(number),
        _ => Whole::Long(Number(number.to_string())),
    }
}

/// Unix seconds; in the form of amounts above 2^53.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(super) enum Whole {
    Integer(u64),
    Long(Number),
}

/// A network that the gateway may not know: then its name and its logo are null.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "RemoteNetwork")]
pub(super) enum RemoteView<'a> {
    Known(NetworkView<'a>),
    #[serde(rename_all = "camelCase")]
    Unknown {
        /// Not known.
        name: (),
        /// Not known.
        logo: (),
        /// Chain id.
        chain_id: u64,
        /// CAIP-2 id.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Caip2")]
        caip2: Option<String>,
    },
}
