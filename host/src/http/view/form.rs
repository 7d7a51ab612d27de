//! The form of a body that the client requests: with or without all details, amounts as numbers or as strings.
//!
//! Invariant: the form does not affect what is in the answer, so clients with different forms share one.

use portolan_base::sanitize::output::Numbers;

use crate::gateway::problem::{Problem, quoted};

/// The form of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::http) struct Form {
    /// `?detail=full`
    pub(in crate::http) full: bool,
    /// `?amounts=string`
    pub(in crate::http) numbers: Numbers,
}

/// Parses the form of amounts.
///
/// # Errors
/// The form is unknown.
pub(in crate::http) fn numbers(word: &str) -> Result<Numbers, Problem> {
    match word {
        "number" => Ok(Numbers::Plain),
        "string" => Ok(Numbers::Quoted),
        _ => Err(Problem::InvalidFilter(format!("amounts is string or number, not {}", quoted(word)))),
    }
}
