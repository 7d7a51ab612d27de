//! A step of a job: the parsed frame that `resume` returned. Used by the host and by tests that resume jobs.
//!
//! Invariant: a [`Step`] is within the [`crate::limits`] of one frame and consistent, whatever the plugin wrote.

use crate::codec;
use crate::frame::{Frame, FrameError, resume_out};
use crate::limits::{
    CALLDATA_MAX, FACT_LISTS_MAX, FINDINGS_MAX, FRAME_BYTES_MAX, LimitError, NETWORKS_MAX, STEP_BYTES_MAX,
    STEP_READS_MAX,
};
use crate::map::{Finding, ReadExtension};
use crate::row::{FactsRow, JobOut, Network, Read, kind, state};

/// Requests and findings of a job after one resume.
#[derive(Clone, Debug)]
pub struct Step<'f> {
    /// One of [`state`], or a state of a later revision.
    pub state: u8,
    /// Findings since the previous step.
    pub findings: Vec<Finding>,
    /// Requested reads. Empty unless the state is [`state::READING`]; also empty there if the job waits for open reads.
    pub reads: Vec<StepRead<'f>>,
    /// New entries for fact lists.
    pub facts: Vec<StepFacts<'f>>,
    /// Reason why it ended, in the plugin's words; empty if it ended complete.
    pub message: &'f [u8],
    /// Known gaps of the plugin, one per line.
    pub not_covered: &'f [u8],
    /// One line about findings dropped because of contracts' replies.
    pub invalid_replies: &'f [u8],
}

/// A read that a job requests.
#[derive(Clone, Debug)]
pub struct StepRead<'f> {
    /// EIP-155 chain id; 0 for an off-chain read.
    pub chain_id: u64,
    /// Row of the read.
    pub row: Read,
    /// Calldata.
    pub data: &'f [u8],
    /// Options that the row does not have.
    pub extension: ReadExtension,
}

/// Entries for a fact list.
#[derive(Clone, Debug)]
pub struct StepFacts<'f> {
    /// `market/key`.
    pub list: &'f str,
    /// Index of the first entry in the list.
    pub from: u32,
    /// Length of the whole list at the answer's block.
    pub total: u32,
    /// Entries as [`crate::fact_entries`] writes them.
    pub entries: &'f [u8],
}

/// Why a frame is not a valid step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A limit is exceeded.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Malformed or inconsistent.
    #[error("answered a broken frame: {0}")]
    Frame(#[from] FrameError),
    /// For more jobs than one, or none.
    #[error("answered for {0} jobs, not for 1")]
    Jobs(usize),
    /// The number of reads differs from the one announced, or an ended job has reads.
    #[error("requests {reads} reads in state {state}, but says {said}")]
    Reads {
        /// Rows in the frame.
        reads: usize,
        /// The job's state.
        state: u8,
        /// Number announced in the job's row.
        said: u32,
    },
    /// A read on a network that the frame does not list, or beyond [`NETWORKS_MAX`].
    #[error("requests a read on a network that its frame does not list")]
    Network,
    /// More than [`CALLDATA_MAX`].
    #[error("requests a call with {0} bytes, more than {CALLDATA_MAX}")]
    Calldata(usize),
    /// A malformed read.
    #[error("requests a broken read: {0}")]
    Read(String),
    /// Malformed entries of a fact list, or more rows than [`FACT_LISTS_MAX`].
    #[error("answered broken entries of a fact list")]
    Facts,
    /// Malformed findings.
    #[error("answered broken findings: {0}")]
    Findings(String),
}

impl<'f> Step<'f> {
    /// Parses a frame that `resume` returned for one job.
    ///
    /// # Errors
    /// [`StepError`] for anything but one step within the limits.
    pub fn parse(bytes: &'f [u8]) -> Result<Self, StepError> {
        if bytes.len() > FRAME_BYTES_MAX {
            return Err(LimitError::FrameBytes(bytes.len()).into());
        }
        let frame = Frame::parse(bytes)?;
        let reads = frame.count(resume_out::READS);
        if reads > STEP_READS_MAX {
            return Err(LimitError::StepReads(reads).into());
        }
        let jobs = frame.count(resume_out::JOBS);
        let job = frame.rows::<JobOut>(resume_out::JOBS).next().filter(|_| jobs == 1).ok_or(StepError::Jobs(jobs))?;
        if usize::try_from(job.reads) != Ok(reads) || (reads > 0 && job.state != state::READING) {
            return Err(StepError::Reads { reads, state: job.state, said: job.reads });
        }
        let networks: Vec<Network> = frame.rows(resume_out::NETWORKS).take(NETWORKS_MAX).collect();
        check_bytes(&frame)?;
        Ok(Self {
            state: job.state,
            findings: findings(frame.bytes(job.findings_offset, job.findings_len)?)?,
            message: frame.bytes(job.message_offset, job.message_len)?,
            not_covered: frame.bytes(job.not_covered_offset, job.not_covered_len)?,
            invalid_replies: frame.bytes(job.invalid_replies_offset, job.invalid_replies_len)?,
            facts: facts(&frame)?,
            reads: frame.rows(resume_out::READS).map(|row| read(&frame, &networks, row)).collect::<Result<_, _>>()?,
        })
    }
}

/// Checks how much the rows of reads and entries point to, before anything of it is copied or decoded.
fn check_bytes(frame: &Frame<'_>) -> Result<(), StepError> {
    let mut last = None;
    let reads = frame.rows(resume_out::READS).map(|row: Read| {
        let data = Some((row.data_offset, row.data_len));
        let is_shared = std::mem::replace(&mut last, data) == data;
        let options = frame.extension(row.extension).ok().flatten().map_or(0, <[u8]>::len);
        options.saturating_add(if is_shared { 0 } else { row.data_len as usize })
    });
    let entries = frame
        .rows(resume_out::FACTS)
        .map(|row: FactsRow| (row.list_len as usize).saturating_add(row.entries_len as usize));
    let bytes = reads.chain(entries).fold(0, usize::saturating_add);
    if bytes > STEP_BYTES_MAX { Err(LimitError::StepBytes.into()) } else { Ok(()) }
}

/// Checks the count before decoding: a finding takes hundreds of times more memory than its encoding.
fn findings(bytes: &[u8]) -> Result<Vec<Finding>, StepError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let count = minicbor::Decoder::new(bytes).array().ok().flatten().and_then(|count| usize::try_from(count).ok());
    match count {
        Some(count) if count > FINDINGS_MAX => Err(LimitError::StepFindings(count).into()),
        _ => codec::decode(bytes).map_err(|error| StepError::Findings(error.to_string())),
    }
}

fn facts<'f>(frame: &Frame<'f>) -> Result<Vec<StepFacts<'f>>, StepError> {
    if frame.count(resume_out::FACTS) > FACT_LISTS_MAX {
        return Err(StepError::Facts);
    }
    let each = |row: FactsRow| {
        let list = frame.bytes(row.list_offset, row.list_len)?;
        let list = std::str::from_utf8(list).ok().filter(|_| row.job == 0).ok_or(StepError::Facts)?;
        let entries = frame.bytes(row.entries_offset, row.entries_len)?;
        Ok(StepFacts { list, from: row.from, total: row.total, entries })
    };
    frame.rows(resume_out::FACTS).map(each).collect()
}

fn read<'f>(frame: &Frame<'f>, networks: &[Network], row: Read) -> Result<StepRead<'f>, StepError> {
    let broken = |error: FrameError| StepError::Read(error.to_string());
    let chain_id = match networks.get(usize::from(row.network)) {
        Some(network) => network.chain_id,
        None if row.kind == kind::HTTP => 0,
        None => return Err(StepError::Network),
    };
    let data = frame.bytes(row.data_offset, row.data_len).map_err(broken)?;
    if data.len() > CALLDATA_MAX {
        return Err(StepError::Calldata(data.len()));
    }
    let extension = match frame.extension(row.extension).map_err(broken)? {
        Some(bytes) => codec::decode(bytes).map_err(|error| StepError::Read(error.to_string()))?,
        None => ReadExtension::default(),
    };
    Ok(StepRead { chain_id, row, data, extension })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::FrameWriter;

    fn frame(state: u8, said: u32, rows: &[Read], networks: &[u64]) -> Vec<u8> {
        let mut frame = FrameWriter::default();
        frame.row(resume_out::JOBS, &JobOut { state, reads: said, ..JobOut::default() });
        networks.iter().for_each(|chain_id| frame.row(resume_out::NETWORKS, &Network { chain_id: *chain_id }));
        rows.iter().for_each(|read| frame.row(resume_out::READS, read));
        frame.finish().unwrap()
    }

    fn found(count: usize) -> Vec<u8> {
        let mut frame = FrameWriter::default();
        let (findings_offset, findings_len) = frame.bytes(&codec::encode(&vec![Finding::default(); count])).unwrap();
        let job = JobOut { state: state::COMPLETE, findings_offset, findings_len, ..JobOut::default() };
        frame.row(resume_out::JOBS, &job);
        frame.finish().unwrap()
    }

    #[test]
    fn a_frame_that_contradicts_itself_is_refused() {
        let read = Read::default();
        let long = Read { data_len: 1, ..Read::default() };
        let one = std::slice::from_ref(&read);
        let cases = [
            (frame(state::READING, 2, one, &[1]), "requests 1 reads in state 0, but says 2"),
            (frame(state::COMPLETE, 1, one, &[1]), "requests 1 reads in state 1, but says 1"),
            (frame(state::READING, 1, one, &[]), "requests a read on a network that its frame does not list"),
            (frame(state::READING, 1, &[long], &[1]), "requests a broken read: 0+1 lies outside the blob of 0 bytes"),
            (FrameWriter::default().finish().unwrap(), "answered for 0 jobs, not for 1"),
            (b"no frame".to_vec(), "answered a broken frame: frame ends early"),
            (Vec::new(), "answered a broken frame: frame ends early"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Step::parse(&bytes).unwrap_err().to_string(), expected);
        }
    }

    /// A frame of reads with these ranges of calldata in a blob of so many bytes.
    fn overlapping(blob: usize, ranges: impl Iterator<Item = (u32, u32)>) -> Vec<u8> {
        let mut frame = FrameWriter::default();
        frame.bytes(&vec![0; blob]).unwrap();
        frame.row(resume_out::NETWORKS, &Network { chain_id: 1 });
        let mut reads = 0;
        for (data_offset, data_len) in ranges {
            reads += 1;
            frame.row(resume_out::READS, &Read { data_offset, data_len, ..Read::default() });
        }
        frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads, ..JobOut::default() });
        frame.finish().unwrap()
    }

    #[test]
    fn rows_that_point_to_the_same_bytes_name_no_more_than_a_frame_has() {
        let limit = Some(StepError::Limit(LimitError::StepBytes));
        let error = |bytes: &[u8]| Step::parse(bytes).err();
        // 512 times 32 KiB are 16 MiB.
        let each = |count: u32| overlapping(40_000, (0..count).map(|place| (place % 2, 32_768)));
        assert_eq!((error(&each(512)), error(&each(513))), (None, limit.clone()));
        // Calls in sequence that share their calldata have it once.
        assert_eq!(error(&overlapping(32_768, (0..60_000).map(|_| (0, 32_768)))), None);

        let options = |bytes: usize, reads: u32| {
            let mut frame = FrameWriter::default();
            let options = ReadExtension { function: Some("f".repeat(bytes)), ..ReadExtension::default() };
            let extension = frame.extension(&codec::encode(&options)).unwrap();
            frame.row(resume_out::NETWORKS, &Network { chain_id: 1 });
            (0..reads).for_each(|_| frame.row(resume_out::READS, &Read { extension, ..Read::default() }));
            frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads, ..JobOut::default() });
            frame.finish().unwrap()
        };
        assert_eq!((error(&options(200, 60_000)), error(&options(300, 60_000))), (None, limit.clone()));

        let entries = |rows: u32, entries_len: u32| {
            let mut frame = FrameWriter::default();
            frame.bytes(&vec![0; 2 << 20]).unwrap();
            frame.row(resume_out::JOBS, &JobOut { state: state::COMPLETE, ..JobOut::default() });
            (0..rows).for_each(|_| frame.row(resume_out::FACTS, &FactsRow { entries_len, ..FactsRow::default() }));
            frame.finish().unwrap()
        };
        assert_eq!((error(&entries(8, 2 << 20)), error(&entries(9, 2 << 20))), (None, limit));
    }

    #[test]
    fn each_limit_of_a_frame_is_met_where_it_is() {
        let error = |bytes: &[u8]| Step::parse(bytes).err().map(|error| error.to_string());
        let reads = |count: u32| {
            let networks: Vec<u64> = (0..64).collect();
            frame(state::READING, count, &vec![Read { network: 63, ..Read::default() }; count as usize], &networks)
        };
        assert_eq!(error(&reads(60_000)), None);
        assert!(error(&reads(60_001)).unwrap().starts_with("requested 60001 reads at once, more than 60000: "));
        let beyond = frame(state::READING, 1, &[Read { network: 64, ..Read::default() }], &[1; 65]);
        assert_eq!(error(&beyond).unwrap(), "requests a read on a network that its frame does not list");
        assert_eq!(error(&found(5_000)), None);
        assert_eq!(error(&found(5_001)).unwrap(), "returned 5001 findings at once, more than 5000");
        let large = error(&vec![0; (16 << 20) + 1]).unwrap();
        assert_eq!(large, "answered a frame of 16777217 bytes, more than 16777216");
        for (calldata, expected) in
            [(32_768, None), (32_769, Some("requests a call with 32769 bytes, more than 32768"))]
        {
            let mut frame = FrameWriter::default();
            let (data_offset, data_len) = frame.bytes(&vec![0; calldata]).unwrap();
            frame.row(resume_out::JOBS, &JobOut { state: state::READING, reads: 1, ..JobOut::default() });
            frame.row(resume_out::NETWORKS, &Network { chain_id: 1 });
            frame.row(resume_out::READS, &Read { data_offset, data_len, ..Read::default() });
            assert_eq!(error(&frame.finish().unwrap()).as_deref(), expected);
        }
    }
}
