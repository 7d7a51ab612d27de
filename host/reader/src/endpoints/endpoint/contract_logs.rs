//! The logs of contracts in the blocks from one to another, in one request or one batch.

use alloy::primitives::Address;
use tokio::time::Instant;

use super::Endpoint;
use crate::Block;
use crate::chain::contract_log::{ContractLog, LogFilter};
use crate::endpoints::health::RequestKind;
use crate::wire::error::{EndpointError, RequestError};

const GET_LOGS: &str = "eth_getLogs";

impl Endpoint {
    /// Returns the logs of these contracts after one block, up to and with a later one.
    pub(crate) async fn contract_logs(
        &self,
        after: &Block,
        to: &Block,
        contracts: &[Address],
        until: Instant,
    ) -> Result<Vec<ContractLog>, EndpointError> {
        self.ensure_usable(until).await?;
        let filters = LogFilter::between(after, to, contracts);
        if let [filter] = &filters[..] {
            let request = || self.rpc.request::<Vec<ContractLog>>(GET_LOGS, filter);
            let logs = self.send_until_taken(RequestKind::Optional, until, request).await;
            return logs.map_err(RequestError::into_endpoint_error);
        }
        let request = || self.rpc.batch::<Vec<ContractLog>, _>(GET_LOGS, &filters);
        let replies = self.send_until_taken(RequestKind::Optional, until, request).await;
        let mut logs = Vec::new();
        for reply in replies.map_err(RequestError::into_endpoint_error)? {
            logs.extend(reply.map_err(RequestError::into_endpoint_error)?);
        }
        Ok(logs)
    }
}
