//! A search for approvals at several endpoints: each goes on where the one before it has no logs.

use tokio::time::Instant;

use super::Endpoints;
use crate::ReadBudget;
use crate::endpoints::approval_search::{ApprovalQuery, ApprovalSearch, FoundApprovals, SearchEnd};
use crate::endpoints::endpoint::LogsEnd;
use crate::wire::error::EndpointError;

impl Endpoints {
    /// Searches logs for the approvals of an account, from the newest block to the oldest.
    pub(crate) async fn approvals(
        &self,
        query: ApprovalQuery,
        deadline: Instant,
        budget: &ReadBudget,
    ) -> FoundApprovals {
        let mut search = ApprovalSearch::new(query, budget);
        let (mut errors, mut lacks_logs) = (Vec::new(), false);
        let mut turns = self.turns(1).into_iter().peekable();
        while let Some(turn) = turns.next() {
            let (now, before, is_last) = (Instant::now(), search.next(), turns.peek().is_none());
            // An endpoint that hangs leaves time for the next one.
            let until = if is_last { deadline } else { now + deadline.saturating_duration_since(now) / 2 };
            match turn.endpoint.search_approvals(&mut search, &self.client_rates, until).await {
                Ok(LogsEnd::Whole) => return search.end(SearchEnd::Whole),
                Ok(LogsEnd::Bound) if is_last || search.next() != before => return search.end(SearchEnd::Bound),
                Ok(LogsEnd::Bound) => errors.push(EndpointError::Timeout),
                Ok(LogsEnd::NoLogs) => lacks_logs = true,
                Err(error) => errors.push(self.log(turn.endpoint, error)),
            }
        }
        let end = if lacks_logs { SearchEnd::NoLogs } else { SearchEnd::Failed(EndpointError::summarize(&errors)) };
        search.end(end)
    }
}
