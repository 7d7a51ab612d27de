//! HTTP in, JSON out: three listeners, the routes, problem documents and views.
//!
//! Invariant: only [`problem`] maps errors to status codes, and only [`view`] names JSON members. Nothing here decides
//! what an answer contains.

pub(crate) mod server;

pub(crate) mod admin;
mod public;

pub(crate) mod problem;

mod view;

mod content;
mod limit;
mod request_id;

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
