//! Decodes the reply of `call.yul`: entries of many kinds, words without their leading zeros.

use alloy::primitives::Bytes;
use bytes::BytesMut;

use super::{CallResult, Head, MAGIC, Malformed, big_endian, split_head, take};
use crate::reads::outcomes::ZERO_WORD;

const RUN: u8 = 0x00;
const WORDS_MAX: u8 = 0x20;
const RAW: u8 = 0x22;
const REVERTED: u8 = 0x23;
const NO_CODE: u8 = 0x24;
const CAPPED: u8 = 0x25;
const LONG: u8 = 0x26;

/// Decodes the results of the first `done` of `count` reads, by place. Reads that are not named returned a zero word.
/// The bytes of all replies share one allocation.
pub(crate) fn decode(reply: &[u8], count: usize) -> Result<(Head, Vec<(usize, CallResult)>), Malformed> {
    let (head, mut rest) = split_head(MAGIC, reply, count)?;
    let (mut named, mut place) = (Vec::new(), 0);
    let mut buffer = BytesMut::with_capacity(2 * rest.len());
    while let Some((&kind, entry)) = rest.split_first() {
        rest = entry;
        let one = match kind {
            RUN => {
                let run = length(&mut rest, 2)?;
                if run > head.done - place {
                    return Err(Malformed::Count);
                }
                place += run;
                continue;
            }
            words @ 1..=WORDS_MAX => {
                for _ in 0..words {
                    push_word(&mut rest, &mut buffer)?;
                }
                CallResult::Ok(buffer.split().freeze().into())
            }
            RAW => CallResult::Ok(raw(&mut rest, &mut buffer)?),
            REVERTED => CallResult::Reverted(raw(&mut rest, &mut buffer)?),
            NO_CODE => CallResult::NoCode,
            CAPPED => CallResult::GasCapped,
            LONG => CallResult::TooLong,
            unknown => return Err(Malformed::Kind(unknown)),
        };
        if place == head.done {
            return Err(Malformed::Count);
        }
        named.push((place, one));
        place += 1;
    }
    if place < head.done {
        return Err(Malformed::Count);
    }
    Ok((head, named))
}

/// Takes a length of this many bytes from `rest`.
pub(crate) fn length(rest: &mut &[u8], bytes: usize) -> Result<usize, Malformed> {
    usize::try_from(big_endian(take(rest, bytes)?)).map_err(|_| Malformed::Short)
}

fn push_word(rest: &mut &[u8], buffer: &mut BytesMut) -> Result<(), Malformed> {
    let significant = take_significant(rest)?;
    buffer.extend_from_slice(&ZERO_WORD[significant.len()..]);
    buffer.extend_from_slice(significant);
    Ok(())
}

/// Takes a word's bytes without its leading zeros.
fn take_significant<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    match take(rest, 1)? {
        &[bytes @ 0..=WORDS_MAX] => take(rest, bytes.into()),
        &[unknown, ..] => Err(Malformed::Kind(unknown)),
        [] => Err(Malformed::Short),
    }
}

fn raw(rest: &mut &[u8], buffer: &mut BytesMut) -> Result<Bytes, Malformed> {
    let bytes = length(rest, 3)?;
    buffer.extend_from_slice(take(rest, bytes)?);
    Ok(buffer.split().freeze().into())
}
