//! The blocks that an answer is at: one for each network that it asks. Invariant: a network that tells none in time
//! has a failure in its place.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;
use portolan_reader::{Block, Pins, ReadFailure, Reader};

use crate::gateway::deadline::Deadline;
use crate::network::{Network, Networks};

/// The block of each of these networks, or why there is none.
pub(crate) async fn pin(
    reader: &dyn Reader,
    networks: impl Iterator<Item = &Arc<Network>>,
    deadline: Deadline,
) -> Pins {
    let networks: BTreeSet<u64> = networks.map(|network| network.chain_id).collect();
    let by = deadline.of_pins();
    let pins = networks.into_iter().map(async |chain_id| {
        let pinned = tokio::time::timeout_at(by, reader.pin(chain_id, by)).await;
        (chain_id, pinned.unwrap_or(Err(ReadFailure::Timeout)))
    });
    join_all(pins).await.into_iter().collect()
}

/// The networks that have a block, in the order of answers.
pub(crate) fn blocks(networks: &Networks, pins: &Pins) -> Vec<(Arc<Network>, Block)> {
    let pinned = |network: &Arc<Network>| match pins.get(&network.chain_id) {
        Some(Ok(block)) => Some((Arc::clone(network), *block)),
        _ => None,
    };
    networks.iter().filter_map(pinned).collect()
}
