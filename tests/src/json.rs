//! JSON whose numbers stay text: amounts are compared to the last digit, never through a binary float.
//!
//! Invariant: a member that stands twice in one object is an error, not a choice.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow, bail};
use bigdecimal::BigDecimal;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value.
#[derive(Clone, PartialEq, Eq)]
pub enum Json {
    Null,
    Bool(bool),
    /// As it was written.
    Number(String),
    Text(String),
    Array(Vec<Json>),
    /// In the order of the document.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses one document.
    ///
    /// # Errors
    /// If the text is not JSON, or has a member twice.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        Ok(match text.as_bytes().first() {
            Some(b'{') => Self::Object(members(text)?),
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                Self::Array(items.into_iter().map(|item| Self::parse(item.get())).collect::<Result<_>>()?)
            }
            Some(b'"') => Self::Text(serde_json::from_str(text)?),
            Some(b't' | b'f') => Self::Bool(serde_json::from_str(text)?),
            Some(b'n') => {
                let () = serde_json::from_str(text)?;
                Self::Null
            }
            _ => {
                let number: &RawValue = serde_json::from_str(text).context("no JSON")?;
                Self::Number(number.get().to_owned())
            }
        })
    }

    /// A text value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number, as written.
    pub fn number(number: impl ToString) -> Self {
        Self::Number(number.to_string())
    }

    /// An object of these members.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// A member of an object; `None` where it is not there.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(member, _)| member == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value at a path of members, `a/b/c`; numbers are places in arrays.
    ///
    /// # Errors
    /// Names the first step that is not there.
    pub fn at(&self, path: &str) -> Result<&Self> {
        path.split('/').try_fold(self, |value, step| {
            let found = match value {
                Self::Array(items) => step.parse::<usize>().ok().and_then(|place| items.get(place)),
                _ => value.get(step),
            };
            found.with_context(|| format!("no {step} of {path} in {value}"))
        })
    }

    /// The text at a path.
    ///
    /// # Errors
    /// Where there is none.
    pub fn text_at(&self, path: &str) -> Result<&str> {
        match self.at(path)? {
            Self::Text(text) => Ok(text),
            other => bail!("{path} is not a string but {other}"),
        }
    }

    /// The exact number at a path.
    ///
    /// # Errors
    /// Where there is none.
    pub fn number_at(&self, path: &str) -> Result<BigDecimal> {
        self.at(path)?.exact().with_context(|| path.to_owned())
    }

    /// The exact value of a number.
    ///
    /// # Errors
    /// For everything else.
    pub fn exact(&self) -> Result<BigDecimal> {
        match self {
            Self::Number(number) => BigDecimal::from_str(number).with_context(|| format!("{number} is not a decimal")),
            other => bail!("{other} is not a number"),
        }
    }

    /// The items of an array.
    ///
    /// # Errors
    /// For everything else.
    pub fn items(&self) -> Result<&[Self]> {
        match self {
            Self::Array(items) => Ok(items),
            other => bail!("{other} is not an array"),
        }
    }

    /// The members of an object, in order.
    ///
    /// # Errors
    /// For everything else.
    pub fn members(&self) -> Result<&[(String, Self)]> {
        match self {
            Self::Object(members) => Ok(members),
            other => bail!("{other} is not an object"),
        }
    }

    /// The same object without some members.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        match self {
            Self::Object(members) => {
                Self::Object(members.iter().filter(|(name, _)| !names.contains(&name.as_str())).cloned().collect())
            }
            other => other.clone(),
        }
    }

    /// The document as people read it, with all digits of numbers.
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        self.indent(0, &mut text);
        text + "\n"
    }

    fn indent(&self, depth: usize, text: &mut String) {
        let inner = "  ".repeat(depth + 1);
        match self {
            Self::Array(items) if !items.is_empty() => {
                text.push('[');
                for (place, item) in items.iter().enumerate() {
                    text.push_str(if place == 0 { "\n" } else { ",\n" });
                    text.push_str(&inner);
                    item.indent(depth + 1, text);
                }
                text.push_str(&format!("\n{}]", "  ".repeat(depth)));
            }
            Self::Object(members) if !members.is_empty() => {
                text.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    text.push_str(if place == 0 { "\n" } else { ",\n" });
                    text.push_str(&format!("{inner}{}: ", Self::quoted(name)));
                    value.indent(depth + 1, text);
                }
                text.push_str(&format!("\n{}}}", "  ".repeat(depth)));
            }
            Self::Text(own) => text.push_str(&Self::quoted(own)),
            other => text.push_str(&other.to_string()),
        }
    }

    fn quoted(text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }

    /// Every place where `self` says something else than `expected`: numbers are equal when their values are,
    /// objects when they have the same members in any order.
    pub fn differences(&self, expected: &Self) -> Vec<String> {
        let mut found = Vec::new();
        compare("", self, expected, &mut found);
        found
    }
}

fn compare(path: &str, actual: &Json, expected: &Json, found: &mut Vec<String>) {
    match (actual, expected) {
        (Json::Object(a), Json::Object(e)) => {
            for (name, value) in a {
                match expected.get(name) {
                    Some(wanted) => compare(&format!("{path}/{name}"), value, wanted, found),
                    None => found.push(format!("{path}/{name} should not be there")),
                }
            }
            let missing = e.iter().filter(|(name, _)| actual.get(name).is_none());
            found.extend(missing.map(|(name, _)| format!("{path}/{name} is missing")));
        }
        (Json::Array(a), Json::Array(e)) if a.len() == e.len() => {
            for (place, (a, e)) in a.iter().zip(e).enumerate() {
                compare(&format!("{path}/{place}"), a, e, found);
            }
        }
        (Json::Number(_), Json::Number(_)) if actual.exact().ok() == expected.exact().ok() => {}
        _ if actual == expected => {}
        _ => found.push(format!("{path} is {actual}, expected {expected}")),
    }
}

fn members(text: &str) -> Result<Vec<(String, Json)>> {
    let Members(raw) = serde_json::from_str(text)?;
    let mut members: Vec<(String, Json)> = Vec::with_capacity(raw.len());
    for (name, value) in raw {
        if members.iter().any(|(member, _)| *member == name) {
            return Err(anyhow!("member {name} appears twice"));
        }
        members.push((name, Json::parse(value.get())?));
    }
    Ok(members)
}

/// The members of one object, their values unparsed.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Number(number) => f.write_str(number),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Array(items) => {
                f.write_char('[')?;
                for (place, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if place == 0 { "" } else { "," })?;
                }
                f.write_char(']')
            }
            Self::Object(members) => {
                f.write_char('{')?;
                for (place, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{name:?}:{value}", if place == 0 { "" } else { "," })?;
                }
                f.write_char('}')
            }
        }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit() {
        let json = Json::parse(
            r#"{"a":[1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+59]}"#,
        )
        .unwrap();
        let raw =
            BigDecimal::from_str("115792089237316195423570985008687907853269984665640564039457584007913129639935")
                .unwrap();
        assert_eq!(json.number_at("a/0").unwrap() * BigDecimal::from_str("1e18").unwrap(), raw);
    }

    #[test]
    fn a_pretty_document_is_the_same() {
        let text = r#"{"a":[1.10,{}],"b":{"c":"\u00e9 \"x\"","d":[]},"e":null}"#;
        let json = Json::parse(text).unwrap();
        assert_eq!(Json::parse(&json.pretty()).unwrap(), json);
        assert_eq!(json.pretty().lines().count(), 11);
    }

    #[test]
    fn a_member_that_stands_twice_is_an_error() {
        assert!(Json::parse(r#"{"a":1,"a":1}"#).is_err());
    }

    #[test]
    fn differences_name_their_place() {
        let actual = Json::parse(r#"{"a":[1,{"b":"x","c":null}],"d":1.50}"#).unwrap();
        let expected = Json::parse(r#"{"d":1.5,"a":[2,{"b":"y","e":true}]}"#).unwrap();
        assert_eq!(
            actual.differences(&expected),
            [
                "/a/0 is 1, expected 2",
                "/a/1/b is \"x\", expected \"y\"",
                "/a/1/c should not be there",
                "/a/1/e is missing"
            ]
        );
    }

    #[test]
    fn what_is_cut_off_is_no_json() {
        for text in ["", "{", "[1,", "\"a", "tru", "1 2", "{\"a\":}"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }
}
