//! A transaction and its receipt at one endpoint: both in one request, or in two where it takes no batches.
//!
//! Invariant: a refused batch counts against nobody, for the two requests find out what it was worth; that an endpoint
//! takes none is remembered only once it has answered them.

use alloy::primitives::B256;
use tokio::time::Instant;

use super::probe::FOR;
use super::{Endpoint, Of};
use crate::error::{EndpointError, RequestError};
use crate::transaction::{Told, WireReceipt, WireTransaction, told};

const TRANSACTION: &str = "eth_getTransactionByHash";
const RECEIPT: &str = "eth_getTransactionReceipt";

type Pair = (Option<WireTransaction>, Option<WireReceipt>);

impl Endpoint {
    /// What it knows of a transaction.
    pub(crate) async fn transaction(&self, hash: B256, until: Instant) -> Result<Told, EndpointError> {
        self.on_chain(until).await?;
        let (transaction, receipt) = self.pair(hash, until).await.map_err(into_endpoint_error)?;
        told(hash, transaction, receipt)
    }

    async fn pair(&self, hash: B256, until: Instant) -> Result<Pair, RequestError> {
        let takes_batches = self.memory.lock().no_batches.is_none_or(|until| until <= Instant::now());
        if takes_batches && let Some(pair) = self.together(hash, until).await? {
            return Ok(pair);
        }
        let params = [hash];
        let transaction = self.noted(Of::Receipt, until, self.rpc.request(TRANSACTION, &params));
        let receipt = self.noted(Of::Receipt, until, self.rpc.request(RECEIPT, &params));
        let pair = tokio::try_join!(transaction, receipt)?;
        if takes_batches {
            self.memory.lock().no_batches = Some(Instant::now() + FOR);
            tracing::debug!(endpoint = %self, "endpoint takes no batches");
        }
        Ok(pair)
    }

    /// `None` where it may be the batch that was refused.
    async fn together(&self, hash: B256, until: Instant) -> Result<Option<Pair>, RequestError> {
        let asking = async {
            match self.rpc.pair([TRANSACTION, RECEIPT], &[hash]).await {
                Ok(pair) => Ok(Some(pair)),
                Err(RequestError::Endpoint(error @ (EndpointError::Unreachable | EndpointError::Throttled(_)))) => {
                    Err(error.into())
                }
                Err(_) => Ok(None),
            }
        };
        self.noted(Of::Receipt, until, asking).await
    }
}

/// No block is asked for: one that is unknown is nonsense here.
fn into_endpoint_error(error: RequestError) -> EndpointError {
    match error {
        RequestError::UnknownBlock => EndpointError::Malformed,
        error => error.into_endpoint_error(),
    }
}
