//! The calldata of `call.yul`: reads as records, each without what it shares with the one before.

use alloy::primitives::Address;

use crate::Kind;
use crate::multicall::MULTICALL3;
use crate::read_set::ReadRef;

const STATIC: u8 = 0;
const ISOLATED: u8 = 1;
const BALANCE: u8 = 2;
const CODE_SIZE: u8 = 3;
const SAME_TARGET: u8 = 0x04;
const SAME_DATA: u8 = 0x08;
const OWN_CAP: u8 = 0x10;

/// The length of a record's data has two bytes.
const DATA_MAX_BYTES: usize = 0xffff;

/// Whether the program can make this read as it would be made alone: it is always the sender, and it hides the code
/// that its own address has.
pub(crate) fn may_pack(read: ReadRef<'_>) -> bool {
    read.like.from.is_none() && read.to != MULTICALL3 && read.like.data.len() <= DATA_MAX_BYTES
}

/// What a record adds to the calldata behind the previous one, at most.
pub(crate) fn encoded_bytes(previous: Option<ReadRef<'_>>, read: ReadRef<'_>) -> usize {
    let target = if previous.is_some_and(|before| before.to == read.to) { 0 } else { size_of::<Address>() };
    let cap = read.like.gas_cap.map_or(0, |cap| size_of_val(&cap));
    let repeats = |before: ReadRef<'_>| before.like.kind == Kind::Call && same(&before.like.data, &read.like.data);
    let data = match read.like.kind {
        Kind::Call if previous.is_some_and(repeats) => 0,
        Kind::Call => size_of::<u16>() + read.like.data.len(),
        Kind::NativeBalance | Kind::CodeSize => 0,
    };
    size_of::<u8>() + target + cap + data
}

/// Compares data, which is mostly the very same.
fn same(one: &[u8], other: &[u8]) -> bool {
    std::ptr::eq(one, other) || one == other
}

/// Encodes the calldata for reads that [`may_pack`], [`super::READS_MAX`] at most. `cap` is the gas of reads without
/// their own.
pub(crate) fn encode<'a>(reads: impl Iterator<Item = ReadRef<'a>> + Clone, cap: u32) -> Vec<u8> {
    let (mut bytes, mut room, mut previous) = (0, 0, None);
    for read in reads.clone() {
        bytes += encoded_bytes(previous, read);
        room = room.max(read.like.data.len());
        previous = Some(read);
    }
    let mut calldata = Vec::with_capacity(HEAD_BYTES + bytes);
    calldata.push(0);
    calldata.extend(cap.to_be_bytes());
    calldata.extend(&(room as u64).to_be_bytes()[2..]);
    // The program starts with no target and no data.
    let (mut target, mut data) = (None, [].as_slice());
    for read in reads {
        (target, data) = write(&mut calldata, read, target, data);
    }
    calldata
}

/// Mode, cap, room.
const HEAD_BYTES: usize = 1 + 4 + 6;

/// Appends a record; returns the target and the data that the next one may share.
fn write<'a>(
    calldata: &mut Vec<u8>,
    ReadRef { to, like: read }: ReadRef<'a>,
    target: Option<Address>,
    data: &'a [u8],
) -> (Option<Address>, &'a [u8]) {
    let (kind, own_data, cap) = match read.kind {
        Kind::Call => (if read.isolated { ISOLATED } else { STATIC }, read.data.as_ref(), read.gas_cap),
        Kind::NativeBalance => (BALANCE, data, None),
        Kind::CodeSize => (CODE_SIZE, data, None),
    };
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    let (same_target, same_data) = (target == Some(to), same(own_data, data));
    let flags = flag(same_target, SAME_TARGET) | flag(same_data, SAME_DATA) | flag(cap.is_some(), OWN_CAP);
    calldata.push(kind | flags);
    if !same_target {
        calldata.extend_from_slice(to.as_slice());
    }
    if let Some(cap) = cap {
        calldata.extend(cap.to_be_bytes());
    }
    if !same_data {
        calldata.extend(&(own_data.len() as u64).to_be_bytes()[6..]);
        calldata.extend_from_slice(own_data);
    }
    (Some(to), own_data)
}
