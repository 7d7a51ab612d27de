//! Catches the author's panics, with the place where they happened, and keeps standard error quiet.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The text of a panic that `resume_unwind` began, as the hook never sees it.
const RESUMED: &str = "panicked without a message";

/// Runs `work`; a panic is its message and place.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    hook();
    let outside = INSIDE.replace(true);
    // A panic that the author caught left its text behind; it is not this one's.
    LAST.take();
    let outcome = catch_unwind(AssertUnwindSafe(work));
    let outcome = outcome.map_err(|payload| {
        discard(payload);
        Some(LAST.take()).filter(|text| !text.is_empty()).unwrap_or_else(|| RESUMED.to_owned())
    });
    INSIDE.set(outside);
    outcome
}

/// A payload's own drop may panic; the payload of that panic is leaked, as it may be of the same kind.
fn discard(payload: Box<dyn Any + Send>) {
    let text = LAST.take();
    if let Err(next) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(next);
    }
    LAST.set(text);
}

/// A dylib has a standard library, and so a hook, of its own: without this one a caught panic would print.
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
    let message = payload.downcast_ref::<&str>().copied().or(owned).unwrap_or("a payload that is no text");
    match info.location() {
        Some(place) => format!("panicked at {}:{}: {message}", place.file(), place.line()),
        None => format!("panicked: {message}"),
    }
}
