//! The last look at a finding before it is sent: what a contract replied may make it one that no answer can have.
//!
//! Invariant: what is left out is told, and is no fault of the plugin. All other rules are the host's: so is which of two
//! findings about one thing stays, as it may refuse the first.

use std::sync::Arc;

use alloy::primitives::Address;
use portolan_abi::limits::FINDINGS_MAX;
use portolan_abi::map::{ClaimTemplate, Finding};
use portolan_abi::reply_rules::{self, Reasons, ReplyError, Reported};

/// Checks the findings of a job.
#[derive(Debug, Default)]
pub(crate) struct Door {
    account: Address,
    templates: Arc<[ClaimTemplate]>,
    seen: usize,
    left_out: Reasons,
}

impl Door {
    /// For a job about this account; `templates` are the catalogue's.
    pub(crate) fn new(account: Address, templates: Arc<[ClaimTemplate]>) -> Self {
        Self { account, templates, ..Self::default() }
    }

    /// Whether the finding may be sent; else its reason is kept.
    pub(crate) fn lets_pass(&mut self, finding: &Finding) -> bool {
        self.seen = self.seen.saturating_add(1);
        // No host takes more: the job ends with that, whatever they are.
        if self.seen > FINDINGS_MAX {
            return true;
        }
        match self.check(finding) {
            Ok(()) => true,
            Err(error) => {
                self.left_out.add(error.to_string());
                false
            }
        }
    }

    fn check(&mut self, finding: &Finding) -> Result<(), ReplyError> {
        reply_rules::check(finding)?;
        if let Some(claimable) = &finding.claimable {
            reply_rules::check_targets(claimable, &self.templates, self.account)?;
        }
        // Alone: a thing that it reports twice itself.
        Reported::default().take(finding)
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
