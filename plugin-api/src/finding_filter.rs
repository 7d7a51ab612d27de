//! Filters findings before they are sent: a contract's reply can make one that no answer may have.
//!
//! Invariant: each finding that is left out is reported, and only rules that a reply alone can break are checked. Rules
//! that depend on more than the finding are the host's, as the plugin may be at fault: where a claim goes, and which of
//! two findings about one item counts.

use portolan_abi::limits::FINDINGS_MAX;
use portolan_abi::map::Finding;
use portolan_abi::reply_rules::{self, Reasons, ReplyError, Reported};

/// Filters the findings of a job.
#[derive(Debug, Default)]
pub(crate) struct FindingFilter {
    seen: usize,
    left_out: Reasons,
}

impl FindingFilter {
    /// Returns true if the finding may be sent. Otherwise records the reason.
    pub(crate) fn accepts(&mut self, finding: &Finding) -> bool {
        self.seen = self.seen.saturating_add(1);
        // No host takes more, so the job ends here anyway.
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

    /// Returns true if a finding was left out.
    pub(crate) fn has_left_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Returns the findings that were left out, with reasons, in one line; empty if none.
    pub(crate) fn take_left_out(&mut self) -> String {
        std::mem::take(&mut self.left_out).line().unwrap_or_default()
    }
}

/// Checks a finding on its own, also that it does not report an item twice.
fn check(finding: &Finding) -> Result<(), ReplyError> {
    reply_rules::check(finding)?;
    Reported::default().take(finding)
}
