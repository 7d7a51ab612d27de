//! The last look at a finding before it is sent: what a contract replied may make it one that no answer can have.
//!
//! Invariant: what is left out is told, and each rule is one that a reply alone can break. What rests on more than the
//! finding is the host's to judge, as the plugin may be at fault: where a claim goes, and which of two findings about one
//! thing stays.

use portolan_abi::limits::FINDINGS_MAX;
use portolan_abi::map::Finding;
use portolan_abi::reply_rules::{self, Reasons, ReplyError, Reported};

/// Checks the findings of a job.
#[derive(Debug, Default)]
pub(crate) struct Door {
    seen: usize,
    left_out: Reasons,
}

impl Door {
    /// Whether the finding may be sent; else its reason is kept.
    pub(crate) fn lets_pass(&mut self, finding: &Finding) -> bool {
        self.seen = self.seen.saturating_add(1);
        // No host takes more: the job ends with that, whatever they are.
        if self.seen > FINDINGS_MAX {
            return true;
        }
        match check(finding) {
            Ok(()) => true,
            Err(error) => {
                self.left_out.add(error.to_string());
                false
            }
        }
    }

    /// Whether something was left out.
    pub(crate) fn has_left_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Which findings were left out, and why, in one line; empty if none was.
    pub(crate) fn take_left_out(&mut self) -> String {
        std::mem::take(&mut self.left_out).line().unwrap_or_default()
    }
}

/// Checks a finding by itself: also that it does not report one thing twice.
fn check(finding: &Finding) -> Result<(), ReplyError> {
    reply_rules::check(finding)?;
    Reported::default().take(finding)
}
