//! Turns: the work that one client opens starts one at a time.
//!
//! Otherwise a client that opens thousands of connections or streams at once would queue as many tasks ahead of all
//! others. Invariant: at most one task per client that has not started waits for a worker.

use std::pin::pin;

use futures_util::future::poll_immediate;
use tokio::task::yield_now;

use super::Connection;
use super::worker_time::timed;

/// Polls `work` for the first time in its client's turn; later polls need none. The work of a proxy is that of many
/// clients, and needs none either.
pub(in crate::http) async fn in_turn<F: Future>(connection: &Connection, work: F) -> F::Output {
    if connection.is_of_proxy {
        return work.await;
    }
    let mut work = pin!(timed(connection, work));
    // The semaphore is never closed.
    let turn = connection.client.turn.acquire().await.ok();
    let done = poll_immediate(work.as_mut()).await;
    // Let the tasks of other clients go first.
    yield_now().await;
    drop(turn);
    match done {
        Some(done) => done,
        None => work.await,
    }
}
