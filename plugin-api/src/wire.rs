//! Frames into and out of a resume.

use alloy::primitives::Bytes;
use portolan_abi::codec;
use portolan_abi::frame::{Frame, FrameError, FrameWriter, resume_in, resume_out};
use portolan_abi::row::{self, FactsRow, JobIn, JobOut, Network};

use crate::job::{Job, Step};
use crate::job_state::{Budget, FactEntries};
use crate::read_result::ReadResult;
use crate::request_rows::RequestRows;

/// Why no job of a frame could be resumed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("{rows} records for {jobs} jobs")]
    Jobs { rows: usize, jobs: usize },
    #[error("{rows} replies, but {counted} in the jobs' records")]
    Replies { rows: usize, counted: usize },
}

/// Resumes each job with its replies; returns the frame of their requests and findings. The frame is checked before any
/// job runs.
pub(crate) fn resume(jobs: &mut [&mut Job], bytes: &[u8]) -> Result<Vec<u8>, ResumeError> {
    let owned = Bytes::copy_from_slice(bytes);
    let frame = Frame::parse(&owned)?;
    check(&frame, jobs.len())?;
    let results = frame.rows::<row::Reply>(resume_in::REPLIES).map(|reply| {
        let bytes = frame.bytes(reply.offset, reply.len)?;
        Ok(ReadResult::new(reply.status, owned.slice_ref(bytes)))
    });
    let mut results = results.collect::<Result<Vec<_>, FrameError>>()?;
    let mut out = Writer::default();
    for (place, (job, given)) in (0..).zip(jobs.iter_mut().zip(frame.rows::<JobIn>(resume_in::JOBS))) {
        let own = results.drain(..results.len().min(given.replies as usize));
        let budget = Budget { ms: given.ms_left, reads: given.reads_left, bytes: given.bytes_left };
        out.step(place, job.resume(budget, own))?;
    }
    Ok(out.frame.finish()?)
}

fn check(frame: &Frame<'_>, jobs: usize) -> Result<(), ResumeError> {
    let rows = frame.count(resume_in::JOBS);
    if rows != jobs {
        return Err(ResumeError::Jobs { rows, jobs });
    }
    let counts = frame.rows::<JobIn>(resume_in::JOBS).map(|job| job.replies as usize);
    let counted = counts.fold(0, usize::saturating_add);
    match frame.count(resume_in::REPLIES) {
        rows if rows == counted => Ok(()),
        rows => Err(ResumeError::Replies { rows, counted }),
    }
}

/// Joins sentences, one per line; line breaks within them become spaces.
fn lines(sentences: &[String]) -> String {
    let line = |sentence: &String| sentence.replace(['\r', '\n'], " ");
    sentences.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[derive(Default)]
struct Writer {
    frame: FrameWriter,
    networks: Vec<u64>,
}

impl Writer {
    fn step(&mut self, job: u32, step: Step) -> Result<(), FrameError> {
        let findings = if step.findings.is_empty() { Vec::new() } else { codec::encode(&step.findings) };
        let (findings_offset, findings_len) = self.frame.bytes(&findings)?;
        let (message_offset, message_len) = self.frame.bytes(step.message.as_bytes())?;
        let reads = u32::try_from(step.requests.rows.len()).map_err(|_| FrameError::TooLarge)?;
        let (not_covered_offset, not_covered_len) = self.frame.bytes(lines(&step.not_covered).as_bytes())?;
        let (invalid_replies_offset, invalid_replies_len) = self.frame.bytes(step.invalid_replies.as_bytes())?;
        let row = JobOut {
            state: step.state,
            reads,
            findings_offset,
            findings_len,
            message_offset,
            message_len,
            not_covered_offset,
            not_covered_len,
            invalid_replies_offset,
            invalid_replies_len,
        };
        self.frame.row(resume_out::JOBS, &row);
        step.facts.into_iter().try_for_each(|facts| self.facts(job, facts))?;
        self.requests(step.requests)
    }

    fn facts(&mut self, job: u32, facts: FactEntries) -> Result<(), FrameError> {
        let FactEntries { list, from, total, entries } = facts;
        let (list_offset, list_len) = self.frame.bytes(list.as_bytes())?;
        let (entries_offset, entries_len) = self.frame.bytes(&entries)?;
        let row = FactsRow { job, list_offset, list_len, from, total, entries_offset, entries_len };
        self.frame.row(resume_out::FACTS, &row);
        Ok(())
    }

    fn requests(&mut self, requests: RequestRows) -> Result<(), FrameError> {
        let base = self.frame.blob.append(&requests.blob)?;
        for (chain_id, row) in requests.rows {
            let extension = if row.extension == 0 { 0 } else { base + row.extension };
            let row =
                row::Read { network: self.network(chain_id)?, data_offset: base + row.data_offset, extension, ..row };
            self.frame.row(resume_out::READS, &row);
        }
        requests.error.map_or(Ok(()), Err)
    }

    fn network(&mut self, chain_id: u64) -> Result<u16, FrameError> {
        let place = self.networks.iter().position(|network| *network == chain_id).unwrap_or_else(|| {
            self.networks.push(chain_id);
            self.frame.row(resume_out::NETWORKS, &Network { chain_id });
            self.networks.len() - 1
        });
        u16::try_from(place).map_err(|_| FrameError::TooLarge)
    }
}
