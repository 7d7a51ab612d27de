//! One case: its transaction, the views that answer in it, and what its own log must be decoded to.

use std::collections::HashMap;
use std::path::Path;

use alloy::primitives::{Address, B256, Bytes, U256, hex};
use portolan_abi::map;
use serde::Deserialize;
use serde_json::Value;

use super::{FixtureError, wrong};
use crate::events::{Decoding, Event, Log, Network, Table, Transaction, ViewCall, ViewResult};
use crate::testing::{JobTest, ReadRequest, ReadResult, Replies};

/// Sender and recipient of transactions whose case names none.
const FROM: Address = Address::repeat_byte(0xf0);
const TO: Address = Address::repeat_byte(0xf1);
/// The place in its block of a case's first log.
const FIRST_INDEX: u64 = 100;

/// A case, encoded.
#[derive(Debug)]
pub(super) struct EventCase {
    pub(super) title: String,
    pub(super) transaction: Transaction,
    /// The place of its own log.
    pub(super) place: usize,
    pub(super) expected: Vec<ExpectedEvent>,
    network: Network,
    views: HashMap<(Address, Bytes), Bytes>,
}

/// An event that must be found.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedEvent {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) protocol: Option<String>,
    pub(super) members: serde_json::Map<String, Value>,
}

/// Members of a case that are not encoded. The encoder checks the rest, and refuses members that no case has.
#[derive(Debug, Deserialize)]
struct Written {
    title: String,
    #[serde(default = "mainnet")]
    network: u64,
    #[serde(default)]
    wrapped: Option<String>,
    #[serde(default)]
    tx: Sent,
    expect: Vec<ExpectedEvent>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    from: Option<String>,
    /// `null` for the creation of a contract.
    #[serde(default, deserialize_with = "present")]
    to: Option<Option<String>>,
    value: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Encoded {
    title: String,
    place: usize,
    logs: Vec<EncodedLog>,
    views: Vec<EncodedView>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EncodedLog {
    address: String,
    topics: Vec<String>,
    data: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EncodedView {
    to: String,
    data: String,
    reply: String,
}

const fn mainnet() -> u64 {
    1
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

/// The cases of a file, with their logs of the file beside it.
pub(super) fn load(path: &Path) -> Result<Vec<EventCase>, FixtureError> {
    let name = path.to_string_lossy();
    let stem = name.strip_suffix(".cases.json").ok_or_else(|| wrong("name", &name))?;
    let written: Vec<Written> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let encoded: Vec<Encoded> = serde_json::from_str(&std::fs::read_to_string(format!("{stem}.logs.json"))?)?;
    if written.len() != encoded.len() {
        return Err(wrong("number of encoded cases", &encoded.len().to_string()));
    }
    written.into_iter().zip(encoded).map(|(written, encoded)| case(written, encoded)).collect()
}

fn case(written: Written, encoded: Encoded) -> Result<EventCase, FixtureError> {
    if written.title != encoded.title || encoded.place >= encoded.logs.len() {
        return Err(wrong("encoded case", &encoded.title));
    }
    let Sent { from, to, value } = written.tx;
    let logs = encoded.logs.into_iter().zip(FIRST_INDEX..).map(|(log, index)| {
        let topics = log.topics.iter().map(|topic| parse::<B256>("topic", topic)).collect::<Result<_, _>>()?;
        let (address, data) = (parse("contract", &log.address)?, bytes(&log.data)?);
        Ok::<_, FixtureError>(Log { index, address, topics, data })
    });
    let transaction = Transaction {
        hash: B256::repeat_byte(0xf2),
        from: from.map_or(Ok(FROM), |from| parse("from", &from))?,
        to: to.map_or(Ok(Some(TO)), |to| to.map(|to| parse("to", &to)).transpose())?,
        value: value.map_or(Ok(U256::ZERO), |value| parse("value", &value))?,
        logs: logs.collect::<Result<_, _>>()?,
    };
    let views = encoded.views.iter().map(|view| {
        Ok::<_, FixtureError>(((parse("view's contract", &view.to)?, bytes(&view.data)?), bytes(&view.reply)?))
    });
    let wrapped_native = written.wrapped.map(|wrapped| parse("wrapped", &wrapped)).transpose()?;
    Ok(EventCase {
        title: written.title,
        transaction,
        place: encoded.place,
        expected: written.expect,
        network: Network { chain_id: written.network, wrapped_native },
        views: views.collect::<Result<_, _>>()?,
    })
}

fn parse<T: std::str::FromStr>(what: &'static str, text: &str) -> Result<T, FixtureError> {
    text.parse().map_err(|_| wrong(what, text))
}

fn bytes(text: &str) -> Result<Bytes, FixtureError> {
    hex::decode(text).map(Bytes::from).map_err(|_| wrong("bytes", text))
}

impl EventCase {
    /// A job about its transaction.
    pub(super) fn test(&self) -> JobTest {
        let test = JobTest::for_transaction(self.network.chain_id, &self.transaction);
        self.network.wrapped_native.into_iter().fold(test, JobTest::wrapped_native)
    }

    pub(super) fn is_own(&self, event: &map::Event) -> bool {
        usize::try_from(event.log).is_ok_and(|place| place == self.place)
    }

    /// Returns the events that a table alone decodes from its transaction.
    pub(super) fn decoded(&self, table: &Table) -> Vec<(Event, String)> {
        let mut decoding = Decoding::new(table, &self.transaction, self.network);
        loop {
            let calls = decoding.next_calls();
            if calls.is_empty() {
                return decoding.finish().events;
            }
            let result = |call: ViewCall| match self.views.get(&(call.to, call.data)) {
                Some(reply) => ViewResult::Returned(reply.clone()),
                None => ViewResult::Reverted,
            };
            decoding.record(calls.into_iter().map(result).collect());
        }
    }
}

/// A view that the case does not have is refused.
impl Replies for &EventCase {
    fn reply(&mut self, request: &ReadRequest) -> ReadResult {
        let reply = self.views.get(&(request.to, request.data.clone()));
        reply.map_or_else(|| ReadResult::Reverted(Bytes::new()), |reply| ReadResult::Ok(reply.clone()))
    }
}
