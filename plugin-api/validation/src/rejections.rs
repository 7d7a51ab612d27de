//! Why findings are rejected, and who is at fault.
//!
//! Invariant: the plugin is blamed only for faults that no reply of a contract can cause.

use std::collections::BTreeSet;
use std::fmt;

use portolan_abi::reply_rules::{Reasons, ReplyError};

/// Functions, or functions on a contract, that are listed; further ones are left out.
const NAMED_MAX: usize = 8;

/// Why a finding is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FindingError {
    /// It breaks a rule that plugins can always follow, whatever contracts reply.
    Broken(String),
    /// It breaks a rule because of a contract's reply or log.
    OfReply(String),
    /// It is valid, but claims may not call its function, or not on its contract.
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
    /// Prefixes the reason with its place.
    pub(crate) fn at(self, place: &str) -> Self {
        match self {
            Self::Broken(reason) => Self::Broken(format!("{place}: {reason}")),
            Self::OfReply(reason) => Self::OfReply(format!("{place}: {reason}")),
            left_out @ Self::LeftOut(_) => left_out,
        }
    }
}

/// Why findings of a job were rejected, one bounded line per kind.
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
            FindingError::LeftOut(reason) if self.left_out.len() < NAMED_MAX => drop(self.left_out.insert(reason)),
            FindingError::LeftOut(_) => {}
        }
    }

    /// Returns true if no finding was rejected.
    pub fn is_empty(&self) -> bool {
        self.broken.is_empty() && self.of_replies.is_empty() && self.left_out.is_empty()
    }

    /// Returns a sentence for each rejection, worst first; of many of a kind, the first and the number of the others.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.broken.sentences().chain(self.of_replies.sentences()).chain(self.left_out.iter().cloned())
    }

    /// Returns the rules that the plugin broke; `None` if none.
    pub fn broken(&self) -> Option<String> {
        self.broken.line()
    }

    /// Returns rejections caused by a contract's reply or log; `None` if none. The plugin is not at fault.
    pub fn of_replies(&self) -> Option<String> {
        self.of_replies.line()
    }

    /// Returns why claims of functions that they may not call were left out; `None` if none was.
    pub fn left_out(&self) -> Option<String> {
        let reasons: Vec<_> = self.left_out.iter().map(String::as_str).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

impl fmt::Display for Rejections {
    /// Writes all reasons, worst first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = [self.broken(), self.of_replies(), self.left_out()].into_iter().flatten().collect();
        f.write_str(&lines.join("; "))
    }
}
