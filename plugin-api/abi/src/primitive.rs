//! Alloy's primitives in CBOR maps: addresses and words as byte strings of 20 and 32 bytes.
//!
//! Use it as `#[cbor(n(…), with = "portolan_abi::primitive", has_nil)]`; only optional fields have `has_nil`.
//! Invariant: a byte string of any other length is an error.

use alloy::primitives::{Address, B256, Bytes, U256};
use minicbor::bytes::DecodeBytes;
use minicbor::data::Type;
use minicbor::decode::Error;
use minicbor::encode::Write;
use minicbor::{Decoder, Encoder};

/// Types that this codec handles: a primitive, a list of primitives, or an optional one of either.
pub trait Primitive: Sized {
    /// Writes the value.
    ///
    /// # Errors
    /// Errors of the writer.
    fn write<W: Write>(&self, encoder: &mut Encoder<W>) -> Result<(), minicbor::encode::Error<W::Error>>;

    /// Reads a value.
    ///
    /// # Errors
    /// If the bytes are anything but such a value.
    fn read(decoder: &mut Decoder<'_>) -> Result<Self, Error>;

    /// Returns true if the field is left out of its map.
    fn is_absent(&self) -> bool {
        false
    }

    /// Returns the value of a missing field, or `None` if it is required.
    fn absent() -> Option<Self> {
        None
    }
}

impl Primitive for Address {
    fn write<W: Write>(&self, encoder: &mut Encoder<W>) -> Result<(), minicbor::encode::Error<W::Error>> {
        encoder.bytes(self.as_slice())?.ok()
    }

    fn read(decoder: &mut Decoder<'_>) -> Result<Self, Error> {
        <[u8; 20]>::decode_bytes(decoder, &mut ()).map(Self::from)
    }
}

impl Primitive for B256 {
    fn write<W: Write>(&self, encoder: &mut Encoder<W>) -> Result<(), minicbor::encode::Error<W::Error>> {
        encoder.bytes(self.as_slice())?.ok()
    }

    fn read(decoder: &mut Decoder<'_>) -> Result<Self, Error> {
        <[u8; 32]>::decode_bytes(decoder, &mut ()).map(Self::from)
    }
}

/// Big-endian.
impl Primitive for U256 {
    fn write<W: Write>(&self, encoder: &mut Encoder<W>) -> Result<(), minicbor::encode::Error<W::Error>> {
        encoder.bytes(&self.to_be_bytes::<32>())?.ok()
    }

    fn read(decoder: &mut Decoder<'_>) -> Result<Self, Error> {
        <[u8; 32]>::decode_bytes(decoder, &mut ()).map(Self::from_be_bytes)
    }
}

/// Any length.
impl Primitive for Bytes {
    fn write<W: Write>(&self, encoder: &mut Encoder<W>) -> Result<(), minicbor::encode::Error<W::Error>> {
        encoder.bytes(self)?.ok()
    }

    fn read(decoder: &mut Decoder<'_>) -> Result<Self, Error> {
        decoder.bytes().map(Self::copy_from_slice)
    }
}

impl<T: Primitive> Primitive for Vec<T> {
    fn write<W: Write>(&self, encoder: &mut Encoder<W>) -> Result<(), minicbor::encode::Error<W::Error>> {
        encoder.array(self.len() as u64)?;
        self.iter().try_for_each(|value| value.write(encoder))
    }

    fn read(decoder: &mut Decoder<'_>) -> Result<Self, Error> {
        let at = decoder.position();
        let len = decoder.array()?.ok_or_else(|| Error::message("an array without a length").at(at))?;
        // Grown as it is read: the declared length is untrusted.
        let mut list = Self::new();
        for _ in 0..len {
            list.push(T::read(decoder)?);
        }
        Ok(list)
    }
}

/// Absent or null; some writers encode `None` as null.
impl<T: Primitive> Primitive for Option<T> {
    fn write<W: Write>(&self, encoder: &mut Encoder<W>) -> Result<(), minicbor::encode::Error<W::Error>> {
        match self {
            Some(value) => value.write(encoder),
            None => encoder.null()?.ok(),
        }
    }

    fn read(decoder: &mut Decoder<'_>) -> Result<Self, Error> {
        if decoder.datatype()? == Type::Null {
            decoder.skip()?;
            return Ok(None);
        }
        T::read(decoder).map(Some)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Encodes with [`Primitive::write`], for minicbor's derive.
///
/// # Errors
/// Errors of the writer.
pub fn encode<T: Primitive, C, W: Write>(
    value: &T,
    encoder: &mut Encoder<W>,
    _: &mut C,
) -> Result<(), minicbor::encode::Error<W::Error>> {
    value.write(encoder)
}

/// Decodes with [`Primitive::read`], for minicbor's derive.
///
/// # Errors
/// As [`Primitive::read`].
pub fn decode<T: Primitive, C>(decoder: &mut Decoder<'_>, _: &mut C) -> Result<T, Error> {
    T::read(decoder)
}

/// Calls [`Primitive::is_absent`], for minicbor's derive.
pub fn is_nil<T: Primitive>(value: &T) -> bool {
    value.is_absent()
}

/// Calls [`Primitive::absent`], for minicbor's derive.
pub fn nil<T: Primitive>() -> Option<T> {
    T::absent()
}
