//! Awaits two unlike parts in the same wave; [`Chain::join`](portolan_plugin_api::Chain::join) does many like ones.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use portolan_plugin_api::Error;

/// Awaits both together; nests for more than two.
///
/// # Errors
/// The first part's, else the second's, once both are done: no read is left behind that nobody waits for.
pub async fn both<A, B>(
    first: impl Future<Output = Result<A, Error>>,
    second: impl Future<Output = Result<B, Error>>,
) -> Result<(A, B), Error> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut one, mut other) = (None, None);
    poll_fn(|cx| {
        if one.is_none()
            && let Poll::Ready(done) = first.as_mut().poll(cx)
        {
            one = Some(done);
        }
        if other.is_none()
            && let Poll::Ready(done) = second.as_mut().poll(cx)
        {
            other = Some(done);
        }
        match (one.take(), other.take()) {
            (Some(one), Some(other)) => Poll::Ready(one.and_then(|one| other.map(|other| (one, other)))),
            (first, second) => {
                (one, other) = (first, second);
                Poll::Pending
            }
        }
    })
    .await
}
