//! What happened in a transaction.
//!
//! Invariant: the members of a type stand in the order of the vocabulary, and one that could not be told is null.

use alloy::primitives::{Bytes, U256};
use portolan_events::Log;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Shape;
use super::parts::{NetworkView, Number, ProtocolView, TokenView, lower};
use crate::gateway::answer::{Amount, Event, Events, Member, Remote};
use crate::http::number;

#[derive(Serialize)]
pub(super) struct EventView<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    protocol: Option<ProtocolView<'a>>,
    metadata: Metadata<'a>,
    #[serde(flatten)]
    extra: Option<Extra<'a>>,
}

/// Members that events have with `detail=full`; all but the plugin are null for the native value.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Extra<'a> {
    log_index: Option<u64>,
    contract: Option<String>,
    log: Option<LogView<'a>>,
    /// None where the host told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<&'a str>,
}

/// A log that nobody told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Undecoded<'a> {
    log_index: u64,
    contract: String,
    log: LogView<'a>,
}

/// A log as it is.
#[derive(Serialize)]
struct LogView<'a> {
    address: String,
    topics: Vec<String>,
    data: &'a Bytes,
}

impl<'a> EventView<'a> {
    pub(super) fn of(event: &'a Event, events: &'a Events, shape: Shape) -> Self {
        let log = event.log.and_then(|place| events.transaction.logs.get(place));
        let extra = || Extra {
            log_index: log.map(|log| log.index),
            contract: log.map(|log| lower(log.address)),
            log: log.map(LogView::of),
            plugin: event.plugin.as_deref(),
        };
        Self {
            kind: event.kind.name(),
            protocol: event.protocol.as_deref().map(ProtocolView::of),
            metadata: Metadata { event, shape: Shape { aggregate: true, ..shape } },
            extra: shape.full.then(extra),
        }
    }
}

impl<'a> Undecoded<'a> {
    pub(super) fn of(events: &'a Events) -> Vec<Self> {
        let logs = events.undecoded.iter().filter_map(|place| events.transaction.logs.get(*place));
        let view = |log: &'a Log| Self { log_index: log.index, contract: lower(log.address), log: LogView::of(log) };
        logs.map(view).collect()
    }
}

impl<'a> LogView<'a> {
    fn of(log: &'a Log) -> Self {
        Self {
            address: lower(log.address),
            topics: log.topics.iter().map(ToString::to_string).collect(),
            data: &log.data,
        }
    }
}

/// An object: what the type always has, then what this event has besides.
struct Metadata<'a> {
    event: &'a Event,
    /// Tokens are shown as the aggregate call shows them.
    shape: Shape,
}

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { event, shape } = self;
        let mut object = serializer.serialize_map(None)?;
        let named = |name: &str| event.members.iter().find(|(known, _)| *known == name);
        let always = event.kind.members();
        for name in always {
            match named(name) {
                Some((_, member)) => entry(&mut object, name, member, *shape)?,
                None => object.serialize_entry(name, &())?,
            }
        }
        for (name, member) in event.members.iter().filter(|(name, _)| !always.contains(name)) {
            entry(&mut object, name, member, *shape)?;
        }
        object.end()
    }
}

fn entry<M: SerializeMap>(object: &mut M, name: &str, member: &Member, shape: Shape) -> Result<(), M::Error> {
    match member {
        Member::Address(address) => object.serialize_entry(name, &lower(*address)),
        Member::Token(token) => object.serialize_entry(name, &TokenView::with_supply(token, shape)),
        Member::Amount(amount) => {
            object.serialize_entry(name, &units(amount))?;
            match shape.full {
                true => object.serialize_entry(&format!("{name}Raw"), &amount.raw.to_string()),
                false => Ok(()),
            }
        }
        Member::Assets(assets) => {
            let assets: Vec<AssetView<'_>> = assets.iter().map(|amount| AssetView::of(amount, shape)).collect();
            object.serialize_entry(name, &assets)
        }
        Member::Number(told) => object.serialize_entry(name, &told.to_string()),
        Member::Word(word) => object.serialize_entry(name, &word.to_string()),
        Member::Flag(flag) => object.serialize_entry(name, flag),
        Member::Text(text) => object.serialize_entry(name, text),
        Member::Seconds(seconds) => object.serialize_entry(name, &whole(*seconds)),
        Member::Network(remote) => object.serialize_entry(name, &RemoteView::of(remote)),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AssetView<'a> {
    asset: Option<TokenView<'a>>,
    amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_raw: Option<String>,
}

impl<'a> AssetView<'a> {
    fn of(amount: &'a Amount, shape: Shape) -> Self {
        Self {
            asset: amount.token.as_ref().map(|token| TokenView::with_supply(token, shape)),
            amount: units(amount),
            amount_raw: shape.full.then(|| amount.raw.to_string()),
        }
    }
}

/// In units of the token; smallest units where it is not known which.
fn units(amount: &Amount) -> Number {
    Number(number::amount(amount.raw, amount.token.as_ref().map_or(0, |token| token.decimals)))
}

/// All digits, however many: clients read a time as an integer.
fn whole(number: U256) -> Number {
    Number(number.to_string())
}

/// A network that may be none of Portolan's.
#[derive(Serialize)]
#[serde(untagged)]
enum RemoteView<'a> {
    Known(NetworkView<'a>),
    #[serde(rename_all = "camelCase")]
    Unknown {
        name: (),
        logo: (),
        chain_id: u64,
    },
}

impl<'a> RemoteView<'a> {
    fn of(remote: &'a Remote) -> Self {
        match &remote.network {
            Some(network) => Self::Known(NetworkView::of(network)),
            None => Self::Unknown { name: (), logo: (), chain_id: remote.chain_id },
        }
    }
}
