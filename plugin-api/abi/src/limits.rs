//! The limits of what a plugin may request and return, as hosts check them, and the count of what a job has used.
//!
//! They are generous: a plugin that meets one does something else than its author meant. They are no part of the binary
//! interface: a later host may have others, and each `JobIn` says what is left to its job.

use crate::map::Finding;

/// Steps of one job, each with reads; the deepest protocol takes nine.
pub const STEPS_MAX: u32 = 24;
/// Steps of one job that the host answers in part, with what it knows, before all open reads are made together; after
/// them it makes all reads of each step at once.
pub const KNOWN_STEPS_MAX: u32 = 100;
/// Reads of one job: two of each of 50,000 gauges. Further ones are not made: their replies say so.
pub const READS_MAX: u32 = 120_000;
/// Bytes of replies to one job; 120,000 replies of four words. Further replies are held back, and say so.
pub const BYTES_MAX: u32 = 16 << 20;
/// Findings of one job; more than any account holds in one protocol.
pub const FINDINGS_MAX: usize = 5_000;

/// Steps of one job in which it only walks fact lists.
pub const WALK_STEPS_MAX: u32 = 100;
/// Reads of one job to walk fact lists. A list that needs more is walked by several jobs.
pub const WALK_READS_MAX: u32 = 50_000;
/// Bytes of replies to these reads.
pub const WALK_BYTES_MAX: u32 = 16 << 20;
/// Fact lists that one job may read.
pub const FACT_LISTS_MAX: usize = 16;
/// Entries of a fact list; further ones are not taken.
pub const FACT_ENTRIES_MAX: usize = 100_000;
/// Bytes of a fact list; 50,000 entries of four words, with their lengths.
pub const FACT_LIST_BYTES_MAX: usize = 8 << 20;
/// Bytes of a fact list's key: lower case letters, digits and hyphens.
pub const FACT_KEY_BYTES_MAX: usize = 32;

/// Bytes of a frame from a plugin; 60,000 reads with their calldata take 12 MiB.
pub const FRAME_BYTES_MAX: usize = 16 << 20;
/// Reads in one step of a job: one of each of 50,000 gauges, and more.
pub const STEP_READS_MAX: usize = 60_000;
/// Networks of one frame; a job reads one, seldom two. Reads on further ones are refused.
pub const NETWORKS_MAX: usize = 64;
/// Bytes of calldata of one read; a claim's proof has some kilobytes.
pub const CALLDATA_MAX: usize = 32 << 10;
/// Characters of a plugin's words for why a job ended; the rest is cut.
pub const MESSAGE_MAX: usize = 512;
/// Sentences of a job about what its plugin does not read; a protocol has a handful of such places.
pub const NOT_COVERED_MAX: usize = 16;
/// Characters of a plugin's words for what contracts replied: eight reasons, each with the longest key of an item.
pub const INVALID_REPLIES_CHARS_MAX: usize = 4_096;

/// Bytes of a catalogue; a family of a hundred forks with their contracts needs some 100 KB.
pub const CATALOGUE_BYTES_MAX: usize = 4 << 20;
/// Protocols of a catalogue; the largest family has about sixty forks.
pub const PROTOCOLS_MAX: usize = 512;
/// Deployments of a catalogue.
pub const DEPLOYMENTS_MAX: usize = 4_096;
/// Contracts that one deployment names beforehand; those that it finds on the chain do not count.
pub const CONTRACTS_MAX: usize = 4_096;
/// Claim templates of a catalogue: one for each claim function of a mechanism.
pub const CLAIMS_MAX: usize = 256;
/// Roles of a claim template, nested ones included.
pub const ROLES_MAX: usize = 64;
/// Bytes of an argument that is always the same.
pub const CONSTANT_BYTES_MAX: usize = 4_096;
/// Questions that one deployment answers.
pub const QUESTIONS_MAX: usize = 16;
/// First topics of the events that a plugin decodes.
pub const TOPICS_MAX: usize = 1_024;
/// Bytes of a slug.
pub const SLUG_BYTES_MAX: usize = 64;
/// Bytes of a catalogue's names and markets.
pub const NAME_BYTES_MAX: usize = 128;
/// Bytes of a catalogue's web addresses and function signatures.
pub const TEXT_BYTES_MAX: usize = 1_024;

/// A limit that a job has passed, which ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// More than [`FRAME_BYTES_MAX`].
    #[error("answered a frame of {0} bytes, more than {FRAME_BYTES_MAX}")]
    FrameBytes(usize),
    /// More than [`STEP_READS_MAX`].
    #[error("requested {0} reads at once, more than {STEP_READS_MAX}")]
    StepReads(usize),
    /// More than [`STEPS_MAX`].
    #[error("requested more than {STEPS_MAX} batches of reads")]
    Steps,
    /// More than [`WALK_STEPS_MAX`].
    #[error("walked fact lists in more than {WALK_STEPS_MAX} batches of reads")]
    WalkSteps,
    /// More than [`FINDINGS_MAX`] in one step.
    #[error("returned {0} findings at once, more than {FINDINGS_MAX}")]
    StepFindings(usize),
    /// More than [`FINDINGS_MAX`] in all steps.
    #[error("returned more than {FINDINGS_MAX} findings")]
    Findings,
}

/// What a job may still use. Whoever resumes jobs counts with it, so that a job meets its limits in tests as in a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    steps: u32,
    known_steps: u32,
    reads: u32,
    bytes: u32,
    findings: usize,
    walk_steps: u32,
    walk_reads: u32,
    walk_bytes: u32,
}

impl Default for Allowance {
    fn default() -> Self {
        Self {
            steps: STEPS_MAX,
            known_steps: KNOWN_STEPS_MAX,
            reads: READS_MAX,
            bytes: BYTES_MAX,
            findings: FINDINGS_MAX,
            walk_steps: WALK_STEPS_MAX,
            walk_reads: WALK_READS_MAX,
            walk_bytes: WALK_BYTES_MAX,
        }
    }
}

impl Allowance {
    /// Reads that the job may still request.
    pub fn reads_left(&self) -> u32 {
        self.reads
    }

    /// Bytes of replies that it may still get.
    pub fn bytes_left(&self) -> u32 {
        self.bytes
    }

    /// Reads that it has used.
    pub fn reads_used(&self) -> u32 {
        READS_MAX - self.reads
    }

    /// Takes a step with reads.
    ///
    /// # Errors
    /// Where there is none left.
    pub fn take_step(&mut self) -> Result<(), LimitError> {
        self.steps = self.steps.checked_sub(1).ok_or(LimitError::Steps)?;
        Ok(())
    }

    /// Takes a step that is answered with what the host knows; false where there is none left.
    pub fn take_known_step(&mut self) -> bool {
        let left = self.known_steps.checked_sub(1);
        self.known_steps = left.unwrap_or(self.known_steps);
        left.is_some()
    }

    /// Takes a read; false where there is none left.
    pub fn take_read(&mut self) -> bool {
        let left = self.reads.checked_sub(1);
        self.reads = left.unwrap_or(self.reads);
        left.is_some()
    }

    /// Takes the bytes of a reply; false where there are not as many left.
    pub fn take_bytes(&mut self, bytes: usize) -> bool {
        let left = u32::try_from(bytes).ok().and_then(|bytes| self.bytes.checked_sub(bytes));
        self.bytes = left.unwrap_or(self.bytes);
        left.is_some()
    }

    /// Reads that the job may still make to walk fact lists.
    pub fn walk_reads_left(&self) -> u32 {
        self.walk_reads
    }

    /// Takes a step that only walks fact lists.
    ///
    /// # Errors
    /// Where there is none left.
    pub fn take_walk_step(&mut self) -> Result<(), LimitError> {
        self.walk_steps = self.walk_steps.checked_sub(1).ok_or(LimitError::WalkSteps)?;
        Ok(())
    }

    /// Takes a read that walks a fact list; false where there is none left.
    pub fn take_walk_read(&mut self) -> bool {
        let left = self.walk_reads.checked_sub(1);
        self.walk_reads = left.unwrap_or(self.walk_reads);
        left.is_some()
    }

    /// Takes the bytes of the reply to such a read; false where there are not as many left.
    pub fn take_walk_bytes(&mut self, bytes: usize) -> bool {
        let left = u32::try_from(bytes).ok().and_then(|bytes| self.walk_bytes.checked_sub(bytes));
        self.walk_bytes = left.unwrap_or(self.walk_bytes);
        left.is_some()
    }

    /// Takes findings, and cuts off those that are too many.
    ///
    /// # Errors
    /// Where some were.
    pub fn take_findings(&mut self, found: &mut Vec<Finding>) -> Result<(), LimitError> {
        let too_many = found.len() > self.findings;
        found.truncate(self.findings);
        self.findings -= found.len();
        if too_many { Err(LimitError::Findings) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_ends_where_its_limits_are() {
        let mut allowance = Allowance::default();
        assert!((0..24).all(|_| allowance.take_step().is_ok()));
        assert_eq!(allowance.take_step(), Err(LimitError::Steps));
        assert!((0..100).all(|_| allowance.take_known_step()) && !allowance.take_known_step());
        assert!((0..120_000).all(|_| allowance.take_read()));
        assert_eq!((allowance.take_read(), allowance.reads_left(), allowance.reads_used()), (false, 0, 120_000));
        assert!(allowance.take_bytes(16 * 1024 * 1024 - 1));
        assert_eq!((allowance.take_bytes(2), allowance.bytes_left()), (false, 1));
        assert_eq!((allowance.take_bytes(usize::MAX), allowance.take_bytes(1)), (false, true));
        assert!((0..100).all(|_| allowance.take_walk_step().is_ok()));
        assert_eq!(allowance.take_walk_step(), Err(LimitError::WalkSteps));
        assert!((0..50_000).all(|_| allowance.take_walk_read()) && !allowance.take_walk_read());
        assert!(!allowance.take_walk_bytes(16 * 1024 * 1024 + 1) && allowance.take_walk_bytes(16 * 1024 * 1024));
        assert!(!allowance.take_walk_bytes(1));
        let mut found = vec![Finding::default(); 4_999];
        assert_eq!((allowance.take_findings(&mut found), found.len()), (Ok(()), 4_999));
        found.truncate(2);
        assert_eq!((allowance.take_findings(&mut found), found.len()), (Err(LimitError::Findings), 1));
    }
}
