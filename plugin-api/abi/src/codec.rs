//! Encodes and decodes CBOR maps; all maps pass through here.
//!
//! Invariant: [`decode`] never panics, never recurses deeper than [`NESTING_MAX`] and never builds more than
//! [`VALUES_MAX`] values, whatever the bytes.

use minicbor::data::Type;
use minicbor::{Decode, Decoder, Encode};

/// Maximum nesting of arrays and maps. A finding with a tuple of tuples needs seven.
pub const NESTING_MAX: usize = 16;

/// Maximum number of values in a map, nested ones included. One encoded byte may take hundreds of bytes in memory.
/// 5,000 events of twelve members, a job's maximum, take half of it.
pub const VALUES_MAX: usize = 1 << 20;

/// Why bytes could not be decoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Nested deeper than [`NESTING_MAX`].
    #[error("nested deeper than {NESTING_MAX}")]
    TooDeep,
    /// More values than [`VALUES_MAX`].
    #[error("more than {VALUES_MAX} values")]
    TooMany,
    /// An indefinite-length string, array or map; only definite lengths are allowed.
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

/// Decodes a whole map, after checking its nesting and its size.
///
/// # Errors
/// [`DecodeError`] for anything that is not exactly one well-formed value of this shape.
pub fn decode<'b, T: Decode<'b, ()>>(bytes: &'b [u8]) -> Result<T, DecodeError> {
    check(bytes)?;
    Ok(minicbor::decode(bytes)?)
}

/// Walks one value without building it. Checks for definite lengths, bounded nesting and count, and no trailing bytes.
fn check(bytes: &[u8]) -> Result<(), DecodeError> {
    let mut decoder = Decoder::new(bytes);
    let mut open: Vec<u64> = vec![1];
    let mut room = VALUES_MAX;
    while let Some(left) = open.last_mut() {
        if *left == 0 {
            open.pop();
            continue;
        }
        *left -= 1;
        room = room.checked_sub(1).ok_or(DecodeError::TooMany)?;
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
    fn values_are_counted_before_anything_is_built() {
        let list =
            |count: usize| [&[0x9a][..], &u32::try_from(count).unwrap().to_be_bytes(), &vec![0xa0; count]].concat();
        assert!(check(&list(VALUES_MAX - 1)).is_ok());
        assert!(matches!(check(&list(VALUES_MAX)), Err(DecodeError::TooMany)));
        assert!(matches!(decode::<Vec<u8>>(&list(VALUES_MAX)), Err(DecodeError::TooMany)));
    }

    #[test]
    fn bytes_after_the_value_are_an_error() {
        assert!(matches!(check(&[0x01, 0x02]), Err(DecodeError::Trailing(1))));
    }
}
