//! HTTP in, JSON out: three listeners, the routes, problem documents and views.
//!
//! Invariant: only [`problem`] maps errors to status codes, and only [`view`] names JSON members. Nothing here decides
//! what an answer contains.

pub(crate) mod control;
pub(crate) mod serve;

mod body;
mod broken_head;
mod connection;
mod content;
mod guard;
mod record;
mod request_id;
mod respond;
mod socket;

mod limit;
mod logo;
mod route;

mod accept;
mod form;

pub(crate) mod problem;

mod number;
mod rate;
mod view;

mod access;
mod operators;

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
