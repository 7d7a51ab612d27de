//! Stader's `UserWithdrawalManager`: a request that is finalized pays what was settled then, each by a claim of its own; one
//! that is not is told in the tokens that it took.
//!
//! Source: <https://github.com/stader-labs/ethx/blob/main/contracts/UserWithdrawalManager.sol>

use portolan_plugin_api::{Address, ClaimTemplate, Error, JobContext, NATIVE, Role, U256};

use super::{ListedRequest, REQUESTS_MAX, RequestQueue, RequestState};
use crate::bounds::answered;
use crate::kit::Labels;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function getRequestIdsByUser(address owner) external view returns (uint256[] ids);
    function userWithdrawRequests(uint256 id) external view returns (
        address owner, uint256 ethXAmount, uint256 ethExpected, uint256 ethFinalized, uint256 requestBlock
    );
    function nextRequestIdToFinalize() external view returns (uint256);
    function claim(uint256 id) external;
}

pub(super) fn claim() -> ClaimTemplate {
    ClaimTemplate::new::<claimCall>([Role::NUMBER])
}

/// Returns the account's requests, of which all finalized ones are payable.
pub(super) async fn requests(
    cx: &JobContext,
    labels: Labels<'_>,
    of: RequestQueue,
    account: Address,
) -> Result<Vec<ListedRequest>, Error> {
    let ids = cx.call(of.queue, getRequestIdsByUserCall { owner: account }).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let count = answered(cx, labels.market, U256::from(ids.len()), "requests", REQUESTS_MAX);
    let rows = (0..count).zip(ids).map(|(_, id)| request(cx, of, id));
    join_partial(cx, rows).await.fail_if_none(cx, labels.market)
}

async fn request(cx: &JobContext, of: RequestQueue, id: U256) -> Result<ListedRequest, Error> {
    let request = cx.call(of.queue, userWithdrawRequestsCall { id });
    let (request, next) = cx.join((request, cx.call(of.queue, nextRequestIdToFinalizeCall {}))).await?;
    let (token, amount, state) = if id < next {
        (NATIVE, request.ethFinalized, RequestState::Payable(cx.claim(of.queue, &claimCall { id })))
    } else {
        (of.requested_token, request.ethXAmount, RequestState::Waiting(None))
    };
    Ok(ListedRequest { number: Some(id), token, amount, state })
}
