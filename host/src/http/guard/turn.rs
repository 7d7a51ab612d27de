//! Turns: what one client opens begins one after the other.
//!
//! A client that opens thousands of connections or streams at once would otherwise put as many tasks before those of all
//! others. Invariant: of what a client opens, at most one task that has not begun waits for a worker.

use std::pin::pin;

use futures_util::future::poll_immediate;
use tokio::task::yield_now;
use tokio::time::Instant;

use super::Connection;
use super::worker_time::timed;

/// Takes the first step of a connection, or of a stream of it, in its client's turn; the others follow as they can.
pub(in crate::http) async fn in_turn<F: Future>(connection: &Connection, work: F) -> F::Output {
    let mut work = pin!(timed(connection, work));
    // Nothing closes the semaphore.
    let turn = connection.client.turn.acquire().await.ok();
    // The wait was ours: the time for a request begins now.
    connection.activity.lock().used = Instant::now();
    let done = poll_immediate(work.as_mut()).await;
    // What others have opened goes first.
    yield_now().await;
    drop(turn);
    match done {
        Some(done) => done,
        None => work.await,
    }
}
