//! Ends the process if a plugin does not load in time.
//!
//! A constructor that blocks holds the loader's lock. Without it no thread can start, nor register what it drops at its
//! end, so that soon nobody is answered, and nothing but the end of the process takes the lock back. Invariant: the
//! thread of a watchdog has started before the load, and uses nothing after that takes the lock: no thread-local value
//! with a destructor, and so no log.
#![expect(unsafe_code, reason = "an orderly exit waits for the lock that the constructor holds")]

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::trust::crashes::Mark;

/// Time to load a library, whose probe took milliseconds; the rest is for a machine under load.
const LOAD_LIMIT: Duration = Duration::from_secs(10);
/// Exit code of the process.
const LATE: i32 = 70;
/// The last words, on stderr. The next start names the plugin.
const LAST_WORDS: &[u8] = b"portolan: a plugin does not load in time, and the process ends\n";

/// Watches one load until it is dropped.
pub(crate) struct Watchdog(Arc<Watched>);

struct Watched {
    state: Mutex<WatchState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WatchState {
    Starting,
    Watching,
    Ended,
}

impl Watchdog {
    /// Starts the thread of the watchdog, and waits until it watches.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(mark: Arc<Mark>) -> io::Result<Self> {
        let watched = Arc::new(Watched { state: Mutex::new(WatchState::Starting), changed: Condvar::new() });
        let watching = Arc::clone(&watched);
        thread::Builder::new().name("watchdog".into()).spawn(move || {
            watching.set(WatchState::Watching);
            if !watching.becomes(WatchState::Ended, LOAD_LIMIT) {
                mark.accuse();
                // SAFETY: the bytes are there, and nothing runs after the exit: no handlers, which could wait for the
                // loader.
                unsafe {
                    libc::write(libc::STDERR_FILENO, LAST_WORDS.as_ptr().cast(), LAST_WORDS.len());
                    libc::_exit(LATE)
                }
            }
        })?;
        watched.becomes(WatchState::Watching, LOAD_LIMIT);
        Ok(Self(watched))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.set(WatchState::Ended);
    }
}

impl Watched {
    fn set(&self, state: WatchState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.changed.notify_all();
    }

    /// Waits for a state; returns false if it is not reached in time.
    fn becomes(&self, wanted: WatchState, limit: Duration) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(state, limit, |state| *state != wanted);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == wanted
    }
}
