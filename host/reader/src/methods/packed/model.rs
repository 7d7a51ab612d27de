//! A second implementation of the program, in Rust and independent of the codec, for tests that need a node.

use alloy::primitives::{Address, Bytes};

use super::CallResult;
use crate::Block;

/// One read, as the program makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) how: How,
    pub(crate) to: Address,
    pub(crate) data: Bytes,
    pub(crate) cap: u32,
    pub(crate) own_cap: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Static,
    Isolated,
    Balance,
    CodeSize,
}

/// Runs `call.yul`: `outcome` answers each read, and the gas suffices for `done_max` of them.
pub(crate) fn run(
    calldata: &[u8],
    chain_id: u64,
    block: &Block,
    done_max: usize,
    mut outcome: impl FnMut(&Call) -> CallResult,
) -> Vec<u8> {
    assert_eq!(calldata[0], 0, "only whole requests");
    let cap = u32::from_be_bytes(calldata[1..5].try_into().unwrap());
    let mut at = 11;
    let mut before = Call { how: How::Static, to: Address::ZERO, data: Bytes::new(), cap, own_cap: false };
    let mut done = 0;
    let mut entries = Vec::new();
    let mut zeros = 0_u16;
    while at < calldata.len() && done < done_max {
        let call = record(calldata, &mut at, &before, cap);
        let result = outcome(&call);
        let common = call.how == How::Static && calldata_is_common(&call, &before);
        if common && result == CallResult::Ok(vec![0; 32].into()) {
            zeros += 1;
        } else {
            flush(&mut entries, &mut zeros);
            entry(&mut entries, &result);
        }
        done += 1;
        before = call;
    }
    flush(&mut entries, &mut zeros);
    [head(b"PTNC", chain_id, block, done), entries].concat()
}

fn calldata_is_common(call: &Call, before: &Call) -> bool {
    !call.own_cap && call.to != before.to && call.data == before.data
}

fn record(calldata: &[u8], at: &mut usize, before: &Call, cap: u32) -> Call {
    let mut next = |bytes: usize| {
        *at += bytes;
        &calldata[*at - bytes..*at]
    };
    let flags = next(1)[0];
    let to = if flags & 0x04 == 0 { Address::from_slice(next(20)) } else { before.to };
    let own_cap = flags & 0x10 != 0;
    let cap = if own_cap { u32::from_be_bytes(next(4).try_into().unwrap()) } else { cap };
    let data = if flags & 0x08 == 0 {
        let bytes = u16::from_be_bytes(next(2).try_into().unwrap());
        Bytes::copy_from_slice(next(bytes.into()))
    } else {
        before.data.clone()
    };
    let how = [How::Static, How::Isolated, How::Balance, How::CodeSize][usize::from(flags & 3)];
    Call { how, to, data, cap, own_cap }
}

pub(crate) fn head(magic: &[u8; 4], chain_id: u64, block: &Block, done: usize) -> Vec<u8> {
    let mut head = magic.to_vec();
    for number in [block.evm_number, block.timestamp, 30_000_000, 29_000_000] {
        head.extend(&number.to_be_bytes()[3..]);
    }
    head.extend(&done.to_be_bytes()[5..]);
    head.extend(chain_id.to_be_bytes());
    head.extend(block.parent);
    head
}

fn flush(entries: &mut Vec<u8>, zeros: &mut u16) {
    if *zeros > 0 {
        entries.push(0);
        entries.extend(zeros.to_be_bytes());
        *zeros = 0;
    }
}

fn entry(entries: &mut Vec<u8>, result: &CallResult) {
    match result {
        CallResult::Ok(data) if data.len() > 1 << 20 => entries.push(0x26),
        CallResult::Ok(data) if data.len() % 32 == 0 && (1..=32).contains(&(data.len() / 32)) => {
            entries.push(u8::try_from(data.len() / 32).unwrap());
            for word in data.chunks(32) {
                let zeros = word.iter().take_while(|byte| **byte == 0).count();
                entries.push(u8::try_from(32 - zeros).unwrap());
                entries.extend(&word[zeros..]);
            }
        }
        CallResult::Ok(data) => raw(entries, 0x22, data),
        CallResult::Reverted(data) if data.len() > 4096 => entries.push(0x26),
        CallResult::Reverted(data) => raw(entries, 0x23, data),
        CallResult::NoCode => entries.push(0x24),
        CallResult::GasCapped => entries.push(0x25),
        CallResult::TooLong => entries.push(0x26),
    }
}

fn raw(entries: &mut Vec<u8>, kind: u8, data: &[u8]) {
    entries.push(kind);
    entries.extend(&data.len().to_be_bytes()[5..]);
    entries.extend(data);
}
