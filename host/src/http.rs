//! HTTP in, JSON out: three listeners, the routes, problem documents and views.
//!
//! Invariant: an error becomes a status code in [`problem`] alone, and the names of JSON members stand in [`view`]
//! alone. What an answer says is not decided here.

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
