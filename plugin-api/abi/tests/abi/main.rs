//! Tests of the binary interface: its bytes, how it grows, and malformed input.
//!
//! They are outside the crate, like a third party: they see only what is public.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken expectation is how a test fails")]

mod any_bytes;
mod bytes;
mod frames;
mod grown_frames;
mod grown_maps;
mod grown_root;
mod layout;
mod logs;
mod note;
mod readme;
mod samples;
