//! Where an answer's tokens are read: one network at its pinned block, until a deadline.

use std::sync::Arc;

use portolan_reader::{Block, Read, Reader, Reply};
use tokio::time::Instant;

use crate::network::Network;

#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) reader: &'a dyn Reader,
    pub(crate) network: &'a Arc<Network>,
    pub(crate) block: &'a Block,
    pub(crate) deadline: Instant,
}

impl At<'_> {
    /// Replies in the order of the reads; no reads are no request.
    pub(crate) async fn read(&self, reads: Vec<Read>) -> Vec<Reply> {
        if reads.is_empty() {
            return Vec::new();
        }
        self.reader.read(self.network.chain_id, *self.block, reads, self.deadline).await
    }
}
