//! Why findings are rejected, and who is at fault.
//!
//! Invariant: the plugin is blamed only for faults that no reply of a contract can cause.

use std::collections::BTreeSet;
use std::fmt;

/// Reasons that are listed; further ones are only counted.
const NAMED_MAX: usize = 8;

/// Why a finding is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FindingError {
    /// It breaks a rule that plugins can always follow, whatever contracts reply.
    Broken(String),
    /// It breaks a rule because of a contract's reply or log.
    OfReply(String),
    /// It is valid, but claims may not call its function.
    LeftOut(String),
}

impl From<String> for FindingError {
    fn from(reason: String) -> Self {
        Self::Broken(reason)
    }
}

impl FindingError {
    /// Creates an error that a contract's reply may have caused.
    pub(crate) fn of_reply(reason: impl Into<String>) -> Self {
        Self::OfReply(reason.into())
    }

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
    broken: Vec<String>,
    of_replies: Vec<String>,
    left_out: BTreeSet<String>,
}

impl Rejections {
    pub(crate) fn add(&mut self, error: FindingError) {
        match error {
            FindingError::Broken(reason) => self.broken.push(reason),
            FindingError::OfReply(reason) => self.of_replies.push(reason),
            FindingError::LeftOut(reason) => drop(self.left_out.insert(reason)),
        }
    }

    /// Returns true if no finding was rejected.
    pub fn is_empty(&self) -> bool {
        self.broken.is_empty() && self.of_replies.is_empty() && self.left_out.is_empty()
    }

    /// Returns the rules that the plugin broke; `None` if none.
    pub fn broken(&self) -> Option<String> {
        line(&self.broken)
    }

    /// Returns rejections caused by a contract's reply or log; `None` if none. The plugin is not at fault.
    pub fn of_replies(&self) -> Option<String> {
        line(&self.of_replies)
    }

    /// Returns why claims with disallowed functions were left out; `None` if none was.
    pub fn left_out(&self) -> Option<String> {
        let reasons: Vec<_> = self.left_out.iter().take(NAMED_MAX).map(String::as_str).collect();
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

/// Joins reasons into one bounded line; `None` if there are none.
fn line(reasons: &[String]) -> Option<String> {
    let named = reasons.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join("; ");
    match reasons.len().checked_sub(NAMED_MAX) {
        None | Some(0) => (!named.is_empty()).then_some(named),
        Some(more) => Some(format!("{named}; and {more} more")),
    }
}
