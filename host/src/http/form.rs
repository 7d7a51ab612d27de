//! How an answer is written, as the client asks: with or without all details, and its amounts as numbers or as strings.
//!
//! Invariant: it says nothing of what is in the answer, so that clients who want other forms share one.

use crate::gateway::problem::{Problem, quoted};
use crate::sanitize::door::Numbers;

/// The form of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// `?detail=full`
    pub(super) full: bool,
    /// `?amounts=string`
    pub(super) numbers: Numbers,
}

/// The form of amounts by its word.
///
/// # Errors
/// There is no such word.
pub(super) fn numbers(word: &str) -> Result<Numbers, Problem> {
    match word {
        "number" => Ok(Numbers::Plain),
        "string" => Ok(Numbers::Quoted),
        _ => Err(Problem::InvalidFilter(format!("amounts is string or number, not {}", quoted(word)))),
    }
}
