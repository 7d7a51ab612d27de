//! Awaits one part for each of many contracts, where a contract that fails costs its own part and nothing else.

use std::future::Future;

use futures_util::future::join;
use portolan_plugin_api::{Chain, Each, Error, Read};

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
    async move { Parts::of(outcomes.await) }
}

/// Awaits a call for each part: the parts beside what their calls give.
pub(crate) async fn with_each<P, T>(parts: Vec<P>, calls: Read<'_, T, Each>) -> Parts<(P, T)> {
    let outcomes = calls.await;
    Parts::of(parts.into_iter().zip(outcomes).map(|(part, outcome)| Ok((part, outcome?))))
}

/// Awaits two calls for each part; a part fails where either does.
pub(crate) async fn with_both<P, A, B>(
    parts: Vec<P>,
    first: Read<'_, A, Each>,
    second: Read<'_, B, Each>,
) -> Parts<(P, A, B)> {
    let (first, second) = join(first, second).await;
    let outcomes = parts.into_iter().zip(first).zip(second);
    Parts::of(outcomes.map(|((part, first), second)| Ok((part, first?, second?))))
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

    /// Returns what succeeded, in order, and reports what of `market` is missing.
    pub(crate) fn or_report(self, cx: &Chain, market: &str) -> Vec<T> {
        self.failed.iter().take(REPORTED_MAX).for_each(|error| cx.report_missing(format!("{market}: {error}")));
        if self.failed.len() > REPORTED_MAX {
            cx.report_missing(format!("{market}: {} more are missing", self.failed.len() - REPORTED_MAX));
        }
        self.done
    }

    /// Does the same where the parts are about one contract each that holds what accounts have in it: one that is no
    /// contract has nothing for anybody, so that only the operator is told. That another one answered shows that the
    /// network is the right one and the contracts are no mistake of the settings.
    ///
    /// # Errors
    /// The first error, where every part failed.
    pub(crate) fn or_none_where_gone(mut self, cx: &Chain, market: &str) -> Result<Vec<T>, Error> {
        if !self.done.is_empty() {
            self.failed.retain(|error| !error.is_no_contract());
        }
        self.or_err_if_all(cx, market)
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
