//! Why findings do not stay, by whose fault.
//!
//! Invariant: the plugin is at fault only for what no reply of a contract can make of a finding.

use std::collections::BTreeSet;
use std::fmt;

use portolan_abi::reply_rules::{Reasons, ReplyError};

/// Functions that are given in words.
const NAMED_MAX: usize = 8;

/// Why a finding does not stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FindingError {
    /// It breaks a rule that every plugin can follow, whatever contracts reply.
    Broken(String),
    /// It breaks a rule because of what a contract replied or logged.
    OfReply(String),
    /// It is sound, and its claim is of a function that claims may not call.
    LeftOut(String),
}

impl From<String> for FindingError {
    fn from(reason: String) -> Self {
        Self::Broken(reason)
    }
}

impl From<ReplyError> for FindingError {
    fn from(error: ReplyError) -> Self {
        Self::OfReply(error.to_string())
    }
}

impl FindingError {
    /// The same error with the place where it is.
    pub(crate) fn at(self, place: &str) -> Self {
        match self {
            Self::Broken(reason) => Self::Broken(format!("{place}: {reason}")),
            Self::OfReply(reason) => Self::OfReply(format!("{place}: {reason}")),
            left_out @ Self::LeftOut(_) => left_out,
        }
    }
}

/// Why findings of a job did not stay, each kind in one bounded line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejections {
    broken: Reasons,
    of_replies: Reasons,
    left_out: BTreeSet<String>,
}

impl Rejections {
    pub(crate) fn add(&mut self, error: FindingError) {
        match error {
            FindingError::Broken(reason) => self.broken.add(reason),
            FindingError::OfReply(reason) => self.of_replies.add(reason),
            FindingError::LeftOut(reason) => drop(self.left_out.insert(reason)),
        }
    }

    /// Whether all findings stay.
    pub fn is_empty(&self) -> bool {
        self.broken.is_empty() && self.of_replies.is_empty() && self.left_out.is_empty()
    }

    /// Which rules the plugin broke; `None` if none.
    pub fn broken(&self) -> Option<String> {
        self.broken.line()
    }

    /// What contracts replied or logged that no finding may have; `None` if nothing. It is not the plugin's fault.
    pub fn of_replies(&self) -> Option<String> {
        self.of_replies.line()
    }

    /// Why claims are left out whose functions claims may not call; `None` if none was.
    pub fn left_out(&self) -> Option<String> {
        let reasons: Vec<_> = self.left_out.iter().take(NAMED_MAX).map(String::as_str).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

impl fmt::Display for Rejections {
    /// All of them, the worst first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = [self.broken(), self.of_replies(), self.left_out()].into_iter().flatten().collect();
        f.write_str(&lines.join("; "))
    }
}
