//! Encodes the calldata and decodes the reply of `simulate.yul`: runs of one account as records, each with its gas.

use alloy::primitives::Address;

use super::request;
use crate::Read;
use crate::methods::packed::{Head, Malformed, bytes, length, split_head, take};

const HEX: &[u8] = include_bytes!("simulate.hex");

/// Runtime code of `simulate.yul`.
pub(crate) const PROGRAM: &[u8] = &bytes::<{ HEX.len() / 2 }>(HEX);

/// The first bytes of the program's reply.
const MAGIC: [u8; 4] = *b"PTNS";

/// The mode that makes all runs.
const ALL: u8 = 0;

/// Gas that the program measures besides the call itself: access to a warm account, and its own instructions.
pub(super) const CALL_GAS: u64 = 131;
/// Further gas of a call with value: 9,000, of which 2,300 are given to the target.
pub(super) const VALUE_GAS: u64 = 6_700;

/// Returns the bytes that this run adds to the calldata.
pub(crate) fn encoded_bytes(read: &Read) -> usize {
    RECORD_BYTES + body(read).len()
}

/// Length, cap.
const RECORD_BYTES: usize = 3 + 4;
/// Mode, account, room.
const HEAD_BYTES: usize = 1 + 20 + 3;

fn body(run: &Read) -> &[u8] {
    request::body(&run.data).unwrap_or_default()
}

/// Encodes the calldata for runs of this account.
pub(crate) fn encode<'a>(account: Address, runs: impl Iterator<Item = &'a Read> + Clone) -> Vec<u8> {
    let room = runs.clone().map(|run| body(run).len()).max().unwrap_or_default();
    let mut calldata = Vec::with_capacity(HEAD_BYTES + runs.clone().map(encoded_bytes).sum::<usize>());
    calldata.push(ALL);
    calldata.extend_from_slice(account.as_slice());
    calldata.extend_from_slice(&(room as u64).to_be_bytes()[5..]);
    for run in runs {
        let body = body(run);
        calldata.extend_from_slice(&(body.len() as u64).to_be_bytes()[5..]);
        calldata.extend(run.gas_cap.unwrap_or(super::PACKED_STEP_GAS).to_be_bytes());
        calldata.extend_from_slice(body);
    }
    calldata
}

/// Decodes the results of the first `done` of `count` runs; empty if one used up its gas.
pub(crate) fn decode(reply: &[u8], count: usize) -> Result<(Head, Vec<&[u8]>), Malformed> {
    let (head, mut rest) = split_head(MAGIC, reply, count)?;
    let mut runs = Vec::with_capacity(head.done);
    for _ in 0..head.done {
        let bytes = length(&mut rest, 3)?;
        runs.push(take(&mut rest, bytes)?);
    }
    if rest.is_empty() { Ok((head, runs)) } else { Err(Malformed::Count) }
}
