//! Tests of the SDK: jobs of small plugins, driven through the functions that a host calls.
//!
//! They stand outside the crate, where a plugin author stands: they see what is public and nothing else.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken expectation is how a test fails")]

mod any_bytes;
mod batches;
mod cases;
mod combinators;
mod derive;
mod events;
mod facts;
mod findings;
mod fixtures;
mod frames;
mod host;
mod instances;
mod limits;
mod losses;
mod manifest;
mod misuse;
mod off_chain;
mod panics;
mod questions;
mod reads;
mod refusals;
mod scenario;
mod settings;
