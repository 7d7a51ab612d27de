//! Frames in and out of a resume.

use std::collections::HashMap;
use std::sync::Arc;

use portolan_abi::codec;
use portolan_abi::frame::{Frame, FrameError, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{self, ReadExtension};
use portolan_abi::row::{self, JobIn, JobOut, Network};

use crate::chain::Left;
use crate::job::{Job, Step};
use crate::read::{Ask, RawReply};

/// Why a frame resumes no job at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("{rows} records for {jobs} jobs")]
    Jobs { rows: usize, jobs: usize },
    #[error("{rows} replies, {told} told in the jobs' records")]
    Replies { rows: usize, told: usize },
}

/// Resumes each job with its replies of the frame; the frame of what they ask and found. A frame that does not
/// agree with itself is found out before any job moves.
pub(crate) fn resume(jobs: &mut [&mut Job], bytes: &[u8]) -> Result<Vec<u8>, ResumeError> {
    let owned: Arc<[u8]> = bytes.into();
    let frame = Frame::parse(&owned)?;
    check(&frame, jobs.len())?;
    let replies = frame.rows::<row::Reply>(resume_in::REPLIES).map(|reply| raw(&frame, &owned, &reply));
    let mut replies = replies.collect::<Result<Vec<RawReply>, _>>()?.into_iter();
    let mut out = Writer::default();
    for (job, given) in jobs.iter_mut().zip(frame.rows::<JobIn>(resume_in::JOBS)) {
        let own: Vec<RawReply> = replies.by_ref().take(given.replies as usize).collect();
        let left = Left { ms: given.ms_left, reads: given.reads_left, bytes: given.bytes_left };
        let step = job.resume(left, own.into_iter());
        out.step(job, step)?;
    }
    Ok(out.frame.finish()?)
}

fn check(frame: &Frame<'_>, jobs: usize) -> Result<(), ResumeError> {
    let rows = frame.count(resume_in::JOBS);
    if rows != jobs {
        return Err(ResumeError::Jobs { rows, jobs });
    }
    let told = frame.rows::<JobIn>(resume_in::JOBS).map(|job| job.replies as usize);
    let told = told.fold(0, usize::saturating_add);
    match frame.count(resume_in::REPLIES) {
        rows if rows == told => Ok(()),
        rows => Err(ResumeError::Replies { rows, told }),
    }
}

fn raw(frame: &Frame<'_>, owned: &Arc<[u8]>, reply: &row::Reply) -> Result<RawReply, FrameError> {
    let bytes = frame.bytes(reply.offset, reply.len)?;
    // The frame is a view into `owned`, so the distance of the two starts is the place of the bytes in it.
    let start = bytes.as_ptr().addr() - owned.as_ptr().addr();
    Ok(RawReply { status: reply.status, frame: Arc::clone(owned), range: start..start + bytes.len() })
}

#[derive(Default)]
struct Writer {
    frame: FrameWriter,
    networks: Vec<u64>,
    /// Calldata that stands in the blob already.
    data: HashMap<Vec<u8>, (u32, u32)>,
}

impl Writer {
    fn step(&mut self, job: &Job, step: Step) -> Result<(), FrameError> {
        let findings: Vec<map::Finding> =
            step.told.into_iter().map(|finding| finding.into_abi(job.templates())).collect();
        let findings = if findings.is_empty() { Vec::new() } else { codec::encode(&findings) };
        let (findings_offset, findings_len) = self.frame.bytes(&findings)?;
        let (message_offset, message_len) = self.frame.bytes(step.message.as_bytes())?;
        let reads = u32::try_from(step.asks.len()).map_err(|_| FrameError::TooLarge)?;
        let row = JobOut { state: step.state, reads, findings_offset, findings_len, message_offset, message_len };
        self.frame.row(resume_out::JOBS, &row);
        step.asks.into_iter().try_for_each(|ask| self.ask(job.network(), ask))
    }

    fn ask(&mut self, job_network: u64, ask: Ask) -> Result<(), FrameError> {
        let network = self.network(ask.network.unwrap_or(job_network))?;
        let extension = match ask.from {
            None => 0,
            Some(from) => {
                let from = Some(map::Address(from.into_array()));
                self.frame.extension(&codec::encode(&ReadExtension { from, ..ReadExtension::default() }))?
            }
        };
        let (data_offset, data_len) = self.data(ask.data)?;
        let row = row::Read {
            kind: ask.kind,
            mode: ask.mode,
            freshness: ask.freshness,
            priority: 0,
            network,
            to: ask.to.into_array(),
            data_offset,
            data_len,
            freshness_s: ask.freshness_s,
            gas_cap: ask.gas_cap,
            extension,
        };
        self.frame.row(resume_out::READS, &row);
        Ok(())
    }

    fn data(&mut self, data: Vec<u8>) -> Result<(u32, u32), FrameError> {
        if let Some(range) = self.data.get(&data) {
            return Ok(*range);
        }
        let range = self.frame.bytes(&data)?;
        self.data.insert(data, range);
        Ok(range)
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
