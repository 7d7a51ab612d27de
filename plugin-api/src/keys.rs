//! The keys of a settings row, as typed values.
//!
//! Invariant: an unknown key is refused, with a list of the known keys.

use std::cell::RefCell;

use alloy::primitives::{Address, B256};
use portolan_abi::map::{SettingsError, SettingsRow, SettingsValue};

use crate::deployment::Deployment;

/// The mechanism's own keys of a `[[deployment]]`, as a type.
///
/// Derive it for a struct whose fields are the keys. A key is optional if its field is an `Option`, a `Vec` or has
/// `#[default]`. The error about a missing key quotes the field's documentation.
///
/// ```
/// use portolan_plugin_api::{Address, FromKeys};
///
/// #[derive(Clone, Debug, FromKeys)]
/// struct Staking {
///     /// The contract that holds the stakes.
///     staking: Address,
///     /// A contract of rewards beside it.
///     rewards: Option<Address>,
///     farms: Vec<Address>,
///     #[default]
///     dual: bool,
///     #[default(100)]
///     pools_max: u32,
/// }
/// ```
pub trait FromKeys: Clone {
    /// The keys that it reads, for [`rows!`](crate::rows!); those of a derived mechanism are its fields.
    const KEYS: &'static [&'static str] = &[];

    /// Reads the known keys; the caller then refuses all others.
    ///
    /// # Errors
    /// [`SettingsError`] for a missing or wrong value.
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError>;
}

/// A type that a settings key can hold.
#[diagnostic::on_unimplemented(
    message = "a settings key cannot hold `{Self}`",
    note = "it holds an `Address`, a `B256`, a `String`, a `bool`, an `i64`, `u64` or `u32`, or a type that implements \
            `KeyValue`; a field of a mechanism may also be an `Option` or a `Vec` of these"
)]
pub trait KeyValue: Sized {
    /// Name of the type in errors, for example `a text`.
    const ONE: &'static str;
    /// Plural of the name, for example `texts`.
    const MANY: &'static str;

    /// Parses a value; `None` if it is of another type.
    ///
    /// # Errors
    /// [`SettingsError`] for a wrong value of the right type.
    fn from_value(value: &SettingsValue) -> Option<Result<Self, SettingsError>>;
}

/// A field of a derived [`FromKeys`]: a value, an `Option` of one, or a `Vec` of them.
#[diagnostic::on_unimplemented(
    message = "a settings key cannot hold `{Self}`",
    note = "it holds an `Address`, a `B256`, a `String`, a `bool`, an `i64`, `u64` or `u32`, a type that implements \
            `KeyValue`, or an `Option` or a `Vec` of these"
)]
pub trait KeyField: Sized {
    /// Reads the field; `doc` describes the key in errors.
    ///
    /// # Errors
    /// [`SettingsError`] for a missing or wrong value.
    fn from_key(keys: &Keys<'_>, key: &'static str, doc: &str) -> Result<Self, SettingsError>;
}

impl<T: KeyValue> KeyField for T {
    fn from_key(keys: &Keys<'_>, key: &'static str, doc: &str) -> Result<Self, SettingsError> {
        keys.value(key)?.ok_or_else(|| missing(key, doc))
    }
}

impl<T: KeyValue> KeyField for Option<T> {
    fn from_key(keys: &Keys<'_>, key: &'static str, _: &str) -> Result<Self, SettingsError> {
        keys.value(key)
    }
}

impl<T: KeyValue> KeyField for Vec<T> {
    fn from_key(keys: &Keys<'_>, key: &'static str, _: &str) -> Result<Self, SettingsError> {
        keys.many(key, T::MANY, T::from_value)
    }
}

fn missing(key: &str, doc: &str) -> SettingsError {
    let what = if doc.is_empty() { "missing".to_owned() } else { format!("missing: {doc}") };
    SettingsError::new(what).at(key)
}

/// The mechanism's keys of one row. Every accessor but [`Keys::has`] marks its key as known.
#[derive(Debug)]
pub struct Keys<'a> {
    row: &'a SettingsRow,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Keys<'a> {
    /// Reads a row with `read`, and refuses keys that it did not read.
    pub(crate) fn deployment<M>(
        row: &'a SettingsRow,
        read: impl Fn(&Keys<'_>) -> Result<M, SettingsError>,
    ) -> Result<Deployment<M>, SettingsError> {
        let keys = Self { row, known: RefCell::default() };
        let mechanism = read(&keys)?;
        let known = keys.known.into_inner();
        if let Some(unknown) = row.keys.iter().find(|key| !known.contains(&key.key.as_str())) {
            return Err(SettingsError::new(format!("unknown key; known here: {}", known.join(", "))).at(&unknown.key));
        }
        Ok(Deployment::new(&row.protocol, row.chain_id, mechanism).market(&row.market))
    }

    /// Returns true if the row has the key, whatever its value. Does not mark it as known.
    pub fn has(&self, key: &str) -> bool {
        self.row.keys.iter().any(|one| one.key == key)
    }

    /// Returns a value of any type; `None` if it is missing.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn value<T: KeyValue>(&self, key: &'static str) -> Result<Option<T>, SettingsError> {
        self.one(key, T::ONE, T::from_value)
    }

    /// Returns an address: `0x` and 40 hex digits.
    ///
    /// # Errors
    /// If it is missing or malformed.
    pub fn address(&self, key: &'static str) -> Result<Address, SettingsError> {
        Address::from_key(self, key, "")
    }

    /// Returns an address; `None` if it is missing.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn address_opt(&self, key: &'static str) -> Result<Option<Address>, SettingsError> {
        self.value(key)
    }

    /// Returns an array of addresses; empty if it is missing.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn addresses(&self, key: &'static str) -> Result<Vec<Address>, SettingsError> {
        Vec::from_key(self, key, "")
    }

    /// Returns an array of texts; empty if it is missing.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn texts(&self, key: &'static str) -> Result<Vec<&str>, SettingsError> {
        self.many(key, String::MANY, |value| text(value).map(Ok))
    }

    /// Returns a boolean; false if it is missing.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn flag(&self, key: &'static str) -> Result<bool, SettingsError> {
        Ok(self.value(key)?.unwrap_or_default())
    }

    /// Returns an integer; `None` if it is missing.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn integer(&self, key: &'static str) -> Result<Option<i64>, SettingsError> {
        self.value(key)
    }

    /// Returns a text; `None` if it is missing.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn text(&self, key: &'static str) -> Result<Option<&str>, SettingsError> {
        self.one(key, String::ONE, |value| text(value).map(Ok))
    }

    /// Returns the name of a contract's function; `None` if it is missing.
    ///
    /// # Errors
    /// If it is not a Solidity identifier.
    pub fn function(&self, key: &'static str) -> Result<Option<&str>, SettingsError> {
        match self.text(key)? {
            Some(name) if !is_identifier(name) => {
                Err(SettingsError::new(format!("{name:?} is not a function name")).at(key))
            }
            name => Ok(name),
        }
    }

    fn one<'v, T>(
        &'v self,
        key: &'static str,
        what: &str,
        read: impl Fn(&'v SettingsValue) -> Option<Result<T, SettingsError>>,
    ) -> Result<Option<T>, SettingsError> {
        let wrong = || SettingsError::new(format!("not {what}"));
        let read = self.find(key).map(|value| read(value).unwrap_or_else(|| Err(wrong())));
        read.transpose().map_err(|error| error.at(key))
    }

    fn many<'v, T>(
        &'v self,
        key: &'static str,
        what: &str,
        read: impl Fn(&'v SettingsValue) -> Option<Result<T, SettingsError>>,
    ) -> Result<Vec<T>, SettingsError> {
        let wrong = || SettingsError::new(format!("not an array of {what}"));
        let all = |list: &'v Vec<SettingsValue>| list.iter().map(|value| read(value).unwrap_or_else(|| Err(wrong())));
        match self.find(key) {
            None => Ok(Vec::new()),
            Some(SettingsValue::List(list)) => all(list).collect::<Result<_, _>>().map_err(|error| error.at(key)),
            Some(_) => Err(wrong().at(key)),
        }
    }

    fn find(&self, key: &'static str) -> Option<&SettingsValue> {
        self.known.borrow_mut().push(key);
        self.row.keys.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }
}

fn text(value: &SettingsValue) -> Option<&str> {
    match value {
        SettingsValue::Text(text) => Some(text),
        _ => None,
    }
}

fn integer(value: &SettingsValue) -> Option<i64> {
    match value {
        SettingsValue::Integer(number) => Some(*number),
        _ => None,
    }
}

impl KeyValue for String {
    const ONE: &'static str = "a text";
    const MANY: &'static str = "texts";

    fn from_value(value: &SettingsValue) -> Option<Result<Self, SettingsError>> {
        text(value).map(|text| Ok(text.to_owned()))
    }
}

/// `0x` and 40 hex digits. Mixed case must match the checksum.
impl KeyValue for Address {
    const ONE: &'static str = "a text";
    const MANY: &'static str = "addresses";

    fn from_value(value: &SettingsValue) -> Option<Result<Self, SettingsError>> {
        text(value).map(parse_address)
    }
}

/// `0x` and 64 hex digits.
impl KeyValue for B256 {
    const ONE: &'static str = "a text";
    const MANY: &'static str = "words of 32 bytes";

    fn from_value(value: &SettingsValue) -> Option<Result<Self, SettingsError>> {
        let parse = |text: &str| {
            let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 64);
            let word = digits.and_then(|digits| digits.parse().ok());
            word.ok_or_else(|| SettingsError::new(format!("{text:?} is not 0x and 64 hex digits")))
        };
        text(value).map(parse)
    }
}

impl KeyValue for bool {
    const ONE: &'static str = "true or false";
    const MANY: &'static str = "true and false";

    fn from_value(value: &SettingsValue) -> Option<Result<Self, SettingsError>> {
        match value {
            SettingsValue::Bool(flag) => Some(Ok(*flag)),
            _ => None,
        }
    }
}

macro_rules! integers {
    ($($integer:ident)*) => {
        $(impl KeyValue for $integer {
            const ONE: &'static str = "a whole number";
            const MANY: &'static str = "whole numbers";

            fn from_value(value: &SettingsValue) -> Option<Result<Self, SettingsError>> {
                let out = |number| format!("{number} is not from {} to {}", Self::MIN, Self::MAX);
                integer(value).map(|number| Self::try_from(number).map_err(|_| SettingsError::new(out(number))))
            }
        })*
    };
}

integers!(i64 u64 u32);

/// Longer than any function's name.
const NAME_BYTES_MAX: usize = 64;

fn is_identifier(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$';
    let begins = name.bytes().next().is_some_and(letter);
    begins && name.len() <= NAME_BYTES_MAX && name.bytes().all(|byte| letter(byte) || byte.is_ascii_digit())
}

fn parse_address(text: &str) -> Result<Address, SettingsError> {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    let mixed = digits.contains(|c: char| c.is_ascii_uppercase()) && digits.contains(|c: char| c.is_ascii_lowercase());
    let address: Option<Address> = if digits.len() == 40 { text.parse().ok() } else { None };
    match address {
        Some(address) if mixed && Address::parse_checksummed(text, None).is_err() => {
            Err(SettingsError::new(format!("{text} has a wrong checksum, should be {address}")))
        }
        Some(address) => Ok(address),
        None => Err(SettingsError::new(format!("{text:?} is not 0x and 40 hex digits"))),
    }
}
