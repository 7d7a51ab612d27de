//! Renzo's `WithdrawQueue`: an amount is what the request was promised, or what it would be promised now if that is less, as
//! in the claim itself.
//!
//! Source: <https://github.com/Renzo-Protocol/contracts-public/tree/master/contracts/Withdraw>

use portolan_plugin_api::{Address, ClaimTemplate, Error, JobContext, Role, U256};

use super::{ListedRequest, PERIOD_STANDS_S, REQUESTS_MAX, RequestState, keep_last};
use crate::bounds::answered;
use crate::kit::{Labels, ZERO_STANDS_S};
use crate::native_placeholder::named_token;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function getOutstandingWithdrawRequests(address user) external view returns (uint256);
    function withdrawRequests(address user, uint256 index) external view returns (
        address collateralToken, uint256 withdrawRequestID, uint256 amountToRedeem, uint256 ezETHLocked, uint256 createdAt
    );
    function coolDownPeriod() external view returns (uint256);
    function calculateAmountToRedeem(uint256 amount, address assetOut) external view
        returns (uint256[][] tokenTVLs, uint256 amountToRedeem);
    function claim(uint256 withdrawRequestIndex, address user) external;
}

pub(super) fn claim() -> ClaimTemplate {
    ClaimTemplate::new::<claimCall>([Role::NUMBER, Role::ACCOUNT])
}

/// Returns the account's requests, of which the last one that the queue would pay is payable.
pub(super) async fn requests(
    cx: &JobContext,
    labels: Labels<'_>,
    queue: Address,
    account: Address,
) -> Result<Vec<ListedRequest>, Error> {
    let count = cx.call(queue, getOutstandingWithdrawRequestsCall { user: account });
    let count = count.zero_within(ZERO_STANDS_S).await?;
    if count.is_zero() {
        return Ok(Vec::new());
    }
    let count = answered(cx, labels.market, count, "requests", REQUESTS_MAX);
    let period = cx.call(queue, coolDownPeriodCall {}).within(PERIOD_STANDS_S).await?;
    let rows = (0..count).map(|place| request(cx, queue, U256::from(place), period, account));
    let mut found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
    found.retain(|request| !request.amount.is_zero());
    keep_last(&mut found);
    Ok(found)
}

async fn request(
    cx: &JobContext,
    queue: Address,
    index: U256,
    period: U256,
    account: Address,
) -> Result<ListedRequest, Error> {
    let request = cx.call(queue, withdrawRequestsCall { user: account, index });
    let call = || claimCall { withdrawRequestIndex: index, user: account };
    let claim = cx.try_call(queue, call());
    let (request, tried) = cx.join((request, claim.from(account).isolated())).await?;
    let token = request.collateralToken;
    let now = cx.call(queue, calculateAmountToRedeemCall { amount: request.ezETHLocked, assetOut: token });
    let state = match tried {
        Ok(_) => RequestState::Payable(cx.claim(queue, &call())),
        Err(_) => RequestState::Waiting(Some(request.createdAt.saturating_add(period))),
    };
    let amount = now.await?.amountToRedeem.min(request.amountToRedeem);
    Ok(ListedRequest { number: Some(request.withdrawRequestID), token: named_token(token), amount, state })
}
