//! The types of an event's parameters, and how values stand in a log's data.
//!
//! Values are found where they are read instead of being decoded into a tree: a log is a stranger's, and arrays of
//! arrays that share their bytes would grow to the square of it. Invariant: data is read only after [`Shape::holds`],
//! which visits no more words than there are, so that such data is refused.

use alloy::dyn_abi::DynSolType;
use alloy::primitives::{B256, U256};

/// Bytes of a word of the contract ABI.
const WORD: usize = 32;
/// Places of an array of fixed size; far above what any event has.
const FIXED_MAX: usize = 256;

/// What one word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Address,
    Bool,
    /// Bits.
    Uint(usize),
    /// Bits.
    Int(usize),
    /// Bytes, on the left.
    Fixed(usize),
}

/// A type, with the names of its members.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) form: Form,
    /// Whether its place holds an offset instead of itself.
    dynamic: bool,
    /// Bytes in its place: of itself, or of the offset.
    head: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    Word(Leaf),
    Bytes,
    Text,
    Tuple(Vec<(String, Shape)>),
    /// Its length is `None` where the data tells it.
    Array(Box<Shape>, Option<usize>),
}

impl Leaf {
    /// The leaf of a type that takes one word.
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

    /// A word as an argument of this type: bytes are cut to its length, whatever else does not fit is none.
    pub(crate) fn argument(self, mut word: B256) -> Option<B256> {
        if let Self::Fixed(bytes) = self {
            word.iter_mut().skip(bytes).for_each(|byte| *byte = 0);
        }
        self.holds(&word).then_some(word)
    }

    /// Whether a word is padded as this type is.
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

impl Shape {
    /// Of a type that is neither a tuple nor an array.
    pub(crate) fn elementary(ty: &DynSolType) -> Option<Self> {
        match ty {
            DynSolType::Bytes => Some(Self { form: Form::Bytes, dynamic: true, head: WORD }),
            DynSolType::String => Some(Self { form: Form::Text, dynamic: true, head: WORD }),
            ty => Leaf::of(ty).map(|leaf| Self { form: Form::Word(leaf), dynamic: false, head: WORD }),
        }
    }

    pub(crate) fn tuple(members: Vec<(String, Self)>) -> Self {
        let dynamic = members.iter().any(|(_, shape)| shape.dynamic);
        let head = if dynamic { WORD } else { width(members.iter()) };
        Self { form: Form::Tuple(members), dynamic, head }
    }

    /// An array of it, of the length that stands in its brackets.
    pub(crate) fn array(self, length: &str) -> Result<Self, String> {
        if self.head == 0 {
            return Err("has places of no size".to_owned());
        }
        if length.is_empty() {
            return Ok(Self { form: Form::Array(Box::new(self), None), dynamic: true, head: WORD });
        }
        let length = length.parse().ok().filter(|length| (1..=FIXED_MAX).contains(length));
        let length = length.ok_or_else(|| format!("has not between 1 and {FIXED_MAX} places"))?;
        let (dynamic, head) = (self.dynamic, if self.dynamic { WORD } else { self.head.saturating_mul(length) });
        Ok(Self { form: Form::Array(Box::new(self), Some(length)), dynamic, head })
    }

    /// Whether data is the encoding of this tuple: of exactly its length where all of it is of fixed size. Bytes may
    /// follow what is dynamic, and the padding of the last of it may be missing, as old compilers leave it.
    pub(crate) fn holds(&self, data: &[u8]) -> bool {
        if !self.dynamic && data.len() != self.head {
            return false;
        }
        let mut words = data.len().div_ceil(WORD);
        Spot::outermost(self).holds(data, &mut words)
    }
}

/// Where a value stands in the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'s> {
    pub(crate) shape: &'s Shape,
    /// What offsets are counted from.
    frame: usize,
    at: usize,
    /// The outermost tuple stands at the beginning even where it is dynamic.
    outermost: bool,
}

impl<'s> Spot<'s> {
    pub(crate) fn outermost(shape: &'s Shape) -> Self {
        Self { shape, frame: 0, at: 0, outermost: true }
    }

    fn inner(shape: &'s Shape, frame: usize, at: usize) -> Self {
        Self { shape, frame, at, outermost: false }
    }

    /// Its word, where it is one.
    pub(crate) fn word(self, data: &[u8]) -> Option<B256> {
        word_at(data, self.at)
    }

    /// Where it begins.
    fn content(self, data: &[u8]) -> Option<usize> {
        if self.shape.dynamic && !self.outermost {
            self.frame.checked_add(size_at(data, self.at)?)
        } else {
            Some(self.at)
        }
    }

    /// The number of its places, where it is an array.
    pub(crate) fn length(self, data: &[u8]) -> Option<usize> {
        match self.shape.form {
            Form::Array(_, Some(length)) => Some(length),
            Form::Array(_, None) => size_at(data, self.content(data)?),
            _ => None,
        }
    }

    /// One of its places, where it is an array; below zero they are counted from its end.
    pub(crate) fn element(self, data: &[u8], index: isize) -> Option<Self> {
        let Form::Array(shape, fixed) = &self.shape.form else { return None };
        let length = self.length(data)?;
        let index = if index < 0 { length.checked_sub(index.unsigned_abs())? } else { index.unsigned_abs() };
        if index >= length {
            return None;
        }
        let begin = self.content(data)?.checked_add(if fixed.is_some() { 0 } else { WORD })?;
        Some(Self::inner(shape, begin, begin.checked_add(index.checked_mul(shape.head)?)?))
    }

    /// One of its members, where it is a tuple.
    pub(crate) fn member(self, data: &[u8], index: usize) -> Option<Self> {
        let Form::Tuple(members) = &self.shape.form else { return None };
        let (_, shape) = members.get(index)?;
        let begin = self.content(data)?;
        Some(Self::inner(shape, begin, begin.checked_add(width(members.iter().take(index)))?))
    }

    /// Its bytes, where it is `bytes` or `string`.
    pub(crate) fn bytes(self, data: &[u8]) -> Option<&[u8]> {
        let begin = self.content(data)?;
        let length = size_at(data, begin)?;
        let begin = begin.checked_add(WORD)?;
        data.get(begin..begin.checked_add(length)?)
    }

    /// Whether all of it is there, in no more than so many further words.
    fn holds(self, data: &[u8], words: &mut usize) -> bool {
        let mut spend = |count: usize| words.checked_sub(count).map(|left| *words = left).is_some();
        if self.shape.dynamic && !self.outermost && !spend(1) {
            return false;
        }
        match &self.shape.form {
            Form::Word(leaf) => spend(1) && self.word(data).is_some_and(|word| leaf.holds(&word)),
            Form::Bytes | Form::Text => {
                self.bytes(data).is_some_and(|bytes| spend(bytes.len().div_ceil(WORD).saturating_add(1)))
            }
            Form::Tuple(members) => {
                (0..members.len()).all(|index| self.member(data, index).is_some_and(|spot| spot.holds(data, words)))
            }
            Form::Array(_, fixed) => {
                if fixed.is_none() && !spend(1) {
                    return false;
                }
                let Some(length) = self.length(data) else { return false };
                // A place takes a word at least: this ends with the words.
                (0..length).all(|index| {
                    let spot = isize::try_from(index).ok().and_then(|index| self.element(data, index));
                    spot.is_some_and(|spot| spot.holds(data, words))
                })
            }
        }
    }
}

/// Bytes that members take in their tuple; what is too wide is no log's.
fn width<'s>(members: impl Iterator<Item = &'s (String, Shape)>) -> usize {
    members.fold(0, |width, (_, shape)| width.saturating_add(shape.head))
}

fn word_at(data: &[u8], at: usize) -> Option<B256> {
    data.get(at..at.checked_add(WORD)?).and_then(|word| B256::try_from(word).ok())
}

/// An offset or a length: none is beyond the data.
fn size_at(data: &[u8], at: usize) -> Option<usize> {
    let size = U256::from_be_bytes(word_at(data, at)?.0);
    usize::try_from(size).ok().filter(|size| *size <= data.len())
}
