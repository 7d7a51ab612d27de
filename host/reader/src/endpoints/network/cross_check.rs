//! Cross-checks: which endpoint gave an outcome, and the same reads by another one.
//!
//! Invariant: hosts are compared, not URLs: two keys of one provider are one witness.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Endpoints, turns};
use crate::cache::store::CrossCheck;
use crate::endpoints::batch::Batch;
use crate::endpoints::endpoint::Endpoint;
use crate::reads::outcomes::Outcomes;
use crate::reads::read_budget::ReadBudget;
use crate::reads::read_set::ReadSet;
use crate::wire::error::EndpointError;
use crate::{Outcome, ReadFailure};

impl Endpoints {
    /// Returns the index of an endpoint in the configured order.
    pub(super) fn place(&self, endpoint: &Arc<Endpoint>) -> u8 {
        let place = self.list.iter().position(|known| Arc::ptr_eq(known, endpoint));
        place.and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
    }

    /// Returns host and port of the endpoint at an index.
    pub(crate) fn host(&self, place: u8) -> Option<&Arc<str>> {
        self.list.get(usize::from(place)).map(|endpoint| &endpoint.host)
    }

    /// Returns true if an endpoint has this host.
    pub(crate) fn has(&self, host: &str) -> bool {
        self.list.iter().any(|endpoint| *endpoint.host == *host)
    }

    /// Returns true if an endpoint has another host than this one.
    pub(crate) fn has_other(&self, host: &str) -> bool {
        self.list.iter().any(|endpoint| *endpoint.host != *host)
    }

    /// Repeats reads that a host's endpoint answered at a height: at the newest block of an endpoint of another host,
    /// or of the same host if there is no other.
    pub(crate) async fn cross_check(
        &self,
        host: &str,
        number: u64,
        reads: &ReadSet,
        deadline: Instant,
    ) -> Result<CrossCheck, ReadFailure> {
        let mut errors = Vec::new();
        let has_other = self.has_other(host);
        let may_check = |endpoint: &&Arc<Endpoint>| !has_other || *endpoint.host != *host;
        let in_order: Vec<_> = self.ranked().into_iter().filter(may_check).collect();
        for turn in turns::turns(&in_order, 1) {
            match self.check_by(turn.endpoint, number, reads, turn.until(deadline)).await {
                Ok(check) => return Ok(check),
                Err(error) => errors.push(self.log(turn.endpoint, error)),
            }
        }
        Err(EndpointError::summarize(&errors))
    }

    async fn check_by(
        &self,
        endpoint: &Endpoint,
        number: u64,
        reads: &ReadSet,
        until: Instant,
    ) -> Result<CrossCheck, EndpointError> {
        // A node that does not report finality is trusted once the block is deep, which the caller ensures.
        let is_final = endpoint.finalized_number(until).await?.is_none_or(|finalized| number <= finalized);
        let hash = endpoint.block_by_number(number, until).await?.map(|block| block.hash);
        let mut outcomes = Outcomes::open(reads.len());
        if is_final {
            let block = endpoint.newest_block(until).await?;
            let open: Vec<usize> = (0..reads.len()).collect();
            // These reads belong to no answer.
            let budget = ReadBudget::unbounded();
            let (heavy_calls, client_rates) = (&self.heavy_calls, &self.client_rates);
            let batch = Batch { endpoint, heavy_calls, client_rates, block: &block, reads, until, budget: &budget };
            batch.read(&open, &mut outcomes).await?;
        }
        outcomes.close(Outcome::Failed(ReadFailure::Upstream));
        Ok(CrossCheck { by: Arc::clone(&endpoint.host), hash, is_final, outcomes: outcomes.into_all().collect() })
    }
}
