//! Limits on what a plugin may request and return, as hosts check them, and the [`Allowance`] that counts them down.
//!
//! They are generous: a plugin that reaches one has a bug. They are not part of the binary interface. A later host may
//! have other limits; each `JobIn` carries what its job has left.

use crate::map::Finding;

/// Steps of a job that request reads; the deepest protocol takes nine.
pub const STEPS_MAX: u32 = 24;
/// Steps that the host answers from known replies before it makes all open reads together. After them, it makes all
/// reads of each step at once.
pub const KNOWN_STEPS_MAX: u32 = 100;
/// Reads of a job: two for each of 50,000 gauges. Further reads are answered with `OVER_BUDGET`.
pub const READS_MAX: u32 = 120_000;
/// Reply bytes of a job: 120,000 replies of four words. Further replies are answered with `OVER_BUDGET`.
pub const BYTES_MAX: u32 = 16 << 20;
/// Findings of a job; more than any account has in one protocol.
pub const FINDINGS_MAX: usize = 5_000;

/// Steps of a job that only walk fact lists.
pub const WALK_STEPS_MAX: u32 = 100;
/// Reads of a job that walk fact lists. Longer lists are walked by several jobs.
pub const WALK_READS_MAX: u32 = 50_000;
/// Reply bytes of these reads.
pub const WALK_BYTES_MAX: u32 = 16 << 20;
/// Fact lists that one job may read.
pub const FACT_LISTS_MAX: usize = 16;
/// Entries of a fact list; further ones are dropped.
pub const FACT_ENTRIES_MAX: usize = 100_000;
/// Bytes of a fact list: 50,000 entries of four words, with their lengths.
pub const FACT_LIST_BYTES_MAX: usize = 8 << 20;
/// Bytes of a fact list's name, `market/key`.
pub const FACT_LIST_NAME_BYTES_MAX: usize = NAME_BYTES_MAX + 1 + FACT_KEY_BYTES_MAX;
/// Bytes of a fact list's key, which has lower-case letters, digits and hyphens.
pub const FACT_KEY_BYTES_MAX: usize = 32;

/// Bytes of a frame from a plugin; 60,000 reads with calldata take 12 MiB.
pub const FRAME_BYTES_MAX: usize = 16 << 20;
/// Reads in one step of a job: one for each of 50,000 gauges, and some.
pub const STEP_READS_MAX: usize = 60_000;
/// Bytes that the reads and entries of one step point to. Rows may point to the same bytes, so they can name far more than
/// the frame has; calldata counts once for calls in sequence that share it.
pub const STEP_BYTES_MAX: usize = FRAME_BYTES_MAX;
/// Networks of a frame; most jobs read one. Reads on further ones are refused.
pub const NETWORKS_MAX: usize = 64;
/// Bytes of calldata of a read; a claim's proof takes some kilobytes.
pub const CALLDATA_MAX: usize = 32 << 10;
/// Characters of the message of an ended job; the rest is cut.
pub const MESSAGE_MAX: usize = 512;
/// Known gaps that a job may report; a protocol has a handful.
pub const NOT_COVERED_MAX: usize = 16;
/// Characters of the line about findings dropped because of contracts' replies: eight reasons, each with the longest
/// key.
pub const INVALID_REPLIES_CHARS_MAX: usize = 4_096;

/// Bytes of a catalogue; a family of a hundred forks with their contracts needs some 100 KB.
pub const CATALOGUE_BYTES_MAX: usize = 4 << 20;
/// Protocols of a catalogue; the largest family has about sixty forks.
pub const PROTOCOLS_MAX: usize = 512;
/// Primitives of a protocol; the specification's own protocols have at most four.
pub const PRIMITIVES_MAX: usize = 8;
/// Bytes of a primitive.
pub const PRIMITIVE_BYTES_MAX: usize = 32;
/// Deployments of a catalogue.
pub const DEPLOYMENTS_MAX: usize = 4_096;
/// Contracts that a deployment lists; those found on chain do not count.
pub const CONTRACTS_MAX: usize = 4_096;
/// Claim templates of a catalogue: one for each claim function of a mechanism.
pub const CLAIMS_MAX: usize = 256;
/// Roles of a claim template, nested ones included.
pub const ROLES_MAX: usize = 64;
/// Bytes of a constant argument.
pub const CONSTANT_BYTES_MAX: usize = 4_096;
/// Questions that one deployment answers.
pub const QUESTIONS_MAX: usize = 16;
/// First topics of a catalogue's events.
pub const TOPICS_MAX: usize = 1_024;
/// Decimals of a token for which a word can hold one whole token: 10^77 is below 2^256, 10^78 is not.
pub const DECIMALS_MAX: u8 = 77;
/// Bytes of a slug.
pub const SLUG_BYTES_MAX: usize = 64;
/// Bytes of names and markets in a catalogue.
pub const NAME_BYTES_MAX: usize = 128;
/// Bytes of URLs and function signatures in a catalogue.
pub const TEXT_BYTES_MAX: usize = 1_024;

/// A limit that a job exceeded, which ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// More than [`FRAME_BYTES_MAX`].
    #[error("answered a frame of {0} bytes, more than {FRAME_BYTES_MAX}")]
    FrameBytes(usize),
    /// More than [`STEP_READS_MAX`].
    #[error("requested {0} reads at once, more than {STEP_READS_MAX}: read in parts, or by a view that returns many")]
    StepReads(usize),
    /// More than [`STEP_BYTES_MAX`].
    #[error("named more than {STEP_BYTES_MAX} bytes of calldata, options and entries at once: read in parts")]
    StepBytes,
    /// More than [`STEPS_MAX`].
    #[error("requested more than {STEPS_MAX} batches of reads: await reads that need no other together, not in a loop")]
    Steps,
    /// More than [`WALK_STEPS_MAX`].
    #[error("walked fact lists in more than {WALK_STEPS_MAX} batches of reads")]
    WalkSteps,
    /// More than [`FINDINGS_MAX`] in one step.
    #[error("returned {0} findings at once, more than {FINDINGS_MAX}")]
    StepFindings(usize),
    /// More than [`FINDINGS_MAX`] in total.
    #[error("returned more than {FINDINGS_MAX} findings")]
    Findings,
}

/// Remaining limits of a job. Hosts and tests count with it, so that a job meets the same limits in both.
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
    /// Returns the reads that the job may still request.
    pub fn reads_left(&self) -> u32 {
        self.reads
    }

    /// Returns the reply bytes that it may still get.
    pub fn bytes_left(&self) -> u32 {
        self.bytes
    }

    /// Returns the reads that it has used.
    pub fn reads_used(&self) -> u32 {
        READS_MAX - self.reads
    }

    /// Takes a step that requests reads.
    ///
    /// # Errors
    /// [`LimitError::Steps`] if none is left.
    pub fn take_step(&mut self) -> Result<(), LimitError> {
        self.steps = self.steps.checked_sub(1).ok_or(LimitError::Steps)?;
        Ok(())
    }

    /// Takes a step that is answered from known replies. Returns false if none is left.
    pub fn take_known_step(&mut self) -> bool {
        let left = self.known_steps.checked_sub(1);
        self.known_steps = left.unwrap_or(self.known_steps);
        left.is_some()
    }

    /// Takes a read. Returns false if none is left.
    pub fn take_read(&mut self) -> bool {
        let left = self.reads.checked_sub(1);
        self.reads = left.unwrap_or(self.reads);
        left.is_some()
    }

    /// Takes the bytes of a reply. Returns false if too few are left.
    pub fn take_bytes(&mut self, bytes: usize) -> bool {
        let left = u32::try_from(bytes).ok().and_then(|bytes| self.bytes.checked_sub(bytes));
        self.bytes = left.unwrap_or(self.bytes);
        left.is_some()
    }

    /// Returns the reads that the job may still use to walk fact lists.
    pub fn walk_reads_left(&self) -> u32 {
        self.walk_reads
    }

    /// Takes a step that only walks fact lists.
    ///
    /// # Errors
    /// [`LimitError::WalkSteps`] if none is left.
    pub fn take_walk_step(&mut self) -> Result<(), LimitError> {
        self.walk_steps = self.walk_steps.checked_sub(1).ok_or(LimitError::WalkSteps)?;
        Ok(())
    }

    /// Takes a read that walks a fact list. Returns false if none is left.
    pub fn take_walk_read(&mut self) -> bool {
        let left = self.walk_reads.checked_sub(1);
        self.walk_reads = left.unwrap_or(self.walk_reads);
        left.is_some()
    }

    /// Takes the reply bytes of such a read. Returns false if too few are left.
    pub fn take_walk_bytes(&mut self, bytes: usize) -> bool {
        let left = u32::try_from(bytes).ok().and_then(|bytes| self.walk_bytes.checked_sub(bytes));
        self.walk_bytes = left.unwrap_or(self.walk_bytes);
        left.is_some()
    }

    /// Takes findings and truncates the excess.
    ///
    /// # Errors
    /// [`LimitError::Findings`] if some were cut.
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
