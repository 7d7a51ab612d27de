//! Kelp's `LRTWithdrawalManager`: a queue for each asset, of which a claim pays the account's oldest request. A request that
//! is unlocked pays what was settled then; one that is not is told in the tokens that it took.
//!
//! Source: <https://github.com/Kelp-DAO/LRT-rsETH/blob/main/contracts/LRTWithdrawalManager.sol>

use portolan_plugin_api::alloy::primitives::keccak256;
use portolan_plugin_api::{Address, ClaimTemplate, Error, JobContext, Lineage, Role, U256};

use super::{ListedRequest, REQUESTS_MAX, RequestQueue, RequestState};
use crate::bounds::answered;
use crate::kit::{Labels, ZERO_STANDS_S};
use crate::native_placeholder::named_token;
use crate::partial::{join_partial, with_each};

portolan_plugin_api::sol! {
    function lrtConfig() external view returns (address);
    function getSupportedAssetList() external view returns (address[] assets);
    function userAssociatedNonces(address asset, address user) external view returns (uint128 begin, uint128 end);
    function nextLockedNonce(address asset) external view returns (uint256);
    function getUserWithdrawalRequest(address asset, address user, uint256 index) external view returns (
        uint256 rsETHAmount, uint256 expectedAssetAmount, uint256 withdrawalStartBlock, uint256 userNonce
    );
    function completeWithdrawal(address asset, string referralId) external;
}

/// Cache time of the assets, in seconds; a new one shows at most this much later.
const ASSETS_STAND_S: u32 = 3_600;
/// Assets whose queues are read; the protocol has had six.
const ASSETS_MAX: u64 = 20;

pub(super) fn claim() -> ClaimTemplate {
    ClaimTemplate::new::<completeWithdrawalCall>([Role::TOKEN, Role::BYTES])
}

/// Returns the views whose replies claims may name.
pub(super) fn assets_of_claims() -> Vec<Lineage> {
    vec![Lineage::markets::<lrtConfigCall>(), Lineage::tokens::<getSupportedAssetListCall>().list().of_given()]
}

/// Returns the account's requests, of which the oldest one of each asset is payable if the queue would pay it.
pub(super) async fn requests(
    cx: &JobContext,
    labels: Labels<'_>,
    of: RequestQueue,
    account: Address,
) -> Result<Vec<ListedRequest>, Error> {
    let config = cx.call(of.queue, lrtConfigCall {}).within(ASSETS_STAND_S).await?;
    let mut assets = cx.call(config, getSupportedAssetListCall {}).within(ASSETS_STAND_S).await?;
    let count = answered(cx, labels.market, U256::from(assets.len()), "assets", ASSETS_MAX);
    assets.truncate(usize::try_from(count).unwrap_or(assets.len()));
    let nonces = assets.iter().map(|asset| (of.queue, userAssociatedNoncesCall { asset: *asset, user: account }));
    let nonces = cx.call_each(nonces).zero_within(ZERO_STANDS_S);
    let queued = with_each(assets, nonces).await.fail_if_none(cx, labels.market)?;
    // A double-ended queue, whose ends may pass the largest number.
    let queued = queued.into_iter().map(|(asset, nonces)| (asset, nonces.end.wrapping_sub(nonces.begin)));
    let queued = queued.filter(|(_, length)| *length > 0);
    let parts = queued.map(|(asset, length)| of_asset(cx, labels, of, asset, length, account));
    Ok(join_partial(cx, parts).await.fail_if_none(cx, labels.market)?.concat())
}

/// Returns the requests of one asset.
async fn of_asset(
    cx: &JobContext,
    labels: Labels<'_>,
    of: RequestQueue,
    asset: Address,
    length: u128,
    account: Address,
) -> Result<Vec<ListedRequest>, Error> {
    let count = answered(cx, labels.market, U256::from(length), "requests", REQUESTS_MAX);
    let complete = || completeWithdrawalCall { asset, referralId: String::new() };
    let tried = cx.try_call(of.queue, complete()).from(account).isolated();
    let (locked, tried) = cx.join((cx.call(of.queue, nextLockedNonceCall { asset }), tried)).await?;
    let rows = (0..count).map(|place| async move {
        let call = getUserWithdrawalRequestCall { asset, user: account, index: U256::from(place) };
        let request = cx.call(of.queue, call).await?;
        let nonce = request.userNonce;
        // As the contract numbers requests of all assets.
        let number = keccak256([asset.as_slice(), &nonce.to_be_bytes::<32>()].concat());
        let (token, amount) = if nonce < locked {
            (named_token(asset), request.expectedAssetAmount)
        } else {
            (of.requested_token, request.rsETHAmount)
        };
        Ok((place, ListedRequest { number: Some(number.into()), token, amount, state: RequestState::Waiting(None) }))
    });
    let found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?.into_iter();
    let is_paid = tried.is_ok();
    let row = |(place, request): (u64, ListedRequest)| match place == 0 && is_paid {
        true => ListedRequest { state: RequestState::Payable(cx.claim(of.queue, &complete())), ..request },
        false => request,
    };
    Ok(found.map(row).collect())
}
