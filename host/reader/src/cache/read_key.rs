//! A network and a read as bytes, for what outlives the process.
//!
//! Invariant: every read has one key, and no two reads share one; its freshness is not part of it. Every change needs
//! a new layout of what has such keys: of the tables on disk, and of shared facts.

use alloy::primitives::{Address, Bytes};

use crate::reads::read_set::ReadRef;
use crate::{Freshness, Kind, Read};

const FROM: u8 = 1;
const ISOLATED: u8 = 2;
const GAS_CAP: u8 = 4;

/// The codes of the kinds, which never change.
const KINDS: [(Kind, u8); 3] = [(Kind::Call, 0), (Kind::NativeBalance, 1), (Kind::CodeSize, 2)];

/// Encodes `chain id (8) | kind | flags | to (20) | from (20, if flagged) | gas cap (4, if flagged) | data`.
pub(crate) fn encode(chain_id: u64, read: ReadRef<'_>) -> Vec<u8> {
    let (to, data, kind, from, isolated, gas_cap) = read.question();
    let code = KINDS.iter().find_map(|(known, code)| (*known == kind).then_some(*code)).unwrap_or(u8::MAX);
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let flags = flag(from.is_some(), FROM) | flag(isolated, ISOLATED) | flag(gas_cap.is_some(), GAS_CAP);
    let mut key = Vec::with_capacity(54 + data.len());
    key.extend_from_slice(&chain_id.to_be_bytes());
    key.extend_from_slice(&[code, flags]);
    key.extend_from_slice(to.as_slice());
    key.extend(from.iter().flat_map(|from| from.as_slice()));
    key.extend(gas_cap.iter().flat_map(|cap| cap.to_be_bytes()));
    key.extend_from_slice(data);
    key
}

/// Decodes the network and the read, which is immutable; `None` if this program did not write the bytes.
pub(crate) fn decode(key: &[u8]) -> Option<(u64, Read)> {
    let (chain_id, rest) = key.split_first_chunk()?;
    let (&[code, flags], rest) = rest.split_first_chunk()?;
    let (to, rest) = rest.split_first_chunk::<20>()?;
    let (from, rest) = optional::<20>(flags & FROM != 0, rest)?;
    let (gas_cap, data) = optional(flags & GAS_CAP != 0, rest)?;
    if flags & !(FROM | ISOLATED | GAS_CAP) != 0 {
        return None;
    }
    let read = Read {
        kind: KINDS.iter().find_map(|(kind, known)| (*known == code).then_some(*kind))?,
        to: Address::from(to),
        data: Bytes::copy_from_slice(data),
        from: from.map(Address::from),
        freshness: Freshness::Immutable,
        isolated: flags & ISOLATED != 0,
        gas_cap: gas_cap.map(|cap| u32::from_be_bytes(*cap)),
    };
    Some((u64::from_be_bytes(*chain_id), read))
}

type Split<'a, const N: usize> = (Option<&'a [u8; N]>, &'a [u8]);

fn optional<const N: usize>(is: bool, bytes: &[u8]) -> Option<Split<'_, N>> {
    if is { bytes.split_first_chunk().map(|(first, rest)| (Some(first), rest)) } else { Some((None, bytes)) }
}
