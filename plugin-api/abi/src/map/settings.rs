//! Input of `configure`, and its error.

use std::fmt;

use minicbor::data::Type;
use minicbor::decode::Error;
use minicbor::{Decode, Decoder, Encode, Encoder};

use super::Protocol;

/// Input of `configure`: the operator's parsed settings file.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct Settings {
    /// True to serve the deployments that the plugin ships with.
    #[n(0)]
    pub shipped: bool,
    /// Protocols that the plugin does not ship.
    #[n(1)]
    pub protocols: Vec<Protocol>,
    /// Deployments that replace shipped ones or are added to them.
    #[n(2)]
    pub deployments: Vec<SettingsRow>,
}

/// One `[[deployment]]` of a settings file.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct SettingsRow {
    /// Protocol slug.
    #[n(0)]
    pub protocol: String,
    /// EIP-155 chain id.
    #[n(1)]
    pub chain_id: u64,
    /// Market; `main` unless the file names one.
    #[n(2)]
    pub market: String,
    /// Keys of the mechanism, in the order of the file.
    #[n(3)]
    pub keys: Vec<SettingsKey>,
}

/// One key of a settings row.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct SettingsKey {
    /// Name.
    #[n(0)]
    pub key: String,
    /// Value.
    #[n(1)]
    pub value: SettingsValue,
}

/// A value of a settings file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingsValue {
    /// Text; addresses are written as `0x…`.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// True or false.
    Bool(bool),
    /// An array.
    List(Vec<SettingsValue>),
}

impl<C> Encode<C> for SettingsValue {
    fn encode<W: minicbor::encode::Write>(
        &self,
        encoder: &mut Encoder<W>,
        ctx: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        match self {
            Self::Text(text) => text.encode(encoder, ctx),
            Self::Integer(number) => number.encode(encoder, ctx),
            Self::Bool(flag) => flag.encode(encoder, ctx),
            Self::List(list) => list.encode(encoder, ctx),
        }
    }
}

impl<'b, C> Decode<'b, C> for SettingsValue {
    fn decode(decoder: &mut Decoder<'b>, ctx: &mut C) -> Result<Self, Error> {
        let at = decoder.position();
        match decoder.datatype()? {
            Type::String => Ok(Self::Text(decoder.str()?.to_owned())),
            Type::Bool => Ok(Self::Bool(decoder.bool()?)),
            Type::Array => Ok(Self::List(Vec::decode(decoder, ctx)?)),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                Ok(Self::Integer(decoder.i64()?))
            }
            other => Err(Error::type_mismatch(other).at(at).with_message("not a settings value")),
        }
    }
}

/// Why settings are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SettingsError {
    /// Error message.
    #[n(0)]
    pub message: String,
    /// Index in [`Settings::deployments`].
    #[n(1)]
    pub row: Option<u32>,
    /// Key in that row.
    #[n(2)]
    pub key: Option<String>,
}

impl SettingsError {
    /// Creates an error; the message is lower case, without row and key.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), row: None, key: None }
    }

    /// Sets the key.
    #[must_use]
    pub fn at(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    /// Sets the row, by its index.
    #[must_use]
    pub fn in_row(self, place: usize) -> Self {
        Self { row: u32::try_from(place).ok(), ..self }
    }
}

/// Counts rows from 1, as operators do.
impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.row {
            write!(f, "deployment {}: ", u64::from(row) + 1)?;
        }
        if let Some(key) = &self.key {
            write!(f, "`{key}`: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SettingsError {}
