//! In whose call the process ended: a signal that the code itself raised, or an exit that only plugins call.
//!
//! Invariant: a mark is written only in the thread that runs the plugin. A kill from outside, by an operator or by the
//! kernel for memory, writes none. Nothing in here allocates or waits once the process ends.
#![expect(unsafe_code, reason = "what runs at a signal and at an exit is under rules that the compiler does not know")]

use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

use crash_handler::{CrashHandler, make_crash_event};
use parking_lot::RwLock;

/// The mark of the line whose plugin ended the process.
pub(super) const ENDED: u8 = b'X';

/// Where marks are written; the newest file, as a process has one.
static RUNNING: RwLock<Option<File>> = RwLock::new(None);
static HANDLER: OnceLock<Option<CrashHandler>> = OnceLock::new();

thread_local! {
    /// The place of the line of the plugin whose code this thread runs.
    static LINE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Marks in this file from now on.
pub(super) fn watch(running: Option<File>) {
    *RUNNING.write() = running;
    HANDLER.get_or_init(|| {
        // SAFETY: it allocates nothing, takes no lock that it would wait for, and writes one byte.
        let event = unsafe {
            make_crash_event(|_| {
                mark();
                false.into()
            })
        };
        // SAFETY: as above. It cannot fail for want of a slot: this runs once.
        unsafe { libc::atexit(at_exit) };
        let attached = CrashHandler::attach(event);
        attached.inspect_err(|error| tracing::error!(%error, "cannot watch for fatal signals")).ok()
    });
}

/// The process ends as it should.
pub(super) fn unwatch() {
    *RUNNING.write() = None;
}

/// This thread runs code of the plugin whose line begins there; returns whose it ran before.
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
        // There is nobody to report an error to.
        let _ = file.write_at(&[ENDED], line);
    }
}
