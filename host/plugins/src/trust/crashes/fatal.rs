//! Marks the plugin in whose call the process ended: by a signal that its code raised, or by an exit.
//!
//! Invariant: only the thread that runs the plugin writes the mark, so a kill from outside, by an operator or by the
//! kernel for lack of memory, writes none; [`super::Mark::accuse`] is for a load that blocks. Nothing here allocates or
//! waits once the process ends.
#![expect(unsafe_code, reason = "what runs at a signal and at an exit is under rules that the compiler does not know")]

use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

use crash_handler::{CrashHandler, make_crash_event};
use parking_lot::RwLock;

/// First byte of the line whose plugin ended the process.
pub(super) const ENDED: u8 = b'X';

/// The file of marks; the newest one, as a process has only one.
static RUNNING: RwLock<Option<File>> = RwLock::new(None);
static HANDLER: OnceLock<Option<CrashHandler>> = OnceLock::new();

thread_local! {
    /// Offset of the line of the plugin whose code runs on this thread.
    static LINE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Writes marks to this file from now on.
pub(super) fn watch(running: Option<File>) {
    *RUNNING.write() = running;
    HANDLER.get_or_init(|| {
        // SAFETY: the handler allocates nothing, never waits for a lock, and writes one byte.
        let event = unsafe {
            make_crash_event(|_| {
                mark();
                false.into()
            })
        };
        // SAFETY: as above. There is a free slot, because this runs once.
        unsafe { libc::atexit(at_exit) };
        let attached = CrashHandler::attach(event);
        attached.inspect_err(|error| tracing::error!(%error, "cannot watch for fatal signals")).ok()
    });
}

/// Stops the marking at a normal shutdown.
pub(super) fn unwatch() {
    *RUNNING.write() = None;
}

/// Sets the line of the plugin whose code this thread runs, and returns the one before.
pub(super) fn enter(line: Option<u64>) -> Option<u64> {
    LINE.replace(line)
}

extern "C" fn at_exit() {
    mark();
}

fn mark() {
    let Some(line) = LINE.get() else { return };
    if let Some(running) = RUNNING.try_read()
        && let Some(file) = running.as_ref()
    {
        // An error cannot be reported here.
        let _ = file.write_at(&[ENDED], line);
    }
}
