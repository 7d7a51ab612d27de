//! The work of each kind of query, with what several of them share, and its trait.

pub(super) mod account_rows;
pub(super) mod accounts;
pub(super) mod approvals;
pub(super) mod balances;
pub(super) mod claim_plan;
pub(super) mod events;
pub(super) mod fees;
mod missing_tokens;
pub(super) mod names;
pub(super) mod protocols;
pub(super) mod revoke_plan;
pub(super) mod rows_by_job;
pub(super) mod simulation;

use std::sync::Arc;

use portolan_base::network::Network;

use crate::gateway::answer::Answer;
use crate::gateway::context::Context;
use crate::gateway::problem::Problem;

/// Work of one kind of query. To add a kind, implement this in a new file and call it in the gateway.
pub(super) trait Work: Send + 'static {
    /// Networks whose blocks are pinned before the work begins.
    fn networks(&self, context: &Context) -> Vec<Arc<Network>>;

    /// Number of answers that it counts as.
    fn count(&self) -> usize {
        1
    }

    /// Does the work.
    ///
    /// # Errors
    /// Returns the problem to send instead of the answer.
    fn answer(self, context: Context) -> impl Future<Output = Result<Answer, Problem>> + Send;
}
