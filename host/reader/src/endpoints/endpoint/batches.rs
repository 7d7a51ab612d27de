//! Requests in JSON-RPC batches, or one by one to an endpoint that takes no batches.
//!
//! Invariant: a rejected batch is not blamed on the endpoint, because its requests alone show whether it works. That an
//! endpoint takes no batches is remembered only once it has replied to them.

use tokio::time::Instant;

use super::Endpoint;
use super::probe::CAPABILITIES_FOR;
use crate::wire::error::RequestError;

impl Endpoint {
    /// Returns true unless it is known to refuse batches.
    pub(crate) fn takes_batches(&self) -> bool {
        self.learned.lock().no_batches_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Records that it refuses batches.
    pub(crate) fn refuses_batches(&self) {
        self.learned.lock().no_batches_until = Some(Instant::now() + CAPABILITIES_FOR);
        tracing::debug!(endpoint = %self, "endpoint takes no batches");
    }

    /// Sends a batch, if there is one, and its requests alone where it returns `None`: the endpoint may have rejected it as
    /// such.
    pub(super) async fn batch_or_alone<T>(
        &self,
        batch: Option<impl Future<Output = Result<Option<T>, RequestError>>>,
        alone: impl Future<Output = Result<T, RequestError>>,
    ) -> Result<T, RequestError> {
        let Some(batch) = batch else { return alone.await };
        if let Some(reply) = batch.await? {
            return Ok(reply);
        }
        let reply = alone.await?;
        self.refuses_batches();
        Ok(reply)
    }
}
