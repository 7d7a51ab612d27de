//! Queues that keep a list of requests for each account, like Renzo's `WithdrawQueue`.
//!
//! Settings keys `request_queue` and `requested_token`. Answers one claim for an account, of the last request of its list
//! that the queue would pay now, and the other requests as locked positions: a claim moves the requests behind it, so that
//! two claims of one answer could not both be sent. Invariant: an amount is what the request was promised, or what it
//! would be promised now if that is less, as in the claim itself.
//!
//! Source: <https://github.com/Renzo-Protocol/contracts-public/tree/master/contracts/Withdraw>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Role, SettingsError, U256, symbol,
};

use crate::bounds::answered;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
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

/// Requests of an account that are read, the first ones of its list.
const REQUESTS_MAX: u64 = 64;
/// Cache time of the time to wait, in seconds; the protocol may change it.
const PERIOD_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawRequestsKit {
    /// Mechanism of positions, and `type` of claims.
    pub request: &'static str,
}

/// One queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestQueue {
    queue: Address,
    requested_token: Address,
    types: WithdrawRequestsKit,
}

/// A request of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListedRequest {
    index: U256,
    id: U256,
    token: Address,
    amount: U256,
    unlocks_at: U256,
    is_ripe: bool,
}

impl WithdrawRequestsKit {
    /// Keys of a row for a queue that lists an account's requests, as Renzo's:
    /// - `request_queue` (address): the queue
    /// - `requested_token` (address): the liquid token that is given back
    pub const KEYS: &'static [&'static str] = &["request_queue", "requested_token"];
}

impl Kit for WithdrawRequestsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["request_queue"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(queue) = keys.address_opt("request_queue")? else { return Ok(None) };
        Ok(Some(RequestQueue { queue, requested_token: keys.address("requested_token")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([Role::NUMBER, Role::ACCOUNT])]
    }
}

impl DeploymentReader for RequestQueue {
    fn contracts(&self) -> Vec<Address> {
        vec![self.queue]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns the claim of the last request that the queue would pay.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let claimed = claimed(&self.requests(cx, labels, account).await?);
            let row = |request: ListedRequest| {
                let claim = cx.claim(self.queue, &claimCall { withdrawRequestIndex: request.index, user: account });
                let row = Claimable::new(labels.market, self.queue, claim).mechanism(self.types.request);
                row.named(self.name()).numbered(request.id).pays(request.token, request.amount)
            };
            Ok(claimed.into_iter().map(row).collect())
        })
    }

    /// Returns a position per request but that of the claim. Its end is the earliest one, and absent once that is over.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let requests = self.requests(cx, labels, account).await?;
            let claimed = claimed(&requests);
            let now = cx.block().timestamp;
            let row = |request: ListedRequest| {
                let row = Position::new(PositionKind::LOCKED, labels.market, self.queue).mechanism(self.types.request);
                let row = row.named(self.name()).numbered(request.id);
                let row = row.leg(Leg::new(LegRole::LOCKED, request.token, request.amount));
                let unlocks_at = u64::try_from(request.unlocks_at).ok().filter(|end| *end > now);
                Position { lock: Some(Lock { unlocks_at, is_permanent: Some(false) }), ..row }
            };
            Ok(requests.into_iter().filter(|request| Some(*request) != claimed).map(row).collect())
        })
    }
}

/// Returns the last request that the queue would pay.
fn claimed(requests: &[ListedRequest]) -> Option<ListedRequest> {
    requests.iter().copied().filter(|request| request.is_ripe).max_by_key(|request| request.index)
}

impl RequestQueue {
    /// Returns the account's requests.
    async fn requests(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<ListedRequest>, Error> {
        let count = cx.call(self.queue, getOutstandingWithdrawRequestsCall { user: account });
        let count = count.zero_within(ZERO_STANDS_S).await?;
        if count.is_zero() {
            return Ok(Vec::new());
        }
        let count = answered(cx, labels.market, count, "requests", REQUESTS_MAX);
        let period = cx.call(self.queue, coolDownPeriodCall {}).within(PERIOD_STANDS_S).await?;
        let rows = (0..count).map(|place| self.request(cx, U256::from(place), period, account));
        let mut found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
        found.retain(|request| !request.amount.is_zero());
        Ok(found)
    }

    async fn request(
        &self,
        cx: &JobContext,
        index: U256,
        period: U256,
        account: Address,
    ) -> Result<ListedRequest, Error> {
        let request = cx.call(self.queue, withdrawRequestsCall { user: account, index });
        let claim = cx.try_call(self.queue, claimCall { withdrawRequestIndex: index, user: account });
        let (request, claim) = cx.join((request, claim.from(account).isolated())).await?;
        let token = request.collateralToken;
        let now = cx.call(self.queue, calculateAmountToRedeemCall { amount: request.ezETHLocked, assetOut: token });
        Ok(ListedRequest {
            index,
            id: request.withdrawRequestID,
            token: named_token(token),
            amount: now.await?.amountToRedeem.min(request.amountToRedeem),
            unlocks_at: request.createdAt.saturating_add(period),
            is_ripe: claim.is_ok(),
        })
    }

    fn name(&self) -> String {
        format!("{} withdrawal", symbol(self.requested_token))
    }
}
