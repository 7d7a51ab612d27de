//! An answer with `detail=full`: its events, and what they say of accounts, tokens and amounts.
//!
//! Invariant: amounts are integers and exact decimals; addresses are lower case, and the native token is `native`.

use std::str::FromStr as _;

use anyhow::{Result, bail};
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use super::files::NATIVE;
use portolan_tests::json::Json;

/// Ends the name of the member that has an amount as an integer.
const RAW: &str = "Raw";
/// Members that are amounts, and the member that names their token; of the native token where there is none.
const TOKENS_OF: [(&str, Option<&str>); 8] = [
    ("amount", Some("asset")),
    ("fee", Some("asset")),
    ("collateralAmount", Some("collateralAsset")),
    ("debtAmount", Some("debtAsset")),
    ("fromAmount", Some("fromToken")),
    ("toAmount", Some("toToken")),
    ("shares", Some("vault")),
    ("cost", None),
];

/// An event of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    /// None of what the transaction itself sent.
    pub(super) log_index: Option<u64>,
    /// The emitter.
    pub(super) contract: Option<String>,
    pub(super) kind: String,
    pub(super) protocol: Option<String>,
    part_of: Option<u64>,
    pub(super) metadata: Json,
}

/// An amount that an event tells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Amount {
    /// None where the event does not know it.
    pub(super) token: Option<String>,
    pub(super) raw: BigInt,
    /// In token units.
    pub(super) units: Option<BigDecimal>,
}

/// The events of the items of an answer.
///
/// # Errors
/// Items of another form.
pub(super) fn events(items: &Json) -> Result<Vec<Event>> {
    items.items()?.iter().map(Event::of).collect()
}

impl Event {
    fn of(item: &Json) -> Result<Self> {
        Ok(Self {
            log_index: index(item.at("logIndex")?)?,
            contract: item.text_at("contract").ok().map(str::to_lowercase),
            kind: item.text_at("type")?.to_owned(),
            protocol: item.text_at("protocol/slug").ok().map(str::to_owned),
            part_of: item.get("partOf").map(index).transpose()?.flatten(),
            metadata: item.at("metadata")?.clone(),
        })
    }

    /// Returns true if it is a movement of its own, and not part of one that another event reports.
    pub(super) fn moves(&self) -> bool {
        self.part_of.is_none()
    }

    /// The text of a member: a token by its address, an amount as an integer.
    pub(super) fn member(&self, member: &str) -> Option<String> {
        match self.metadata.get(member)? {
            Json::Text(text) => Some(text.to_lowercase()),
            Json::Bool(flag) => Some(flag.to_string()),
            Json::Number(number) => Some(match self.metadata.get(&format!("{member}{RAW}")) {
                Some(Json::Text(raw)) => raw.clone(),
                _ => number.clone(),
            }),
            token @ Json::Object(_) => address(token),
            Json::Null | Json::Array(_) => None,
        }
    }

    /// An amount by its member.
    pub(super) fn amount(&self, member: &str) -> Option<Amount> {
        let token = match TOKENS_OF.iter().find(|(name, _)| *name == member)?.1 {
            Some(token) => self.member(token),
            None => Some(NATIVE.to_owned()),
        };
        Amount::of(&self.metadata, member, token)
    }

    /// The amounts of its list.
    pub(super) fn assets(&self) -> Vec<Amount> {
        let items = self.metadata.get("assets").and_then(|list| list.items().ok()).unwrap_or_default();
        items.iter().filter_map(|item| Amount::of(item, "amount", item.get("asset").and_then(address))).collect()
    }

    /// The amounts of its list; where it has none, its single amount, which otherwise stands in the list too.
    pub(super) fn moved(&self) -> Vec<Amount> {
        let listed = self.assets();
        if listed.is_empty() { self.amount("amount").into_iter().collect() } else { listed }
    }

    /// Every amount that it tells.
    pub(super) fn amounts(&self) -> Vec<Amount> {
        let single = TOKENS_OF.iter().filter_map(|(member, _)| self.amount(member));
        single.chain(self.assets()).collect()
    }

    /// The addresses that it names, those of tokens apart.
    pub(super) fn addresses(&self) -> Vec<String> {
        let members = self.metadata.members().unwrap_or_default().iter();
        let told = members.filter_map(|(_, value)| if let Json::Text(text) = value { Some(text) } else { None });
        told.filter(|text| text.len() == "0x".len() + 40 && text.starts_with("0x"))
            .map(|text| text.to_lowercase())
            .collect()
    }

    /// The tokens that it names.
    pub(super) fn tokens(&self) -> Vec<String> {
        let members = self.metadata.members().unwrap_or_default().iter();
        let single =
            members.filter(|(_, value)| matches!(value, Json::Object(_))).filter_map(|(_, token)| address(token));
        single.chain(self.assets().into_iter().filter_map(|amount| amount.token)).collect()
    }

    /// For people: tokens by their addresses alone.
    pub(super) fn short(&self) -> String {
        let protocol = self.protocol.as_deref().map(|slug| format!(" of {slug}")).unwrap_or_default();
        format!("{}{protocol} {}", self.kind, short(&self.metadata))
    }
}

impl Amount {
    fn of(owner: &Json, member: &str, token: Option<String>) -> Option<Self> {
        let raw = BigInt::from_str(owner.text_at(&format!("{member}{RAW}")).ok()?).ok()?;
        Some(Self { token, raw, units: owner.number_at(member).ok() })
    }

    /// Returns true if its decimal form is the integer in units of a token.
    pub(super) fn is_exact(&self, decimals: u32) -> bool {
        self.units.as_ref().is_some_and(|units| *units == BigDecimal::new(self.raw.clone(), decimals.into()))
    }
}

/// The address of a token; networks and other objects have none.
fn address(token: &Json) -> Option<String> {
    match (token.text_at("type").ok(), token.text_at("address").ok()?) {
        (Some("NATIVE"), _) | (_, "0x0") => Some(NATIVE.to_owned()),
        (_, address) => Some(address.to_lowercase()),
    }
}

fn index(value: &Json) -> Result<Option<u64>> {
    match value {
        Json::Null => Ok(None),
        Json::Number(number) => Ok(Some(number.parse()?)),
        other => bail!("the index of a log is {other}"),
    }
}

fn short(value: &Json) -> Json {
    match value {
        Json::Object(members) => match address(value) {
            Some(token) => Json::text(token),
            None => Json::Object(members.iter().map(|(name, value)| (name.clone(), short(value))).collect()),
        },
        Json::Array(items) => Json::Array(items.iter().map(short).collect()),
        other => other.clone(),
    }
}
