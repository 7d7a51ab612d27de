//! Single requests at a block, each in one batch with a request for the chain id: the node behind an address may
//! change between two requests, and one node answers a whole batch.
//!
//! Invariant: an endpoint that takes no batches, or is read by block numbers or by single requests only, gets the
//! request alone, and its chain stays unproven.

use alloy::primitives::{Address, Bytes, U256};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::{Capabilities, Endpoint};
use crate::Block;
use crate::endpoints::status::BatchMethod;
use crate::wire::error::{EndpointError, RequestError};
use crate::wire::rpc::{BlockId, EthCall, WithChainId};

/// The reply to a single request.
pub(crate) struct SingleReply<R> {
    pub(crate) result: Result<R, RequestError>,
    /// True if the reply proves that it is of the network's chain.
    pub(crate) proves_chain: bool,
}

impl<R> SingleReply<R> {
    /// Applies a function to the result.
    pub(crate) fn map<S>(self, map: impl FnOnce(R) -> S) -> SingleReply<S> {
        SingleReply { result: self.result.map(map), proves_chain: self.proves_chain }
    }
}

impl Endpoint {
    /// Makes an `eth_call`.
    pub(crate) async fn single_call(&self, call: &EthCall<'_>, block: &Block, until: Instant) -> SingleReply<Bytes> {
        let in_batch = |at| self.rpc.call_with_chain_id(call, at);
        self.single(block, until, in_batch, |at| self.rpc.call(call, at)).await
    }

    /// Reads the native balance of an account, wei.
    pub(crate) async fn balance(&self, of: Address, block: &Block, until: Instant) -> SingleReply<U256> {
        self.read_of_address("eth_getBalance", of, block, until).await
    }

    /// Reads the code at an address.
    pub(crate) async fn code(&self, of: Address, block: &Block, until: Instant) -> SingleReply<Bytes> {
        self.read_of_address("eth_getCode", of, block, until).await
    }

    async fn read_of_address<R: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        of: Address,
        block: &Block,
        until: Instant,
    ) -> SingleReply<R> {
        let in_batch = |at| async move { self.rpc.request_with_chain_id(method, &(of, at)).await };
        self.single(block, until, in_batch, |at| async move { self.rpc.request(method, &(of, at)).await }).await
    }

    async fn single<R, F, G>(
        &self,
        block: &Block,
        until: Instant,
        in_batch: impl Fn(BlockId) -> F,
        alone: impl Fn(BlockId) -> G,
    ) -> SingleReply<R>
    where
        F: Future<Output = Result<WithChainId<R>, RequestError>>,
        G: Future<Output = Result<R, RequestError>>,
    {
        let batch = self.may_batch_singles(block).then(|| Box::pin(self.in_batch(block, until, in_batch)));
        let alone = async {
            match self.read(block, until, alone).await {
                Err(error @ (RequestError::Endpoint(_) | RequestError::TooLarge | RequestError::UnknownBlock)) => {
                    Err(error)
                }
                result => Ok(SingleReply { result, proves_chain: false }),
            }
        };
        let reply = self.batch_or_alone(batch, Box::pin(alone)).await;
        reply.unwrap_or_else(|error| SingleReply { result: Err(error), proves_chain: false })
    }

    fn may_batch_singles(&self, block: &Block) -> bool {
        let is_single = |own: Capabilities| own.batch_method == BatchMethod::Single;
        self.takes_batches() && self.is_read_by_hash(block) && !self.known_capabilities().is_some_and(is_single)
    }

    /// Sends a request and one for the chain id; returns `None` if the endpoint may have rejected the batch as such.
    async fn in_batch<R, F: Future<Output = Result<WithChainId<R>, RequestError>>>(
        &self,
        block: &Block,
        until: Instant,
        request: impl Fn(BlockId) -> F,
    ) -> Result<Option<SingleReply<R>>, RequestError> {
        let request = |at| {
            let both = request(at);
            async move {
                match both.await? {
                    // Repeat the batch for these, as the request alone would be.
                    (Err(error @ (RequestError::Endpoint(_) | RequestError::UnknownBlock)), _) => Err(error),
                    both => Ok(both),
                }
            }
        };
        let (result, chain_id) = match self.read(block, until, request).await {
            Err(error) if is_of_batch(&error) => return Ok(None),
            both => both?,
        };
        if let Ok(chain_id) = &chain_id {
            self.confirm_chain(chain_id.to())?;
        }
        Ok(Some(SingleReply { result, proves_chain: chain_id.is_ok() && self.is_read_by_hash(block) }))
    }

    fn is_read_by_hash(&self, block: &Block) -> bool {
        matches!(self.block_id(block), BlockId::Hash(_))
    }
}

/// Returns true if an error may be about the batch, so that the request alone may be answered.
fn is_of_batch(error: &RequestError) -> bool {
    match error {
        RequestError::Endpoint(error) => error.rejects_request_kind() || *error == EndpointError::Malformed,
        RequestError::UnknownBlock => false,
        _ => true,
    }
}
