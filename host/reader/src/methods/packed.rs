//! Packed calls: one `eth_call` whose state override puts a small program at Multicall3's address. The program makes
//! all reads of a chunk and replies to them together, with a proof of the chain and of the block.
//!
//! Invariant: decoders take any bytes, and a reply is this program's or malformed. The batch decides which reads a
//! request carries, and what happens to reads that were not done or used up their gas.

#[cfg(test)]
pub(crate) mod model;
mod program;
mod record;
mod reply;
#[cfg(test)]
mod tests;

use alloy::primitives::{B256, Bytes};

pub(crate) use self::program::{PROGRAM, READS_MAX, bytes};
pub(crate) use self::record::{encode, encoded_bytes, may_pack};
pub(crate) use self::reply::{decode, length};

/// The first bytes of a reply of `call.yul`; a reply without them is not the program's.
const MAGIC: [u8; 4] = *b"PTNC";

/// The program's report besides the reads. Invariant: `done` is at most the number of reads in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// `block.chainid`, as contracts see it.
    pub(crate) chain_id: u64,
    /// `block.number`, as contracts see it.
    pub(crate) number: u64,
    pub(crate) timestamp: u64,
    pub(crate) parent: B256,
    /// Gas left when the program began, so without the cost of the calldata.
    pub(crate) gas_start: u64,
    pub(crate) gas_end: u64,
    /// Number of reads that were made, from the first on. The gas did not suffice for the rest.
    pub(crate) done: usize,
}

/// The result of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallResult {
    Ok(Bytes),
    Reverted(Bytes),
    NoCode,
    /// It used up its gas, or may have. That is the outcome if it has its own cap.
    GasCapped,
    /// Its reply was too long to be carried, so it is to be read alone.
    TooLong,
}

/// Reason why bytes are not a reply of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    /// Most likely, the override was ignored.
    #[error("the reply is of another program")]
    Foreign,
    #[error("the reply is of chain {0}")]
    OtherChain(u64),
    #[error("the reply ends within an entry")]
    Short,
    #[error("the reply has an entry of unknown kind {0:#04x}")]
    Kind(u8),
    #[error("the reply has another number of reads than it says or the request had")]
    Count,
}

/// Splits the head, which begins with these bytes, from a program's reply.
pub(crate) fn split_head(magic: [u8; 4], reply: &[u8], count: usize) -> Result<(Head, &[u8]), Malformed> {
    let mut rest = reply.strip_prefix(&magic).ok_or(Malformed::Foreign)?;
    let mut number = |bytes| take(&mut rest, bytes).map(big_endian);
    let (evm_number, timestamp, gas_start, gas_end) = (number(5)?, number(5)?, number(5)?, number(5)?);
    let done = usize::try_from(number(3)?).map_err(|_| Malformed::Count)?;
    let chain_id = number(8)?;
    let parent = B256::from_slice(take(&mut rest, B256::len_bytes())?);
    if done > count {
        return Err(Malformed::Count);
    }
    Ok((Head { chain_id, number: evm_number, timestamp, parent, gas_start, gas_end, done }, rest))
}

/// Takes the first bytes from `rest`.
pub(crate) fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> Result<&'a [u8], Malformed> {
    let (taken, left) = rest.split_at_checked(bytes).ok_or(Malformed::Short)?;
    *rest = left;
    Ok(taken)
}

/// Reads a number of at most eight bytes.
pub(crate) fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
