//! The part of the findings' fuzz target that is about frames.

use portolan_abi::limits::{CALLDATA_MAX, FINDINGS_MAX};
use portolan_abi::map::Finding;
use portolan_abi::row::state;
use portolan_base::sanitize::fuzzing::{require_sentence, require_shown};

use super::frames::{self, RequestedRead};

/// Parses arbitrary bytes as the frame of a step, and returns its findings. Reads and findings must be bounded and
/// texts clean; a refusal must have a bounded message.
pub(in crate::jobs) fn step(bytes: &[u8]) -> Option<Vec<Finding>> {
    match frames::step(bytes) {
        Ok(step) => {
            assert!(step.findings.len() <= FINDINGS_MAX);
            assert!(step.state == state::READING || step.reads.is_empty());
            let calldata = step.reads.iter().filter_map(RequestedRead::chain_read).map(|read| read.data.len());
            assert!(calldata.max().unwrap_or_default() <= bytes.len().min(CALLDATA_MAX));
            assert!(step.message.chars().count() <= 514);
            require_shown(&step.message);
            assert_eq!(portolan_plugins::is_last(bytes), step.state != state::READING);
            Some(step.findings)
        }
        Err(failure) => {
            assert!((1..=2048).contains(&failure.detail.len()), "{}", failure.detail);
            require_sentence(&failure.detail);
            None
        }
    }
}
