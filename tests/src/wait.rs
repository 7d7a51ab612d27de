//! Waiting for something that another process does: looked at again and again, up to a deadline that is given.

use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Between two looks; short beside everything that is waited for.
const LOOK_EVERY: Duration = Duration::from_millis(15);

/// The first `Ok` of `look`, and how long it took.
///
/// # Errors
/// The last refusal, once `within` is over.
pub fn until<T, E: Display>(
    what: &str,
    within: Duration,
    mut look: impl FnMut() -> Result<T, E>,
) -> Result<(T, Duration)> {
    let start = Instant::now();
    loop {
        match look() {
            Ok(found) => return Ok((found, start.elapsed())),
            Err(refusal) if start.elapsed() >= within => bail!("{what}: not within {within:?}: {refusal:#}"),
            Err(_) => thread::sleep(LOOK_EVERY),
        }
    }
}
