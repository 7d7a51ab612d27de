//! Awaits many futures at once, each polled only while it is not done.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The outputs in order. What makes the futures is used up at once, so that only the futures need be [`Send`].
pub(crate) fn all<F: Future>(futures: impl IntoIterator<Item = F>) -> All<F> {
    All { futures: futures.into_iter().map(|future| Part::Running(Box::pin(future))).collect() }
}

pub(crate) struct All<F: Future> {
    futures: Vec<Part<F>>,
}

enum Part<F: Future> {
    Running(Pin<Box<F>>),
    Done(F::Output),
    Taken,
}

// Futures stand behind their own boxes, and outputs are never pinned.
impl<F: Future> Unpin for All<F> {}

impl<F: Future> Future for All<F> {
    type Output = Vec<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut pending = false;
        for part in &mut self.futures {
            if let Part::Running(future) = part {
                match future.as_mut().poll(cx) {
                    Poll::Ready(output) => *part = Part::Done(output),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending {
            return Poll::Pending;
        }
        let outputs = self.futures.iter_mut().filter_map(|part| match std::mem::replace(part, Part::Taken) {
            Part::Done(output) => Some(output),
            Part::Running(_) | Part::Taken => None,
        });
        Poll::Ready(outputs.collect())
    }
}
