//! Tests of the binary interface: its bytes, how it grows, and what it makes of bytes that are nothing.
//!
//! They stand outside the crate, where a third party stands: they see what is public and nothing else.
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
