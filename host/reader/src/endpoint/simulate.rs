//! A simulation by `eth_simulateV1`, where the endpoint has it.
//!
//! Invariant: that an endpoint rejects the method is remembered for as long as its capabilities are, and counts against
//! nobody.

use alloy::primitives::Bytes;
use tokio::time::Instant;

use super::Endpoint;
use super::probe::CAPABILITIES_FOR;
use crate::Block;
use crate::error::{EndpointError, RequestError};
use crate::health::RequestKind;
use crate::read_set::ReadRef;
use crate::simulation::{SimulatedBlock, SimulationRequest, decode_blocks};

impl Endpoint {
    /// Returns the reply to a simulation; `None` where the endpoint does not make it.
    pub(crate) async fn simulate_v1(
        &self,
        simulation: ReadRef<'_>,
        block: &Block,
        until: Instant,
    ) -> Result<Option<Bytes>, EndpointError> {
        if self.learned.lock().no_simulations_until.is_some_and(|until| Instant::now() < until) {
            return Ok(None);
        }
        let Some(params) = SimulationRequest::new(simulation.like, simulation.to, self.block_id(block)) else {
            return Ok(None);
        };
        let request = || self.rpc.request::<Vec<SimulatedBlock>>("eth_simulateV1", &params);
        let error = match self.send_until_taken(RequestKind::Optional, until, request).await {
            Ok(blocks) => match decode_blocks(&blocks, self.chain_id, block) {
                Ok(reply) => return Ok(Some(reply)),
                Err(_) => EndpointError::Malformed,
            },
            Err(RequestError::UnknownBlock) => return Err(EndpointError::UnknownBlock),
            Err(error) => error.into_endpoint_error(),
        };
        if !error.rejects_request_kind() && error != EndpointError::Malformed {
            return Err(error);
        }
        self.learned.lock().no_simulations_until = Some(Instant::now() + CAPABILITIES_FOR);
        tracing::debug!(endpoint = %self, %error, "endpoint does not simulate");
        Ok(None)
    }
}
