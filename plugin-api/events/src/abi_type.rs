//! Types of an event's parameters, and their encoding in a log's data.
//!
//! Values are read in place instead of being decoded into a tree: anyone can emit a log, and nested arrays that share
//! bytes would decode to the square of their size. Invariant: data is only read after [`AbiType::matches`] accepted it.
//! It rejects such data, since it visits no more words than the data has.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{B256, U256};

/// Size of an ABI word in bytes.
const WORD: usize = 32;
/// Elements of a fixed-size array; far more than known events have.
const FIXED_MAX: usize = 256;

/// A type of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordType {
    Address,
    Bool,
    /// Bits.
    Uint(usize),
    /// Bits.
    Int(usize),
    /// Bytes, left-aligned.
    Fixed(usize),
}

/// A type with the names of its members.
#[derive(Clone, Debug)]
pub(crate) struct AbiType {
    pub(crate) kind: AbiKind,
    /// True if its place holds an offset.
    dynamic: bool,
    /// Bytes that the value or its offset takes in place.
    head: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum AbiKind {
    Word(WordType),
    Bytes,
    Text,
    Tuple(Vec<(String, AbiType)>),
    /// The length is `None` if the data begins with it.
    Array(Box<AbiType>, Option<usize>),
}

impl WordType {
    /// Returns `None` for a type that is not exactly one word.
    pub(crate) fn of(ty: &DynSolType) -> Option<Self> {
        Some(match ty {
            DynSolType::Address => Self::Address,
            DynSolType::Bool => Self::Bool,
            DynSolType::Uint(bits) => Self::Uint(*bits),
            DynSolType::Int(bits) => Self::Int(*bits),
            DynSolType::FixedBytes(bytes) => Self::Fixed(*bytes),
            DynSolType::Function => Self::Fixed(24),
            _ => return None,
        })
    }

    /// Converts a word to an argument of this type. Bytes are cut to the type's length; `None` for any other word that
    /// does not fit.
    pub(crate) fn argument(self, mut word: B256) -> Option<B256> {
        if let Self::Fixed(bytes) = self {
            word.iter_mut().skip(bytes).for_each(|byte| *byte = 0);
        }
        self.holds(&word).then_some(word)
    }

    /// Returns true if a word is padded like values of this type.
    pub(crate) fn holds(self, word: &B256) -> bool {
        let zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        match self {
            Self::Address => zero(&word[..12]),
            Self::Bool => zero(&word[..31]) && word[31] <= 1,
            Self::Uint(bits) => zero(&word[..WORD.saturating_sub(bits / 8)]),
            Self::Int(bits) => {
                let pad = WORD.saturating_sub(bits / 8).min(31);
                let sign = if word[pad] & 0x80 == 0 { 0 } else { 0xff };
                word[..pad].iter().all(|byte| *byte == sign)
            }
            Self::Fixed(bytes) => zero(&word[bytes.min(WORD)..]),
        }
    }
}

impl AbiType {
    /// Returns `None` for tuples and arrays.
    pub(crate) fn elementary(ty: &DynSolType) -> Option<Self> {
        match ty {
            DynSolType::Bytes => Some(Self { kind: AbiKind::Bytes, dynamic: true, head: WORD }),
            DynSolType::String => Some(Self { kind: AbiKind::Text, dynamic: true, head: WORD }),
            ty => WordType::of(ty).map(|ty| Self { kind: AbiKind::Word(ty), dynamic: false, head: WORD }),
        }
    }

    pub(crate) fn tuple(members: Vec<(String, Self)>) -> Self {
        let dynamic = members.iter().any(|(_, ty)| ty.dynamic);
        let head = if dynamic { WORD } else { width(members.iter()) };
        Self { kind: AbiKind::Tuple(members), dynamic, head }
    }

    /// Returns an array of this type; `length` is the text between the brackets.
    pub(crate) fn array(self, length: &str) -> Result<Self, String> {
        if self.head == 0 {
            return Err("has elements of no size".to_owned());
        }
        if length.is_empty() {
            return Ok(Self { kind: AbiKind::Array(Box::new(self), None), dynamic: true, head: WORD });
        }
        let length = length.parse().ok().filter(|length| (1..=FIXED_MAX).contains(length));
        let length = length.ok_or_else(|| format!("does not have between 1 and {FIXED_MAX} elements"))?;
        let (dynamic, head) = (self.dynamic, if self.dynamic { WORD } else { self.head.saturating_mul(length) });
        Ok(Self { kind: AbiKind::Array(Box::new(self), Some(length)), dynamic, head })
    }

    /// Returns true if data encodes this tuple. The length must be exact if all members have a fixed size. Otherwise
    /// bytes may follow, and the last padding may be missing, as in logs of old compilers.
    pub(crate) fn matches(&self, data: &[u8]) -> bool {
        if !self.dynamic && data.len() != self.head {
            return false;
        }
        let mut words = data.len().div_ceil(WORD);
        AbiRef::outermost(self).matches(data, &mut words)
    }
}

/// A value's position in the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AbiRef<'s> {
    pub(crate) ty: &'s AbiType,
    /// Position that offsets are relative to.
    frame: usize,
    at: usize,
    /// True for the outermost tuple, which is in place even if it is dynamic.
    outermost: bool,
}

impl<'s> AbiRef<'s> {
    pub(crate) fn outermost(ty: &'s AbiType) -> Self {
        Self { ty, frame: 0, at: 0, outermost: true }
    }

    fn inner(ty: &'s AbiType, frame: usize, at: usize) -> Self {
        Self { ty, frame, at, outermost: false }
    }

    /// Returns the word at this position.
    pub(crate) fn word(self, data: &[u8]) -> Option<B256> {
        word_at(data, self.at)
    }

    /// Returns the start of the value, after resolving its offset.
    fn content(self, data: &[u8]) -> Option<usize> {
        if self.ty.dynamic && !self.outermost { self.frame.checked_add(size_at(data, self.at)?) } else { Some(self.at) }
    }

    /// Returns the length of an array; `None` for other types.
    pub(crate) fn length(self, data: &[u8]) -> Option<usize> {
        match self.ty.kind {
            AbiKind::Array(_, Some(length)) => Some(length),
            AbiKind::Array(_, None) => size_at(data, self.content(data)?),
            _ => None,
        }
    }

    /// Returns an element of an array. A negative index counts from the end.
    pub(crate) fn element(self, data: &[u8], index: isize) -> Option<Self> {
        let AbiKind::Array(ty, fixed) = &self.ty.kind else { return None };
        let length = self.length(data)?;
        let index = if index < 0 { length.checked_sub(index.unsigned_abs())? } else { index.unsigned_abs() };
        if index >= length {
            return None;
        }
        let begin = self.content(data)?.checked_add(if fixed.is_some() { 0 } else { WORD })?;
        Some(Self::inner(ty, begin, begin.checked_add(index.checked_mul(ty.head)?)?))
    }

    /// Returns a member of a tuple.
    pub(crate) fn member(self, data: &[u8], index: usize) -> Option<Self> {
        let AbiKind::Tuple(members) = &self.ty.kind else { return None };
        let (_, ty) = members.get(index)?;
        let begin = self.content(data)?;
        Some(Self::inner(ty, begin, begin.checked_add(width(members.iter().take(index)))?))
    }

    /// Returns the content of `bytes` or `string`.
    pub(crate) fn bytes(self, data: &[u8]) -> Option<&[u8]> {
        let begin = self.content(data)?;
        let length = size_at(data, begin)?;
        let begin = begin.checked_add(WORD)?;
        data.get(begin..begin.checked_add(length)?)
    }

    /// Returns true if the data encodes this value in at most `words` words; subtracts those visited.
    fn matches(self, data: &[u8], words: &mut usize) -> bool {
        let mut spend = |count: usize| words.checked_sub(count).map(|left| *words = left).is_some();
        if self.ty.dynamic && !self.outermost && !spend(1) {
            return false;
        }
        match &self.ty.kind {
            AbiKind::Word(ty) => spend(1) && self.word(data).is_some_and(|word| ty.holds(&word)),
            AbiKind::Bytes | AbiKind::Text => {
                self.bytes(data).is_some_and(|bytes| spend(bytes.len().div_ceil(WORD).saturating_add(1)))
            }
            AbiKind::Tuple(members) => {
                (0..members.len()).all(|index| self.member(data, index).is_some_and(|inner| inner.matches(data, words)))
            }
            AbiKind::Array(_, fixed) => {
                if fixed.is_none() && !spend(1) {
                    return false;
                }
                let Some(length) = self.length(data) else { return false };
                // An element takes at least one word, so the words bound this loop.
                (0..length).all(|index| {
                    let inner = isize::try_from(index).ok().and_then(|index| self.element(data, index));
                    inner.is_some_and(|inner| inner.matches(data, words))
                })
            }
        }
    }
}

/// Returns the size of members in their tuple; saturates, since no log is that long.
fn width<'s>(members: impl Iterator<Item = &'s (String, AbiType)>) -> usize {
    members.fold(0, |width, (_, ty)| width.saturating_add(ty.head))
}

fn word_at(data: &[u8], at: usize) -> Option<B256> {
    data.get(at..at.checked_add(WORD)?).and_then(|word| B256::try_from(word).ok())
}

/// Reads an offset or length; `None` if it exceeds the data.
fn size_at(data: &[u8], at: usize) -> Option<usize> {
    let size = U256::from_be_bytes(word_at(data, at)?.0);
    usize::try_from(size).ok().filter(|size| *size <= data.len())
}
