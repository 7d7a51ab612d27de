//! Conversions for the binary interface: transactions from and to their map, and events to findings.

use portolan_abi::frame::FrameError;
use portolan_abi::log;
use portolan_abi::map::{self, Amount, Finding, Member};

use crate::event::{Event, Value};
use crate::transaction::Transaction;

impl Transaction {
    /// Converts the transaction of a question.
    ///
    /// # Errors
    /// [`FrameError`] if its logs are malformed.
    pub fn from_map(transaction: &map::Transaction) -> Result<Self, FrameError> {
        let map::Transaction { hash, from, to, value, logs, .. } = transaction;
        Ok(Self { hash: *hash, from: *from, to: *to, value: *value, logs: log::decode(logs)? })
    }

    /// Converts to the map of a question. The host adds the network's wrapped native token.
    ///
    /// # Errors
    /// [`FrameError::TooLarge`] if the logs exceed a frame, or a log has more than 255 topics.
    pub fn to_map(&self) -> Result<map::Transaction, FrameError> {
        let Self { hash, from, to, value, logs } = self;
        let logs = log::encode(logs)?;
        Ok(map::Transaction { hash: *hash, from: *from, to: *to, value: *value, logs, wrapped_native: None })
    }
}

/// A log index beyond 32 bits becomes `u32::MAX`, which the host refuses.
impl From<Event> for map::Event {
    fn from(event: Event) -> Self {
        let member = |(name, value): (&str, Value)| Member { name: name.to_owned(), value: value.into() };
        Self {
            log: u32::try_from(event.log).unwrap_or(u32::MAX),
            kind: event.kind.name().to_owned(),
            protocol: event.protocol,
            members: event.members.into_iter().map(member).collect(),
        }
    }
}

impl From<Event> for Finding {
    fn from(event: Event) -> Self {
        map::Event::from(event).into()
    }
}

impl From<Value> for map::Value {
    fn from(value: Value) -> Self {
        let none = Self::default();
        match value {
            Value::Address(address) => Self { address: Some(address), ..none },
            Value::Token(token) => Self { token: Some(token), ..none },
            Value::Amount { raw, of } => Self { amount: Some(Amount { raw, of }), ..none },
            Value::Assets(assets) => Self { assets: Some(assets), ..none },
            Value::Number(number) => Self { number: Some(number), ..none },
            Value::Word(word) => Self { word: Some(word), ..none },
            Value::Flag(flag) => Self { flag: Some(flag), ..none },
            Value::Text(text) => Self { text: Some(text), ..none },
            Value::Seconds(seconds) => Self { seconds: Some(seconds), ..none },
            Value::Network(chain_id) => Self { network: Some(chain_id), ..none },
        }
    }
}
