//! Simulations by `eth_simulateV1`, if the endpoint has it: all of an account in one batch.
//!
//! Invariant: a rejection of the method is remembered as long as capabilities are, and is not blamed on the endpoint.
//! The result of one simulation of a batch says nothing about the others.

use alloy::primitives::{Address, Bytes, U256};
use tokio::time::Instant;

use super::Endpoint;
use super::probe::CAPABILITIES_FOR;
use crate::chain::next_block::NextBlock;
use crate::endpoints::health::RequestKind;
use crate::methods::packed::Malformed;
use crate::methods::simulation::{
    AccountCode, Sender, SimulatedAt, SimulatedBlock, Simulation, SimulationRequest, TIP_USUAL, Watched, decode_blocks,
};
use crate::reads::read_set::ReadRef;
use crate::wire::error::{EndpointError, RequestError};
use crate::{Block, Effort};

const METHOD: &str = "eth_simulateV1";

/// Result of a batch of simulations.
pub(crate) enum Simulated {
    /// One reply for each simulation, in order; `None` if the endpoint does not run it.
    Each(Vec<Option<Bytes>>),
    /// The endpoint rejects the batch as such. It may take a smaller one.
    BatchRejected,
    /// The endpoint lacks the method.
    Unsupported,
}

impl Endpoint {
    /// Returns true unless it is known to lack `eth_simulateV1`.
    pub(crate) fn may_simulate(&self) -> bool {
        self.learned.lock().no_simulations_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Returns the expected properties of the block after this one. May have to request this one for them.
    pub(crate) async fn next_block(&self, block: &Block, until: Instant) -> Result<Option<NextBlock>, EndpointError> {
        let known = |own: &Self| own.learned.lock().next_blocks.iter().find(|(hash, _)| *hash == block.hash).copied();
        if known(self).is_none() {
            self.block_by_hash(block.hash, until).await?;
        }
        Ok(known(self).map(|(_, next)| next))
    }

    pub(crate) async fn simulate_v1(
        &self,
        simulations: &[ReadRef<'_>],
        block: &Block,
        next: &NextBlock,
        until: Instant,
    ) -> Result<Simulated, EndpointError> {
        let tip = self.learned.lock().tip.unwrap_or(TIP_USUAL);
        let at = self.block_id(block);
        let requests: Vec<Option<SimulationRequest>> =
            simulations.iter().map(|one| SimulationRequest::new(one.like, one.to, at, next, tip)).collect();
        let sent: Vec<&SimulationRequest> = requests.iter().flatten().collect();
        let Some(results) = self.send_simulations(&sent, until).await? else { return Ok(Simulated::BatchRejected) };
        let (mut results, mut replies) = (results.into_iter(), Vec::with_capacity(simulations.len()));
        for request in &requests {
            let result = request.as_ref().and_then(|request| Some((request, results.next()?)));
            replies.push(match result {
                Some((request, result)) => self.decode(request, result, block)?,
                None => None,
            });
        }
        if sent.is_empty() || replies.iter().any(Option::is_some) {
            return Ok(Simulated::Each(replies));
        }
        Ok(if self.makes_empty_simulation(block, next, until).await? {
            Simulated::Each(replies)
        } else {
            self.learned.lock().no_simulations_until = Some(Instant::now() + CAPABILITIES_FOR);
            tracing::debug!(endpoint = %self, "endpoint does not simulate");
            Simulated::Unsupported
        })
    }

    /// Returns the reply to a simulation; `None` if the endpoint does not run it, or its reply is not credible.
    fn decode(
        &self,
        request: &SimulationRequest,
        result: SimulationResult,
        pinned: &Block,
    ) -> Result<Option<Bytes>, EndpointError> {
        let sees_parent_hash = self.known_capabilities().is_none_or(|capabilities| capabilities.sees_parent_hash);
        let at = SimulatedAt { chain_id: self.chain_id, pinned, sees_parent_hash };
        match result {
            Ok(blocks) => match decode_blocks(&blocks, request, &at) {
                Err(Malformed::OtherChain(chain_id)) => Err(self.wrong_chain(chain_id)),
                reply => Ok(reply.ok()),
            },
            Err(error) => of_endpoint(error),
        }
    }

    /// Sends one request or one batch; returns `None` if the endpoint does not take the batch.
    async fn send_simulations(
        &self,
        params: &[&SimulationRequest],
        until: Instant,
    ) -> Result<Option<Vec<SimulationResult>>, EndpointError> {
        match params {
            [] => Ok(Some(Vec::new())),
            [only] => {
                let request = || self.rpc.request::<Vec<SimulatedBlock>>(METHOD, only);
                Ok(Some(vec![self.send_until_taken(RequestKind::Optional, until, request).await]))
            }
            _ => {
                let request = || self.rpc.batch::<Vec<SimulatedBlock>, _>(METHOD, params);
                match self.send_until_taken(RequestKind::Optional, until, request).await {
                    Ok(results) => Ok(Some(results)),
                    Err(error) => of_endpoint(error),
                }
            }
        }
    }

    /// Returns true if it runs an empty simulation; then earlier errors were about the transactions.
    async fn makes_empty_simulation(
        &self,
        block: &Block,
        next: &NextBlock,
        until: Instant,
    ) -> Result<bool, EndpointError> {
        let sender = Sender { account: Address::ZERO, code: AccountCode::None, balance: U256::ZERO };
        let empty = Simulation { steps: Vec::new(), watched: Watched::default() };
        let request = empty
            .read(&sender, Effort::Any)
            .and_then(|read| SimulationRequest::new(&read, sender.account, self.block_id(block), next, TIP_USUAL));
        let Some(request) = request else { return Ok(false) };
        let results = self.send_simulations(&[&request], until).await?;
        match results.and_then(|results| results.into_iter().next()) {
            Some(result) => Ok(self.decode(&request, result, block)?.is_some()),
            None => Ok(false),
        }
    }
}

type SimulationResult = Result<Vec<SimulatedBlock>, RequestError>;

/// Returns errors that say nothing about the request: the endpoint failed, or does not know the block. `None` for
/// others.
fn of_endpoint<T>(error: RequestError) -> Result<Option<T>, EndpointError> {
    match error {
        RequestError::UnknownBlock => Err(EndpointError::UnknownBlock),
        RequestError::Endpoint(error) if !error.rejects_request_kind() && error != EndpointError::Malformed => {
            Err(error)
        }
        _ => Ok(None),
    }
}
