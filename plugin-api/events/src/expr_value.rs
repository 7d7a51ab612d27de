//! Values and types of expressions.

use std::fmt;

use alloy::primitives::aliases::{I512, U512};
use alloy::primitives::{Address, B256, U256};

use crate::abi_type::WordType;
use crate::event::Value;
use crate::kind::Class;

/// Placeholder address of the native token, beside zero.
const NATIVE: Address = Address::repeat_byte(0xee);

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExprType {
    Integer,
    Address,
    Word,
    Flag,
    Text,
    Bytes,
    /// A word that a view returned, which fits any use of a word.
    Any,
}

impl ExprType {
    pub(crate) fn of(ty: WordType) -> Self {
        match ty {
            WordType::Address => Self::Address,
            WordType::Bool => Self::Flag,
            WordType::Uint(_) | WordType::Int(_) => Self::Integer,
            WordType::Fixed(_) => Self::Word,
        }
    }

    /// Returns the types that a member of this class accepts.
    fn of_class(class: Class) -> &'static [Self] {
        match class {
            Class::Address | Class::Token => &[Self::Address],
            Class::Pool => &[Self::Address, Self::Word],
            Class::Amount(_) | Class::Seconds | Class::Network => &[Self::Integer],
            Class::Number | Class::Flag => &[Self::Integer, Self::Flag],
            Class::Word => &[Self::Word, Self::Address, Self::Integer, Self::Bytes],
            Class::Text => &[Self::Text],
            Class::Assets => &[],
        }
    }

    /// Returns true if a member of this class accepts it.
    pub(crate) fn fits(self, class: Class) -> bool {
        let accepted = Self::of_class(class);
        accepted.contains(&self) || self == Self::Any && !accepted.is_empty()
    }

    /// Lists the types that a member of this class accepts, for an error.
    pub(crate) fn list(class: Class) -> String {
        Self::of_class(class).iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
    }

    /// Returns true if an argument of this type accepts it.
    pub(crate) fn fits_word(self, ty: WordType) -> bool {
        self == Self::Any || self == Self::of(ty)
    }
}

impl fmt::Display for ExprType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer => "an integer",
            Self::Address => "an address",
            Self::Word => "a word of bytes",
            Self::Flag => "a flag",
            Self::Text => "a text",
            Self::Bytes => "bytes",
            Self::Any => "what a view returns",
        })
    }
}

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExprValue<'a> {
    Integer(I512),
    Address(Address),
    Word(B256),
    Flag(bool),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Any(B256),
}

impl ExprValue<'_> {
    /// Converts a word whose padding was checked.
    pub(crate) fn of(ty: WordType, word: B256) -> Self {
        match ty {
            WordType::Address => Self::Address(Address::from_word(word)),
            WordType::Bool => Self::Flag(!word.is_zero()),
            WordType::Uint(_) => Self::Integer(integer(word.into())),
            WordType::Int(_) if word[0] & 0x80 != 0 => {
                Self::Integer(-integer(U256::from_be_bytes(word.0).wrapping_neg()))
            }
            WordType::Int(_) => Self::Integer(integer(word.into())),
            WordType::Fixed(_) => Self::Word(word),
        }
    }

    pub(crate) fn address(self) -> Option<Address> {
        match self {
            Self::Address(address) => Some(address),
            Self::Any(word) if WordType::Address.holds(&word) => Some(Address::from_word(word)),
            _ => None,
        }
    }

    /// Converts to a token. Both forms of the native token become zero.
    pub(crate) fn token(self) -> Option<Address> {
        self.address().map(|address| if address == NATIVE { Address::ZERO } else { address })
    }

    /// Converts an integer or any word to an integer, for comparisons.
    pub(crate) fn integer(self) -> Option<I512> {
        match self {
            Self::Integer(integer) => Some(integer),
            Self::Address(_) => self.token().map(|token| integer(token.into_word().into())),
            Self::Word(word) | Self::Any(word) => Some(integer(word.into())),
            Self::Flag(flag) => Some(integer(U256::from(flag))),
            Self::Text(_) | Self::Bytes(_) => None,
        }
    }

    fn natural(self) -> Option<U256> {
        self.integer().and_then(natural)
    }

    /// Encodes as an ABI word; negative integers in two's complement.
    pub(crate) fn word(self) -> Option<B256> {
        match self {
            Self::Address(address) => Some(address.into_word()),
            Self::Integer(integer) if integer.is_negative() => {
                let size = integer.checked_neg().and_then(natural).filter(|size| *size <= U256::ONE << 255);
                size.map(|size| size.wrapping_neg().into())
            }
            Self::Bytes(bytes) => B256::try_from(bytes).ok(),
            _ => self.natural().map(B256::from),
        }
    }

    /// Reads bytes as a little-endian integer of at most 32 bytes.
    pub(crate) fn little_endian(self) -> Option<Self> {
        match self {
            Self::Bytes(bytes) => U256::try_from_le_slice(bytes).map(|number| Self::Integer(integer(number))),
            _ => None,
        }
    }

    /// Returns the last twenty bytes as an address, if all bytes before are zero.
    pub(crate) fn last_address(self) -> Option<Address> {
        match self {
            Self::Bytes(bytes) => {
                let (before, address) = bytes.split_at_checked(bytes.len().checked_sub(20)?)?;
                before.iter().all(|byte| *byte == 0).then(|| Address::from_slice(address))
            }
            Self::Address(address) => Some(address),
            _ => self.word().filter(|word| WordType::Address.holds(word)).map(Address::from_word),
        }
    }

    /// Converts to a member of a class. [`crate::member::Member::set_token`] sets the token of an amount.
    pub(crate) fn into_member(self, class: Class) -> Option<Value> {
        match class {
            Class::Address => self.address().map(Value::Address),
            Class::Token => self.token().map(Value::Token),
            Class::Amount(_) => self.natural().map(|raw| Value::Amount { raw, of: None }),
            Class::Assets => None,
            Class::Number => self.natural().map(Value::Number),
            Class::Pool => self.address().map(Value::Address).or_else(|| self.word().map(Value::Word)),
            Class::Word => self.word().map(Value::Word),
            Class::Flag => match self.natural()? {
                U256::ZERO => Some(Value::Flag(false)),
                U256::ONE => Some(Value::Flag(true)),
                _ => None,
            },
            Class::Text => match self {
                // Replace invalid UTF-8, so that the event is not lost.
                Self::Text(text) => Some(Value::Text(String::from_utf8_lossy(text).into_owned())),
                _ => None,
            },
            Class::Seconds => self.natural().map(Value::Seconds),
            Class::Network => u64::try_from(self.natural()?).ok().map(Value::Network),
        }
    }
}

/// Converts an unsigned number to a signed integer.
pub(crate) fn integer(natural: U256) -> I512 {
    I512::from_raw(U512::from(natural))
}

/// Reverses [`integer`]; `None` below zero and above 256 bits.
pub(crate) fn natural(integer: I512) -> Option<U256> {
    if integer.is_negative() {
        return None;
    }
    U256::checked_from_limbs_slice(integer.into_raw().as_limbs())
}

/// Returns the absolute value.
pub(crate) fn magnitude(integer: I512) -> Option<U256> {
    natural(integer.checked_abs()?)
}
