//! Queues of withdrawals whose requests are NFTs that the queue itself lists, like Lido's `WithdrawalQueueERC721`.
//!
//! Settings keys `withdrawal_queue` and `queued_token`. Answers a claim for each request that the queue can pay, and the
//! others as locked positions. Invariant: a request is either a claim or a position. An amount to claim is what the queue
//! says it pays, which a loss since the request may have lowered.
//!
//! Source: <https://docs.lido.fi/contracts/withdrawal-queue-erc721>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, NATIVE, Nft, Position,
    PositionKind, Question, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};

portolan_plugin_api::sol! {
    struct WithdrawalRequestStatus {
        uint256 amountOfStETH; uint256 amountOfShares; address owner; uint256 timestamp; bool isFinalized;
        bool isClaimed;
    }
    function getWithdrawalRequests(address owner) external view returns (uint256[] ids);
    function getWithdrawalStatus(uint256[] ids) external view returns (WithdrawalRequestStatus[] statuses);
    function getLastCheckpointIndex() external view returns (uint256);
    function findCheckpointHints(uint256[] ids, uint256 first, uint256 last) external view returns (uint256[] hints);
    function getClaimableEther(uint256[] ids, uint256[] hints) external view returns (uint256[] amounts);
    function claimWithdrawals(uint256[] ids, uint256[] hints) external;
}

/// Requests of an account that are read, the oldest ones.
const REQUESTS_MAX: usize = 200;
/// Cache time of the last checkpoint's index, in seconds. A request that was finalized since then waits this much longer.
const CHECKPOINTS_STAND_S: u32 = 60;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalQueueKit {
    /// Mechanism of positions, and `type` of claims.
    pub queue: &'static str,
}

/// One queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalQueue {
    queue: Address,
    queued_token: Address,
    types: WithdrawalQueueKit,
}

/// A request of the account, with the checkpoint by which the queue finds its rate.
struct QueuedRequest {
    id: U256,
    status: WithdrawalRequestStatus,
    hint: U256,
}

impl WithdrawalQueueKit {
    /// Keys of a row for a queue of withdrawals, as Lido's:
    /// - `withdrawal_queue` (address): the contract of the requests
    /// - `queued_token` (address): the token that waits there
    pub const KEYS: &'static [&'static str] = &["withdrawal_queue", "queued_token"];
}

impl Kit for WithdrawalQueueKit {
    fn keys(&self) -> &'static [&'static str] {
        &["withdrawal_queue"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(queue) = keys.address_opt("withdrawal_queue")? else { return Ok(None) };
        Ok(Some(WithdrawalQueue { queue, queued_token: keys.address("queued_token")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        // Both lists grow where several requests are claimed at once.
        let numbers = || Role::array(Role::NUMBER);
        vec![ClaimTemplate::new::<claimWithdrawalsCall>([numbers(), numbers()]).merging([0, 1])]
    }
}

impl DeploymentReader for WithdrawalQueue {
    fn contracts(&self) -> Vec<Address> {
        vec![self.queue]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per request that can be paid.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let mut ripe = self.requests(cx, labels, account).await?;
            ripe.retain(QueuedRequest::is_ripe);
            if ripe.is_empty() {
                return Ok(Vec::new());
            }
            let (ids, hints) = ripe.iter().map(|request| (request.id, request.hint)).unzip();
            let amounts = cx.call(self.queue, getClaimableEtherCall { ids, hints }).await?;
            if amounts.len() != ripe.len() {
                return Err(Error::new(format!("{}: not an amount for each request", self.queue)));
            }
            let claims = ripe.into_iter().zip(amounts).filter(|(_, amount)| !amount.is_zero());
            Ok(claims.map(|(request, amount)| self.claimable(cx, labels, &request, amount)).collect())
        })
    }

    /// Returns a position per request that waits.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let waiting = self.requests(cx, labels, account).await?.into_iter();
            let waiting = waiting.filter(|request| !request.is_ripe() && !request.status.isClaimed);
            Ok(waiting.map(|request| self.position(labels, &request)).collect())
        })
    }
}

impl QueuedRequest {
    /// Returns true if the queue can pay it. A checkpoint that is newer than the index that was read gives no hint.
    fn is_ripe(&self) -> bool {
        self.status.isFinalized && !self.status.isClaimed && !self.hint.is_zero()
    }
}

impl WithdrawalQueue {
    /// Returns the account's requests, the oldest first.
    async fn requests(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<QueuedRequest>, Error> {
        let queue = self.queue;
        let mut ids = cx.call(queue, getWithdrawalRequestsCall { owner: account }).await?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        // The queue finds hints for sorted ids alone.
        ids.sort_unstable();
        if ids.len() > REQUESTS_MAX {
            let market = labels.market;
            cx.report_not_covered(format!("{market}: {REQUESTS_MAX} of {} requests are read", ids.len()));
            ids.truncate(REQUESTS_MAX);
        }
        let last = cx.call(queue, getLastCheckpointIndexCall {}).within(CHECKPOINTS_STAND_S);
        let statuses = cx.call(queue, getWithdrawalStatusCall { ids: ids.clone() });
        let (last, statuses) = cx.join((last, statuses)).await?;
        let hints = findCheckpointHintsCall { ids: ids.clone(), first: U256::from(1), last };
        let hints = cx.call(queue, hints).await?;
        if statuses.len() != ids.len() || hints.len() != ids.len() {
            return Err(Error::new(format!("{queue}: not a status and a hint for each request")));
        }
        let requests = ids.into_iter().zip(statuses).zip(hints);
        Ok(requests.map(|((id, status), hint)| QueuedRequest { id, status, hint }).collect())
    }

    fn claimable(&self, cx: &JobContext, labels: Labels<'_>, request: &QueuedRequest, amount: U256) -> Claimable {
        let claim = || cx.claim(self.queue, &claimWithdrawalsCall { ids: vec![request.id], hints: vec![request.hint] });
        let row = Claimable::new(labels.market, self.queue, claim().mergeable_as(claim()));
        let row = row.mechanism(self.types.queue).named(self.name()).numbered(request.id);
        row.pays(NATIVE, amount)
    }

    /// Returns what waits in a request. No view returns when its time will come.
    fn position(&self, labels: Labels<'_>, request: &QueuedRequest) -> Position {
        let row = Position::new(PositionKind::LOCKED, labels.market, self.queue).mechanism(self.types.queue);
        let row = row.named(self.name()).numbered(request.id);
        let row = row.leg(Leg::new(LegRole::LOCKED, self.queued_token, request.status.amountOfStETH));
        let nft = Some(Nft { collection: self.queue, token_id: request.id });
        Position { nft, lock: Some(Lock { unlocks_at: None, is_permanent: Some(false) }), ..row }
    }

    fn name(&self) -> String {
        format!("{} withdrawal", symbol(self.queued_token))
    }
}
