//! Bounds of the entries that are answered of one list. Entries beyond a bound are reported as not covered.

use std::fmt::Display;

use portolan_plugin_api::{JobContext, U256};

/// Returns how many of so many entries are answered. `at` is the list in a report, and `what` its entries in plural.
pub(crate) fn answered(cx: &JobContext, at: impl Display, count: U256, what: impl Display, max: u64) -> u64 {
    if count > U256::from(max) {
        cx.report_not_covered(format!("{at}: {count} {what}, of which {max} are answered"));
    }
    u64::try_from(count).unwrap_or(max).min(max)
}

/// Drops the entries that are not answered.
pub(crate) fn truncate<T>(cx: &JobContext, at: impl Display, entries: &mut Vec<T>, what: impl Display, max: usize) {
    if entries.len() > max {
        cx.report_not_covered(format!("{at}: {} {what}, of which {max} are answered", entries.len()));
        entries.truncate(max);
    }
}
