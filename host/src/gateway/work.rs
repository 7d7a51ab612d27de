//! The work for a query, of whichever kind.

use std::sync::Arc;

use crate::gateway::answer::Answer;
use crate::gateway::context::Context;
use crate::gateway::problem::Problem;
use crate::network::Network;

/// The work for one kind of query. A new kind is a file with an implementation, and its line in the gateway.
pub(super) trait Work: Send + 'static {
    /// The networks whose blocks are pinned before the work begins.
    fn networks(&self, context: &Context) -> Vec<Arc<Network>>;

    /// Does the work.
    ///
    /// # Errors
    /// The problem in the place of the answer.
    fn answer(self, context: Context) -> impl Future<Output = Result<Answer, Problem>> + Send;
}
