//! The events that must be decoded of the chains' own transactions: documents made from what the build did.

use anyhow::{Context as _, Result};

use super::{Truth, text};
use crate::chain::Chain;
use crate::json::Json;

/// Raw amounts of the build's rows, the members that answers have in their place, and the members with their tokens.
const AMOUNTS: [(&str, &str, &str); 3] = [
    ("amountRaw", "amount", "asset"),
    ("fromAmountRaw", "fromAmount", "fromToken"),
    ("toAmountRaw", "toAmount", "toToken"),
];
const TOKENS: [&str; 3] = ["asset", "fromToken", "toToken"];

/// An event of a transaction of the chain's build.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name in the build.
    pub what: String,
    row: Json,
}

impl Truth {
    /// The events that the build describes; most chains' builds describe none.
    ///
    /// # Errors
    /// A row that is incomplete.
    pub fn events(&self) -> Result<Vec<Event>> {
        let rows = self.expected.get("events").map(Json::items).transpose()?.unwrap_or_default().iter();
        rows.map(|row| Ok(Event { what: row.text_at("what")?.to_owned(), row: row.clone() })).collect()
    }

    /// An event by its name in the build.
    ///
    /// # Errors
    /// Where the build describes none of it.
    pub fn event_named(&self, what: &str) -> Result<Event> {
        self.events()?.into_iter().find(|event| event.what == what).with_context(|| format!("no {what}"))
    }

    /// An event as answers show it; its tokens are given by their addresses, `0x0` the native one, its amounts raw.
    ///
    /// # Errors
    /// For a protocol or token that the build does not describe.
    pub fn event(&self, kind: &str, protocol: Option<&str>, raw: &Json) -> Result<Json> {
        let protocol = protocol.map(|slug| Ok(self.protocol(slug)?.without(&["company"])));
        Ok(Json::object([
            ("type", Json::text(kind)),
            ("protocol", protocol.unwrap_or(Ok::<_, anyhow::Error>(Json::Null))?),
            ("metadata", self.metadata(raw)?),
        ]))
    }

    fn metadata(&self, raw: &Json) -> Result<Json> {
        let members = raw.members()?.iter().map(|(name, value)| {
            if let Some((_, shown, token)) = AMOUNTS.iter().find(|row| row.0 == name) {
                return Ok(((*shown).to_owned(), self.units(raw.text_at(token)?, text(value)?)?));
            }
            let value = match value {
                Json::Text(token) if TOKENS.contains(&name.as_str()) => self.whole_token(token)?,
                Json::Array(items) if name == "assets" => {
                    Json::Array(items.iter().map(|item| self.metadata(item)).collect::<Result<_>>()?)
                }
                other => other.clone(),
            };
            Ok((name.clone(), value))
        });
        Ok(Json::Object(members.collect::<Result<_>>()?))
    }
}

impl Event {
    /// The hash of its transaction.
    ///
    /// # Errors
    /// Where the chain has no such log, or several.
    pub fn transaction(&self, chain: &Chain) -> Result<String> {
        let topics = serde_json::from_str(&self.row.at("topics")?.to_string()).context("topics")?;
        chain.transaction_with(self.row.text_at("emitter")?, &topics)
    }

    /// Its members as the build has them, with raw amounts.
    ///
    /// # Errors
    /// Where the build's row has none.
    pub fn raw(&self) -> Result<&Json> {
        self.row.at("metadata")
    }

    /// As an answer shows it.
    ///
    /// # Errors
    /// Where the build's row is incomplete.
    pub fn document(&self, truth: &Truth) -> Result<Json> {
        let protocol = self.row.text_at("protocol").ok();
        truth.event(self.row.text_at("type")?, protocol, self.row.at("metadata")?)
    }

    /// Returns the faults of the events of its type in an answer: there has to be this one.
    ///
    /// # Errors
    /// Where the answer or the build's row has no shape at all.
    pub fn faults(&self, truth: &Truth, answer: &Json) -> Result<Vec<String>> {
        let expected = self.document(truth)?;
        let is_own = |event: &&Json| event.get("type") == expected.get("type");
        let own = answer.items()?.iter().filter(is_own).cloned().collect();
        Ok(Json::Array(own).differences(&Json::Array(vec![expected.clone()])))
    }
}
