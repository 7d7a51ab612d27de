//! The frames of a scripted plugin.

use alloy::primitives::Bytes;
use portolan_abi::codec;
use portolan_abi::frame::{Frame, FrameError, FrameWriter, resume_in, resume_out};
use portolan_abi::row::{FactsRow, JobOut, Network, Read, Reply, state};

use super::{ScriptedEnd, ScriptedRead, ScriptedReply};

/// Parses the replies of a frame that goes into a job.
pub(super) fn replies(frame: &[u8]) -> Result<Vec<ScriptedReply>, FrameError> {
    let frame = Frame::parse(frame)?;
    let reply = |row: Reply| {
        let bytes = Bytes::copy_from_slice(frame.bytes(row.offset, row.len)?);
        Ok(ScriptedReply { status: row.status, source: row.source, bytes })
    };
    frame.rows(resume_in::REPLIES).map(reply).collect()
}

/// Builds the frame of a job that waits for these reads.
pub(super) fn reading(reads: &[ScriptedRead], chain_id: u64) -> Result<Vec<u8>, FrameError> {
    let mut frame = FrameWriter::default();
    let count = u32::try_from(reads.len()).map_err(|_| FrameError::TooLarge)?;
    frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads: count, ..JobOut::default() });
    frame.row(resume_out::NETWORKS, &Network { chain_id });
    for ScriptedRead { row, data } in reads {
        let (data_offset, data_len) = frame.bytes(data)?;
        frame.row(resume_out::READS, &Read { data_offset, data_len, ..row.clone() });
    }
    frame.finish()
}

/// Builds the frame of a job that has ended.
pub(super) fn ending(end: &ScriptedEnd) -> Result<Vec<u8>, FrameError> {
    let mut frame = FrameWriter::default();
    let (findings_offset, findings_len) = frame.bytes(&codec::encode(&end.findings))?;
    let (message_offset, message_len) = frame.bytes(end.message.as_bytes())?;
    let state = end.state;
    let job = JobOut { state, findings_offset, findings_len, message_offset, message_len, ..JobOut::default() };
    frame.row(resume_out::JOBS, &job);
    if let Some(facts) = &end.facts {
        let (list_offset, list_len) = frame.bytes(facts.list.as_bytes())?;
        let (entries_offset, entries_len) = frame.bytes(&facts.entries)?;
        let total = facts.total;
        let row = FactsRow { list_offset, list_len, total, entries_offset, entries_len, ..FactsRow::default() };
        frame.row(resume_out::FACTS, &row);
    }
    frame.finish()
}
