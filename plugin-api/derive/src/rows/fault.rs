//! Refusals that name a line.

use std::ops::Range;

/// Reason why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Place in the text, in bytes.
    offset: usize,
    line: usize,
    message: String,
}

impl Fault {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, line: 0, message: message.into() }
    }

    /// Refuses what stands in this range.
    pub(crate) fn of(span: &Range<usize>, message: impl Into<String>) -> Self {
        Self::new(span.start, message)
    }

    /// Finds the line.
    pub(crate) fn within(self, text: &str) -> Self {
        Self { line: line(text, self.offset), ..self }
    }

    /// Returns the message as an error of this file.
    pub(crate) fn at(&self, path: &str) -> String {
        match self.line {
            0 => format!("{path}: {}", self.message),
            line => format!("{path}:{line}: {}", self.message),
        }
    }
}

/// Returns the line of a place in a text, from 1.
pub(crate) fn line(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}
