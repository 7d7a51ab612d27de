//! The endpoints of one network, in the order of the configuration: who is asked, for how long, and who next.
//!
//! Invariant: a hanging endpoint leaves time for those after it, and one that failed lately is asked last, but asked.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::batch::Batch;
use super::endpoint::Endpoint;
use super::fault::Fault;
use super::known::Contracts;
use super::transport::Pool;
use super::{Block, Outcome, Read, ReadFailure};
use crate::network::Network;
use crate::rpc_url::RpcUrl;

pub(super) struct Endpoints {
    network: Arc<Network>,
    list: Vec<Endpoint>,
    contracts: Contracts,
}

impl Endpoints {
    pub(super) fn new(network: Arc<Network>, urls: Vec<RpcUrl>, pool: &Pool) -> Self {
        let list = urls.into_iter().map(|url| Endpoint::new(&network, url, pool)).collect();
        Self { network, list, contracts: Contracts::new() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Endpoint> {
        self.list.iter()
    }

    /// The newest block of the first endpoint that tells one.
    pub(super) async fn pin(&self, deadline: Instant) -> Result<Block, ReadFailure> {
        let mut faults = Vec::new();
        for (endpoint, left) in self.in_turn() {
            let (until, share) = share(deadline, left);
            match endpoint.newest(until).await {
                Ok(block) => return Ok(block),
                Err(fault) => faults.push(self.note(endpoint, fault, share)),
            }
        }
        Err(Fault::verdict(&faults))
    }

    /// Outcomes in the order of the reads, each from the first endpoint that gave one.
    pub(super) async fn read(&self, block: &Block, reads: &[Read], deadline: Instant) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; reads.len()];
        let mut faults = Vec::new();
        for (endpoint, left) in self.in_turn() {
            let open: Vec<_> = (0..reads.len()).filter(|index| outcomes[*index].is_none()).collect();
            if open.is_empty() {
                break;
            }
            let (until, share) = share(deadline, left);
            if let Err(fault) = endpoint.on_chain(until).await {
                faults.push(self.note(endpoint, fault, share));
                continue;
            }
            let batch = Batch { endpoint, contracts: &self.contracts, block, reads, until };
            let attempt = batch.answer(&open).await;
            for (index, outcome) in attempt.answered {
                outcomes[index] = Some(outcome);
            }
            match attempt.fault {
                Some(fault) => faults.push(self.note(endpoint, fault, share)),
                None => endpoint.succeeded(),
            }
        }
        let missing = Outcome::Failed(Fault::verdict(&faults));
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(|| missing.clone())).collect()
    }

    /// Those that did not fail lately first, each with the number of those from it to the end.
    fn in_turn(&self) -> impl Iterator<Item = (&Endpoint, u32)> {
        let (mut turn, failing): (Vec<_>, Vec<_>) = self.list.iter().partition(|endpoint| !endpoint.is_failing());
        turn.extend(failing);
        let left = (1..=u32::try_from(turn.len()).unwrap_or(u32::MAX)).rev();
        turn.into_iter().zip(left)
    }

    fn note(&self, endpoint: &Endpoint, fault: Fault, had: Duration) -> Fault {
        if endpoint.failed(fault, had) {
            tracing::warn!(network = %self.network.slug, %endpoint, %fault, "endpoint failed, asked last for a while");
        } else {
            tracing::debug!(network = %self.network.slug, %endpoint, %fault, "endpoint stepped over");
        }
        fault
    }
}

/// An equal part of the time that is left, and its length.
fn share(deadline: Instant, left: u32) -> (Instant, Duration) {
    let now = Instant::now();
    let share = deadline.saturating_duration_since(now) / left.max(1);
    (now + share, share)
}
