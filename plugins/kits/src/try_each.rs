//! Awaits one part for each of many contracts, where a contract that fails costs its own part and nothing else.

use std::future::Future;

use portolan_plugin_api::{Chain, Error};

/// Errors of one kind that are reported one by one; a network that is gone fails hundreds of parts for one reason.
const REPORTED_MAX: usize = 8;

/// The outcomes of many parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "what failed has to be reported"]
pub(crate) struct Parts<T> {
    done: Vec<T>,
    failed: Vec<Error>,
}

/// Awaits the parts together.
///
/// Not an `async fn`: the iterator is used up here, so that only the parts have to be [`Send`], and each moves once.
pub(crate) fn try_each<T, F>(cx: &Chain, parts: impl IntoIterator<Item = F>) -> impl Future<Output = Parts<T>>
where
    F: Future<Output = Result<T, Error>>,
{
    let outcomes = cx.outcomes(parts);
    async move {
        let mut parts = Parts { done: Vec::new(), failed: Vec::new() };
        for outcome in outcomes.await {
            match outcome {
                Ok(part) => parts.done.push(part),
                Err(error) => parts.failed.push(error),
            }
        }
        parts
    }
}

impl<T> Parts<T> {
    /// Returns what succeeded, in order, and reports what of `market` is missing.
    pub(crate) fn or_report(self, cx: &Chain, market: &str) -> Vec<T> {
        self.failed.iter().take(REPORTED_MAX).for_each(|error| cx.report_missing(format!("{market}: {error}")));
        if self.failed.len() > REPORTED_MAX {
            cx.report_missing(format!("{market}: {} more are missing", self.failed.len() - REPORTED_MAX));
        }
        self.done
    }

    /// Does the same where anything succeeded, or where there were no parts.
    ///
    /// # Errors
    /// The first error, where every part failed.
    pub(crate) fn or_err_if_all(self, cx: &Chain, market: &str) -> Result<Vec<T>, Error> {
        match self.failed.first() {
            Some(first) if self.done.is_empty() => Err(first.clone()),
            _ => Ok(self.or_report(cx, market)),
        }
    }
}
