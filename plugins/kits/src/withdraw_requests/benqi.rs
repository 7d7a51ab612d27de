//! Benqi's `StakedAvax`: what is unlocked pays AVAX within a time after the cooldown, all of it by one claim; what was left
//! longer comes back as the token, by another one.
//!
//! Source: <https://github.com/Benqi-fi/BENQI-Smart-Contracts/blob/master/sAVAX/StakedAvax.sol>

use portolan_plugin_api::{Address, ClaimTemplate, Error, JobContext, NATIVE, U256};

use super::{ListedRequest, PERIOD_STANDS_S, REQUESTS_MAX, RequestQueue, RequestState};
use crate::bounds::answered;
use crate::fixed_point::{WAD, mul_div, too_large};
use crate::kit::{Labels, ZERO_STANDS_S};

portolan_plugin_api::sol! {
    struct AvaxUnlock { uint256 startedAt; uint256 shareAmount; }
    function getUnlockRequestCount(address user) external view returns (uint256);
    // Rates are zero but for requests that are paid now.
    function getPaginatedUnlockRequests(address user, uint256 first, uint256 end) external view
        returns (AvaxUnlock[] requests, uint256[] rates);
    function cooldownPeriod() external view returns (uint256);
    function redeemPeriod() external view returns (uint256);
    function redeem() external;
    function redeemOverdueShares() external;
}

pub(super) fn claims() -> [ClaimTemplate; 2] {
    // The token itself keeps the requests, and gives itself back.
    [ClaimTemplate::new::<redeemCall>([]), ClaimTemplate::new::<redeemOverdueSharesCall>([]).of_token()]
}

/// Returns the account's requests: those that wait one by one, those that are paid in AVAX together, and those that come
/// back as the token together.
pub(super) async fn requests(
    cx: &JobContext,
    labels: Labels<'_>,
    of: RequestQueue,
    account: Address,
) -> Result<Vec<ListedRequest>, Error> {
    let count = cx.call(of.queue, getUnlockRequestCountCall { user: account }).zero_within(ZERO_STANDS_S).await?;
    if count.is_zero() {
        return Ok(Vec::new());
    }
    let end = U256::from(answered(cx, labels.market, count, "requests", REQUESTS_MAX));
    let listed = cx.call(of.queue, getPaginatedUnlockRequestsCall { user: account, first: U256::ZERO, end });
    let cooldown = cx.call(of.queue, cooldownPeriodCall {}).within(PERIOD_STANDS_S);
    let window = cx.call(of.queue, redeemPeriodCall {}).within(PERIOD_STANDS_S);
    let (listed, cooldown, window) = cx.join((listed, cooldown, window)).await?;
    if listed.requests.len() != listed.rates.len() {
        return Err(Error::new(format!("{}: not a rate for each request", of.queue)));
    }
    let now = U256::from(cx.block().timestamp);
    let (mut paid, mut overdue) = (U256::ZERO, U256::ZERO);
    let mut found = Vec::new();
    for (place, (request, rate)) in (0_u64..).zip(listed.requests.into_iter().zip(listed.rates)) {
        let ends = request.startedAt.saturating_add(cooldown);
        if !rate.is_zero() {
            paid = paid.checked_add(mul_div(request.shareAmount, rate, WAD)?).ok_or_else(too_large)?;
        } else if ends.saturating_add(window) < now {
            overdue = overdue.checked_add(request.shareAmount).ok_or_else(too_large)?;
        } else {
            // The contract counts the second in which the cooldown ends to it.
            let state = RequestState::Waiting(Some(ends.saturating_add(U256::from(1))));
            let (number, token) = (Some(U256::from(place)), of.requested_token);
            found.push(ListedRequest { number, token, amount: request.shareAmount, state });
        }
    }
    let redeem = RequestState::Payable(cx.claim(of.queue, &redeemCall {}));
    let give_back = RequestState::Payable(cx.claim(of.queue, &redeemOverdueSharesCall {}));
    found.push(ListedRequest { number: None, token: NATIVE, amount: paid, state: redeem });
    found.push(ListedRequest { number: None, token: of.requested_token, amount: overdue, state: give_back });
    Ok(found)
}
