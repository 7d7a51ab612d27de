//! One part for each of many contracts, where a bad contract costs its own part and nothing else.

use std::future::Future;

use portolan_plugin_api::{Chain, Error};

/// Losses of one kind that are told one by one; a network that is gone loses hundreds for one reason.
const TOLD_MAX: usize = 8;

/// What became of many parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "what is lost has to be told"]
pub struct Parts<T> {
    kept: Vec<T>,
    lost: Vec<Error>,
}

/// Awaits the parts together.
///
/// Not an `async fn`: what makes the parts is used up here, so that only the parts have to be [`Send`].
pub fn each<T, F>(cx: &Chain, parts: impl IntoIterator<Item = F>) -> impl Future<Output = Parts<T>>
where
    F: Future<Output = Result<T, Error>>,
{
    let parts: Vec<_> = parts.into_iter().map(settled).collect();
    async move {
        let mut outcome = Parts { kept: Vec::with_capacity(parts.len()), lost: Vec::new() };
        match cx.join(parts).await {
            Ok(parts) => parts.into_iter().for_each(|part| match part {
                Ok(part) => outcome.kept.push(part),
                Err(error) => outcome.lost.push(error),
            }),
            Err(error) => outcome.lost.push(error),
        }
        outcome
    }
}

/// An error as a value, so that it does not end the others.
async fn settled<T>(part: impl Future<Output = Result<T, Error>>) -> Result<Result<T, Error>, Error> {
    Ok(part.await)
}

impl<T> Parts<T> {
    /// What succeeded, in order; the answer says what of `market` is missing.
    pub fn or_told(self, cx: &Chain, market: &str) -> Vec<T> {
        self.lost.iter().take(TOLD_MAX).for_each(|error| cx.report_missing(format!("{market}: {error}")));
        if self.lost.len() > TOLD_MAX {
            cx.report_missing(format!("{market}: {} more are missing", self.lost.len() - TOLD_MAX));
        }
        self.kept
    }

    /// The same where anything succeeded, or where there were no parts.
    ///
    /// # Errors
    /// Where every part failed: the first error.
    pub fn or_fail(self, cx: &Chain, market: &str) -> Result<Vec<T>, Error> {
        match self.lost.first() {
            Some(first) if self.kept.is_empty() => Err(first.clone()),
            _ => Ok(self.or_told(cx, market)),
        }
    }
}
