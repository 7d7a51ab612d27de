//! Ends the process if a plugin does not load in time.
//!
//! A constructor that blocks holds the loader's lock. No thread can start without it, so that soon nobody is answered,
//! and nothing but the end of the process takes it back.
#![expect(unsafe_code, reason = "an orderly exit waits for the lock that the constructor holds")]

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::trust::crashes::Mark;

/// Time to load a library, whose probe took milliseconds; the rest is for a machine under load.
const LOAD_LIMIT: Duration = Duration::from_secs(10);
/// Exit code of the process.
const LATE: i32 = 70;

/// Watches one load until it is dropped.
pub(crate) struct Watchdog {
    _ended: mpsc::Sender<()>,
}

impl Watchdog {
    /// Starts the thread of the watchdog, before the load that it watches.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(mark: Arc<Mark>) -> io::Result<Self> {
        let (ended, wait) = mpsc::channel();
        thread::Builder::new().name("watchdog".into()).spawn(move || {
            if wait.recv_timeout(LOAD_LIMIT) == Err(RecvTimeoutError::Timeout) {
                mark.accuse();
                let limit_s = LOAD_LIMIT.as_secs();
                tracing::error!(plugin = mark.label, limit_s, "a plugin does not load in time, and the process ends");
                // SAFETY: nothing runs after it: no handlers at exit, which could wait for the loader.
                unsafe { libc::_exit(LATE) }
            }
        })?;
        Ok(Self { _ended: ended })
    }
}
