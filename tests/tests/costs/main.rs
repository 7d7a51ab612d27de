//! The cost of answers, counted at the endpoints: requests, reads and bytes.
//!
//! A process of its own, whose tests run one after the other: a batch of reads waits for jobs that still run, so
//! whatever else keeps the processors busy would be counted too. With `--nocapture` they print what they count.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod accounts;
mod balances;
mod claimables;
mod events;
mod pools;

use std::sync::{Mutex, MutexGuard, PoisonError};

use portolan_tests::json::Json;

static MACHINE: Mutex<()> = Mutex::new(());

/// Waits until no other test runs.
fn alone() -> MutexGuard<'static, ()> {
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The method of a request; of a batch, which is one request, that of its first member.
fn method(request: &Json) -> &str {
    request.text_at("method").or_else(|_| request.text_at("0/method")).unwrap()
}
