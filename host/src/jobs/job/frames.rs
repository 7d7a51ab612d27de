//! Frames to and from a plugin: replies in, reads and findings out. Invariant: all plugin output is checked here
//! before use.

use std::ptr;

use alloy::primitives::Bytes;
use portolan_abi::frame::{FrameWriter, resume_in};
use portolan_abi::limits::{FACT_LIST_NAME_BYTES_MAX, INVALID_REPLIES_CHARS_MAX, MESSAGE_MAX, NOT_COVERED_MAX};
use portolan_abi::map;
use portolan_abi::row::{self, JobIn, freshness, kind, mode, purpose, source, status};
use portolan_abi::step::{self, StepError, StepFacts, StepRead};
use portolan_base::sanitize;

use crate::jobs::failure::{Failure, Reason};
use portolan_reader::{Freshness, Kind, Outcome, Read, ReadFailure, Reply};

const ZERO_WORD: [u8; 32] = [0; 32];

/// Remaining limits of a job.
pub(super) struct Budget {
    pub(super) ms_left: u32,
    pub(super) reads_left: u32,
    pub(super) bytes_left: u32,
}

/// A step of a job: the parsed frame that a plugin returned when it was resumed.
pub(super) struct Step {
    pub(super) state: u8,
    pub(super) findings: Vec<map::Finding>,
    pub(super) reads: Vec<RequestedRead>,
    pub(super) facts: Vec<FactEntries>,
    pub(super) message: String,
    /// Sentences about what the plugin knows but does not read.
    pub(super) not_covered: Vec<String>,
    /// The findings that the plugin left out because of what contracts replied; empty if none.
    pub(super) invalid_replies: String,
}

/// A read that the plugin requests.
pub(super) enum RequestedRead {
    /// A read of a chain; `is_walk` is true if it walks a fact list.
    Chain { chain_id: u64, read: Read, is_walk: bool, function: Option<String> },
    /// The host's part of a fact list.
    FactList { chain_id: u64, list: String },
    /// The document at this URL.
    Document(Bytes),
    /// A read whose kind, mode or extension this host does not support.
    Unsupported,
}

/// Reply to a read of a chain or of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameReply {
    pub(super) status: u8,
    pub(super) source: u8,
    pub(super) bytes: Bytes,
    pub(super) age_s: u32,
}

impl FrameReply {
    /// Placeholder for the reply to a read that is still open.
    pub(super) fn pending() -> Self {
        Self { status: status::PENDING, ..Self::default() }
    }
}

impl From<Reply> for FrameReply {
    fn from(reply: Reply) -> Self {
        let (status, bytes) = match reply.outcome {
            Outcome::Ok(bytes) => (status::OK, bytes),
            Outcome::Reverted(bytes) => (status::REVERTED, bytes),
            Outcome::NoCode => (status::NO_CODE, Bytes::new()),
            Outcome::GasCap => (status::GAS_CAP, Bytes::new()),
            Outcome::OverBudget | Outcome::Failed(ReadFailure::OverBudget) => (status::OVER_BUDGET, Bytes::new()),
            Outcome::Failed(_) => (status::UNAVAILABLE, Bytes::new()),
            Outcome::Unsupported => (status::UNSUPPORTED, Bytes::new()),
        };
        let source = if reply.cached { source::CACHE } else { source::CHAIN };
        Self { status, source, bytes, age_s: reply.age_s }
    }
}

#[cfg(feature = "fuzzing")]
impl RequestedRead {
    /// Returns the read if it is of a chain.
    pub(super) fn chain_read(&self) -> Option<&Read> {
        if let Self::Chain { read, .. } = self { Some(read) } else { None }
    }
}

/// Entries for a fact list.
pub(super) struct FactEntries {
    pub(super) list: String,
    pub(super) from: u32,
    pub(super) total: u32,
    pub(super) entries: Vec<u8>,
}

/// Builds the frame that is passed to `resume`, for one job.
pub(super) fn replies(replies: &[FrameReply], budget: &Budget) -> Result<Vec<u8>, String> {
    let stage = |error| format!("replies do not fit a frame: {error}");
    let mut frame = FrameWriter::default();
    let count = u32::try_from(replies.len()).map_err(|_| "more replies than a frame can number")?;
    let Budget { ms_left, reads_left, bytes_left } = *budget;
    frame.row(resume_in::JOBS, &JobIn { replies: count, ms_left, reads_left, bytes_left });
    let mut zero = None;
    for FrameReply { status, source, bytes, age_s } in replies {
        // Most replies are a zero word: all of them share one.
        let is_zero = bytes[..] == ZERO_WORD;
        let (offset, len) = match zero {
            Some(place) if is_zero => place,
            _ => frame.bytes(bytes).map_err(stage)?,
        };
        if is_zero {
            zero = Some((offset, len));
        }
        let (status, source, age_s) = (*status, *source, *age_s);
        frame.row(resume_in::REPLIES, &row::Reply { status, source, offset, len, age_s });
    }
    frame.finish().map_err(stage)
}

/// Parses the frame that `resume` returned, for one job.
pub(super) fn step(bytes: &[u8]) -> Result<Step, Failure> {
    let step::Step { state, findings, reads, facts, message, not_covered, invalid_replies } = step::Step::parse(bytes)
        .map_err(|error| {
            let reason = if matches!(error, StepError::Limit(_)) { Reason::OverBudget } else { Reason::InvalidOutput };
            Failure::new(reason, error.to_string())
        })?;
    let facts = facts.into_iter().map(|StepFacts { list, from, total, entries }| FactEntries {
        list: list.to_owned(),
        from,
        total,
        entries: entries.to_vec(),
    });
    let (message, not_covered) = (text(message), sentences(not_covered));
    let invalid_replies = sanitize::plain(&String::from_utf8_lossy(invalid_replies), INVALID_REPLIES_CHARS_MAX);
    let (reads, facts) = (requested(&reads), facts.collect());
    Ok(Step { state, findings, reads, facts, message, not_covered, invalid_replies })
}

/// Converts the reads of a step. Their calldata is copied at once, and reads in sequence that share it in the frame share
/// it here: jobs ask many contracts the same.
fn requested(reads: &[StepRead<'_>]) -> Vec<RequestedRead> {
    let is_repeated =
        |place: usize| place.checked_sub(1).is_some_and(|last| ptr::eq(reads[last].data, reads[place].data));
    let mut copied = Vec::with_capacity(
        (0..reads.len()).filter(|place| !is_repeated(*place)).map(|place| reads[place].data.len()).sum(),
    );
    let mut ranges = Vec::with_capacity(reads.len());
    let mut range = 0..0;
    for (place, read) in reads.iter().enumerate() {
        if !is_repeated(place) {
            range = copied.len()..copied.len() + read.data.len();
            copied.extend_from_slice(read.data);
        }
        ranges.push(range.clone());
    }
    let copied = bytes::Bytes::from(copied);
    reads.iter().zip(ranges).map(|(read, range)| requested_one(read, copied.slice(range).into())).collect()
}

fn requested_one(read: &StepRead<'_>, data: Bytes) -> RequestedRead {
    if read.row.kind == kind::HTTP {
        return RequestedRead::Document(data);
    }
    let (chain_id, is_walk) = (read.chain_id, read.row.purpose == purpose::WALK);
    if read.row.kind == kind::FACTS {
        let list = std::str::from_utf8(read.data).ok().filter(|list| list.len() <= FACT_LIST_NAME_BYTES_MAX);
        let fact_list = |list: &str| RequestedRead::FactList { chain_id, list: list.to_owned() };
        return list.map_or(RequestedRead::Unsupported, fact_list);
    }
    let function = read.extension.function.clone();
    let chain = |read| RequestedRead::Chain { chain_id, read, is_walk, function };
    supported(read, data).map_or(RequestedRead::Unsupported, chain)
}

/// Converts a read; `None` if this host does not support its kind.
fn supported(read: &StepRead<'_>, data: Bytes) -> Option<Read> {
    let StepRead { row: read, extension, .. } = read;
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
        data,
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

/// Cleans and cuts a plugin's text for `detail=full` and the log.
fn text(bytes: &[u8]) -> String {
    sanitize::plain(&String::from_utf8_lossy(bytes), MESSAGE_MAX)
}

/// Splits the plugin's text about what it does not read into sentences. Those beyond the limit are counted.
fn sentences(bytes: &[u8]) -> Vec<String> {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut sentences: Vec<String> = lines.by_ref().take(NOT_COVERED_MAX).map(text).collect();
    let more = lines.count();
    if more > 0 {
        sentences.push(format!("and {more} more"));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;
    use portolan_abi::map::ReadExtension;

    use portolan_abi::frame::resume_out;
    use portolan_abi::row::{JobOut, state};

    use super::*;

    #[test]
    fn reserved_kinds_modes_and_extensions_are_not_made() {
        let made = |row: row::Read, extension: ReadExtension| {
            supported(&StepRead { chain_id: 1, row, data: &[], extension }, Bytes::new()).is_some()
        };
        let plain = || row::Read { to: Address::repeat_byte(1), ..row::Read::default() };
        assert!(made(plain(), ReadExtension::default()));
        let reserved = [
            row::Read { kind: kind::STORAGE, ..plain() },
            row::Read { mode: 9, ..plain() },
            row::Read { freshness: 9, ..plain() },
        ];
        assert!(reserved.into_iter().all(|row| !made(row, ReadExtension::default())));
        assert!(!made(plain(), ReadExtension { block: Some(1), ..ReadExtension::default() }));
        assert!(!made(plain(), ReadExtension { overrides: Some(Vec::new()), ..ReadExtension::default() }));
    }

    #[test]
    fn a_fact_list_has_a_name_in_utf_8_of_the_bytes_that_one_can_have() {
        let is_list = |data: &[u8]| {
            let row = row::Read { kind: kind::FACTS, ..row::Read::default() };
            let read = StepRead { chain_id: 1, row, data, extension: ReadExtension::default() };
            matches!(requested_one(&read, Bytes::new()), RequestedRead::FactList { .. })
        };
        // A market of 128 bytes, a slash, and a key of 32.
        assert!(is_list(&[b'a'; 161]) && !is_list(&[b'a'; 162]) && !is_list(&[0xff]));
    }

    #[test]
    fn what_contracts_replied_is_one_clean_line() {
        let mut frame = FrameWriter::default();
        let (invalid_replies_offset, invalid_replies_len) = frame.bytes(b"it pays\x07 twice\n").unwrap();
        let job = JobOut { state: state::PARTIAL, invalid_replies_offset, invalid_replies_len, ..JobOut::default() };
        frame.row(resume_out::JOBS, &job);
        let taken = step(&frame.finish().unwrap()).unwrap_or_else(|failure| panic!("{}", failure.detail));
        assert!(taken.invalid_replies.starts_with("it pays") && !taken.invalid_replies.contains(char::is_control));
    }

    #[test]
    fn what_is_not_covered_is_a_sentence_a_line_up_to_a_bound() {
        let written = |lines: usize| {
            let mut frame = FrameWriter::default();
            let text = (0..lines).map(|line| format!("\nplace {line}\u{7}")).collect::<String>();
            let (not_covered_offset, not_covered_len) = frame.bytes(text.as_bytes()).unwrap();
            let job = JobOut { state: state::PARTIAL, not_covered_offset, not_covered_len, ..JobOut::default() };
            frame.row(resume_out::JOBS, &job);
            step(&frame.finish().unwrap()).unwrap_or_else(|failure| panic!("{}", failure.detail)).not_covered
        };
        assert_eq!(written(0), Vec::<String>::new());
        assert!(written(2)[1].starts_with("place 1") && !written(2)[1].contains('\u{7}'));
        let many = written(NOT_COVERED_MAX + 3);
        assert_eq!((many.len(), many[NOT_COVERED_MAX].as_str()), (NOT_COVERED_MAX + 1, "and 3 more"));
    }

    #[test]
    fn a_step_beyond_a_limit_is_over_budget_and_a_broken_one_invalid() {
        let reason = |bytes: &[u8]| step(bytes).err().map(|failure| failure.reason);
        assert_eq!(reason(b"no frame"), Some(Reason::InvalidOutput));
        let mut frame = FrameWriter::default();
        let (findings_offset, findings_len) = frame.bytes(&[0x99, 0x13, 0x89]).unwrap(); // An array of 5,001.
        let job = JobOut { state: state::COMPLETE, findings_offset, findings_len, ..JobOut::default() };
        frame.row(resume_out::JOBS, &job);
        assert_eq!(reason(&frame.finish().unwrap()), Some(Reason::OverBudget));
    }
}
