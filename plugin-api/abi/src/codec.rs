//! CBOR in and out: the one door through which maps pass.
//!
//! Invariant: [`decode`] never panics and never recurses deeper than [`NESTING_MAX`], whatever the bytes.

use minicbor::data::Type;
use minicbor::{Decode, Decoder, Encode};

/// The deepest nesting of arrays and maps; a finding with a tuple of tuples needs seven.
pub const NESTING_MAX: usize = 16;

/// Why bytes are not the map that they should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Arrays and maps stand deeper in each other than [`NESTING_MAX`].
    #[error("nested deeper than {NESTING_MAX}")]
    TooDeep,
    /// A string, array or map without a length; this interface writes lengths only.
    #[error("indefinite length at byte {0}")]
    Indefinite(usize),
    /// Bytes follow the value.
    #[error("{0} bytes after the end")]
    Trailing(usize),
    /// Not CBOR, or not of the expected shape.
    #[error("malformed: {0}")]
    Malformed(#[from] minicbor::decode::Error),
}

/// Encodes a map; writing to memory cannot fail.
pub fn encode<T: Encode<()>>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    match minicbor::encode(value, &mut out) {
        Ok(()) => out,
        Err(never) => unreachable!("a Vec takes every byte: {never}"),
    }
}

/// Decodes a whole map, after a look at its nesting.
///
/// # Errors
/// [`DecodeError`] for anything that is not exactly one well-formed value of this shape.
pub fn decode<'b, T: Decode<'b, ()>>(bytes: &'b [u8]) -> Result<T, DecodeError> {
    check(bytes)?;
    Ok(minicbor::decode(bytes)?)
}

/// Walks one value without building it: definite lengths, bounded nesting, nothing after it.
fn check(bytes: &[u8]) -> Result<(), DecodeError> {
    let mut decoder = Decoder::new(bytes);
    let mut open: Vec<u64> = vec![1];
    while let Some(left) = open.last_mut() {
        if *left == 0 {
            open.pop();
            continue;
        }
        *left -= 1;
        let at = decoder.position();
        match decoder.datatype()? {
            Type::Array => open.push(decoder.array()?.unwrap_or(0)),
            Type::Map => open.push(decoder.map()?.unwrap_or(0).saturating_mul(2)),
            Type::Tag => {
                decoder.tag()?;
                open.push(1);
            }
            Type::ArrayIndef | Type::MapIndef | Type::BytesIndef | Type::StringIndef => {
                return Err(DecodeError::Indefinite(at));
            }
            _ => decoder.skip()?,
        }
        if open.len() > NESTING_MAX + 1 {
            return Err(DecodeError::TooDeep);
        }
    }
    match bytes.len() - decoder.position() {
        0 => Ok(()),
        left => Err(DecodeError::Trailing(left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_bounded_before_anything_recurses() {
        let deep = vec![0x81_u8; 1_000_000];
        assert!(matches!(check(&deep), Err(DecodeError::TooDeep)));
    }

    #[test]
    fn a_length_that_the_bytes_do_not_have_is_an_error() {
        let array_of_2_to_the_64 = [0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert!(check(&array_of_2_to_the_64).is_err());
    }

    #[test]
    fn bytes_after_the_value_are_an_error() {
        assert!(matches!(check(&[0x01, 0x02]), Err(DecodeError::Trailing(1))));
    }
}
