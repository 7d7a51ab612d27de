//! The trait for the work of all kinds of queries.

use std::sync::Arc;

use portolan_base::network::Network;

use crate::gateway::answer::Answer;
use crate::gateway::context::Context;
use crate::gateway::problem::Problem;

/// Work of one kind of query. To add a kind, implement this in a new file and call it in the gateway.
pub(super) trait Work: Send + 'static {
    /// Networks whose blocks are pinned before the work begins.
    fn networks(&self, context: &Context) -> Vec<Arc<Network>>;

    /// Does the work.
    ///
    /// # Errors
    /// Returns the problem to send instead of the answer.
    fn answer(self, context: Context) -> impl Future<Output = Result<Answer, Problem>> + Send;
}
