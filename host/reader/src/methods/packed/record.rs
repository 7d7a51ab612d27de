//! Encodes the calldata of `call.yul`: reads as records, each without what it shares with the one before.

use alloy::primitives::Address;

use crate::reads::read_set::ReadSet;
use crate::{Kind, Read};

const STATIC: u8 = 0;
const ISOLATED: u8 = 1;
const BALANCE: u8 = 2;
const CODE_SIZE: u8 = 3;
const SAME_TARGET: u8 = 0x04;
const SAME_DATA: u8 = 0x08;
const OWN_CAP: u8 = 0x10;

/// The length of a record's data has two bytes.
const DATA_MAX_BYTES: usize = 0xffff;

/// Returns true if the program can make a read like this as it would be made alone: the sender is always the program.
pub(crate) fn may_pack(read: &Read) -> bool {
    let is_small = read.data.len() <= DATA_MAX_BYTES;
    read.from.is_none() && is_small && !matches!(read.kind, Kind::Simulation(_))
}

/// Returns the maximum number of bytes that the record of each read adds to the calldata after the previous one.
pub(crate) fn encoded_bytes<'a>(reads: &'a ReadSet, places: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let mut previous: Option<&Read> = None;
    reads.by_row(places).flat_map(move |(like, places)| {
        let repeats = |before: &Read| before.kind == Kind::Call && same(&before.data, &like.data);
        let data = match like.kind {
            Kind::Call if !previous.is_some_and(repeats) => size_of::<u16>() + like.data.len(),
            Kind::Call | Kind::NativeBalance | Kind::CodeSize | Kind::Simulation(_) => 0,
        };
        previous = Some(like);
        let record = record_bytes(like);
        std::iter::once(record + data).chain(std::iter::repeat_n(record, places.len() - 1))
    })
}

/// Returns the length of a record that shares the data of the one before it, but not its target.
fn record_bytes(read: &Read) -> usize {
    size_of::<u8>() + size_of::<Address>() + cap(read).map_or(0, |cap| size_of_val(&cap))
}

/// Compares data, which is mostly the very same.
fn same(one: &[u8], other: &[u8]) -> bool {
    std::ptr::eq(one, other) || one == other
}

/// Encodes the calldata for the reads at these places, of which there are at most [`super::READS_MAX`]; [`may_pack`]
/// must be true of each. `cap` is the gas of reads without their own.
pub(crate) fn encode(reads: &ReadSet, places: &[usize], cap: u32) -> Vec<u8> {
    let bytes: usize = encoded_bytes(reads, places).sum();
    let room = reads.by_row(places).map(|(like, _)| like.data.len()).max().unwrap_or_default();
    let mut calldata = Vec::with_capacity(HEAD_BYTES + bytes);
    calldata.push(0);
    calldata.extend(cap.to_be_bytes());
    calldata.extend(&(room as u64).to_be_bytes()[2..]);
    // The program starts with no target and no data.
    let (mut target, mut data) = (None, [].as_slice());
    for (like, places) in reads.by_row(places) {
        let mut targets = places.iter().map(|place| reads.target(*place));
        if let Some(first) = targets.next() {
            data = write(&mut calldata, like, first, target, data);
            target = Some(targets.fold(first, |_, to| write_in_row(&mut calldata, like, to)));
        }
    }
    calldata
}

/// Mode, cap, room.
const HEAD_BYTES: usize = 1 + 4 + 6;

/// Appends a record; returns the data that the next one may share.
fn write<'a>(calldata: &mut Vec<u8>, read: &'a Read, to: Address, target: Option<Address>, data: &'a [u8]) -> &'a [u8] {
    let own_data = if read.kind == Kind::Call { read.data.as_ref() } else { data };
    let (same_target, same_data) = (target == Some(to), same(own_data, data));
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    calldata.push(kind_and_cap(read) | flag(same_target, SAME_TARGET) | flag(same_data, SAME_DATA));
    if !same_target {
        calldata.extend_from_slice(to.as_slice());
    }
    if let Some(cap) = cap(read) {
        calldata.extend(cap.to_be_bytes());
    }
    if !same_data {
        calldata.extend(&(own_data.len() as u64).to_be_bytes()[6..]);
        calldata.extend_from_slice(own_data);
    }
    own_data
}

/// Appends the record of a read that differs from the one before it at most in its target, and returns the target. A
/// chunk has thousands of them.
fn write_in_row(calldata: &mut Vec<u8>, read: &Read, to: Address) -> Address {
    let mut record = [kind_and_cap(read) | SAME_DATA; size_of::<u8>() + size_of::<Address>()];
    record[1..].copy_from_slice(to.as_slice());
    calldata.extend_from_slice(&record);
    if let Some(cap) = cap(read) {
        calldata.extend_from_slice(&cap.to_be_bytes());
    }
    to
}

fn kind_and_cap(read: &Read) -> u8 {
    let kind = match read.kind {
        Kind::Call if read.isolated => ISOLATED,
        Kind::Call | Kind::Simulation(_) => STATIC,
        Kind::NativeBalance => BALANCE,
        Kind::CodeSize => CODE_SIZE,
    };
    if cap(read).is_some() { kind | OWN_CAP } else { kind }
}

/// Returns the gas cap in a read's record; only calls have one.
fn cap(read: &Read) -> Option<u32> {
    read.gas_cap.filter(|_| read.kind == Kind::Call)
}
