//! Awaits one part per contract; a failing contract loses only its own part.

use std::fmt::Display;
use std::future::Future;

use futures_util::future::join;
use portolan_plugin_api::{Each, Error, JobContext, Read};

/// Errors reported one by one; an unreachable network fails hundreds of parts for one reason.
const REPORTED_MAX: usize = 8;

/// Outcomes of many parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "what failed has to be reported"]
pub(crate) struct Parts<T> {
    done: Vec<T>,
    failed: Vec<Error>,
}

/// Awaits the parts together.
///
/// Not an `async fn`: the iterator is consumed here, so only the parts must be [`Send`], and each moves once.
pub(crate) fn join_partial<T, F>(cx: &JobContext, parts: impl IntoIterator<Item = F>) -> impl Future<Output = Parts<T>>
where
    F: Future<Output = Result<T, Error>>,
{
    let outcomes = cx.outcomes(parts);
    async move { Parts::of(outcomes.await) }
}

/// Awaits one call per part; returns the parts with the results of their calls.
pub(crate) async fn with_each<P, T>(parts: Vec<P>, calls: Read<'_, T, Each>) -> Parts<(P, T)> {
    let outcomes = calls.await;
    Parts::of(parts.into_iter().zip(outcomes).map(|(part, outcome)| Ok((part, outcome?))))
}

/// Awaits two calls per part; a part fails if either call does.
pub(crate) async fn with_both<P, A, B>(
    parts: Vec<P>,
    first: Read<'_, A, Each>,
    second: Read<'_, B, Each>,
) -> Parts<(P, A, B)> {
    let (first, second) = join(first, second).await;
    let outcomes = parts.into_iter().zip(first).zip(second);
    Parts::of(outcomes.map(|((part, first), second)| Ok((part, first?, second?))))
}

/// Returns what was read; the default if that failed, which is reported as `what`.
pub(crate) fn or_default<T: Default>(cx: &JobContext, what: impl Display, read: Result<T, Error>) -> T {
    read.unwrap_or_else(|error| {
        cx.report_missing(format!("{what}: {error}"));
        T::default()
    })
}

impl<T> Parts<T> {
    fn of(outcomes: impl IntoIterator<Item = Result<T, Error>>) -> Self {
        let mut parts = Self { done: Vec::new(), failed: Vec::new() };
        for outcome in outcomes {
            match outcome {
                Ok(part) => parts.done.push(part),
                Err(error) => parts.failed.push(error),
            }
        }
        parts
    }

    /// Returns the successful parts in order, and reports those of `market` that are missing.
    pub(crate) fn or_report(self, cx: &JobContext, market: &str) -> Vec<T> {
        self.failed.iter().take(REPORTED_MAX).for_each(|error| cx.report_missing(format!("{market}: {error}")));
        if self.failed.len() > REPORTED_MAX {
            cx.report_missing(format!("{market}: {} more are missing", self.failed.len() - REPORTED_MAX));
        }
        self.done
    }

    /// Like [`Parts::fail_if_none`], but ignores missing contracts if any part succeeded: nobody has anything in them.
    /// A reply of another part shows that the network and the settings are right.
    ///
    /// # Errors
    /// The first error, if every part failed.
    pub(crate) fn or_none_where_gone(mut self, cx: &JobContext, market: &str) -> Result<Vec<T>, Error> {
        if !self.done.is_empty() {
            self.failed.retain(|error| !error.is_no_contract());
        }
        self.fail_if_none(cx, market)
    }

    /// Like [`Parts::or_report`], but returns an error if all parts failed.
    ///
    /// # Errors
    /// The first error, if every part failed.
    pub(crate) fn fail_if_none(self, cx: &JobContext, market: &str) -> Result<Vec<T>, Error> {
        match self.failed.first() {
            Some(first) if self.done.is_empty() => Err(first.clone()),
            _ => Ok(self.or_report(cx, market)),
        }
    }
}
