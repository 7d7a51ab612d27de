//! The logs of a transaction as bytes: a frame of [`row::Log`]s. The host writes it, a plugin reads it.
//!
//! Invariant: any bytes read as logs or as an error, and what is read points into them.

use std::borrow::Cow;

use crate::frame::{Frame, FrameError, FrameWriter, transaction};
use crate::row;

/// A log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log<'a> {
    /// Place in its block, as JSON-RPC's `logIndex`.
    pub index: u64,
    /// The contract that emitted it.
    pub contract: [u8; 20],
    /// Its topics.
    pub topics: Cow<'a, [[u8; 32]]>,
    /// Its data.
    pub data: &'a [u8],
}

/// The value of [`crate::map::Transaction::logs`].
///
/// # Errors
/// [`FrameError::TooLarge`] for more bytes than a frame takes, or more than 255 topics of a log.
pub fn encode<'a>(logs: impl IntoIterator<Item = Log<'a>>) -> Result<Vec<u8>, FrameError> {
    let mut frame = FrameWriter::default();
    for log in logs {
        let topics = u8::try_from(log.topics.len()).map_err(|_| FrameError::TooLarge)?;
        let (topics_offset, _) = frame.bytes(log.topics.as_flattened())?;
        let (data_offset, data_len) = frame.bytes(log.data)?;
        let Log { index, contract, .. } = log;
        frame.row(transaction::LOGS, &row::Log { contract, topics, index, topics_offset, data_offset, data_len });
    }
    frame.finish()
}

/// The logs of [`crate::map::Transaction::logs`], in the order of the receipt.
///
/// # Errors
/// [`FrameError`] for bytes that are no frame, or a log that points outside of it.
pub fn decode(bytes: &[u8]) -> Result<Vec<Log<'_>>, FrameError> {
    let frame = Frame::parse(bytes)?;
    frame.rows::<row::Log>(transaction::LOGS).map(|row| read(&frame, &row)).collect()
}

fn read<'a>(frame: &Frame<'a>, row: &row::Log) -> Result<Log<'a>, FrameError> {
    let topics = frame.bytes(row.topics_offset, u32::from(row.topics) * TOPIC_BYTES)?;
    let (topics, _) = topics.as_chunks();
    let data = frame.bytes(row.data_offset, row.data_len)?;
    Ok(Log { index: row.index, contract: row.contract, topics: topics.into(), data })
}

const TOPIC_BYTES: u32 = 32;
