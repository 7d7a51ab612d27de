//! A plugin's check of its own machinery after loading: a job with one read, over real frames.

use std::fmt::Display;
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_abi::frame::{Frame, FrameWriter, resume_in, resume_out};
use portolan_abi::map::Start;
use portolan_abi::row::{JobIn, JobOut, Read, Reply, state, status};

use crate::error::Error;
use crate::job::Job;
use crate::job_context::JobContext;
use crate::wire;

/// Runs the job; returns the failure.
pub(crate) fn run() -> Result<(), String> {
    let context = Arc::new(JobContext::new(Start::default(), Arc::new([])));
    let reading = Arc::clone(&context);
    let findings = Box::pin(async move {
        let balance = reading.native_balance(Address::ZERO).await?;
        if balance == U256::from(7) { Ok(Vec::new()) } else { Err(Error::new("a reply came back changed")) }
    });
    let mut job = Job::new(context, findings);
    let first = resume(&mut job, None)?;
    if first != (state::READING, 1) {
        return Err(format!("selftest job did not request its read: {first:?}"));
    }
    let last = resume(&mut job, Some(U256::from(7)))?;
    if last != (state::COMPLETE, 0) {
        return Err(format!("selftest job did not end: {last:?}"));
    }
    Ok(())
}

fn resume(job: &mut Job, reply: Option<U256>) -> Result<(u8, usize), String> {
    fn stage(error: impl Display) -> String {
        format!("selftest frame: {error}")
    }
    let mut frame = FrameWriter::default();
    frame.row(resume_in::JOBS, &JobIn { replies: u32::from(reply.is_some()), ..JobIn::default() });
    if let Some(word) = reply {
        let (offset, len) = frame.bytes(&word.to_be_bytes::<32>()).map_err(stage)?;
        frame.row(resume_in::REPLIES, &Reply { status: status::OK, offset, len, ..Reply::default() });
    }
    let out = wire::resume(&mut [job], &frame.finish().map_err(stage)?).map_err(stage)?;
    let out = Frame::parse(&out).map_err(stage)?;
    let row = out.rows::<JobOut>(resume_out::JOBS).next().ok_or("selftest job is not in its frame")?;
    Ok((row.state, out.rows::<Read>(resume_out::READS).count()))
}
