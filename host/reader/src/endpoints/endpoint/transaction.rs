//! A transaction and its receipt from one endpoint: both in one JSON-RPC batch, or in two requests if the endpoint
//! takes no batches.
//!
//! Invariant: the chain id is reported after both.

use alloy::primitives::B256;
use tokio::time::Instant;

use super::Endpoint;
use crate::chain::transaction::{TransactionLookup, WireReceipt, WireTransaction, combine, is_half_known};
use crate::endpoints::health::RequestKind;
use crate::wire::error::{EndpointError, RequestError};

const TRANSACTION: &str = "eth_getTransactionByHash";
const RECEIPT: &str = "eth_getTransactionReceipt";

type Pair = (Option<WireTransaction>, Option<WireReceipt>);

impl Endpoint {
    /// Returns what the endpoint knows about a transaction.
    pub(crate) async fn transaction(&self, hash: B256, until: Instant) -> Result<TransactionLookup, EndpointError> {
        self.ensure_usable(until).await?;
        let (transaction, receipt) = self.pair(hash, until).await.map_err(into_endpoint_error)?;
        self.check_chain(until).await?;
        if is_half_known(transaction.as_ref(), receipt.as_ref()) {
            return Err(EndpointError::HalfKnown);
        }
        combine(hash, transaction, receipt).inspect_err(|error| {
            if *error == EndpointError::Inconsistent {
                self.blame_for_receipt();
            }
        })
    }

    /// Blames the endpoint for a receipt that contradicts itself or its chain.
    pub(crate) fn blame_for_receipt(&self) -> EndpointError {
        self.blame(RequestKind::Optional, EndpointError::Inconsistent)
    }

    async fn pair(&self, hash: B256, until: Instant) -> Result<Pair, RequestError> {
        let batch = self.takes_batches().then(|| Box::pin(self.pair_in_batch(hash, until)));
        self.batch_or_alone(batch, Box::pin(self.pair_alone(hash, until))).await
    }

    async fn pair_alone(&self, hash: B256, until: Instant) -> Result<Pair, RequestError> {
        let params = [hash];
        let transaction =
            self.send_until_taken(RequestKind::Optional, until, || self.rpc.request(TRANSACTION, &params));
        let receipt = self.send_until_taken(RequestKind::Optional, until, || self.rpc.request(RECEIPT, &params));
        tokio::try_join!(transaction, receipt)
    }

    /// Requests both in one batch; returns `None` if the batch as such may have been rejected.
    async fn pair_in_batch(&self, hash: B256, until: Instant) -> Result<Option<Pair>, RequestError> {
        let request = || async {
            match self.rpc.pair([TRANSACTION, RECEIPT], &[hash]).await {
                Ok(pair) => Ok(Some(pair)),
                Err(RequestError::Endpoint(error @ (EndpointError::Unreachable | EndpointError::Throttled(_)))) => {
                    Err(error.into())
                }
                Err(_) => Ok(None),
            }
        };
        self.send_until_taken(RequestKind::Optional, until, request).await
    }
}

/// Converts an error. No block is requested here, so an error about one makes the reply malformed.
fn into_endpoint_error(error: RequestError) -> EndpointError {
    match error {
        RequestError::UnknownBlock => EndpointError::Malformed,
        error => error.into_endpoint_error(),
    }
}
