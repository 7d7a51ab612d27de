//! Where an answer's tokens are read: one network, through its session.

use std::sync::Arc;

use portolan_reader::{Read, Reply, Session};

use crate::network::Network;

#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) session: &'a Session,
    pub(crate) network: &'a Arc<Network>,
}

impl At<'_> {
    /// Returns replies in the order of the reads; no reads are no request.
    pub(crate) async fn read(&self, reads: Vec<Read>) -> Vec<Reply> {
        self.session.read(reads).await
    }
}
