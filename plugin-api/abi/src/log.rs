//! The logs of a transaction as a frame of [`row::LogRow`]s. The host writes it, plugins read it.
//!
//! Invariant: any bytes decode to logs or an error. The data of a log is a slice of them, not a copy.

use alloy::primitives::{Address, B256, Bytes};

use crate::frame::{Frame, FrameError, FrameWriter, transaction};
use crate::row;

/// One log of a receipt. The number of topics and the length of the data are not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Index in the block: `logIndex` of JSON-RPC.
    pub index: u64,
    /// The contract that emitted it.
    pub address: Address,
    /// Indexed arguments; the first topic is the event's hash unless the event is anonymous.
    pub topics: Vec<B256>,
    /// ABI encoding of the other arguments.
    pub data: Bytes,
}

/// Encodes the value of [`crate::map::Transaction::logs`].
///
/// # Errors
/// [`FrameError::TooLarge`] if the bytes exceed a frame or a log has more than 255 topics.
pub fn encode<'a>(logs: impl IntoIterator<Item = &'a Log>) -> Result<Bytes, FrameError> {
    let mut frame = FrameWriter::default();
    for Log { index, address, topics, data } in logs {
        let count = u8::try_from(topics.len()).map_err(|_| FrameError::TooLarge)?;
        let words: Vec<[u8; 32]> = topics.iter().map(|topic| topic.0).collect();
        let (topics_offset, _) = frame.bytes(words.as_flattened())?;
        let (data_offset, data_len) = frame.bytes(data)?;
        let (index, address) = (*index, *address);
        frame.row(
            transaction::LOGS,
            &row::LogRow { address, topics: count, index, topics_offset, data_offset, data_len },
        );
    }
    frame.finish().map(Bytes::from)
}

/// Decodes the value of [`crate::map::Transaction::logs`], in the order of the receipt.
///
/// # Errors
/// [`FrameError`] for a malformed frame or a log that points outside of it.
pub fn decode(bytes: &Bytes) -> Result<Vec<Log>, FrameError> {
    let frame = Frame::parse(bytes)?;
    let read = |row: row::LogRow| {
        let topics = frame.bytes(row.topics_offset, u32::from(row.topics) * TOPIC_BYTES)?;
        let (topics, _) = topics.as_chunks();
        let data = bytes.slice_ref(frame.bytes(row.data_offset, row.data_len)?);
        Ok(Log { index: row.index, address: row.address, topics: topics.iter().map(B256::from).collect(), data })
    };
    frame.rows::<row::LogRow>(transaction::LOGS).map(read).collect()
}

const TOPIC_BYTES: u32 = 32;
