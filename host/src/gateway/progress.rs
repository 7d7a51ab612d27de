//! What jobs found, on its way to the client while others still run.
//!
//! Invariant: a client that goes away or is slow never holds up the answer. There is one message for each job, or two if
//! its block was lost.

use std::sync::Arc;

use portolan_base::network::Network;
use portolan_reader::Block;
use tokio::sync::mpsc::UnboundedSender;

use crate::gateway::answer::Items;
use crate::jobs::failure::Reason;
use crate::jobs::plan::Question;

/// A job that ended, with its rows.
#[derive(Clone, Debug)]
pub(crate) struct EndedJob {
    /// Slug.
    pub(crate) protocol: String,
    pub(crate) network: Arc<Network>,
    /// `None` for a protocol that is not served: no job began.
    pub(crate) question: Option<Question>,
    pub(crate) block: Option<Block>,
    /// Reason why something of it is missing.
    pub(crate) failure: Option<Reason>,
    pub(crate) items: Items,
}

/// The way to the client.
#[derive(Clone, Debug)]
pub(crate) struct JobProgress(UnboundedSender<EndedJob>);

impl JobProgress {
    pub(crate) fn new(sender: UnboundedSender<EndedJob>) -> Self {
        Self(sender)
    }

    /// Sends a job's rows, unless the client is gone.
    pub(super) fn send(&self, job: EndedJob) {
        drop(self.0.send(job));
    }
}
