//! Tools of assistants, by the official clients of the Model Context Protocol and an independent grader. The programs are
//! those of `tests/mcp`; what they expect is the arithmetic of the chains' builds.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod conformance;
mod many;
mod sizes;
mod tasks;

/// Lets a gateway serve assistants.
const ENABLED: &str = "[mcp]\nenabled = true";
