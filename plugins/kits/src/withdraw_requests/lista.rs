//! Lista's `ListaStakeManager`: an amount is the BNB that the contract says a request pays. A claim puts the last request in
//! its place.
//!
//! Source: <https://github.com/lista-dao/synclub-contracts/blob/master/contracts/ListaStakeManager.sol>

use portolan_plugin_api::{Address, ClaimTemplate, Error, JobContext, NATIVE, Role, U256};

use super::{ListedRequest, REQUESTS_MAX, RequestState, keep_last};
use crate::bounds::answered;
use crate::kit::Labels;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    struct ListaWithdrawal { uint256 uuid; uint256 amountInSnBnb; uint256 startTime; }
    function getUserWithdrawalRequests(address user) external view returns (ListaWithdrawal[] requests);
    function getUserRequestStatus(address user, uint256 index) external view returns (bool isClaimable, uint256 amount);
    function claimWithdraw(uint256 index) external;
}

pub(super) fn claim() -> ClaimTemplate {
    ClaimTemplate::new::<claimWithdrawCall>([Role::NUMBER])
}

/// Returns the account's requests, of which the last one that the contract would pay is payable.
pub(super) async fn requests(
    cx: &JobContext,
    labels: Labels<'_>,
    queue: Address,
    account: Address,
) -> Result<Vec<ListedRequest>, Error> {
    let listed = cx.call(queue, getUserWithdrawalRequestsCall { user: account }).await?;
    let count = answered(cx, labels.market, U256::from(listed.len()), "requests", REQUESTS_MAX);
    let rows = (0..count).zip(listed).map(|(place, of)| request(cx, queue, U256::from(place), of.uuid, account));
    let mut found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
    keep_last(&mut found);
    Ok(found)
}

async fn request(
    cx: &JobContext,
    queue: Address,
    index: U256,
    uuid: U256,
    account: Address,
) -> Result<ListedRequest, Error> {
    let status = cx.call(queue, getUserRequestStatusCall { user: account, index });
    // The contract also calls requests claimable that it does not pay.
    let tried = cx.try_call(queue, claimWithdrawCall { index }).from(account).isolated();
    let (status, tried) = cx.join((status, tried)).await?;
    let state = match tried {
        Ok(_) => RequestState::Payable(cx.claim(queue, &claimWithdrawCall { index })),
        Err(_) => RequestState::Waiting(None),
    };
    Ok(ListedRequest { number: Some(uuid), token: NATIVE, amount: status.amount, state })
}
