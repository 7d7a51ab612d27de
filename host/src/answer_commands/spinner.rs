//! A spinner on stderr while something takes long. Invariant: it is only there if stderr is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

const TICK: Duration = Duration::from_millis(100);

/// The spinner of a command, if it is shown.
#[derive(Debug, Default)]
pub(super) struct Spinner(Mutex<Option<ProgressBar>>);

impl Spinner {
    /// Shows the spinner with these words.
    pub(super) fn show(&self, words: String) {
        let mut shown = self.0.lock();
        match shown.as_ref() {
            Some(bar) => bar.set_message(words),
            None => {
                let bar = ProgressBar::new_spinner().with_style(style()).with_message(words);
                bar.enable_steady_tick(TICK);
                *shown = Some(bar);
            }
        }
    }

    /// Takes the spinner off the terminal.
    pub(super) fn clear(&self) {
        if let Some(bar) = self.0.lock().take() {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}
