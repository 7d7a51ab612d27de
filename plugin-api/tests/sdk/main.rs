//! Tests of the SDK: jobs of small plugins, driven through the functions that a host calls.
//!
//! They are outside the crate, like authors of plugins, and see only what is public.
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
mod mistakes;
mod misuse;
mod numbers;
mod off_chain;
mod panics;
mod questions;
mod reads;
mod refusals;
mod scenario;
mod settings;
