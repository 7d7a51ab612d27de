//! Logs of approvals, window by window. The chain id is requested again after the last one, before any is used.

use std::collections::BTreeSet;

use tokio::time::{Instant, timeout};

use super::Endpoint;
use crate::ApprovedPair;
use crate::chain::approval_log::{ApprovalFilter, ApprovalLog};
use crate::endpoints::approval_search::{ApprovalSearch, REQUEST_TIME};
use crate::endpoints::client_rates::ClientRates;
use crate::endpoints::health::RequestKind;
use crate::endpoints::log_window::NARROWEST;
use crate::wire::error::{EndpointError, RequestError};

const GET_LOGS: &str = "eth_getLogs";

/// Maximum logs of one reply, unless it cannot be narrower.
const LOGS_MAX: usize = 20_000;

/// How an endpoint's part of a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogsEnd {
    Whole,
    Bound,
    NoLogs,
}

impl Endpoint {
    /// Goes on with a search for as long as this endpoint has logs.
    pub(crate) async fn search_approvals(
        &self,
        search: &mut ApprovalSearch<'_>,
        client_rates: &ClientRates,
        until: Instant,
    ) -> Result<LogsEnd, EndpointError> {
        self.ensure_usable(until).await?;
        let mut found = Vec::new();
        let ended = self.windows(search, client_rates, until, &mut found).await;
        if !found.is_empty() {
            self.check_chain(until).await?;
        }
        found.into_iter().for_each(|(from, pairs)| search.add(from, pairs));
        ended
    }

    async fn windows(
        &self,
        search: &mut ApprovalSearch<'_>,
        client_rates: &ClientRates,
        until: Instant,
        found: &mut Vec<(u64, BTreeSet<ApprovedPair>)>,
    ) -> Result<LogsEnd, EndpointError> {
        let (client, query) = (search.budget.client(), search.query);
        let mut next = search.next();
        while let Some(highest) = next {
            let blocks = {
                let window = self.log_window.lock();
                if window.is_absent(highest, Instant::now()) {
                    return Ok(LogsEnd::NoLogs);
                }
                window.blocks()
            };
            let lowest = (highest + 1).saturating_sub(blocks).max(query.from);
            let width = highest - lowest + 1;
            let further = found.iter().map(|(_, pairs)| pairs.len()).sum();
            if search.is_full(further) {
                return Ok(LogsEnd::Bound);
            }
            if !search.take_request(until) || !client_rates.wait(client, 1, self.limiter.per_second(), until).await {
                return Ok(LogsEnd::Bound);
            }
            let filter = ApprovalFilter::new(query.account, lowest, highest);
            let reply = self.send_until_taken(RequestKind::Optional, until, || self.logs(&filter)).await;
            let now = Instant::now();
            match reply {
                Ok(logs) if logs.len() <= LOGS_MAX || width <= NARROWEST => {
                    let pairs = filter.pairs(&logs);
                    let pairs = pairs.ok_or_else(|| self.blame(RequestKind::Optional, EndpointError::Malformed))?;
                    self.log_window.lock().took(width, now);
                    found.push((lowest, pairs));
                    next = lowest.checked_sub(1).filter(|next| *next >= query.from);
                }
                Err(error) if !is_about_width(&error) => return Err(error.into_endpoint_error()),
                Ok(_) | Err(_) => {
                    if !self.log_window.lock().refused(width, highest, now) {
                        return Ok(LogsEnd::NoLogs);
                    }
                }
            }
        }
        Ok(LogsEnd::Whole)
    }

    async fn logs(&self, filter: &ApprovalFilter) -> Result<Vec<ApprovalLog>, RequestError> {
        let params = (filter,);
        timeout(REQUEST_TIME, self.rpc.request::<Vec<ApprovalLog>>(GET_LOGS, &params))
            .await
            .unwrap_or(Err(RequestError::TooLarge))
    }
}

/// Returns true if a narrower request may be answered.
fn is_about_width(error: &RequestError) -> bool {
    match error {
        RequestError::Endpoint(error) => error.rejects_request_kind(),
        _ => true,
    }
}
