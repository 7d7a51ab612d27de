//! Catches panics of the author's code with their location, and keeps standard error quiet.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Message of a panic started by `resume_unwind`, which bypasses the hook.
const RESUMED: &str = "panicked without a message";

/// End of the text of a panic.
const MEND: &str = " (return an error there instead)";

/// Runs `work`; returns a panic as its message and location.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    hook();
    let outside = INSIDE.replace(true);
    // A panic that the author caught may have left its text.
    LAST.take();
    let outcome = catch_unwind(AssertUnwindSafe(work));
    let outcome = outcome.map_err(|payload| {
        discard(payload);
        Some(LAST.take()).filter(|text| !text.is_empty()).unwrap_or_else(|| RESUMED.to_owned())
    });
    INSIDE.set(outside);
    outcome
}

/// Dropping a payload may panic; the payload of that panic is leaked, since it may do the same.
fn discard(payload: Box<dyn Any + Send>) {
    let text = LAST.take();
    if let Err(next) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(next);
    }
    LAST.set(text);
}

/// Installs the panic hook. A dylib has its own standard library, whose default hook would print caught panics.
fn hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| if INSIDE.get() { LAST.set(text(info)) } else { before(info) }));
    });
}

fn text(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    let message = payload.downcast_ref::<&str>().copied().or(owned).unwrap_or("a payload that is not text");
    match info.location() {
        Some(place) => format!("panicked at {}:{}: {message}{MEND}", place.file(), place.line()),
        None => format!("panicked: {message}{MEND}"),
    }
}
