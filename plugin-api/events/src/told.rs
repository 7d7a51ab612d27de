//! What an expression comes to: a value, or why there is none.

use alloy::primitives::aliases::{I512, U512};
use alloy::primitives::{Address, B256, U256};

use crate::event::Value;
use crate::kind::Class;
use crate::shape::Leaf;

/// The address that stands for the native token beside zero.
const NATIVE: Address = Address::repeat_byte(0xee);

/// A value, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told<T> {
    Known(T),
    /// It cannot be told.
    Missing,
    /// It takes a view that has not been answered.
    Wanted,
    /// It takes a view that could not be read.
    Unread,
}

impl<T> Told<T> {
    /// Known where there is one.
    pub(crate) fn of(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Self::Known)
    }

    pub(crate) fn then<U>(self, make: impl FnOnce(T) -> Told<U>) -> Told<U> {
        match self {
            Self::Known(value) => make(value),
            Self::Missing => Told::Missing,
            Self::Wanted => Told::Wanted,
            Self::Unread => Told::Unread,
        }
    }

    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Told<U> {
        self.then(|value| Told::Known(make(value)))
    }

    /// Made of it, or missing.
    pub(crate) fn pick<U>(self, make: impl FnOnce(T) -> Option<U>) -> Told<U> {
        self.then(|value| Told::of(make(value)))
    }

    /// Both. What is missing stays missing whatever the other will be, so it comes first.
    pub(crate) fn and<U>(self, other: Told<U>) -> Told<(T, U)> {
        match (self, other) {
            (Self::Known(one), Told::Known(other)) => Told::Known((one, other)),
            (Self::Missing, _) | (_, Told::Missing) => Told::Missing,
            (Self::Wanted, _) | (_, Told::Wanted) => Told::Wanted,
            _ => Told::Unread,
        }
    }
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Integer,
    Address,
    Word,
    Flag,
    Text,
    Bytes,
    /// A view's word: taken for what is asked.
    Any,
}

impl Type {
    pub(crate) fn of(leaf: Leaf) -> Self {
        match leaf {
            Leaf::Address => Self::Address,
            Leaf::Bool => Self::Flag,
            Leaf::Uint(_) | Leaf::Int(_) => Self::Integer,
            Leaf::Fixed(_) => Self::Word,
        }
    }

    /// Whether a member of this class can be made of it.
    pub(crate) fn fits(self, class: Class) -> bool {
        let taken: &[Self] = match class {
            Class::Address | Class::Token => &[Self::Address],
            Class::Pool => &[Self::Address, Self::Word],
            Class::Amount(_) | Class::Seconds | Class::Network => &[Self::Integer],
            Class::Number | Class::Flag => &[Self::Integer, Self::Flag],
            Class::Word => &[Self::Word, Self::Address, Self::Integer, Self::Bytes],
            Class::Text => &[Self::Text],
            Class::Assets => return false,
        };
        self == Self::Any || taken.contains(&self)
    }

    /// Whether an argument of this type can be made of it.
    pub(crate) fn fits_leaf(self, leaf: Leaf) -> bool {
        self == Self::Any || self == Self::of(leaf)
    }
}

/// A value of the table's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Val<'a> {
    Integer(I512),
    Address(Address),
    Word(B256),
    Flag(bool),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Any(B256),
}

impl Val<'_> {
    /// Of a word whose padding was checked.
    pub(crate) fn of(leaf: Leaf, word: B256) -> Self {
        match leaf {
            Leaf::Address => Self::Address(Address::from_word(word)),
            Leaf::Bool => Self::Flag(!word.is_zero()),
            Leaf::Uint(_) => Self::Integer(integer(word.into())),
            Leaf::Int(_) if word[0] & 0x80 != 0 => Self::Integer(-integer(U256::from_be_bytes(word.0).wrapping_neg())),
            Leaf::Int(_) => Self::Integer(integer(word.into())),
            Leaf::Fixed(_) => Self::Word(word),
        }
    }

    pub(crate) fn address(self) -> Option<Address> {
        match self {
            Self::Address(address) => Some(address),
            Self::Any(word) if Leaf::Address.holds(&word) => Some(Address::from_word(word)),
            _ => None,
        }
    }

    /// As a token: the native one is zero, however it is written.
    pub(crate) fn token(self) -> Option<Address> {
        self.address().map(|address| if address == NATIVE { Address::ZERO } else { address })
    }

    /// An integer, or any word as one, as comparisons take them.
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

    /// As a word of the contract ABI; negative integers by their complement of two.
    pub(crate) fn word(self) -> Option<B256> {
        match self {
            Self::Address(address) => Some(address.into_word()),
            Self::Integer(integer) if integer.is_negative() => {
                natural(-integer).filter(|size| *size <= U256::ONE << 255).map(|size| size.wrapping_neg().into())
            }
            Self::Bytes(bytes) => B256::try_from(bytes).ok(),
            _ => self.natural().map(B256::from),
        }
    }

    /// The last twenty bytes, where what is before them is zero.
    pub(crate) fn last_address(self) -> Option<Address> {
        match self {
            Self::Bytes(bytes) => {
                let (before, address) = bytes.split_at_checked(bytes.len().checked_sub(20)?)?;
                before.iter().all(|byte| *byte == 0).then(|| Address::from_slice(address))
            }
            Self::Address(address) => Some(address),
            _ => self.word().filter(|word| Leaf::Address.holds(word)).map(Address::from_word),
        }
    }

    /// As a member of a class; the token of an amount is told elsewhere.
    pub(crate) fn value(self, class: Class) -> Option<Value> {
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
                // What is no UTF-8 loses those bytes instead of the event.
                Self::Text(text) => Some(Value::Text(String::from_utf8_lossy(text).into_owned())),
                _ => None,
            },
            Class::Seconds => self.natural().map(Value::Seconds),
            Class::Network => u64::try_from(self.natural()?).ok().map(Value::Network),
        }
    }
}

/// A number below 2^256 with a sign.
pub(crate) fn integer(natural: U256) -> I512 {
    I512::from_raw(U512::from(natural))
}

/// Back, where it is none below zero and fits.
pub(crate) fn natural(integer: I512) -> Option<U256> {
    if integer.is_negative() {
        return None;
    }
    U256::checked_from_limbs_slice(integer.into_raw().as_limbs())
}

/// Without its sign.
pub(crate) fn magnitude(integer: I512) -> Option<U256> {
    natural(integer.checked_abs()?)
}
