//! A transaction out of the question about events, and events into findings.

use alloy::primitives::{Address, B256, Bytes, U256};
use portolan_abi::log;
use portolan_abi::map::{self, Amount, Member};

use crate::events::{Asset, Event, Log, Transaction, Value};

/// The transaction of a question, with its logs.
///
/// # Errors
/// Where its logs are none.
pub(crate) fn transaction(told: &map::Transaction) -> Result<Transaction, String> {
    // One copy, of which every log's data is a part.
    let bytes = Bytes::copy_from_slice(&told.logs);
    let logs = log::decode(&bytes).map_err(|error| format!("logs of the transaction: {error}"))?;
    Ok(Transaction {
        hash: B256::from(told.hash.0),
        from: Address::from(told.from.0),
        to: told.to.map(|to| Address::from(to.0)),
        value: U256::from_be_bytes(told.value.0),
        logs: logs.into_iter().map(|log| read(&bytes, &log)).collect(),
    })
}

fn read(bytes: &Bytes, log: &log::Log<'_>) -> Log {
    Log {
        index: log.index,
        address: Address::from(log.contract),
        topics: log.topics.iter().copied().map(B256::from).collect(),
        data: bytes.slice_ref(log.data),
    }
}

/// The transaction of a question, as a host asks it.
#[cfg(feature = "testing")]
pub(crate) fn asked(
    transaction: &Transaction,
    wrapped_native: Option<Address>,
) -> Result<map::Transaction, portolan_abi::frame::FrameError> {
    let logs = transaction.logs.iter().map(|log| log::Log {
        index: log.index,
        contract: log.address.into_array(),
        topics: log.topics.iter().map(|topic| topic.0).collect(),
        data: &log.data,
    });
    Ok(map::Transaction {
        hash: map::Word(transaction.hash.0),
        from: address(transaction.from),
        to: transaction.to.map(address),
        value: word(transaction.value),
        logs: log::encode(logs)?,
        wrapped_native: wrapped_native.map(address),
    })
}

/// A place that no number of 32 bits tells gets one that no transaction has, for the host to refuse.
pub(crate) fn into_abi(event: Event) -> map::Event {
    let member = |(name, told): (&str, Value)| Member { name: name.to_owned(), value: value(told) };
    map::Event {
        log: u32::try_from(event.log).unwrap_or(u32::MAX),
        kind: event.kind.name().to_owned(),
        protocol: event.protocol,
        members: event.members.into_iter().map(member).collect(),
    }
}

fn value(told: Value) -> map::Value {
    let none = map::Value::default();
    match told {
        Value::Address(told) => map::Value { address: Some(address(told)), ..none },
        Value::Token(token) => map::Value { token: Some(address(token)), ..none },
        Value::Amount { raw, of } => {
            map::Value { amount: Some(Amount { raw: word(raw), of: of.map(address) }), ..none }
        }
        Value::Assets(assets) => map::Value { assets: Some(assets.iter().map(asset).collect()), ..none },
        Value::Number(number) => map::Value { number: Some(word(number)), ..none },
        Value::Word(told) => map::Value { word: Some(map::Word(told.0)), ..none },
        Value::Flag(flag) => map::Value { flag: Some(flag), ..none },
        Value::Text(text) => map::Value { text: Some(text), ..none },
        Value::Seconds(seconds) => map::Value { seconds: Some(word(seconds)), ..none },
        Value::Network(chain_id) => map::Value { network: Some(chain_id), ..none },
    }
}

fn asset(asset: &Asset) -> map::Asset {
    map::Asset { token: asset.token.map(address), raw: word(asset.raw) }
}

fn address(address: Address) -> map::Address {
    map::Address(address.into_array())
}

fn word(number: U256) -> map::Word {
    map::Word(number.to_be_bytes())
}
