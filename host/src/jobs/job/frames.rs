//! Frames to and from a plugin: replies in, reads and findings out. Everything that a plugin wrote is checked here
//! before anything uses it.

use alloy::primitives::Bytes;
use portolan_abi::codec;
use portolan_abi::frame::{Frame, FrameError, FrameWriter, resume_in, resume_out};
use portolan_abi::map::{self, ReadExtension};
use portolan_abi::row::{self, JobIn, JobOut, Network, freshness, kind, mode, source, state, status};

use super::FINDINGS_MAX;
use crate::jobs::failure::{Failure, Reason};
use crate::sanitize;
use portolan_reader::{Freshness, Kind, Outcome, Read, ReadFailure, Reply};

/// A frame from a plugin; 20,000 reads with their calldata take 4 MiB.
const FRAME_BYTES_MAX: usize = 16 << 20;
/// Reads in one step of a job; the SDK's own tests join 10,000.
const STEP_READS_MAX: usize = 20_000;
/// Networks of one frame; a job reads one, seldom two.
const NETWORKS_MAX: usize = 64;
/// Calldata of one read; a claim's proof has some kilobytes.
const CALLDATA_MAX: usize = 32 << 10;
/// A plugin's words for why it ended.
const MESSAGE_MAX: usize = 512;

/// The rest of a job's limits.
pub(super) struct Budget {
    pub(super) ms_left: u32,
    pub(super) reads_left: u32,
    pub(super) bytes_left: u32,
}

/// A step of a job: the frame that a plugin returned when it was resumed.
pub(super) struct Step {
    pub(super) state: u8,
    pub(super) findings: Vec<map::Finding>,
    pub(super) reads: Vec<RequestedRead>,
    pub(super) message: String,
}

/// A read that the plugin requests.
pub(super) struct RequestedRead {
    pub(super) chain_id: u64,
    /// `None` for a kind, mode or extension that this host does not make.
    pub(super) read: Option<Read>,
}

/// The frame that goes into `resume`, for one job.
pub(super) fn replies(replies: &[Reply], budget: &Budget) -> Result<Vec<u8>, String> {
    let stage = |error| format!("replies do not fit a frame: {error}");
    let mut frame = FrameWriter::default();
    let count = u32::try_from(replies.len()).map_err(|_| "more replies than a frame can number")?;
    let Budget { ms_left, reads_left, bytes_left } = *budget;
    frame.row(resume_in::JOBS, &JobIn { replies: count, ms_left, reads_left, bytes_left });
    for reply in replies {
        let (status, bytes): (u8, &[u8]) = match &reply.outcome {
            Outcome::Ok(bytes) => (status::OK, bytes),
            Outcome::Reverted(bytes) => (status::REVERTED, bytes),
            Outcome::NoCode => (status::NO_CODE, &[]),
            Outcome::GasCap => (status::GAS_CAP, &[]),
            Outcome::OverBudget | Outcome::Failed(ReadFailure::OverBudget) => (status::OVER_BUDGET, &[]),
            Outcome::Failed(_) => (status::UNAVAILABLE, &[]),
            Outcome::Unsupported => (status::UNSUPPORTED, &[]),
        };
        let (offset, len) = frame.bytes(bytes).map_err(stage)?;
        let source = if reply.cached { source::CACHE } else { source::CHAIN };
        frame.row(resume_in::REPLIES, &row::Reply { status, source, offset, len, age_s: reply.age_s });
    }
    frame.finish().map_err(stage)
}

/// Whether a frame that came out of `resume` is the job's last: one that is broken is nothing to go on with either.
pub(super) fn is_last(bytes: &[u8]) -> bool {
    let state = Frame::parse(bytes).ok().and_then(|frame| Some(frame.rows::<JobOut>(resume_out::JOBS).next()?.state));
    state != Some(state::READING)
}

/// Parses the frame that came out of `resume`, for one job.
pub(super) fn step(bytes: &[u8]) -> Result<Step, Failure> {
    if bytes.len() > FRAME_BYTES_MAX {
        let detail = format!("answered a frame of {} bytes, more than {FRAME_BYTES_MAX}", bytes.len());
        return Err(Failure::new(Reason::OverBudget, detail));
    }
    let frame = Frame::parse(bytes).map_err(broken)?;
    let reads = frame.count(resume_out::READS);
    if reads > STEP_READS_MAX {
        let detail = format!("requested {reads} reads at once, more than {STEP_READS_MAX}");
        return Err(Failure::new(Reason::OverBudget, detail));
    }
    let jobs = frame.count(resume_out::JOBS);
    let Some(job) = frame.rows::<JobOut>(resume_out::JOBS).next().filter(|_| jobs == 1) else {
        return Err(invalid(format!("answered for {jobs} jobs, not for 1")));
    };
    if reads != usize::try_from(job.reads).unwrap_or(usize::MAX) || (reads > 0) != (job.state == state::READING) {
        return Err(invalid(format!("requests {reads} reads in state {}, but says {}", job.state, job.reads)));
    }
    let networks: Vec<Network> = frame.rows(resume_out::NETWORKS).take(NETWORKS_MAX).collect();
    let requested = frame.rows(resume_out::READS).map(|read| requested(&frame, &networks, &read));
    let found = frame.bytes(job.findings_offset, job.findings_len).map_err(broken)?;
    let message = frame.bytes(job.message_offset, job.message_len).map_err(broken)?;
    Ok(Step {
        state: job.state,
        findings: findings(found)?,
        reads: requested.collect::<Result<_, _>>().map_err(invalid)?,
        message: text(message),
    })
}

fn invalid(detail: String) -> Failure {
    Failure::new(Reason::InvalidOutput, detail)
}

fn broken(error: FrameError) -> Failure {
    invalid(format!("answered a broken frame: {error}"))
}

/// Checks the count first: a finding takes hundreds of times more memory than it takes here.
fn findings(bytes: &[u8]) -> Result<Vec<map::Finding>, Failure> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let count = minicbor::Decoder::new(bytes).array().ok().flatten().and_then(|count| usize::try_from(count).ok());
    match count {
        Some(count) if count > FINDINGS_MAX => Err(Failure::new(
            Reason::OverBudget,
            format!("returned {count} findings at once, more than {FINDINGS_MAX}"),
        )),
        _ => codec::decode(bytes).map_err(|error| invalid(format!("answered broken findings: {error}"))),
    }
}

fn requested(frame: &Frame<'_>, networks: &[Network], read: &row::Read) -> Result<RequestedRead, String> {
    let stage = |error| format!("requests a broken read: {error}");
    let network = networks.get(usize::from(read.network));
    let chain_id = network.ok_or("requests a read on a network that its frame does not list")?.chain_id;
    let data = frame.bytes(read.data_offset, read.data_len).map_err(stage)?;
    if data.len() > CALLDATA_MAX {
        return Err(format!("requests a call with {} bytes, more than {CALLDATA_MAX}", data.len()));
    }
    let extension = frame.extension(read.extension).map_err(stage)?;
    let extension: ReadExtension = match extension {
        Some(bytes) => codec::decode(bytes).map_err(|error| format!("requests a broken read: {error}"))?,
        None => ReadExtension::default(),
    };
    Ok(RequestedRead { chain_id, read: supported(read, data, &extension) })
}

/// The read, unless it is of a kind that this host does not make.
fn supported(read: &row::Read, data: &[u8], extension: &ReadExtension) -> Option<Read> {
    if extension.block.is_some() || extension.overrides.is_some() {
        return None;
    }
    Some(Read {
        kind: match read.kind {
            kind::CALL => Kind::Call,
            kind::NATIVE_BALANCE => Kind::NativeBalance,
            kind::CODE_SIZE => Kind::CodeSize,
            _ => return None,
        },
        to: read.to,
        data: Bytes::copy_from_slice(data),
        from: extension.from,
        freshness: match read.freshness {
            freshness::PINNED => Freshness::Pinned,
            freshness::IMMUTABLE => Freshness::Immutable,
            freshness::WITHIN => Freshness::Within(read.freshness_s),
            freshness::ZERO_WITHIN => Freshness::ZeroWithin(read.freshness_s),
            _ => return None,
        },
        isolated: match read.mode {
            mode::STATIC => false,
            mode::ISOLATED => true,
            _ => return None,
        },
        gas_cap: (read.gas_cap > 0).then_some(read.gas_cap),
    })
}

/// A plugin's words, cut and cleaned: they stand in `detail=full` and in the log.
fn text(bytes: &[u8]) -> String {
    sanitize::plain(&String::from_utf8_lossy(bytes), MESSAGE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(state: u8, reads: u32, rows: &[row::Read], networks: &[u64]) -> Vec<u8> {
        let mut frame = FrameWriter::default();
        frame.row(resume_out::JOBS, &JobOut { state, reads, ..JobOut::default() });
        networks.iter().for_each(|chain_id| frame.row(resume_out::NETWORKS, &Network { chain_id: *chain_id }));
        rows.iter().for_each(|read| frame.row(resume_out::READS, read));
        frame.finish().unwrap()
    }

    #[test]
    fn a_frame_that_contradicts_itself_is_refused() {
        let read = row::Read::default();
        let cases = [
            (frame(state::READING, 2, std::slice::from_ref(&read), &[1]), "requests 1 reads"),
            (frame(state::READING, 0, &[], &[1]), "requests 0 reads"),
            (frame(state::COMPLETE, 1, std::slice::from_ref(&read), &[1]), "requests 1 reads in state 1"),
            (frame(state::READING, 1, std::slice::from_ref(&read), &[]), "does not list"),
            (FrameWriter::default().finish().unwrap(), "answered for 0 jobs"),
            (b"no frame".to_vec(), "broken frame"),
        ];
        for (bytes, expected) in cases {
            let error = step(&bytes).err().unwrap().detail;
            assert!(error.contains(expected), "{error} should contain {expected}");
        }
    }

    #[test]
    fn reserved_kinds_modes_and_extensions_are_not_made() {
        let reads = [
            row::Read { kind: kind::STORAGE, ..row::Read::default() },
            row::Read { mode: 9, ..row::Read::default() },
            row::Read { freshness: 9, ..row::Read::default() },
        ];
        let step = step(&frame(state::READING, 3, &reads, &[1])).unwrap();
        assert!(step.reads.iter().all(|requested| requested.read.is_none()));
        let old_block = ReadExtension { block: Some(1), ..ReadExtension::default() };
        assert!(supported(&row::Read::default(), &[], &old_block).is_none());
    }
}
